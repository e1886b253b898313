"""What a context is made of, read in statements whose number depends neither on the library nor on what is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from accounts.actor import Actor
from memoryapp.domain.policy import Policy
from memoryapp.services.item_rows import COLUMNS, LIVE, WIDTH, item_of, rows_of
from memoryapp.services.results import ItemView

SPARE = 3
"""Items read for each place of a quota: some are said already, overridden, or the same in other words."""
SUBJECT_MATES = 16
MOST_SUBJECTS = 8

_IN_SPACE = f"i.tenant_id = %(tenant)s AND i.space_id = whose.id AND {LIVE}"


def _branch(condition: str, order: str, most: str) -> str:
    """The first items of each space, by index: one branch never reads a whole library."""
    return f"""(
    SELECT first.id FROM unnest(%(spaces)s::uuid[]) whose(id) CROSS JOIN LATERAL (
        SELECT i.id, i.importance FROM memoryapp_memoryitem i
        WHERE {_IN_SPACE} AND {condition} ORDER BY {order} LIMIT {most}
    ) first ORDER BY {order.replace("i.", "first.")} LIMIT {most}
)"""


_WORTH = "i.importance DESC, i.id DESC"
_SHARED = """
    (SELECT array_agg(t) FROM memoryapp_retrievalentry r, unnest(tsvector_to_array(r.terms)) t
     WHERE r.tenant_id = i.tenant_id AND r.id = i.id AND t = ANY (%(terms)s::text[]))
"""
_SHARED_WHERE_IT_COUNTS = f"""
    CASE WHEN i.pinned OR i.kind IN ('profile', 'preference', 'instruction', 'decision') THEN {_SHARED} END
"""
"""Of the first shelf only these tiers are ordered by the words they share; the rest stand by their age."""
_FIRST = f"""
WITH newest AS MATERIALIZED {_branch("true", "i.id DESC", "%(limit)s + 1")},
shelf AS (
    SELECT id FROM newest
    UNION {_branch("i.pinned", _WORTH, "%(limit)s")}
    UNION {_branch("i.kind = 'profile'", _WORTH, "%(profile)s")}
    UNION {_branch("i.kind = 'preference'", _WORTH, "%(preference)s")}
)
SELECT {COLUMNS}, {_SHARED_WHERE_IT_COUNTS}, (SELECT count(*) FROM newest)
FROM shelf JOIN memoryapp_memoryitem i ON i.tenant_id = %(tenant)s AND i.id = shelf.id
JOIN memoryapp_space s ON s.tenant_id = i.tenant_id AND s.id = i.space_id
"""
_FOUND = f"""
WITH mates AS (
    SELECT mate.id FROM unnest(%(spaces)s::uuid[]) whose(id), unnest(%(subjects)s::text[]) about(subject)
    CROSS JOIN LATERAL (
        SELECT i.id FROM memoryapp_memoryitem i WHERE {_IN_SPACE} AND i.subject <> '' AND i.subject = about.subject
        ORDER BY i.id DESC LIMIT %(mates)s
    ) mate LIMIT %(mates)s
)
SELECT {COLUMNS}, {_SHARED}, i.id = ANY (%(found)s::uuid[])
FROM (SELECT unnest(%(found)s::uuid[]) AS id UNION SELECT id FROM mates) wanted
JOIN memoryapp_memoryitem i ON i.tenant_id = %(tenant)s AND i.id = wanted.id AND {LIVE}
JOIN memoryapp_space s ON s.tenant_id = i.tenant_id AND s.id = i.space_id AND s.id = ANY (%(spaces)s::uuid[])
"""


@dataclass(frozen=True, slots=True)
class Shelved:
    """An item with the terms that it shares with the question."""

    item: ItemView
    shared: frozenset[str]


@dataclass(frozen=True, slots=True)
class Shelf:
    """The items of every tier but the matched one. `size` counts recallable items up to one above the limit: when it
    is not above it, the shelf holds the whole library.
    """

    items: Mapping[UUID, Shelved]
    size: int


def first_shelf(actor: Actor, spaces: Sequence[UUID], policy: Policy, terms: Sequence[str], now: datetime) -> Shelf:
    """Pinned, profile and preference by importance, and the newest: one statement, by index."""
    if not spaces:
        return Shelf({}, 0)
    values = _values(actor, spaces, terms, now) | {
        "limit": policy.injection_limit,
        "profile": SPARE * policy.quotas.get("profile", 0),
        "preference": SPARE * policy.quotas.get("preference", 0),
    }
    rows = rows_of(_FIRST, values)
    items = [Shelved(item_of(row), frozenset(row[WIDTH] or ())) for row in rows]
    return Shelf({shelved.item.id: shelved for shelved in items}, rows[0][WIDTH + 1] if rows else 0)


def found_items(
    actor: Actor,
    spaces: Sequence[UUID],
    found: Sequence[UUID],
    subjects: Sequence[str],
    terms: Sequence[str],
    now: datetime,
) -> Mapping[UUID, Shelved]:
    """The items that search found, and others of the same subjects: one statement."""
    if not spaces or not (found or subjects):
        return {}
    values = _values(actor, spaces, terms, now) | {
        "found": list(found),
        "subjects": list(subjects)[:MOST_SUBJECTS],
        "mates": SUBJECT_MATES,
    }
    rows = rows_of(_FOUND, values)
    return {row[0]: Shelved(item_of(row), frozenset(row[WIDTH] or ())) for row in rows}


def _values(actor: Actor, spaces: Sequence[UUID], terms: Sequence[str], now: datetime) -> dict[str, Any]:
    return {"tenant": actor.tenant_id, "spaces": list(spaces), "terms": list(terms), "now": now}
