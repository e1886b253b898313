"""The one statement of a search: hard filters, words and exact vector order inside the given spaces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

_SQL = """
WITH live AS MATERIALIZED (
    SELECT e.id, e.terms, e.embedding, e.embedding_model
    FROM memoryapp_retrievalentry e JOIN memoryapp_memoryitem i ON i.id = e.id
    WHERE e.tenant_id = %(tenant)s AND e.space_id = ANY (%(spaces)s::uuid[]) AND i.status = 'active'
      AND (i.expires_at IS NULL OR i.expires_at > %(now)s) AND i.sensitivity <> 'restricted'
), words AS (
    SELECT l.id FROM live l WHERE l.terms @@ %(query)s::tsquery
    ORDER BY (SELECT count(*) FROM unnest(tsvector_to_array(l.terms)) t WHERE t = ANY (%(terms)s::text[])) DESC, l.id DESC
    LIMIT %(pool)s
), meaning AS (
    SELECT l.id FROM live l WHERE %(vector)s::halfvec IS NOT NULL AND l.embedding_model = %(model)s
      AND vector_dims(l.embedding) = %(dimensions)s
    ORDER BY l.embedding <=> %(vector)s::halfvec, l.id DESC LIMIT %(pool)s
)
SELECT l.id, tsvector_to_array(l.terms),
       CASE WHEN l.embedding_model = %(model)s AND vector_dims(l.embedding) = %(dimensions)s THEN 1 - (l.embedding <=> %(vector)s::halfvec) END
FROM live l WHERE l.id IN (SELECT id FROM words UNION SELECT id FROM meaning)
"""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An item found by words or meaning; `cosine` is None when it has no vector of the asking model
    and length."""

    id: UUID
    terms: frozenset[str]
    cosine: float | None


def find(
    tenant_id: UUID,
    spaces: Sequence[UUID],
    terms: Sequence[str],
    vector: Sequence[float] | None,
    model: str,
    now: datetime,
    pool: int,
) -> list[Candidate]:
    """Up to `pool` items by each way, unordered. Without terms and without a vector: nothing."""
    if not spaces or (not terms and vector is None):
        return []
    values: dict[str, Any] = {
        "tenant": tenant_id,
        "spaces": list(spaces),
        "now": now,
        "query": " | ".join(_lexeme(t) for t in terms),
        "terms": list(terms),
        "vector": str(list(vector)) if vector is not None else None,
        "model": model if vector is not None else "",
        "dimensions": len(vector) if vector is not None else 0,
        "pool": pool,
    }
    with connection.cursor() as cursor:
        cursor.execute(_SQL, values)
        return [Candidate(row[0], frozenset(row[1]), row[2]) for row in cursor.fetchall()]


def _lexeme(term: str) -> str:
    """A term as a quoted lexeme, so that no operator of the query language can stand in it."""
    return "'" + term.replace("\\", "\\\\").replace("'", "''") + "'"
