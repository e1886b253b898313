"""Exports of a person's memory as jobs. What is forgotten withdraws them in the same transaction, by a trigger."""

from __future__ import annotations

import django.contrib.postgres.fields
import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

import accounts.models
import memoryapp.domain.exporting
from memoryapp.row_security import all_tables, tenant_reference

SECURITY = all_tables(["memoryapp_memoryexport"]) + tenant_reference(
    "memoryapp_memoryexport", "space_id", "memoryapp_space"
)
DOOR = """
SET ROLE memoryapp_lookup;
CREATE FUNCTION door.due_memory_exports(at timestamptz, most integer)
RETURNS TABLE (tenant_id uuid, export_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT e.tenant_id, e.id FROM memoryapp_memoryexport e
    WHERE e.state = 'pending' OR (e.state = 'running' AND e.lease_until < at) ORDER BY e.created_at LIMIT most
$$;
RESET ROLE;
"""
TRIGGER = """
-- A finished export is withdrawn, a running one begins anew without what was forgotten: its worker loses the fence.
-- Once a statement: a bulk action forgets hundreds of items, and every living export is looked through only once.
CREATE FUNCTION memoryapp_exports_follow() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
    gone record;
BEGIN
    FOR gone IN
        SELECT a.tenant_id, array_agg(a.id) AS ids FROM after a JOIN before b ON b.id = a.id
        WHERE a.status = 'forgotten' AND b.status <> 'forgotten' GROUP BY a.tenant_id
    LOOP
        UPDATE memoryapp_memoryexport SET
            state = CASE state WHEN 'running' THEN 'pending' ELSE 'withdrawn' END,
            error_code = CASE state WHEN 'running' THEN '' ELSE 'memory_forgotten' END,
            lease_until = NULL
        WHERE tenant_id = gone.tenant_id AND state IN ('running', 'succeeded') AND (
            item_ids && gone.ids
            -- The messages that told it are in the exports of whoever said them, as are working memory and events.
            OR space_id IN (SELECT a.space_id FROM after a WHERE a.id = ANY (gone.ids))
            OR space_id IN (
                SELECT s.space_id FROM memoryapp_evidence v
                JOIN memoryapp_session s ON s.tenant_id = v.tenant_id AND s.id = v.session_id
                WHERE v.tenant_id = gone.tenant_id AND v.item_id = ANY (gone.ids)
            )
        );
    END LOOP;
    RETURN NULL;
END $$;
CREATE TRIGGER exports_follow AFTER UPDATE ON memoryapp_memoryitem
    REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION memoryapp_exports_follow();
"""
REVERSE = """
DROP TRIGGER exports_follow ON memoryapp_memoryitem;
DROP FUNCTION memoryapp_exports_follow();
SET ROLE memoryapp_lookup;
DROP FUNCTION door.due_memory_exports(timestamptz, integer);
RESET ROLE;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0002_invitation"),
        ("memoryapp", "0014_retrieval_scan"),
    ]

    operations = [
        migrations.CreateModel(
            name="MemoryExport",
            fields=[
                (
                    "id",
                    models.UUIDField(default=accounts.models.new_id, editable=False, primary_key=True, serialize=False),
                ),
                ("requested_by", models.CharField(max_length=64)),
                (
                    "format",
                    models.CharField(
                        choices=[
                            (
                                memoryapp.domain.exporting.ExportFormat["JSONL"],
                                memoryapp.domain.exporting.ExportFormat["JSONL"],
                            ),
                            (
                                memoryapp.domain.exporting.ExportFormat["JSON"],
                                memoryapp.domain.exporting.ExportFormat["JSON"],
                            ),
                            (
                                memoryapp.domain.exporting.ExportFormat["MARKDOWN"],
                                memoryapp.domain.exporting.ExportFormat["MARKDOWN"],
                            ),
                        ],
                        max_length=16,
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            (
                                memoryapp.domain.exporting.ExportState["PENDING"],
                                memoryapp.domain.exporting.ExportState["PENDING"],
                            ),
                            (
                                memoryapp.domain.exporting.ExportState["RUNNING"],
                                memoryapp.domain.exporting.ExportState["RUNNING"],
                            ),
                            (
                                memoryapp.domain.exporting.ExportState["SUCCEEDED"],
                                memoryapp.domain.exporting.ExportState["SUCCEEDED"],
                            ),
                            (
                                memoryapp.domain.exporting.ExportState["FAILED"],
                                memoryapp.domain.exporting.ExportState["FAILED"],
                            ),
                            (
                                memoryapp.domain.exporting.ExportState["WITHDRAWN"],
                                memoryapp.domain.exporting.ExportState["WITHDRAWN"],
                            ),
                            (
                                memoryapp.domain.exporting.ExportState["EXPIRED"],
                                memoryapp.domain.exporting.ExportState["EXPIRED"],
                            ),
                        ],
                        default=memoryapp.domain.exporting.ExportState["PENDING"],
                        max_length=16,
                    ),
                ),
                ("attempt", models.PositiveIntegerField(default=0)),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                (
                    "item_ids",
                    django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), default=list, size=None),
                ),
                ("records_done", models.PositiveIntegerField(default=0)),
                ("records_total", models.PositiveIntegerField(default=0)),
                ("counts", models.JSONField(default=dict)),
                ("file_name", models.CharField(blank=True, max_length=128)),
                ("error_code", models.CharField(blank=True, max_length=64)),
                ("expires_at", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                (
                    "space",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="memoryapp.space",
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="accounts.tenant"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("state__in", ["pending", "running", "succeeded", "failed", "withdrawn", "expired"])
                        ),
                        name="export_state_known",
                    ),
                ],
                "indexes": [
                    models.Index(fields=["tenant", "space", "-id"], name="export_list"),
                    models.Index(
                        condition=models.Q(("state__in", ["running", "succeeded"])),
                        fields=["tenant"],
                        name="export_alive",
                    ),
                ],
            },
        ),
        migrations.RunSQL(SECURITY + DOOR + TRIGGER, REVERSE),
    ]
