"""What a process read of a library is good as long as nothing of it changed: the database says so in one call.

Every new or changed memory, and every flag of noise, raises the revision of its space, whoever writes it.
"""

from __future__ import annotations

from django.db import migrations

REVISIONS = """
-- Raised once in a transaction: a space whose row this one has written already is left alone. A memory that is only
-- unlinked or removed had left every read path before, and keeps its version.
CREATE FUNCTION memoryapp_raise_revision() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        UPDATE memoryapp_space s SET revision = s.revision + 1
        WHERE s.id IN (SELECT a.space_id FROM after a) AND s.xmin <> pg_current_xact_id()::xid;
    ELSE
        UPDATE memoryapp_space s SET revision = s.revision + 1
        WHERE s.id IN (SELECT a.space_id FROM after a JOIN before b ON b.id = a.id WHERE a.version <> b.version)
          AND s.xmin <> pg_current_xact_id()::xid;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER item_insert_raises AFTER INSERT ON memoryapp_memoryitem
    REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION memoryapp_raise_revision();
CREATE TRIGGER item_update_raises AFTER UPDATE ON memoryapp_memoryitem
    REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION memoryapp_raise_revision();

CREATE FUNCTION memoryapp_flag_raises() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND (OLD.reasons, OLD.dismissed_at) IS NOT DISTINCT FROM (NEW.reasons, NEW.dismissed_at) THEN
        RETURN NULL;
    END IF;
    UPDATE memoryapp_space s SET revision = s.revision + 1
    FROM memoryapp_memoryitem i
    WHERE i.id = CASE WHEN TG_OP = 'DELETE' THEN OLD.item_id ELSE NEW.item_id END AND s.id = i.space_id
      AND s.xmin <> pg_current_xact_id()::xid;
    RETURN NULL;
END $$;
CREATE TRIGGER flag_raises AFTER INSERT OR UPDATE OR DELETE ON memoryapp_noiseflag
    FOR EACH ROW EXECUTE FUNCTION memoryapp_flag_raises();
"""

STAMP = """
-- Where a read stands, as one text: the policy's version, the audit's names and the spaces. With their revisions it is
-- the stamp of a library.
CREATE FUNCTION memoryapp_standing(
    whose uuid, kinds text[], keys text[], by_kind text, by_name text, person text, revisions boolean
) RETURNS text LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
    RETURN (
        SELECT concat_ws('|',
            (SELECT coalesce(max(p.version), 0) FROM memoryapp_policyversion p WHERE p.tenant_id = whose),
            (SELECT string_agg(concat_ws(',', a.id, a.kind), ';' ORDER BY a.id) FROM memoryapp_auditsubject a
             WHERE a.tenant_id = whose
               AND ((a.kind = by_kind AND a.name = by_name) OR (a.kind = 'user_id' AND a.name = person))),
            (SELECT string_agg(
                 concat_ws(',', s.id, s.using_paused, CASE WHEN revisions THEN s.revision END), ';' ORDER BY s.id
             )
             FROM unnest(kinds, keys) wanted(kind, key)
             JOIN memoryapp_space s ON s.tenant_id = whose AND s.kind = wanted.kind AND s.key = wanted.key)
        )
    );
END $$;
"""

TELL = """
-- One call in the place of a transaction of four statements: is the key what it was, and is the library? Then the event
-- of the read is written. Answers `told`, or what is not as it was: `key` or `library`.
CREATE FUNCTION memoryapp_tell_known(
    whose uuid, public_id text, key_row text, kinds text[], keys text[], by_kind text, by_name text, person text,
    stamp text, event_id uuid, at timestamptz, by uuid, behalf uuid, action text, targets uuid[], request text,
    body bytea, leaf bytea, system text
) RETURNS text LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
    tenant_before text := coalesce(current_setting('app.tenant', true), '');
    answer text := 'told';
BEGIN
    -- A transaction that has written something waits for its disk.
    IF pg_current_xact_id_if_assigned() IS NULL THEN
        PERFORM set_config('synchronous_commit', 'off', true);
    END IF;
    PERFORM set_config('app.tenant', whose::text, true);
    IF public_id <> '' AND (SELECT k::text FROM door.api_key(public_id) k) IS DISTINCT FROM key_row THEN
        answer := 'key';
    ELSIF memoryapp_standing(whose, kinds, keys, by_kind, by_name, person, true) IS DISTINCT FROM stamp THEN
        answer := 'library';
    ELSE
        INSERT INTO memoryapp_auditevent (
            id, tenant_id, occurred_at, actor_kind, actor_id, on_behalf_of_id, action, target_kind, target_ids, outcome,
            reason, changed_fields, request_id, body, leaf_hash, system_identifier, transaction_id
        ) VALUES (
            event_id, whose, at, by_kind, by, behalf, action, 'memory', targets, 'ok',
            '', '{}', request, body, leaf, system, pg_current_xact_id()::text::bigint
        );
    END IF;
    PERFORM set_config('app.tenant', tenant_before, true);
    RETURN answer;
END $$;
"""
BACK = """
DROP FUNCTION memoryapp_tell_known;
DROP FUNCTION memoryapp_standing;
DROP TRIGGER flag_raises ON memoryapp_noiseflag;
DROP TRIGGER item_update_raises ON memoryapp_memoryitem;
DROP TRIGGER item_insert_raises ON memoryapp_memoryitem;
DROP FUNCTION memoryapp_flag_raises;
DROP FUNCTION memoryapp_raise_revision;
"""


class Migration(migrations.Migration):
    dependencies = [("memoryapp", "0023_unaudited_dumped")]
    operations = [migrations.RunSQL(REVISIONS + STAMP + TELL, BACK)]
