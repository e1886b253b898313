"""The part of a search that goes by words, as SQL: one scan that looks for the question's terms and counts the library.

The scan reads the index `entry_words`, which holds the terms themselves beside the space, and the table only for the
few entries whose terms do not fit an index row.
"""

from __future__ import annotations

from memoryapp.providers import registry
from memoryapp.retrieval.meaning import ALLOWED, LIVE

HELD = """CASE WHEN e.terms @@ %(any)s::tsquery
        THEN ARRAY (SELECT w.n FROM wanted w WHERE e.terms @@ w.query) END"""
"""The numbers of the question's terms that an entry `e` holds, or null. One look at all tells that it holds none."""

_ROW = f"""SELECT e.id, {HELD} AS found,
        e.embedding_model <> '' AND e.embedding_model <> %(model)s{{not_spare}} AS stranger
    FROM memoryapp_retrievalentry e WHERE {LIVE}"""
_SCAN = f"""
wanted AS MATERIALIZED (
    SELECT u.n::int AS n, u.query::tsquery AS query
    FROM unnest(%(queries)s::text[]) WITH ORDINALITY AS u (query, n)
), scanned AS MATERIALIZED (
    {_ROW} AND NOT e.long_terms
    UNION ALL
    {_ROW} AND e.long_terms
), library AS MATERIALIZED (
    SELECT count(*) AS rows, count(*) FILTER (WHERE s.stranger) AS strangers FROM scanned s
), pairs AS MATERIALIZED (
    SELECT s.id, unnest(s.found) AS n FROM scanned s WHERE s.found IS NOT NULL
), spread AS MATERIALIZED (
    SELECT w.n, coalesce(c.rows, 0) AS rows FROM wanted w
    LEFT JOIN (SELECT p.n, count(*) AS rows FROM pairs p GROUP BY p.n) c USING (n)
), rarity AS MATERIALIZED (
    SELECT array_agg(ln(1 + l.rows::float / greatest(s.rows, 1)) ORDER BY s.n) AS of FROM spread s, library l
), words AS MATERIALIZED (
    SELECT p.id FROM pairs p WHERE true {ALLOWED.format(row="p")}
    GROUP BY p.id ORDER BY sum((SELECT r.of FROM rarity r)[p.n]) DESC, p.id DESC
    LIMIT %(pool)s
)"""
_NOT_SPARE = " AND e.spare_model <> %(model)s"


def words() -> str:
    """The common table expressions `wanted (n, query)`, the terms by their number; `library (rows, strangers)`, what may
    be found; `spread (n, rows)`, how many rows hold each term; and `words (id)`, the best, by how rare the terms are
    that they hold.
    """
    return _SCAN.format(not_spare=_NOT_SPARE if registry.second_embedder() is not None else "")
