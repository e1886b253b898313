"""What every change pays for: no index that another one begins with, and one look at the search rows a statement."""

from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models

ROWS = (
    "auditevent",
    "auditexport",
    "auditsubject",
    "consolidationrun",
    "consolidationstep",
    "derivation",
    "dictionary",
    "erasure",
    "erasurestep",
    "evidence",
    "idempotencyrecord",
    "importjob",
    "memoryexport",
    "memoryitem",
    "memoryversion",
    "message",
    "noiseflag",
    "policyversion",
    "reembedding",
    "retrievalentry",
    "run",
    "session",
    "sourcemask",
    "space",
    "tombstone",
    "use",
    "workingmemory",
)
"""Tables of tenants; in each (tenant, id) is unique."""


def tenant() -> models.ForeignKey:  # type: ignore[type-arg]
    return models.ForeignKey(
        db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="accounts.tenant"
    )


def unindexed(to: str, *, null: bool = False) -> models.ForeignKey:  # type: ignore[type-arg]
    return models.ForeignKey(
        blank=null,
        db_constraint=False,
        db_index=False,
        null=null,
        on_delete=django.db.models.deletion.DO_NOTHING,
        related_name="+",
        to=to,
    )


TABLES = ", ".join(f"'memoryapp_{name}'" for name in ROWS)
# Django would drop and add the foreign key again, and look at every row under a lock, to drop the index beside it.
FORGO = f"""
DO $$
DECLARE
    found record;
BEGIN
    FOR found IN
        SELECT x.indexrelid::regclass AS name FROM pg_index x
        JOIN pg_class t ON t.oid = x.indrelid AND t.relnamespace = 'public'::regnamespace
        JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = x.indkey[0] AND a.attname = 'tenant_id'
        WHERE t.relname IN ({TABLES}) AND x.indnatts = 1 AND NOT x.indisunique AND x.indpred IS NULL
    LOOP
        EXECUTE format('DROP INDEX %s', found.name);
    END LOOP;
END $$;
"""
TAKE_BACK = "".join(f"CREATE INDEX ON memoryapp_{name} (tenant_id);\n" for name in ROWS)

LEADING = """
-- Once a statement. The ids are named, so that the plan goes by the key however many there were the first time.
CREATE OR REPLACE FUNCTION memoryapp_item_leads() RETURNS trigger LANGUAGE plpgsql
SET search_path = public, pg_temp AS $$
DECLARE
    led uuid[] := (
        SELECT array_agg(a.id) FROM after a JOIN before b ON b.id = a.id
        WHERE (a.status, a.sensitivity, a.expires_at) IS DISTINCT FROM (b.status, b.sensitivity, b.expires_at)
    );
BEGIN
    IF led IS NOT NULL THEN
        UPDATE memoryapp_retrievalentry r SET expires_at = a.expires_at,
            searchable = (a.status = 'active' AND a.sensitivity <> 'restricted')
        FROM after a WHERE r.id = ANY (led) AND a.id = r.id;
    END IF;
    RETURN NULL;
END $$;
DROP TRIGGER item_leads ON memoryapp_memoryitem;
CREATE TRIGGER item_leads AFTER UPDATE ON memoryapp_memoryitem
    REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION memoryapp_item_leads();
"""


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0002_invitation"),
        ("memoryapp", "0021_audited_by_statement"),
    ]
    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[migrations.AlterField(name, "tenant", tenant()) for name in ROWS],
            database_operations=[migrations.RunSQL(FORGO, TAKE_BACK)],
        ),
        *(
            migrations.AlterField(name, "space", unindexed("memoryapp.space"))
            for name in ("memoryitem", "tombstone", "retrievalentry")
        ),
        migrations.AlterField("memoryitem", "superseded_by", unindexed("memoryapp.memoryitem", null=True)),
        migrations.AlterField("memoryitem", "conflicts_with", unindexed("memoryapp.memoryitem", null=True)),
        migrations.AddIndex(
            "memoryitem",
            models.Index(
                condition=models.Q(("superseded_by__isnull", False)), fields=["superseded_by"], name="item_older"
            ),
        ),
        migrations.AddIndex(
            "memoryitem",
            models.Index(
                condition=models.Q(("conflicts_with__isnull", False)), fields=["conflicts_with"], name="item_rival"
            ),
        ),
        migrations.RunSQL(LEADING, migrations.RunSQL.noop),
    ]
