"""Row-level security of erasures, the dispatcher's look-up, tombstones by triple, and no statistics of what people said."""

from __future__ import annotations

from django.db import migrations

from memoryapp.row_security import all_tables, tenant_reference

TABLES = ("memoryapp_erasure", "memoryapp_erasurestep", "memoryapp_sourcemask")
REFERENCES = (
    ("memoryapp_erasure", "space_id", "memoryapp_space"),
    ("memoryapp_erasurestep", "erasure_id", "memoryapp_erasure"),
    ("memoryapp_sourcemask", "space_id", "memoryapp_space"),
)

DOOR = """
SET ROLE memoryapp_lookup;
CREATE FUNCTION door.due_erasures(at timestamptz, most integer)
RETURNS TABLE (tenant_id uuid, erasure_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT e.tenant_id, e.id FROM memoryapp_erasure e
    WHERE (e.state = 'pending' AND e.due_at <= at) OR (e.state = 'running' AND e.lease_until < at)
    ORDER BY e.due_at LIMIT most
$$;
-- Asks when a text comes in or an item comes back, not when a living item is pinned or paused.
CREATE OR REPLACE FUNCTION door.refuse_tombstoned() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    IF NEW.status NOT IN ('pending', 'active', 'paused', 'archived') THEN
        RETURN NEW;
    END IF;
    IF TG_OP = 'UPDATE' AND OLD.status IN ('pending', 'active', 'paused', 'archived')
        AND NEW.fingerprint = OLD.fingerprint
        AND NEW.triple_fingerprint IS NOT DISTINCT FROM OLD.triple_fingerprint THEN
        RETURN NEW;
    END IF;
    IF EXISTS (
        SELECT FROM memoryapp_tombstone t
        WHERE t.tenant_id = NEW.tenant_id AND t.space_id = NEW.space_id AND t.fingerprint = NEW.fingerprint
          AND t.lifted_at IS NULL AND NEW.said_at <= t.horizon
    ) OR EXISTS (
        SELECT FROM memoryapp_tombstone t
        WHERE t.tenant_id = NEW.tenant_id AND t.space_id = NEW.space_id
          AND t.triple_fingerprint = NEW.triple_fingerprint AND t.lifted_at IS NULL AND NEW.said_at <= t.horizon
    ) THEN
        RAISE EXCEPTION 'this was forgotten' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;
RESET ROLE;
"""

TEXTS = {
    "memoryapp_memoryitem": ("content", "subject", "predicate", "object", "speaker", "metadata", "norm_hash"),
    "memoryapp_memoryversion": ("content",),
    "memoryapp_evidence": ("quote", "speaker"),
    "memoryapp_message": ("text", "speaker", "external_id"),
    "memoryapp_retrievalentry": ("terms", "embedding"),
    "memoryapp_run": ("metadata", "outcome"),
}
"""What people said, and what can be guessed back from it. ANALYZE would copy samples of it into pg_statistic, where no
deletion reaches them; no plan needs them, because every search starts from tenant and space."""


def statistics(target: int) -> str:
    return "".join(
        f"ALTER TABLE {table} ALTER COLUMN {column} SET STATISTICS {target};\n"
        for table, columns in TEXTS.items()
        for column in columns
    )


class Migration(migrations.Migration):
    dependencies = [
        ("memoryapp", "0006_erasure"),
    ]
    operations = [
        migrations.RunSQL(all_tables(TABLES), migrations.RunSQL.noop),
        migrations.RunSQL("".join(tenant_reference(*r) for r in REFERENCES), migrations.RunSQL.noop),
        migrations.RunSQL(DOOR, migrations.RunSQL.noop),
        migrations.RunSQL(statistics(0), statistics(-1)),
    ]
