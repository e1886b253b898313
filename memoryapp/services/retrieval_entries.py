"""The retrieval entry of a memory: its terms at once, its vector when it is known."""

from __future__ import annotations

from typing import Any

from django.db import connection

from memoryapp.models import MemoryItem
from memoryapp.retrieval import lexical
from memoryapp.services.dictionary import words_of
from memoryapp.services.origins import Origin
from memoryapp.services.row_parts import Part

_ENTRY = """
INSERT INTO memoryapp_retrievalentry
    (id, tenant_id, space_id, item_version, terms, embedding, embedding_model, embedding_attempts, terms_revision,
    updated_at)
SELECT item.id, %s, %s, %s, array_to_tsvector(%s::text[]), %s::halfvec, %s, 0, %s, %s FROM {item}
ON CONFLICT (id) DO UPDATE SET item_version = EXCLUDED.item_version, terms = EXCLUDED.terms,
    terms_revision = EXCLUDED.terms_revision,
    embedding = EXCLUDED.embedding, embedding_model = EXCLUDED.embedding_model, embedding_attempts = 0,
    spare_embedding = NULL, spare_model = '', updated_at = EXCLUDED.updated_at
"""


def index(item: MemoryItem, origin: Origin) -> None:
    """Write the retrieval entry of an item's present text: terms at once, the vector when it is known."""
    with connection.cursor() as cursor:
        cursor.execute(_ENTRY.format(item="(SELECT %s::uuid AS id) item"), [*_values(item, origin), item.pk])


def entry_part(item: MemoryItem, origin: Origin) -> Part:
    """The same beside the item's own row, after it: the entry's trigger reads the item."""
    return Part("entry", _ENTRY.format(item="item"), _values(item, origin))


def _values(item: MemoryItem, origin: Origin) -> list[Any]:
    vector = (origin.vectors or {}).get(bytes(item.norm_hash))
    own = origin.cut.own if origin.cut is not None else words_of(item.tenant_id)
    return [
        item.tenant_id,
        item.space_id,
        item.version,
        lexical.item_terms(item.subject, item.content, own, origin.cut.terms if origin.cut is not None else None),
        str(vector) if vector else None,
        origin.embedding_model if vector else "",
        own.revision,
        origin.now,
    ]
