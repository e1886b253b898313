"""What a scan needs stands in the retrieval entry itself, and in an index that holds the vectors beside the space."""

from __future__ import annotations

import pgvector.django
from django.db import migrations, models

STATE = """
-- A status, an expiry or a class of an item is copied to its entry, so that a search reads the entries alone.
CREATE FUNCTION memoryapp_entry_follows() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
    SELECT i.status = 'active' AND i.sensitivity <> 'restricted', i.expires_at
    INTO NEW.searchable, NEW.expires_at FROM memoryapp_memoryitem i WHERE i.id = NEW.id;
    NEW.searchable := coalesce(NEW.searchable, false);
    RETURN NEW;
END $$;
CREATE TRIGGER entry_follows BEFORE INSERT OR UPDATE OF item_version ON memoryapp_retrievalentry
    FOR EACH ROW EXECUTE FUNCTION memoryapp_entry_follows();
CREATE FUNCTION memoryapp_item_leads() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
    UPDATE memoryapp_retrievalentry SET expires_at = NEW.expires_at,
        searchable = (NEW.status = 'active' AND NEW.sensitivity <> 'restricted') WHERE id = NEW.id;
    RETURN NULL;
END $$;
CREATE TRIGGER item_leads AFTER UPDATE OF status, sensitivity, expires_at ON memoryapp_memoryitem FOR EACH ROW
    WHEN ((OLD.status, OLD.sensitivity, OLD.expires_at) IS DISTINCT FROM (NEW.status, NEW.sensitivity, NEW.expires_at))
    EXECUTE FUNCTION memoryapp_item_leads();
DO $$
DECLARE
    one uuid;
BEGIN
    FOR one IN SELECT t.tenant_id FROM door.tenants() t LOOP
        PERFORM set_config('app.tenant', one::text, true);
        UPDATE memoryapp_retrievalentry SET item_version = item_version;
    END LOOP;
    PERFORM set_config('app.tenant', '', true);
END $$;
"""

SCAN = """
-- The exact scan of one owner's vectors without touching the table. An index row ends near 2,700 bytes, hence the bound:
-- longer vectors are read from the table.
CREATE INDEX entry_scan ON memoryapp_retrievalentry (tenant_id, space_id, id)
    INCLUDE (embedding, embedding_model, expires_at) WHERE searchable AND vector_dims(embedding) <= 1200;
"""
GONE = """
DROP INDEX entry_scan;
DROP TRIGGER item_leads ON memoryapp_memoryitem;
DROP TRIGGER entry_follows ON memoryapp_retrievalentry;
DROP FUNCTION memoryapp_item_leads();
DROP FUNCTION memoryapp_entry_follows();
"""


class Migration(migrations.Migration):
    dependencies = [
        ("memoryapp", "0013_invitations"),
    ]
    operations = [
        migrations.AddField("retrievalentry", "searchable", models.BooleanField(default=False, db_default=False)),
        migrations.AddField("retrievalentry", "expires_at", models.DateTimeField(blank=True, null=True)),
        migrations.AddField(
            "retrievalentry", "spare_embedding", pgvector.django.HalfVectorField(blank=True, null=True)
        ),
        migrations.AddField(
            "retrievalentry", "spare_model", models.CharField(blank=True, max_length=128, default="", db_default="")
        ),
        migrations.AddIndex(
            "use",
            models.Index(fields=["tenant", "item_id"], condition=~models.Q(feedback=""), name="use_with_feedback"),
        ),
        migrations.RunSQL(STATE + SCAN, GONE),
    ]
