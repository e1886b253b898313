"""Slips of the finger: a Latin word that no row holds, and the word of the library that is one letter away."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db import connection

SHORTEST = 5
"""Letters from which one may be wrong; below, a neighbour is usually another word."""
MOST_ASKED = 3
MOST_ROWS = 2_000
"""Newest rows whose words are looked through, so that a slip costs the same in every library."""

_NEWEST = """(SELECT e.id, e.terms FROM memoryapp_retrievalentry e
        WHERE e.tenant_id = %(tenant)s AND e.space_id = ANY (%(spaces)s::uuid[]) AND e.searchable AND {which}
        ORDER BY e.id DESC LIMIT %(rows)s)"""
# In two halves as the search by words, so that the terms are read from the same index.
_SQL = f"""
SELECT word, count(*) FROM (
    SELECT unnest(tsvector_to_array(e.terms)) AS word FROM (
        {_NEWEST.format(which="NOT e.long_terms")} UNION ALL {_NEWEST.format(which="e.long_terms")}
        ORDER BY id DESC LIMIT %(rows)s
    ) e
) words WHERE length(word) BETWEEN %(shortest)s AND %(longest)s AND word ~ '^[a-z][a-z0-9_-]*$' GROUP BY word
"""


def worth_correcting(terms: Sequence[str], spread: Mapping[str, int]) -> tuple[str, ...]:
    """Unknown Latin words of a short question. A long one has other words to be found by."""
    if len(terms) > 2 * MOST_ASKED:
        return ()
    unknown = (t for t in terms if spread.get(t, 0) == 0 and len(t) >= SHORTEST and t.isascii() and t[0].isalpha())
    return tuple(unknown)[:MOST_ASKED]


def corrections(tenant_id: UUID, spaces: Sequence[UUID], unknown: Sequence[str]) -> Mapping[str, str]:
    """Unknown word → the commonest word of the spaces at an edit distance of one; words without one are missing."""
    lengths = [len(word) for word in unknown]
    values: dict[str, Any] = {
        "tenant": tenant_id,
        "spaces": list(spaces),
        "rows": MOST_ROWS,
        "shortest": min(lengths) - 1,
        "longest": max(lengths) + 1,
    }
    with connection.cursor() as cursor:
        cursor.execute(_SQL, values)
        known = sorted(cursor.fetchall(), key=lambda row: (-row[1], row[0]))
    nearest = {word: next((other for other, _ in known if one_apart(word, other)), None) for word in unknown}
    return {word: other for word, other in nearest.items() if other is not None}


def one_apart(a: str, b: str) -> bool:
    """Whether one letter more, less or other makes `b` of `a`, or two neighbours swapped (Damerau, 1964)."""
    if abs(len(a) - len(b)) > 1 or a == b:
        return False
    start = next((n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    a, b = a[start:], b[start:]
    if len(a) == len(b):
        return a[1:] == b[1:] or (a[:2] == b[1::-1] and a[2:] == b[2:])
    return a[1:] == b or a == b[1:]
