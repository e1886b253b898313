"""Which memories a bulk action is about, when they are named by a filter or a question instead of by id."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from uuid import UUID

from django.core.exceptions import FieldError, ValidationError
from django.db import DataError
from django.db.models import Q
from django.utils import timezone

from accounts.actor import Actor
from memoryapp.domain.errors import DomainError
from memoryapp.domain.planned import DELETE_UNASKED
from memoryapp.domain.types import Status
from memoryapp.models import MemoryItem
from memoryapp.models.memory import MemoryItemQuerySet
from memoryapp.services import recall
from memoryapp.services.filters import condition_of
from memoryapp.services.memories import DEFAULT_STATUSES, view, with_parts
from memoryapp.services.results import ItemView, ListFilter
from memoryapp.services.scope import tenant_scope
from memoryapp.services.spaces import check_person, find_space, space_key

MOST_BY_QUESTION = 100
LIST_NAMES = frozenset({"status", "contains", "noise", "trash"})
"""Filters that lists know beside the filter language of search."""
SHOWN = 200


@dataclass(frozen=True, slots=True)
class Place:
    """The one space a filter looks into: the person's own, a project's or the organisation's."""

    person: str
    kind: str = "person"
    project_id: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """The ids found, the versions seen, and the first 200 of them to look at."""

    ids: tuple[UUID, ...]
    versions: Mapping[UUID, int]
    shown: tuple[ItemView, ...]


def by_filter(actor: Actor, place: Place, filters: Mapping[str, object], action: str) -> Choice:
    """All that match inside one space. Without `status` the action says which: pending ones to confirm, and so on."""
    whose = check_person(actor, place.person)
    wanted = list_filter(filters, action)
    condition = _condition({n: v for n, v in filters.items() if n not in LIST_NAMES})
    try:
        with tenant_scope(actor):
            space = find_space(actor, place.kind, space_key(place.kind, whose, place.project_id))
            rows = MemoryItem.objects.for_actor(actor).filter(space=space) if space else MemoryItem.objects.none()
            rows = listed(rows, wanted).filter(condition)
            versions = dict(rows.order_by("-id").values_list("pk", "version"))
            shown = with_parts(MemoryItem.objects.filter(pk__in=list(versions)[:SHOWN])).newest_first()
            return Choice(tuple(versions), versions, tuple(view(row) for row in shown))
    except (FieldError, ValidationError, ValueError, TypeError, OverflowError, DataError) as error:
        raise DomainError("invalid", "A value in `filters` does not fit its field.") from error


def listed(rows: MemoryItemQuerySet, wanted: ListFilter) -> MemoryItemQuerySet:
    """The rows that a list with this filter shows."""
    if wanted.trash:
        rows = rows.filter(status=Status.FORGOTTEN, undo_until__gt=timezone.now())
    elif wanted.pending_only:
        rows = rows.filter(Q(status=Status.PENDING) | Q(status=Status.ACTIVE, pending_reason=DELETE_UNASKED))
    else:
        rows = rows.visible().filter(status__in=wanted.statuses or DEFAULT_STATUSES)
    if wanted.kinds:
        rows = rows.filter(kind__in=wanted.kinds)
    if wanted.scopes:
        rows = rows.filter(scope__in=wanted.scopes)
    if wanted.contains:
        rows = rows.filter(Q(content__icontains=wanted.contains) | Q(subject__icontains=wanted.contains))
    return rows.filter(noise__isnull=False, noise__dismissed_at=None) if wanted.noise_only else rows


def by_question(actor: Actor, person: str, query: str, threshold: float) -> Choice:
    """The person's own memories that a search finds with at least that relevance (0–1), at most 100."""
    hits = recall.search(actor, person, query, top_k=MOST_BY_QUESTION, threshold=threshold)
    items = tuple(h.item for h in hits if h.item.space_kind == "person")
    return Choice(tuple(i.id for i in items), {i.id: i.version for i in items}, items)


def list_filter(filters: Mapping[str, object], action: str) -> ListFilter:
    statuses = _statuses(filters.get("status"))
    contains = filters.get("contains", "")
    if not isinstance(contains, str) or any(not isinstance(filters.get(n, False), bool) for n in ("noise", "trash")):
        raise DomainError("invalid", "In `filters`, `contains` is text; `noise` and `trash` are true or false.")
    wanted = ListFilter(statuses, contains=contains, noise_only=bool(filters.get("noise")))
    if filters.get("trash") or (action == "restore" and not statuses):
        return replace(wanted, trash=True)
    return replace(wanted, pending_only=action in ("confirm", "reject") and not statuses)


def _statuses(asked: object) -> tuple[str, ...]:
    listed = asked.get("in") if isinstance(asked, Mapping) and set(asked) == {"in"} else asked
    names = listed.split(",") if isinstance(listed, str) else listed if isinstance(listed, list) else []
    known = {s.value for s in Status if s is not Status.FORGOTTEN}
    if asked is not None and (not names or not all(isinstance(n, str) and n in known for n in names)):
        raise DomainError("invalid", f"`status` is one or more of {', '.join(sorted(known))}.")
    return tuple(names)


def _condition(filters: Mapping[str, object]) -> Q:
    """A bare list means one of its values."""
    joined = ("AND", "OR", "NOT")
    wanted = {n: {"in": v} if isinstance(v, list) and n not in joined else v for n, v in filters.items()}
    return condition_of(wanted)
