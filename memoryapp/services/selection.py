"""Many memories at once: all that match a filter, some by id, counts by status, and the uses of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from uuid import UUID

from django.db.models import Count

from accounts.actor import Actor
from memoryapp.models import MemoryItem
from memoryapp.services.bulk_choice import listed
from memoryapp.services.memories import view, with_parts
from memoryapp.services.results import ItemView, ListFilter
from memoryapp.services.scope import tenant_scope
from memoryapp.services.spaces import check_person, readable_spaces

MOST_AT_ONCE = 5000
"""A page's bulk action takes this many; the page says when more match."""


def matching_ids(actor: Actor, person: str, wanted: ListFilter, most: int = MOST_AT_ONCE) -> tuple[UUID, ...]:
    """The ids of all that match, newest first, at most `most`."""
    whose = check_person(actor, person)
    with tenant_scope(actor):
        spaces = readable_spaces(actor, whose, wanted.project_id)
        rows = listed(MemoryItem.objects.for_actor(actor).filter(space__in=spaces), wanted)
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
