"""Everything about a person: who selects it, what it would remove, and its erasure.

`select` is the one selector: the access export reads through it what the erasure removes.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from accounts.actor import Actor, system_actor
from memoryapp import audit, keyring
from memoryapp.domain.errors import DomainError, NotFound
from memoryapp.domain.receipts import ErasureKind, LevelState, phrases
from memoryapp.domain.types import RunState, SpaceKind
from memoryapp.models import (
    Erasure,
    ErasureStep,
    Evidence,
    MemoryItem,
    MemoryVersion,
    Message,
    Session,
    SourceMask,
    Space,
    Tombstone,
)
from memoryapp.services import erasure
from memoryapp.services.erasure_tables import with_family
from memoryapp.services.hiding import stop_runs
from memoryapp.services.person_identity import replace_names
from memoryapp.services.scope import tenant_scope
from memoryapp.services.spaces import check_person, find_space, lock


@dataclass(frozen=True, slots=True)
class PersonRows:
    """Ids of everything about a person.

    `shared_item_ids` lie in project and organisation spaces and were learnt from this person alone, with what was
    derived from them; `evidence_ids` is this person's evidence for items that others support too, which stay.
    """

    space_id: UUID
    item_ids: tuple[UUID, ...]
    shared_item_ids: tuple[UUID, ...]
    evidence_ids: tuple[UUID, ...]
    session_ids: tuple[UUID, ...]

    @property
    def all_item_ids(self) -> tuple[UUID, ...]:
        return (*self.item_ids, *self.shared_item_ids)


@dataclass(frozen=True, slots=True)
class Impact:
    """What an erasure would remove. `phrases` are what a person may type to confirm it."""

    items: int = 0
    shared_items: int = 0
    versions: int = 0
    evidence: int = 0
    sessions: int = 0
    messages: int = 0
    phrases: tuple[str, ...] = ()


def allowed(actor: Actor, person: str) -> str:
    """The person by name. People erase their own; a key that is not bound to one needs the scope `admin`."""
    whose = check_person(actor, person)
    if not actor.may("memory:delete" if actor.user_key else "admin"):
        raise DomainError("scope_missing", "Erasing a person needs memory:delete, and admin for a key bound to nobody.")
    return whose


def select(actor: Actor, person: str) -> PersonRows | None:
    """Inside a tenant scope. None for somebody unknown."""
    space = find_space(actor, SpaceKind.PERSON, person)
    return rows_of(space) if space else None


def rows_of(space: Space) -> PersonRows:
    sessions = tuple(Session.objects.filter(space=space).order_by("id").values_list("pk", flat=True))
    items = tuple(MemoryItem.objects.filter(space=space).order_by("id").values_list("pk", flat=True))
    own = frozenset(items)
    elsewhere = Evidence.objects.filter(session_id__any_of=sessions).exclude(item__space=space)
    sole, supporting = split_by_support(set(elsewhere.values_list("item_id", flat=True)), sessions)
    shared = tuple(i for i in with_family((*items, *sole)) if i not in own)
    return PersonRows(space.pk, items, shared, supporting, sessions)


def split_by_support(items: Collection[UUID], sessions: Collection[UUID]) -> tuple[tuple[UUID, ...], tuple[UUID, ...]]:
    """Items that only these sessions support, and these sessions' evidence for the others."""
    from_elsewhere = Evidence.objects.filter(item_id__any_of=items).exclude(session_id__any_of=sessions)
    supported = set(from_elsewhere.values_list("item_id", flat=True))
    rows = Evidence.objects.filter(item_id__any_of=supported, session_id__any_of=sessions)
    return tuple(sorted(set(items) - supported)), tuple(rows.values_list("pk", flat=True))


def impact(actor: Actor, person: str) -> Impact:
    """The dry run. Somebody unknown has nothing."""
    whose = allowed(actor, person)
    with tenant_scope(actor):
        rows = select(actor, whose)
        audit.record(actor, "person.erasure_previewed", audit.Target("space", (rows.space_id,) if rows else ()))
        return _counted(rows, phrases(whose)) if rows else Impact(phrases=phrases(whose))


def _counted(rows: PersonRows, wanted: tuple[str, ...]) -> Impact:
    items = rows.all_item_ids
    evidence = Evidence.objects.filter(Q(item_id__any_of=items) | Q(pk__any_of=rows.evidence_ids))
    return Impact(
        items=len(rows.item_ids),
        shared_items=len(rows.shared_item_ids),
        versions=MemoryVersion.objects.filter(item_id__any_of=items).count(),
        evidence=evidence.count(),
        sessions=len(rows.session_ids),
        messages=Message.objects.filter(session_id__any_of=rows.session_ids).count(),
        phrases=wanted,
    )


def erase_person(actor: Actor, person: str, confirm: str) -> UUID:
    """Erase everything about a person. Raises `confirmation_required` unless the typed phrase is right."""
    whose = allowed(actor, person)
    check_phrase(confirm, phrases(whose))
    with tenant_scope(actor):
        space = find_space(actor, SpaceKind.PERSON, whose)
        if space is None:
            raise NotFound
        return begin(actor, space)


def check_phrase(typed: str, wanted: tuple[str, ...]) -> None:
    if typed.strip() not in wanted:
        raise DomainError(
            "confirmation_required", f"Type the phrase to go on: {' or '.join(wanted)}", {"confirm_with": list(wanted)}
        )


def begin(actor: Actor, space: Space, erasure_id: UUID | None = None) -> UUID:
    """Hide everything, stop what runs, take the name away, and queue the erasure, in one transaction."""
    lock(space.pk)
    rows = rows_of(space)
    stop_runs(rows.session_ids)
    job = erasure.begin(
        actor,
        space,
        ErasureKind.PERSON,
        rows.all_item_ids,
        evidence_ids=rows.evidence_ids,
        session_ids=rows.session_ids,
        locked=rows.item_ids,
        erasure_id=erasure_id,
    )
    replace_names(actor, space)
    return job


def close_graves(tenant_id: UUID) -> int:
    """When the last backup is gone, the erased person's marks go too, and the key that made them; answers how many."""
    actor = system_actor(tenant_id, "housekeeping")
    horizon = timezone.now() - timedelta(days=settings.MEMORYAPP.backup_retention_days)
    with tenant_scope(actor):
        old = Erasure.objects.filter(kind=ErasureKind.PERSON, state=RunState.SUCCEEDED, finished_at__lt=horizon)
        waiting = ErasureStep.objects.filter(erasure__in=old, name="backups", state=LevelState.NOT_VERIFIED)
        graves = list(waiting.exclude(evidence__has_key="marks").values_list("erasure_id", "erasure__space_id"))
    for erasure_id, space_id in graves:
        with tenant_scope(actor):
            stones = Tombstone.objects.filter(space_id=space_id)
            audit.record(
                actor, "tombstone.expired", audit.Target("memory", tuple(stones.values_list("item_id", flat=True)))
            )
            stones.delete()
            SourceMask.objects.filter(space_id=space_id).delete()
            step = ErasureStep.objects.filter(erasure_id=erasure_id, name="backups")
            step.update(evidence={"marks": "removed, their key destroyed"}, at=timezone.now())
            erasure.sign(actor, erasure_id)
        keyring.destroy(tenant_id, space_id, "tombstone")
    return len(graves)
