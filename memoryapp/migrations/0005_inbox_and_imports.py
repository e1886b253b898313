"""Candidates that contradict an item, snoozing, undo of a decision; imports of chat histories with their runs."""

from __future__ import annotations

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

import accounts.models
from memoryapp.row_security import all_tables, tenant_reference

TABLES = ("memoryapp_importjob",)
REFERENCES = (
    ("memoryapp_memoryitem", "conflicts_with_id", "memoryapp_memoryitem"),
    ("memoryapp_run", "import_job_id", "memoryapp_importjob"),
)


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0001_initial"),
        ("memoryapp", "0004_context_indexes"),
    ]

    operations = [
        migrations.CreateModel(
            name="ImportJob",
            fields=[
                (
                    "id",
                    models.UUIDField(default=accounts.models.new_id, editable=False, primary_key=True, serialize=False),
                ),
                ("requested_by", models.CharField(max_length=64)),
                ("source", models.CharField(max_length=64)),
                ("accepted", models.BooleanField(default=False)),
                ("token_budget", models.PositiveIntegerField(blank=True, null=True)),
                ("tokens_used", models.PositiveIntegerField(default=0)),
                ("sessions", models.PositiveIntegerField(default=0)),
                ("messages", models.PositiveIntegerField(default=0)),
                ("duplicates", models.PositiveIntegerField(default=0)),
                ("refused", models.JSONField(default=dict)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
            ],
        ),
        migrations.RemoveConstraint(
            model_name="run",
            name="one_open_run",
        ),
        migrations.AddField(
            model_name="memoryitem",
            name="conflicts_with",
            field=models.ForeignKey(
                blank=True,
                db_constraint=False,
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="memoryapp.memoryitem",
            ),
        ),
        migrations.AddField(
            model_name="memoryitem",
            name="reason_before",
            field=models.CharField(blank=True, max_length=64),
        ),
        migrations.AddField(
            model_name="memoryitem",
            name="snoozed_until",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="tombstone",
            name="lifted_by",
            field=models.UUIDField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="importjob",
            name="tenant",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="accounts.tenant"
            ),
        ),
        migrations.AddField(
            model_name="run",
            name="import_job",
            field=models.ForeignKey(
                blank=True,
                db_constraint=False,
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="runs",
                to="memoryapp.importjob",
            ),
        ),
        migrations.AddIndex(
            model_name="run",
            index=models.Index(
                condition=models.Q(("import_job__isnull", False)), fields=["import_job"], name="run_of_import"
            ),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.UniqueConstraint(
                condition=models.Q(("attempt", 0), ("import_job__isnull", True), ("state", "pending")),
                fields=("tenant", "session", "target_space"),
                name="one_open_run",
            ),
        ),
        migrations.AddConstraint(
            model_name="importjob",
            constraint=models.UniqueConstraint(fields=("tenant", "source"), name="import_source_once"),
        ),
        migrations.RunSQL(all_tables(TABLES), migrations.RunSQL.noop),
        migrations.RunSQL("".join(tenant_reference(*r) for r in REFERENCES), migrations.RunSQL.noop),
    ]
