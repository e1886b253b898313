"""What was written into a person's space while its erasure began.

A write that waited for the space's lock, or did not need it, may land in the space after everything in it was chosen.
Before each attempt the job looks again: what is there is hidden and erased with the rest.
"""

from __future__ import annotations

from uuid import UUID

from django.utils import timezone

from accounts.actor import Actor
from memoryapp.domain.receipts import ErasureKind, Level, LevelState
from memoryapp.models import Erasure, ErasureStep, MemoryItem, Session
from memoryapp.services.erasure_tables import with_family
from memoryapp.services.hiding import hide, stop_runs
from memoryapp.services.scope import tenant_scope
from memoryapp.services.spaces import lock


def gather(actor: Actor, erasure_id: UUID) -> None:
    """Take what came late into the job; its steps begin anew when there is any."""
    with tenant_scope(actor):
        job = Erasure.objects.select_for_update(no_key=True).get(pk=erasure_id)
        if job.kind != ErasureKind.PERSON or job.space_id is None:
            return
        lock(job.space_id)
        sessions = list(_late(Session, job.space_id, job.session_ids))
        items = list(_late(MemoryItem, job.space_id, job.item_ids))
        if not sessions and not items:
            return
        stop_runs(sessions)
        hidden = hide(actor, job.pk, with_family(items), timezone.now())
        job.session_ids = [*job.session_ids, *sessions]
        job.item_ids = [*job.item_ids, *hidden.ids]
        job.commitments = sorted({*job.commitments, *hidden.commitments})
        job.counts = {**job.counts, "items": len(job.item_ids), "sessions": len(job.session_ids)}
        job.save(update_fields=["session_ids", "item_ids", "commitments", "counts"])
        ErasureStep.objects.filter(erasure=job, level=Level.DERIVED).update(state=LevelState.PENDING)


def _late(model: type[Session] | type[MemoryItem], space_id: UUID, known: list[UUID]) -> list[UUID]:
    rows = model._default_manager.filter(space_id=space_id).exclude(pk__in=known)
    return [row.pk for row in rows.only("pk")]
