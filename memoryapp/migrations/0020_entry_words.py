"""The scan of one owner's words without touching the table.

Built concurrently, so that a big installation goes on reading and writing meanwhile (a million entries of seven words
take less than ten seconds, of fifty about a minute). Searches are right before it stands, and slow. A build that was
broken off is dropped when the migration runs again.
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


class Migration(migrations.Migration):
    atomic = False
    dependencies = [
        ("memoryapp", "0019_long_terms"),
    ]
    operations = [
        migrations.RunSQL("DROP INDEX IF EXISTS entry_words", migrations.RunSQL.noop),
        migrations.RunSQL("DROP INDEX IF EXISTS entry_long", migrations.RunSQL.noop),
        migrations.RunSQL(
            BUILD_WORDS, "DROP INDEX entry_words", state_operations=[migrations.AddIndex("retrievalentry", WORDS)]
        ),
        migrations.RunSQL(
            BUILD_LONG, "DROP INDEX entry_long", state_operations=[migrations.AddIndex("retrievalentry", LONG)]
        ),
    ]
