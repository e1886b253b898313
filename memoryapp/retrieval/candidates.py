"""The one statement of a search: hard filters, words and exact vector order inside the given spaces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection

from memoryapp.domain import ranking
from memoryapp.domain.policy import DEFAULT_POLICY
from memoryapp.providers import registry
from memoryapp.retrieval import vector_indexes
from memoryapp.retrieval.meaning import meaning, prepare_scan
from memoryapp.retrieval.query_vectors import as_text
from memoryapp.retrieval.vector_indexes import VectorIndex
from memoryapp.retrieval.words import HELD, words

_COSINE = """CASE WHEN e.embedding_model = %(model)s AND vector_dims(e.embedding) = %(dimensions)s
    THEN 1 - (e.embedding <=> %(vector)s::halfvec) {or_spare} END"""
_OR_SPARE = """WHEN e.spare_model = %(model)s AND vector_dims(e.spare_embedding) = %(dimensions)s
    THEN 1 - (e.spare_embedding <=> %(vector)s::halfvec)"""
# OFFSET 0 holds the look-ups by key: without statistics (a library just imported) the planner would read all items for
# every row found. What is counted once is sent once.
_FOUND = """,
chosen AS MATERIALIZED ({chosen}),
votes AS MATERIALIZED (
    SELECT u.item_id, count(*) FILTER (WHERE u.feedback = 'helpful') AS helpful, count(*) AS cast
    FROM memoryapp_use u
    WHERE u.tenant_id = %(tenant)s AND u.feedback <> '' AND u.item_id = ANY (ARRAY (SELECT c.id FROM chosen c))
    GROUP BY u.item_id
)
SELECT c.id, {held}, {cosine},
    i.content, i.subject, i.predicate, i.scope, i.importance, i.confidence, extract(epoch FROM i.said_at)::float8,
    coalesce(v.helpful, 0), coalesce(v.cast - v.helpful, 0),
    {told}, CASE WHEN row_number() OVER () = 1 THEN
        (SELECT ARRAY[l.rows, l.strangers] || ARRAY (SELECT w.rows FROM spread w ORDER BY w.n) FROM library l) END
FROM chosen c LEFT JOIN votes v ON v.item_id = c.id
CROSS JOIN LATERAL (SELECT * FROM memoryapp_retrievalentry e WHERE e.id = c.id OFFSET 0) e
CROSS JOIN LATERAL (SELECT * FROM memoryapp_memoryitem i WHERE i.id = c.id OFFSET 0) i
"""
_ONCE = "CASE WHEN row_number() OVER () = 1 THEN {} END"


class Candidate(NamedTuple):
    """An item found by words or meaning, with what ranking needs of it.

    `terms` are those of the question that stand in it; `words` their share of the question by weight (0–1) and
    `plain_words` by number; `cosine` is None when it has no vector of the asking model. `said` is when, in seconds
    since 1970.
    """

    id: UUID
    terms: frozenset[str]
    cosine: float | None
    words: float = 0.0
    plain_words: float = 0.0
    content: str = ""
    subject: str = ""
    predicate: str = ""
    scope: str = ""
    importance: float = 0.5
    confidence: float = 0.5
    said: float | None = None
    helpful: int = 0
    unhelpful: int = 0


@dataclass(frozen=True, slots=True)
class Found:
    """Candidates, unordered; `strangers` counts the rows whose vector is of another model than the asking one."""

    candidates: tuple[Candidate, ...] = ()
    spread: Mapping[str, int] = field(default_factory=dict)
    strangers: int = 0
    told: str | None = None
    """What `Search.telling` told; None where nothing was found."""


@dataclass(frozen=True, slots=True)
class Search:
    """What is looked for: up to `pool` items by each way; only those of `allowed` when it is given.

    By meaning the order is exact, but for a space of more than `exact_up_to` items that has an index (an operator made
    it) and is not filtered by `allowed`. The first search of a process in such a library counts it and is exact.
    """

    tenant_id: UUID
    spaces: Sequence[UUID]
    terms: Sequence[str]
    vector: Sequence[float] | None
    model: str
    now: datetime
    pool: int
    allowed: Sequence[UUID] | None = None
    exact_up_to: int = DEFAULT_POLICY.exact_up_to
    telling: tuple[str, Mapping[str, Any]] = ("NULL", MappingProxyType({}))
    """An SQL expression that is to be answered along with what is found, with its values."""

    @property
    def values(self) -> dict[str, Any]:
        """Its values in the statement."""
        return {
            "tenant": self.tenant_id,
            "spaces": list(self.spaces),
            "now": self.now,
            "queries": [lexeme(t) for t in self.terms],
            "any": " | ".join(lexeme(t) for t in self.terms),
            "vector": as_text(self.vector) if self.vector is not None else None,
            "model": self.model if self.vector is not None else "",
            "dimensions": len(self.vector) if self.vector is not None else 0,
            "pool": self.pool,
            "allowed": None if self.allowed is None else list(self.allowed),
            **self.telling[1],
        }


def look(search: Search) -> Found:
    """The candidates; none without terms and without a vector. A term's weight comes from all rows of the spaces,
    filtered or not.
    """
    if not search.spaces or (not search.terms and search.vector is None):
        return Found()
    values, indexes = search.values, _usable(search)
    if indexes:
        values["indexed"] = [one.space_id for one in indexes]
        prepare_scan(search.pool)
    with connection.cursor() as cursor:
        cursor.execute(_statement(search, indexes), values)
        rows = cursor.fetchall()
    if not rows:
        return Found()
    told, (items, strangers, *counts) = next(row[-2:] for row in rows if row[-1] is not None)
    spread = dict(zip(search.terms, counts, strict=True))
    vector_indexes.note_size(search.spaces, items, search.exact_up_to)
    covered = _Coverage(search.terms, {term: ranking.term_weight(count, items) for term, count in spread.items()})
    return Found(tuple(_candidate(row, covered) for row in rows), spread, strangers if search.vector else 0, told)


def _usable(search: Search) -> tuple[VectorIndex, ...]:
    if search.vector is None or search.allowed is not None:
        return ()
    return vector_indexes.usable_for(search.spaces, search.model, len(search.vector), search.exact_up_to)


def _statement(search: Search, indexes: Sequence[VectorIndex]) -> str:
    parts = [words()]
    chosen = ["SELECT id FROM words"] if search.terms else []
    if search.vector is not None:
        parts.append(meaning(len(search.vector), indexes, search.pool))
        chosen.append("SELECT id FROM meaning")
    cosine = _COSINE.format(or_spare=_OR_SPARE if registry.second_embedder() is not None else "")
    found = _FOUND.format(held=HELD, cosine=cosine, chosen=" UNION ".join(chosen), told=_ONCE.format(search.telling[0]))
    return "WITH " + ",".join(parts) + found


class _Coverage:
    """Which terms of a question a row holds, and their share; rows that hold the same terms share one look."""

    def __init__(self, terms: Sequence[str], weights: Mapping[str, float]) -> None:
        self._terms, self._weights, self._asked = terms, weights, frozenset(terms)
        self._known: dict[tuple[int, ...], tuple[frozenset[str], float, float]] = {}

    def of(self, numbers: Sequence[int]) -> tuple[frozenset[str], float, float]:
        """The terms (numbered from 1), their share by weight and by number."""
        key = tuple(numbers)
        if key not in self._known:
            found = frozenset(self._terms[n - 1] for n in key)
            plain = ranking.word_coverage(self._asked, found)
            self._known[key] = found, ranking.word_coverage(self._asked, found, self._weights), plain
        return self._known[key]


def _candidate(row: tuple[Any, ...], covered: _Coverage) -> Candidate:
    found, words, plain = covered.of(row[1] or ())
    return Candidate(row[0], found, row[2], words, plain, *row[3:-2])


def lexeme(term: str) -> str:
    """A term as a quoted lexeme, so that no operator of the query language can stand in it."""
    return "'" + term.replace("\\", "\\\\").replace("'", "''") + "'"
