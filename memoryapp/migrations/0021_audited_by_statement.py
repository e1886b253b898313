"""A change without its audit event is looked for once a statement and not once a row."""

from __future__ import annotations

from django.db import migrations

AUDITED = {
    "memoryapp_memoryitem": "memory_item",
    "memoryapp_memoryversion": "memory_version",
    "memoryapp_tombstone": "tombstone",
}
"""Audited tables, with the beginning of their triggers' names."""
CHANGED = {"INSERT": "NEW", "UPDATE": "NEW", "DELETE": "OLD"}

_TOLD = """SELECT a.tenant_id, unnest(a.target_ids) FROM memoryapp_auditevent a
        WHERE a.transaction_id = pg_current_xact_id()::text::bigint"""


def _note(column: str) -> str:
    return f"""INSERT INTO door.unaudited (tenant_id, ids)
        SELECT u.tenant_id, array_agg(u.{column})
        FROM (SELECT c.tenant_id, c.{column} FROM changed c EXCEPT {_TOLD}) u GROUP BY u.tenant_id;"""


DOOR = f"""
SET ROLE memoryapp_lookup;
-- Memories that changed without an event before their statement ended. The event may still come: every row is looked at
-- again at the commit, and taken away there. The application has no right to it. After a crash there is no transaction
-- left of which it could tell, so it is not logged.
CREATE UNLOGGED TABLE door.unaudited (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, tenant_id uuid NOT NULL, ids uuid[] NOT NULL
);
GRANT SELECT ON door.unaudited TO memoryapp_dump;
CREATE FUNCTION door.note_unaudited() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    IF TG_TABLE_NAME = 'memoryapp_memoryitem' THEN
        {_note("id")}
    ELSE
        {_note("item_id")}
    END IF;
    RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION door.refuse_unaudited() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT NEW.tenant_id, unnest(NEW.ids) EXCEPT {_TOLD}) THEN
        RAISE EXCEPTION 'a memory changed without its audit event' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    DELETE FROM door.unaudited WHERE id = NEW.id;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER audited AFTER INSERT ON door.unaudited
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION door.refuse_unaudited();
RESET ROLE;
"""


def _triggers(table: str, prefix: str) -> str:
    made = "".join(
        f"CREATE TRIGGER {prefix}_{change.lower()}_audited AFTER {change} ON {table} "
        f"REFERENCING {rows} TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION door.note_unaudited();\n"
        for change, rows in CHANGED.items()
    )
    return f"DROP TRIGGER {prefix}_audited ON {table};\n{made}"


class Migration(migrations.Migration):
    dependencies = [
        ("memoryapp", "0020_entry_words"),
    ]
    operations = [
        migrations.RunSQL(DOOR, migrations.RunSQL.noop),
        migrations.RunSQL(
            "".join(_triggers(table, prefix) for table, prefix in AUDITED.items()), migrations.RunSQL.noop
        ),
    ]
