"""How near the stored vectors of given items are to a question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db import connection

_COSINES = """
SELECT e.id, 1 - (e.vector <=> %(vector)s::halfvec) FROM (
    SELECT e.id, CASE WHEN e.spare_model = %(model)s THEN e.spare_embedding
        WHEN e.embedding_model = %(model)s THEN e.embedding END AS vector
    FROM memoryapp_retrievalentry e WHERE e.tenant_id = %(tenant)s AND e.id = ANY (%(ids)s::uuid[])
) e WHERE vector_dims(e.vector) = %(dimensions)s
"""


def cosines(tenant_id: UUID, ids: Sequence[UUID], vector: Sequence[float], model: str) -> dict[UUID, float]:
    """Item → cosine (−1 to 1); items without a vector of this model and length are left out."""
    values: dict[str, Any] = {
        "tenant": tenant_id,
        "ids": list(ids),
        "vector": str(list(vector)),
        "model": model,
        "dimensions": len(vector),
    }
    with connection.cursor() as cursor:
        cursor.execute(_COSINES, values)
        return dict(cursor.fetchall())
