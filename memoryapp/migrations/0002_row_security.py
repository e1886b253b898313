"""Row-level security, references inside the tenant, the look-up functions, and the triggers of audit and tombstones."""

from __future__ import annotations

from django.db import migrations

from memoryapp.row_security import all_tables, protect, tenant_reference

TABLES = (
    "memoryapp_space",
    "memoryapp_policyversion",
    "memoryapp_memoryitem",
    "memoryapp_memoryversion",
    "memoryapp_evidence",
    "memoryapp_tombstone",
    "memoryapp_noiseflag",
    "memoryapp_retrievalentry",
    "memoryapp_use",
    "memoryapp_session",
    "memoryapp_run",
    "memoryapp_message",
    "memoryapp_auditsubject",
    "memoryapp_auditevent",
    "memoryapp_idempotencyrecord",
    "memoryapp_auditexport",
    "accounts_membership",
    "accounts_apikey",
)
REFERENCES = (
    ("memoryapp_memoryitem", "space_id", "memoryapp_space"),
    ("memoryapp_memoryitem", "superseded_by_id", "memoryapp_memoryitem"),
    ("memoryapp_memoryversion", "item_id", "memoryapp_memoryitem"),
    ("memoryapp_evidence", "item_id", "memoryapp_memoryitem"),
    ("memoryapp_evidence", "session_id", "memoryapp_session"),
    ("memoryapp_evidence", "run_id", "memoryapp_run"),
    ("memoryapp_tombstone", "space_id", "memoryapp_space"),
    ("memoryapp_noiseflag", "item_id", "memoryapp_memoryitem"),
    ("memoryapp_retrievalentry", "space_id", "memoryapp_space"),
    ("memoryapp_retrievalentry", "id", "memoryapp_memoryitem"),
    ("memoryapp_use", "space_id", "memoryapp_space"),
    ("memoryapp_session", "space_id", "memoryapp_space"),
    ("memoryapp_run", "space_id", "memoryapp_space"),
    ("memoryapp_run", "target_space_id", "memoryapp_space"),
    ("memoryapp_run", "session_id", "memoryapp_session"),
    ("memoryapp_message", "session_id", "memoryapp_session"),
    ("memoryapp_message", "run_id", "memoryapp_run"),
    ("memoryapp_auditevent", "actor_id", "memoryapp_auditsubject"),
    ("memoryapp_auditevent", "on_behalf_of_id", "memoryapp_auditsubject"),
)

LOOKUPS = """
SET ROLE memoryapp_lookup;
CREATE FUNCTION door.api_key(wanted text)
RETURNS TABLE (tenant_id uuid, secret_hash bytea, scopes text[], user_key text, agent_id text,
               expires_at timestamptz, revoked_at timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT k.tenant_id, k.secret_hash, k.scopes::text[], k.user_key::text, k.agent_id::text, k.expires_at, k.revoked_at
    FROM accounts_apikey k WHERE k.public_id = wanted
$$;
CREATE FUNCTION door.seats(wanted uuid)
RETURNS TABLE (membership_id uuid, tenant_id uuid, tenant_name text, role text, user_key text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT m.id, m.tenant_id, t.name::text, m.role::text, m.user_key::text
    FROM accounts_membership m JOIN accounts_tenant t ON t.id = m.tenant_id
    WHERE m.user_id = wanted ORDER BY m.created_at, m.id
$$;
CREATE FUNCTION door.due_runs(at timestamptz, most integer)
RETURNS TABLE (tenant_id uuid, run_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT r.tenant_id, r.id FROM memoryapp_run r
    WHERE (r.state = 'pending' AND r.due_at <= at) OR (r.state = 'running' AND r.lease_until < at)
    ORDER BY r.due_at LIMIT most
$$;
CREATE FUNCTION door.due_exports(at timestamptz, most integer)
RETURNS TABLE (tenant_id uuid, export_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT e.tenant_id, e.id FROM memoryapp_auditexport e
    WHERE e.state = 'pending' OR (e.state = 'running' AND e.lease_until < at) ORDER BY e.created_at LIMIT most
$$;
CREATE FUNCTION door.tenants() RETURNS TABLE (tenant_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT t.id FROM accounts_tenant t ORDER BY t.id
$$;
CREATE FUNCTION door.tenants_without_vectors() RETURNS TABLE (tenant_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT DISTINCT e.tenant_id FROM memoryapp_retrievalentry e WHERE e.embedding IS NULL
$$;
CREATE FUNCTION door.refuse_unaudited() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    wanted uuid;
    owner uuid := CASE WHEN TG_OP = 'DELETE' THEN OLD.tenant_id ELSE NEW.tenant_id END;
BEGIN
    IF TG_TABLE_NAME = 'memoryapp_memoryitem' THEN
        wanted := CASE WHEN TG_OP = 'DELETE' THEN OLD.id ELSE NEW.id END;
    ELSE
        wanted := CASE WHEN TG_OP = 'DELETE' THEN OLD.item_id ELSE NEW.item_id END;
    END IF;
    IF NOT EXISTS (
        SELECT FROM memoryapp_auditevent a
        WHERE a.transaction_id = pg_current_xact_id()::text::bigint AND a.tenant_id = owner
          AND wanted = ANY (a.target_ids)
    ) THEN
        RAISE EXCEPTION 'a memory changed without its audit event' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END $$;
CREATE FUNCTION door.refuse_tombstoned() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    IF NEW.status IN ('pending', 'active', 'paused', 'archived') AND EXISTS (
        SELECT FROM memoryapp_tombstone t
        WHERE t.tenant_id = NEW.tenant_id AND t.space_id = NEW.space_id AND t.fingerprint = NEW.fingerprint
          AND t.lifted_at IS NULL AND NEW.said_at <= t.horizon
    ) THEN
        RAISE EXCEPTION 'this was forgotten' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE FUNCTION door.refuse_change() RETURNS trigger
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
    RAISE EXCEPTION 'the audit trail is append-only' USING ERRCODE = 'insufficient_privilege';
END $$;
RESET ROLE;
"""

TRIGGERS = """
-- 500 characters by policy; imports may bring up to 4,000.
ALTER TABLE memoryapp_memoryitem ADD CONSTRAINT item_content_length CHECK (char_length(content) BETWEEN 1 AND 4000);
CREATE CONSTRAINT TRIGGER memory_item_audited AFTER INSERT OR UPDATE OR DELETE ON memoryapp_memoryitem
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION door.refuse_unaudited();
CREATE CONSTRAINT TRIGGER memory_version_audited AFTER INSERT OR UPDATE OR DELETE ON memoryapp_memoryversion
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION door.refuse_unaudited();
CREATE CONSTRAINT TRIGGER tombstone_audited AFTER INSERT OR UPDATE OR DELETE ON memoryapp_tombstone
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION door.refuse_unaudited();
CREATE TRIGGER memory_item_tombstoned BEFORE INSERT OR UPDATE ON memoryapp_memoryitem
    FOR EACH ROW EXECUTE FUNCTION door.refuse_tombstoned();
CREATE TRIGGER audit_row_kept BEFORE UPDATE OR DELETE ON memoryapp_auditevent
    FOR EACH ROW EXECUTE FUNCTION door.refuse_change();
CREATE TRIGGER audit_table_kept BEFORE TRUNCATE ON memoryapp_auditevent
    FOR EACH STATEMENT EXECUTE FUNCTION door.refuse_change();
REVOKE UPDATE, DELETE ON memoryapp_auditevent FROM memoryapp_app;
GRANT SELECT ON memoryapp_auditevent, memoryapp_auditsubject TO memoryapp_auditor;
"""


class Migration(migrations.Migration):
    dependencies = [("memoryapp", "0001_initial"), ("accounts", "0001_initial")]
    operations = [
        migrations.RunSQL(all_tables(TABLES), migrations.RunSQL.noop),
        migrations.RunSQL(protect("accounts_tenant", "id"), migrations.RunSQL.noop),
        migrations.RunSQL("".join(tenant_reference(*r) for r in REFERENCES), migrations.RunSQL.noop),
        migrations.RunSQL(LOOKUPS, migrations.RunSQL.noop),
        migrations.RunSQL(TRIGGERS, migrations.RunSQL.noop),
    ]
