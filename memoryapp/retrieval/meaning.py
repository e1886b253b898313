"""The part of a search that goes by meaning, as SQL: exact inside the spaces, by an index where a big space has one."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import connection
from psycopg import sql

from memoryapp.providers import registry
from memoryapp.retrieval.vector_indexes import VectorIndex

LONGEST_INDEXED_VECTOR = 1200
"""Dimensions up to which the index `entry_scan` holds the vectors; longer ones are read from the table."""
LIVE = """e.tenant_id = %(tenant)s AND e.space_id = ANY (%(spaces)s::uuid[]) AND e.searchable
      AND (e.expires_at IS NULL OR e.expires_at > %(now)s)"""
ALLOWED = "AND (%(allowed)s::uuid[] IS NULL OR {row}.id = ANY (%(allowed)s::uuid[]))"

_INDEXED = f"AND vector_dims(e.embedding) <= {LONGEST_INDEXED_VECTOR}"
_EXACT = f"""
meaning AS MATERIALIZED (
    SELECT e.id FROM memoryapp_retrievalentry e
    WHERE {LIVE} AND e.embedding_model = %(model)s
      AND vector_dims(e.embedding) = %(dimensions)s {{indexed}} {ALLOWED.format(row="e")}
    ORDER BY e.embedding <=> %(vector)s::halfvec, e.id DESC LIMIT %(pool)s
)"""
# While two models stand side by side an item may have its vector of the asking model in either place.
_IN_EITHER_PLACE = f"""
meaning AS MATERIALIZED (
    SELECT either.id FROM (
        SELECT e.id, e.embedding <=> %(vector)s::halfvec AS distance FROM memoryapp_retrievalentry e
        WHERE {LIVE} AND e.embedding_model = %(model)s
          AND vector_dims(e.embedding) = %(dimensions)s {ALLOWED.format(row="e")}
        UNION ALL
        SELECT e.id, e.spare_embedding <=> %(vector)s::halfvec FROM memoryapp_retrievalentry e
        WHERE {LIVE} AND e.spare_model = %(model)s AND e.spare_model <> ''
          AND vector_dims(e.spare_embedding) = %(dimensions)s {ALLOWED.format(row="e")}
    ) either (id, distance) ORDER BY either.distance, either.id DESC LIMIT %(pool)s
)"""
# The planner only takes a partial index whose condition it reads in the statement, hence constants; and only weighs it
# fairly when it knows the limit.
_BY_INDEX = """
{name} AS MATERIALIZED (
    SELECT e.id, e.embedding::halfvec({dimensions}) <=> %(vector)s::halfvec({dimensions}) AS distance
    FROM memoryapp_retrievalentry e
    WHERE {condition} AND (e.expires_at IS NULL OR e.expires_at > %(now)s)
    ORDER BY e.embedding::halfvec({dimensions}) <=> %(vector)s::halfvec({dimensions}) LIMIT {pool}
)"""
_OF_BOTH = f"""
meaning AS MATERIALIZED (
    SELECT found.id FROM (
        (SELECT e.id, e.embedding <=> %(vector)s::halfvec AS distance FROM memoryapp_retrievalentry e
        WHERE {LIVE} AND e.space_id <> ALL (%(indexed)s::uuid[]) AND e.embedding_model = %(model)s
          AND vector_dims(e.embedding) = %(dimensions)s {{indexed}}
        ORDER BY 2, e.id DESC LIMIT %(pool)s)
        {{by_index}}
    ) found (id, distance) ORDER BY found.distance, found.id DESC LIMIT %(pool)s
)"""
CONDITION = (
    "e.tenant_id = {tenant} AND e.space_id = {space} AND e.searchable AND e.embedding_model = {model} "
    "AND vector_dims(e.embedding) = {dimensions}"
)

SCAN_SETTINGS = """
SELECT set_config('hnsw.iterative_scan', 'strict_order', true), set_config('hnsw.ef_search', %s, true),
    set_config('hnsw.max_scan_tuples', %s, true)
"""
EF_SEARCH = 400
"""Neighbours that a scan keeps in sight (1 to 1,000; pgvector's default is 40); at least the wanted pool."""
MAX_SCAN_TUPLES = 100_000
"""Rows that an iterative scan may look at before it gives up on filling the pool."""


def meaning(dimensions: int, indexes: Sequence[VectorIndex], pool: int) -> str:
    """The common table expression `meaning (id)`, with others before it where indexes are used."""
    if registry.second_embedder() is not None:
        return _IN_EITHER_PLACE
    indexed = _INDEXED if dimensions <= LONGEST_INDEXED_VECTOR else ""
    if not indexes:
        return _EXACT.format(indexed=indexed)
    parts = [by_index(f"nearest_{n}", one, pool) for n, one in enumerate(indexes)]
    union = " ".join(f"UNION ALL SELECT id, distance FROM nearest_{n}" for n in range(len(indexes)))
    return ",".join([*parts, _OF_BOTH.format(indexed=indexed, by_index=union)])


def by_index(name: str, index: VectorIndex, pool: int) -> str:
    return _BY_INDEX.format(name=name, dimensions=index.dimensions, pool=pool, condition=condition_of(index))


def condition_of(index: VectorIndex) -> str:
    """What holds for every row of the index, with its constants quoted for a statement that takes values."""
    values = {
        "tenant": f"{literal(str(index.tenant_id))}::uuid",
        "space": f"{literal(str(index.space_id))}::uuid",
        "model": literal(index.model),
        "dimensions": str(index.dimensions),
    }
    return CONDITION.format(**values).replace("%", "%%")


def literal(text: str) -> str:
    """A text as an SQL constant."""
    connection.ensure_connection()
    return sql.Literal(text).as_string(connection.connection)


def prepare_scan(pool: int) -> None:
    """Set, for this transaction, how the index is read: nearer rows first, on and on until the pool is full."""
    with connection.cursor() as cursor:
        cursor.execute(SCAN_SETTINGS, [str(min(max(EF_SEARCH, pool), 1000)), str(MAX_SCAN_TUPLES)])
