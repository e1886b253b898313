"""Out of every path at once: what an erasure does in the transaction of its request."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from uuid import UUID

from django.utils import timezone

from accounts.actor import Actor
from memoryapp import audit, keyring
from memoryapp.domain.types import RunState
from memoryapp.models import ConsolidationStep, MemoryItem, MemoryVersion, Run, Tombstone
from memoryapp.services import tombstones
from memoryapp.services.spaces import lock
from memoryapp.services.write_door import hide_many


def hide(actor: Actor, erasure_id: UUID, item_ids: Sequence[UUID], now: datetime) -> tuple[list[UUID], list[str]]:
    """Take items out of every read path for good; answers the ids that were there and commitments of their texts."""
    spaces = MemoryItem.objects.filter(pk__in=item_ids).values_list("space_id", flat=True).distinct()
    for space_id in sorted(spaces):
        lock(space_id)
    items = list(MemoryItem.objects.filter(pk__in=item_ids).recoverable().select_for_update(no_key=True).order_by("pk"))
    ids = [i.pk for i in items]
    if not ids:
        return [], []
    audit.record(actor, "memory.erase_requested", audit.Target("memory", (*ids, erasure_id)))
    commitments = sorted(_commitments(items))
    stoned = set(Tombstone.objects.filter(item_id__in=ids, lifted_at=None).values_list("item_id", flat=True))
    tombstones.bury(actor, [i for i in items if i.pk not in stoned], now, "erased")
    hide_many(ids, now)
    ConsolidationStep.objects.filter(member_ids__overlap=ids).exclude(content="").update(content="")
    return ids, commitments


def _commitments(items: Iterable[MemoryItem]) -> set[str]:
    """Keyed hashes of every text, taken while there is one: they prove later what was erased, and tell nothing.

    None when the key is destroyed: a person was erased, and an old dump brought them back.
    """
    space_of = {i.pk: i.space_id for i in items}
    tenant_of = {i.pk: i.tenant_id for i in items}
    texts = MemoryVersion.objects.filter(item_id__in=space_of).values_list("item_id", "content")
    try:
        return {keyring.commitment(tenant_of[item_id], space_of[item_id], text) for item_id, text in texts}
    except keyring.KeyDestroyed:
        return set()


def stop_runs(session_ids: Collection[UUID]) -> None:
    """A run in flight loses its fence, so that it cannot write what it has read."""
    open_runs = Run.objects.filter(session_id__in=session_ids, state__in=[RunState.PENDING, RunState.RUNNING])
    open_runs.update(state=RunState.FAILED, error_code="erased", lease_until=None, finished_at=timezone.now())
