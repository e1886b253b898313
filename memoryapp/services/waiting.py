"""What waits for a person, by class, and putting it off."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from uuid import UUID

from django.db.models import Count, Q
from django.utils import timezone

from accounts.actor import Actor
from memoryapp import audit
from memoryapp.domain.errors import DomainError
from memoryapp.domain.types import Status
from memoryapp.models import MemoryItem
from memoryapp.models.memory import MemoryItemQuerySet
from memoryapp.services import changes
from memoryapp.services.memories import view, with_parts
from memoryapp.services.results import ItemView, Page, cursor_id
from memoryapp.services.scope import tenant_scope
from memoryapp.services.spaces import check_person, readable_spaces

EXPIRING_DAYS = 7
LATER_DAYS = 7
_CANDIDATE = Q(status=Status.PENDING)
_DELETION = Q(status=Status.ACTIVE, pending_reason="delete_unasked")
_CONFLICT = Q(pending_reason__startswith="conflict")
_QUARANTINED = Q(pending_reason__startswith="prompt_injection") | Q(pending_reason="untrusted_source")
_PRESENT = Q(status__in=[Status.ACTIVE.value, Status.PAUSED.value])
_NOISE = _PRESENT & Q(noise__isnull=False, noise__dismissed_at=None)


def conditions() -> Mapping[str, Q]:
    """The classes of the inbox in the order of the page. An item may be noise and expiring at once."""
    now = timezone.now()
    soon = Q(status=Status.ACTIVE, expires_at__gt=now, expires_at__lte=now + timedelta(days=EXPIRING_DAYS))
    awake = Q(review_after=None) | Q(review_after__lte=now)
    return {
        "confirm": _CANDIDATE & ~_CONFLICT & ~_QUARANTINED & awake,
        "deletion": _DELETION & awake,
        "conflict": (_CANDIDATE | _PRESENT) & _CONFLICT & awake,
        "noise": _NOISE & awake,
        "quarantined": _CANDIDATE & _QUARANTINED & awake,
        "expiring": soon & awake,
    }


CLASSES = tuple(conditions())


def _rows(actor: Actor, whose: str) -> MemoryItemQuerySet:
    return MemoryItem.objects.for_actor(actor).filter(space__in=readable_spaces(actor, whose))


def count(actor: Actor, person: str) -> Mapping[str, int]:
    """How much waits in each class, in one statement."""
    whose = check_person(actor, person)
    with tenant_scope(actor):
        totals = {name: Count("pk", filter=wanted, distinct=True) for name, wanted in conditions().items()}
        found: dict[str, int] = _rows(actor, whose).aggregate(**totals)
        return found


def page(actor: Actor, person: str, name: str, *, limit: int = 50, cursor: str | None = None) -> Page:
    """One page of a class, newest first."""
    whose = check_person(actor, person)
    if name not in CLASSES:
        raise DomainError("invalid", f"There is no class “{name}”; there are {', '.join(CLASSES)}.")
    with tenant_scope(actor):
        rows = _rows(actor, whose).filter(conditions()[name])
        total = rows.count()
        after = rows.filter(pk__lt=cursor_id(cursor)) if cursor else rows
        found = list(with_parts(after.newest_first())[: limit + 1])
        audit.record(actor, "memory.listed", audit.Target("memory", tuple(i.pk for i in found[:limit])), person=whose)
        more = found[limit - 1].pk.hex if len(found) > limit else None
        return Page(tuple(view(i) for i in found[:limit]), more, total)


def later(actor: Actor, item_id: UUID) -> ItemView:
    """Out of the inbox for LATER_DAYS; it stays as it is meanwhile."""
    until = timezone.now() + timedelta(days=LATER_DAYS)
    return changes.edit(actor, item_id, {"review_after": until}, expected_version=None)


def sooner(actor: Actor, item_id: UUID) -> ItemView:
    """Back into the inbox at once."""
    return changes.edit(actor, item_id, {"review_after": None}, expected_version=None)


def keep(actor: Actor, item_id: UUID) -> ItemView:
    """An expiring item is kept for good."""
    return changes.edit(actor, item_id, {"expires_at": None}, expected_version=None)
