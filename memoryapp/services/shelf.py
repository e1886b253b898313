"""What a context is made of, read in statements whose number depends neither on the library nor on what is asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from accounts.actor import Actor
from memoryapp.domain.injection import Injectable, Reading
from memoryapp.domain.types import Kind, SpaceKind
from memoryapp.services.item_rows import COLUMNS, LIVE, WIDTH, item_of, rows_of
from memoryapp.services.results import ItemView
from memoryapp.services.standing import IN_PASSING, STANDING, SeenPolicy, Standing, policy_of, standing_of, values_for

SPARE = 3
"""Items read for each place of a quota: some are said already, overridden, or the same in other words."""
SUBJECT_MATES = 16
MOST_SUBJECTS = 8

_IN_SPACE = f"i.tenant_id = %(tenant)s AND i.space_id = whose.id AND {LIVE}"


def _branch(condition: str, order: str, most: str) -> str:
    """The first items of each space, by index: one branch never reads a whole library."""
    return f"""(
    SELECT first.id FROM usable whose CROSS JOIN LATERAL (
        SELECT i.id, i.importance FROM memoryapp_memoryitem i
        WHERE {_IN_SPACE} AND {condition} ORDER BY {order} LIMIT {most}
    ) first ORDER BY {order.replace("i.", "first.")} LIMIT {most}
)"""


_WORTH = "i.importance DESC, i.id DESC"
_SHARED = """
    (SELECT string_agg(t, chr(10)) FROM memoryapp_retrievalentry r, unnest(tsvector_to_array(r.terms)) t
     WHERE r.tenant_id = i.tenant_id AND r.id = i.id AND t = ANY (%(terms)s::text[]))
"""
_ALL = """
    (SELECT array_to_string(tsvector_to_array(r.terms), chr(10)) FROM memoryapp_retrievalentry r
     WHERE r.tenant_id = i.tenant_id AND r.id = i.id)
"""
"""Terms are sent as lines of one text, which is read a hundred times faster than an array; none holds a line break."""
_TERMS = f"""
    CASE WHEN i.pinned OR i.kind IN ('profile', 'preference', 'instruction', 'decision')
    THEN CASE WHEN (SELECT count(*) FROM newest) <= %(limit)s THEN {_ALL} ELSE {_SHARED} END END
"""
"""Of the first shelf only these tiers are ordered by the words they share; the rest stand by their age. A library that
is there whole is good for other questions too, so all terms come with it."""
_FIRST = f"""
WITH {IN_PASSING}, usable AS MATERIALIZED (SELECT s.id FROM spaces s WHERE NOT s.using_paused),
newest AS MATERIALIZED {_branch("true", "i.id DESC", "%(limit)s + 1")},
shelf AS (
    SELECT id FROM newest
    UNION {_branch("i.pinned", _WORTH, "%(limit)s")}
    UNION {_branch("i.kind = 'profile'", _WORTH, "%(profile)s")}
    UNION {_branch("i.kind = 'preference'", _WORTH, "%(preference)s")}
)
SELECT {COLUMNS}, {_TERMS}, (SELECT count(*) FROM newest), (SELECT {STANDING.format(revisions="true")}), standing.told
FROM standing LEFT JOIN (
    shelf JOIN memoryapp_memoryitem i ON i.tenant_id = %(tenant)s AND i.id = shelf.id
    JOIN memoryapp_space s ON s.tenant_id = i.tenant_id AND s.id = i.space_id
) ON true
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
    """An item, and how injection sees it: with its terms, or those that it shares with the question."""

    item: ItemView
    entry: Injectable


def shelved(item: ItemView, terms: Iterable[str]) -> Shelved:
    entry = Injectable(
        id=str(item.id),
        content=item.content,
        kind=Kind(item.kind),
        pinned=item.pinned,
        importance=item.importance,
        confidence=item.confidence,
        said_at=item.said_at,
        updated_at=item.updated_at,
        scope=item.scope,
        terms=frozenset(terms),
        subject=item.subject,
        space=SpaceKind(item.space_kind),
        suspected=bool(item.noise),
        reading=Reading.of(item.content),
    )
    return Shelved(item, entry)


@dataclass(frozen=True, slots=True)
class Shelf:
    """The items of every tier but the matched one. `size` counts recallable items up to one above the limit: when it
    is not above it, the shelf holds the whole library. `stamp` is the database's word for what was read.
    """

    items: Mapping[UUID, Shelved]
    size: int
    stamp: str


_seen: dict[UUID, SeenPolicy] = {}
"""The policy of each tenant that this process met last: how many places a shelf has is asked with the shelf."""
_UNSEEN = SeenPolicy(None, policy_of(None, None))


def first_look(
    actor: Actor, person: str, project_id: str, terms: Sequence[str], now: datetime
) -> tuple[Standing, Shelf]:
    """Where a read stands, and the items that are always looked at: pinned, profile and preference by importance, and
    the newest. One statement, by index; a second one only after the policy has changed.
    """
    seen = _seen.get(actor.tenant_id, _UNSEEN)
    rows = rows_of(_FIRST, _values(actor, terms, now) | values_for(actor, person, project_id) | _places(seen))
    place, _seen[actor.tenant_id] = standing_of(rows[0][-1], seen)
    if place.policy != seen.policy:
        return first_look(actor, person, project_id, terms, now)
    items = {row[0]: _of_row(row) for row in rows if row[0] is not None}
    return place, Shelf(items, rows[0][WIDTH + 1], rows[0][WIDTH + 2])


def _of_row(row: tuple[Any, ...]) -> Shelved:
    return shelved(item_of(row), row[WIDTH].split("\n") if row[WIDTH] else ())


def _places(seen: SeenPolicy) -> dict[str, Any]:
    quotas = seen.policy.quotas
    return {
        "seen": seen.version,
        "limit": seen.policy.injection_limit,
        "profile": SPARE * quotas.get("profile", 0),
        "preference": SPARE * quotas.get("preference", 0),
    }


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
    values = _values(actor, terms, now) | {
        "spaces": list(spaces),
        "found": list(found),
        "subjects": list(subjects)[:MOST_SUBJECTS],
        "mates": SUBJECT_MATES,
    }
    rows = rows_of(_FOUND, values)
    return {row[0]: _of_row(row) for row in rows}


def _values(actor: Actor, terms: Sequence[str], now: datetime) -> dict[str, Any]:
    return {"tenant": actor.tenant_id, "terms": list(terms), "now": now}
