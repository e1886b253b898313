"""Which entries hold too many terms for a row of the index `entry_words`; kept by the trigger that copies the item's state.

The column needs no rewrite of the table. Filling it reads every entry's terms once: two seconds for a million of seven
words.
"""

from __future__ import annotations

from django.db import migrations, models

FOLLOWS = """
-- An index row ends near 2,700 bytes. Terms up to 1,600 bytes fit one beside two model names of any length. The size is
-- that of the stored form, eight bytes and four for each term beside its letters, whatever the table has compressed.
CREATE OR REPLACE FUNCTION memoryapp_entry_follows() RETURNS trigger LANGUAGE plpgsql
SET search_path = public, pg_temp AS $$
BEGIN
    SELECT i.status = 'active' AND i.sensitivity <> 'restricted', i.expires_at
    INTO NEW.searchable, NEW.expires_at FROM memoryapp_memoryitem i WHERE i.id = NEW.id;
    NEW.searchable := coalesce(NEW.searchable, false);
    NEW.long_terms := octet_length(tsvectorsend(NEW.terms)) + length(NEW.terms) + 4 > 1600;
    RETURN NEW;
END $$;
DROP TRIGGER entry_follows ON memoryapp_retrievalentry;
CREATE TRIGGER entry_follows BEFORE INSERT OR UPDATE OF item_version, terms ON memoryapp_retrievalentry
    FOR EACH ROW EXECUTE FUNCTION memoryapp_entry_follows();
DO $$
DECLARE
    one uuid;
BEGIN
    FOR one IN SELECT t.tenant_id FROM door.tenants() t LOOP
        PERFORM set_config('app.tenant', one::text, true);
        UPDATE memoryapp_retrievalentry SET terms = terms
        WHERE octet_length(tsvectorsend(terms)) + length(terms) + 4 > 1600;
    END LOOP;
    PERFORM set_config('app.tenant', '', true);
END $$;
"""
EARLIER = """
CREATE OR REPLACE FUNCTION memoryapp_entry_follows() RETURNS trigger LANGUAGE plpgsql
SET search_path = public, pg_temp AS $$
BEGIN
    SELECT i.status = 'active' AND i.sensitivity <> 'restricted', i.expires_at
    INTO NEW.searchable, NEW.expires_at FROM memoryapp_memoryitem i WHERE i.id = NEW.id;
    NEW.searchable := coalesce(NEW.searchable, false);
    RETURN NEW;
END $$;
DROP TRIGGER entry_follows ON memoryapp_retrievalentry;
CREATE TRIGGER entry_follows BEFORE INSERT OR UPDATE OF item_version ON memoryapp_retrievalentry
    FOR EACH ROW EXECUTE FUNCTION memoryapp_entry_follows();
"""


class Migration(migrations.Migration):
    dependencies = [
        ("memoryapp", "0018_dictionary"),
    ]
    operations = [
        migrations.AddField("retrievalentry", "long_terms", models.BooleanField(default=False, db_default=False)),
        migrations.RunSQL(FOLLOWS, EARLIER),
    ]
