"""Many memories at once: all that match a filter, some by id, counts by status, and the uses of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Count

from accounts.actor import Actor
from memoryapp.models import MemoryItem, Use
from memoryapp.services.memories import filtered, get_row, view, with_parts
from memoryapp.services.results import ItemView, ListFilter
from memoryapp.services.scope import tenant_scope
from memoryapp.services.spaces import check_person, readable_spaces

MOST_AT_ONCE = 1000
"""A page's bulk action takes this many; the page says when more match."""


@dataclass(frozen=True, slots=True)
class UseView:
    """An item was given to an agent. `rank` counts from 0."""

    purpose: str
    agent_id: str
    rank: int
    feedback: str
    created_at: datetime


def matching_ids(actor: Actor, person: str, wanted: ListFilter, most: int = MOST_AT_ONCE) -> tuple[UUID, ...]:
    """The ids of all that match, newest first, at most `most`."""
    whose = check_person(actor, person)
    with tenant_scope(actor):
        spaces = readable_spaces(actor, whose, wanted.project_id)
        rows = filtered(MemoryItem.objects.for_actor(actor).filter(space__in=spaces), wanted)
        return tuple(rows.newest_first().values_list("pk", flat=True)[:most])


def items_by_id(actor: Actor, ids: Sequence[UUID]) -> Mapping[UUID, ItemView]:
    """Those of the ids that the actor may see and that are not forgotten."""
    with tenant_scope(actor):
        rows = with_parts(MemoryItem.objects.for_actor(actor).visible().filter(pk__in=ids))
        return {row.pk: view(row) for row in rows}


def count_by_status(actor: Actor, person: str) -> Mapping[str, int]:
    """Status → how many, for everything that is not forgotten."""
    whose = check_person(actor, person)
    with tenant_scope(actor):
        rows = MemoryItem.objects.for_actor(actor).visible().filter(space__in=readable_spaces(actor, whose))
        return dict(rows.order_by().values_list("status").annotate(Count("pk")))


def uses(actor: Actor, item_id: UUID, most: int = 20) -> tuple[UseView, ...]:
    """The newest uses of an item."""
    with tenant_scope(actor):
        get_row(actor, item_id)
        rows = Use.objects.filter(item_id=item_id).order_by("-created_at", "-id")[:most]
        return tuple(UseView(u.purpose, u.agent_id, u.rank, u.feedback, u.created_at) for u in rows)
