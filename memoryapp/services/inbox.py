"""The inbox: what waits for its person, by class. Its decisions are verbs of `memoryapp.services.changes`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from django.db.models import Count, Q
from django.utils import timezone

from accounts.actor import Actor
from memoryapp import audit
from memoryapp.domain.errors import DomainError
from memoryapp.domain.planned import CONFLICT, DELETE_UNASKED, UNTRUSTED_SOURCE
from memoryapp.domain.policy import Policy
from memoryapp.domain.types import Status
from memoryapp.models import MemoryItem
from memoryapp.models.memory import MemoryItemQuerySet
from memoryapp.services.memories import view, with_parts
from memoryapp.services.pages import newest
from memoryapp.services.results import ItemView
from memoryapp.services.scope import tenant_scope
from memoryapp.services.spaces import active_policy, check_person, readable_spaces


class InboxClass(StrEnum):
    """Why an item waits. A candidate has one class; one that lapses soon is listed as expiring as well."""

    TO_CONFIRM = "to_confirm"
    CONFLICT = "conflict"
    NOISE = "noise"
    QUARANTINED = "quarantined"
    EXPIRING = "expiring"


@dataclass(frozen=True, slots=True)
class InboxEntry:
    """One item with its class, and the item it contradicts."""

    item: ItemView
    why: InboxClass
    other: ItemView | None = None


@dataclass(frozen=True, slots=True)
class InboxPage:
    """`total` counts what matches, `counts` each class; `cursor` continues the list."""

    entries: tuple[InboxEntry, ...]
    cursor: str | None
    total: int
    counts: Mapping[InboxClass, int]


_QUARANTINED = Q(pending_reason=UNTRUSTED_SOURCE) | Q(pending_reason__startswith="prompt_injection.")


def inbox(
    actor: Actor, person: str, why: str = "", *, project_id: str = "", limit: int = 50, cursor: str | None = None
) -> InboxPage:
    """One page of what waits, newest first; of one class when `why` names it. Snoozed items stay out."""
    if why and why not in {c.value for c in InboxClass}:
        raise DomainError("invalid", f"`class` is one of {', '.join(InboxClass)}.")
    whose = check_person(actor, person)
    with tenant_scope(actor):
        conditions = _conditions(active_policy(actor), timezone.now())
        waiting = _waiting(actor, whose, project_id)
        counts = _counted(waiting, conditions)
        chosen = waiting.filter(conditions[InboxClass(why)] if why else _any(conditions)).distinct()
        page = newest(with_parts(chosen), limit, cursor)
        entries = _entries(page.rows, why)
        audit.record(
            actor, "inbox.listed", audit.Target("memory", tuple(e.item.id for e in entries)), person=whose, reason=why
        )
        return InboxPage(entries, page.cursor, page.total, counts)


def counts(actor: Actor, person: str) -> Mapping[InboxClass, int]:
    """How much waits in each class, in one statement. Numbers only: no memory is read."""
    whose = check_person(actor, person)
    with tenant_scope(actor):
        return _counted(_waiting(actor, whose), _conditions(active_policy(actor), timezone.now()))


def _waiting(actor: Actor, whose: str, project_id: str = "") -> MemoryItemQuerySet:
    spaces = readable_spaces(actor, whose, project_id)
    return MemoryItem.objects.for_actor(actor).filter(_awake(timezone.now()), space__in=spaces)


def _counted(rows: MemoryItemQuerySet, conditions: Mapping[InboxClass, Q]) -> dict[InboxClass, int]:
    totals = {str(c): Count("pk", filter=condition, distinct=True) for c, condition in conditions.items()}
    found = rows.aggregate(**totals)
    return {c: found[str(c)] for c in conditions}


def _awake(now: datetime) -> Q:
    return Q(snoozed_until=None) | Q(snoozed_until__lte=now)


def _conditions(policy: Policy, now: datetime) -> dict[InboxClass, Q]:
    soon = now + timedelta(days=policy.expiring_days)
    pending, kept = Q(status=Status.PENDING), Q(status__in=[Status.ACTIVE, Status.PAUSED])
    proposed = Q(status=Status.ACTIVE, pending_reason=DELETE_UNASKED)
    lapsing = Q(expires_at__lte=soon, expires_at__gt=now) | Q(review_after__lte=now)
    return {
        InboxClass.TO_CONFIRM: (pending & ~Q(pending_reason=CONFLICT) & ~_QUARANTINED) | proposed,
        InboxClass.CONFLICT: (pending | Q(status=Status.ACTIVE)) & Q(pending_reason=CONFLICT),
        InboxClass.NOISE: kept & Q(noise__isnull=False, noise__dismissed_at=None),
        InboxClass.QUARANTINED: pending & _QUARANTINED,
        InboxClass.EXPIRING: (pending | kept) & lapsing,
    }


def _any(conditions: Mapping[InboxClass, Q]) -> Q:
    either = Q()
    for condition in conditions.values():
        either |= condition
    return either


def _entries(rows: Sequence[MemoryItem], why: str) -> tuple[InboxEntry, ...]:
    linked = {row.conflicts_with_id for row in rows if row.conflicts_with_id}
    others = {row.pk: view(row) for row in with_parts(MemoryItem.objects.filter(pk__in=linked).visible())}
    return tuple(
        InboxEntry(
            view(row),
            InboxClass(why) if why else _class_of(row),
            others.get(row.conflicts_with_id) if row.conflicts_with_id else None,
        )
        for row in rows
    )


def _class_of(row: MemoryItem) -> InboxClass:
    if row.pending_reason == CONFLICT:
        return InboxClass.CONFLICT
    if row.pending_reason == UNTRUSTED_SOURCE or row.pending_reason.startswith("prompt_injection."):
        return InboxClass.QUARANTINED
    if row.status == Status.PENDING or row.pending_reason == DELETE_UNASKED:
        return InboxClass.TO_CONFIRM
    flagged = any(flag.dismissed_at is None for flag in row.noise.all())
    return InboxClass.NOISE if flagged else InboxClass.EXPIRING
