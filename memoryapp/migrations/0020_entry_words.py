"""The scan of one owner's words without touching the table.

Built concurrently, so that a big installation goes on reading and writing meanwhile: a million entries of seven words
took thirteen seconds and 293 MB on two busy cores, and both grow with the words. Searches are right before it stands,
and slow. A build that was broken off is dropped when the migration runs again.
"""

from __future__ import annotations

from django.db import migrations, models

WORDS = models.Index(
    fields=["tenant", "space", "id"],
    include=["terms", "embedding_model", "spare_model", "expires_at"],
    condition=models.Q(searchable=True, long_terms=False),
    name="entry_words",
)
LONG = models.Index(
    fields=["tenant", "space", "id"], condition=models.Q(searchable=True, long_terms=True), name="entry_long"
)
BUILD_WORDS = """
CREATE INDEX CONCURRENTLY entry_words ON memoryapp_retrievalentry (tenant_id, space_id, id)
    INCLUDE (terms, embedding_model, spare_model, expires_at) WHERE searchable AND NOT long_terms
"""
BUILD_LONG = """
CREATE INDEX CONCURRENTLY entry_long ON memoryapp_retrievalentry (tenant_id, space_id, id)
    WHERE searchable AND long_terms
"""
# An index alone is read only where VACUUM has marked pages as visible to all. By default it comes after a fifth of the
# table is new: in a big installation that is everything that somebody has said for months.
VACUUM_OFTEN = """
ALTER TABLE memoryapp_retrievalentry SET
    (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.05)
"""
VACUUM_AS_OTHERS = """
ALTER TABLE memoryapp_retrievalentry RESET (autovacuum_vacuum_insert_scale_factor, autovacuum_vacuum_scale_factor)
"""


class Migration(migrations.Migration):
    atomic = False
    dependencies = [
        ("memoryapp", "0019_long_terms"),
    ]
    operations = [
        migrations.RunSQL(VACUUM_OFTEN, VACUUM_AS_OTHERS),
        migrations.RunSQL("DROP INDEX IF EXISTS entry_words", migrations.RunSQL.noop),
        migrations.RunSQL("DROP INDEX IF EXISTS entry_long", migrations.RunSQL.noop),
        migrations.RunSQL(
            BUILD_WORDS, "DROP INDEX entry_words", state_operations=[migrations.AddIndex("retrievalentry", WORDS)]
        ),
        migrations.RunSQL(
            BUILD_LONG, "DROP INDEX entry_long", state_operations=[migrations.AddIndex("retrievalentry", LONG)]
        ),
    ]
