"""Memory in time: what was true on a date, what was known on a date, and how it came to be.

Two times are kept apart. *Valid* time is when a statement held: from when it was said until it was superseded.
*Known* time is when this service had it. What was forgotten is in neither: it left every read path.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from accounts.actor import Actor
from memoryapp import audit
from memoryapp.domain.types import Status
from memoryapp.models import MemoryItem, MemoryVersion
from memoryapp.services.memories import view, with_parts
from memoryapp.services.pages import newest
from memoryapp.services.results import ItemView
from memoryapp.services.scope import tenant_scope
from memoryapp.services.spaces import check_person, readable_spaces

LARGEST_LIBRARY = 20_000
HELD = frozenset({Status.ACTIVE, Status.ARCHIVED, Status.SUPERSEDED, Status.EXPIRED})
"""Statuses that say: this was a memory. What is pending or paused is not given to anybody, on no date."""


@dataclass(frozen=True, slots=True)
class When:
    """`valid`: true at that moment. `known`: as the library stood at that moment (None: as it stands now)."""

    valid: datetime
    known: datetime | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """One line of a timeline: a version of an item, and what the text was before it (None for the first)."""

    id: UUID
    item: UUID
    number: int
    content: str
    before: str | None
    kind: str
    status: str
    reason: str
    actor_kind: str
    valid_from: datetime | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Timeline:
    changes: tuple[Change, ...]
    cursor: str | None
    total: int


def as_of(
    actor: Actor, person: str, when: When, project_id: str = "", *, for_agents: bool = False
) -> tuple[ItemView, ...]:
    """The memories of a person as they were, newest statement first, each with the text and kind of that time.

    `for_agents` leaves out the spaces whose use is paused today.
    """
    whose = check_person(actor, person)
    with tenant_scope(actor, durable_read=False):
        spaces = [s for s in readable_spaces(actor, whose, project_id) if not (for_agents and s.using_paused)]
        rows = MemoryItem.objects.for_actor(actor).visible().filter(space__in=spaces)
        items = {row.pk: view(row) for row in with_parts(rows).order_by("-id")[:LARGEST_LIBRARY]}
        ends = dict(rows.exclude(valid_until=None).values_list("pk", "valid_until"))
        versions = _versions(items)
        found = [then for item in items.values() if (then := _then(item, ends.get(item.id), when, versions))]
        audit.record(
            actor, "memory.read_as_of", audit.Target("memory", tuple(i.id for i in found[:1000])), person=whose
        )
    return tuple(sorted(found, key=lambda item: (item.said_at, item.id), reverse=True))


def timeline(actor: Actor, person: str, *, limit: int = 50, cursor: str | None = None) -> Timeline:
    """Every change of a person's memories that can still be seen, newest first."""
    whose = check_person(actor, person)
    with tenant_scope(actor):
        spaces = readable_spaces(actor, whose)
        items = MemoryItem.objects.for_actor(actor).visible().filter(space__in=spaces)
        page = newest(MemoryVersion.objects.filter(item__in=items.values("pk")), limit, cursor)
        before = _texts_before(page.rows)
        audit.record(actor, "memory.timeline_read", audit.Target("memory"), person=whose)
        changes = tuple(_change(v, before.get((v.item_id, v.number - 1))) for v in page.rows)
    return Timeline(changes, page.cursor, page.total)


def _versions(items: dict[UUID, ItemView]) -> dict[UUID, list[MemoryVersion]]:
    grouped: dict[UUID, list[MemoryVersion]] = {}
    for version in MemoryVersion.objects.filter(item_id__in=list(items)).order_by("number"):
        grouped.setdefault(version.item_id, []).append(version)
    return grouped


def _then(
    item: ItemView, ended: datetime | None, when: When, versions: dict[UUID, list[MemoryVersion]]
) -> ItemView | None:
    """The item as it was at that time, or None when it was not a memory then."""
    known = [v for v in versions.get(item.id, ()) if when.known is None or v.created_at <= when.known]
    valid = [v for v in known if (v.valid_from or v.created_at) <= when.valid]
    if not valid or Status(known[-1].status) not in HELD:
        return None
    if known[-1].status == Status.SUPERSEDED and ended is not None and ended <= when.valid:
        return None
    if item.expires_at is not None and item.expires_at <= when.valid:
        return None
    text = valid[-1]
    return item._replace(
        content=text.content, kind=text.kind, version=text.number, said_at=text.valid_from or text.created_at
    )


def _texts_before(versions: Sequence[MemoryVersion]) -> dict[tuple[UUID, int], str]:
    rows = MemoryVersion.objects.filter(item_id__in={v.item_id for v in versions})
    return {(item, number): content for item, number, content in rows.values_list("item_id", "number", "content")}


def _change(version: MemoryVersion, before: str | None) -> Change:
    return Change(
        version.pk,
        version.item_id,
        version.number,
        version.content,
        before,
        version.kind,
        version.status,
        version.reason,
        version.actor_kind,
        version.valid_from,
        version.created_at,
    )
