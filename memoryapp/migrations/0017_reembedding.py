"""Two embedding models side by side: which of them answers, per tenant."""

from __future__ import annotations

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

import accounts.models
from memoryapp.row_security import all_tables


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0002_invitation"),
        ("memoryapp", "0016_purged_documents"),
    ]

    operations = [
        migrations.CreateModel(
            name="Reembedding",
            fields=[
                (
                    "id",
                    models.UUIDField(default=accounts.models.new_id, editable=False, primary_key=True, serialize=False),
                ),
                ("from_model", models.CharField(max_length=128)),
                ("to_model", models.CharField(max_length=128)),
                ("answering", models.CharField(max_length=128)),
                ("state", models.CharField(max_length=16)),
                ("started_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("changed_at", models.DateTimeField(default=django.utils.timezone.now)),
            ],
        ),
        migrations.AddIndex(
            model_name="retrievalentry",
            index=models.Index(
                condition=models.Q(("spare_model", ""), _negated=True),
                fields=["tenant", "space", "spare_model"],
                name="entry_with_spare",
            ),
        ),
        migrations.AddField(
            model_name="reembedding",
            name="tenant",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="accounts.tenant"
            ),
        ),
        migrations.AddConstraint(
            model_name="reembedding",
            constraint=models.UniqueConstraint(fields=("tenant",), name="reembedding_once"),
        ),
        migrations.AddConstraint(
            model_name="reembedding",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("answering", models.F("from_model")), ("answering", models.F("to_model")), _connector="OR"
                ),
                name="reembedding_answers_by_one_of_both",
            ),
        ),
        migrations.AddConstraint(
            model_name="reembedding",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["filling", "switched", "rolled_back", "finished"])),
                name="reembedding_state_known",
            ),
        ),
        migrations.RunSQL(all_tables(("memoryapp_reembedding",)), migrations.RunSQL.noop),
    ]
