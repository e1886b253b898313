"""Out of every path at once: what an erasure does in the transaction of its request."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.utils import timezone

from accounts.actor import Actor
from memoryapp import audit, keyring
from memoryapp.domain.types import RunState
from memoryapp.models import ConsolidationStep, MemoryItem, MemoryVersion, Run, Tombstone
from memoryapp.services import tombstones
from memoryapp.services.spaces import lock
from memoryapp.services.tombstones import Remains
from memoryapp.services.write_door import hide_many


@dataclass(frozen=True, slots=True)
class Hidden:
    """The items that were there and are in nobody's reach now, with keyed hashes of all their texts.

    `updated` are those whose rows say so.
    """

    ids: list[UUID]
    commitments: list[str]
    versions: int
    updated: int


def hide(
    actor: Actor, erasure_id: UUID, item_ids: Sequence[UUID], now: datetime, locked: Collection[UUID] = ()
) -> Hidden:
    """Take items out of every read path for good. `locked` are those whose space the caller has locked before it read
    them.
    """
    named = MemoryItem.objects.filter(pk__any_of=item_ids)
    others = set(item_ids).difference(locked)
    elsewhere = MemoryItem.objects.filter(pk__any_of=others).values_list("space_id", flat=True).distinct()
    for space_id in sorted(elsewhere) if others else ():
        lock(space_id)
    items = Remains.of(named.recoverable().order_by("pk"))
    ids = [i.pk for i in items]
    if not ids:
        return Hidden([], [], 0, 0)
    audit.record(actor, "memory.erase_requested", audit.Target("memory", (*ids, erasure_id)))
    texts = list(MemoryVersion.objects.filter(item_id__any_of=ids).values_list("item_id", "content"))
    stoned = set(Tombstone.objects.filter(item_id__any_of=ids, lifted_at=None).values_list("item_id", flat=True))
    tombstones.bury(actor, [i for i in items if i.pk not in stoned], now, "erased")
    updated = hide_many(ids, now)
    ConsolidationStep.objects.filter(member_ids__overlaps_ids=ids).exclude(content="").update(content="")
    return Hidden(ids, sorted(_commitments(items, texts)), len(texts), updated)


def _commitments(items: Iterable[Remains], texts: Iterable[tuple[UUID, str]]) -> set[str]:
    """Keyed hashes of every text, taken while there is one: they prove later what was erased, and tell nothing.

    None when the key is destroyed: a person was erased, and an old dump brought them back.
    """
    home_of = {i.pk: (i.tenant_id, i.space_id) for i in items}
    told: dict[tuple[UUID, UUID], list[str]] = defaultdict(list)
    for item_id, text in texts:
        told[home_of[item_id]].append(text)
    try:
        return set().union(*(keyring.commitments(*home, there) for home, there in told.items()))
    except keyring.KeyDestroyed:
        return set()


def stop_runs(session_ids: Collection[UUID]) -> None:
    """A run in flight loses its fence, so that it cannot write what it has read."""
    open_runs = Run.objects.filter(session_id__in=session_ids, state__in=[RunState.PENDING, RunState.RUNNING])
    open_runs.update(state=RunState.FAILED, error_code="erased", lease_until=None, finished_at=timezone.now())
