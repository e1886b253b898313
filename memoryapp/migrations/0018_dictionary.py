"""A tenant's own words, and with which of their revisions an entry's terms were made."""

from __future__ import annotations

import django.contrib.postgres.fields
import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

import accounts.models
from memoryapp.row_security import all_tables


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0002_invitation"),
        ("memoryapp", "0017_reembedding"),
    ]

    operations = [
        migrations.AddField(
            model_name="retrievalentry",
            name="terms_revision",
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.CreateModel(
            name="Dictionary",
            fields=[
                (
                    "id",
                    models.UUIDField(default=accounts.models.new_id, editable=False, primary_key=True, serialize=False),
                ),
                (
                    "words",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=64), default=list, size=None
                    ),
                ),
                ("revision", models.PositiveIntegerField(default=0)),
                ("changed_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "tenant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="accounts.tenant"
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("tenant",), name="dictionary_once")],
            },
        ),
        migrations.RunSQL(all_tables(("memoryapp_dictionary",)), migrations.RunSQL.noop),
    ]
