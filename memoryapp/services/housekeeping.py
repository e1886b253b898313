"""Periodic care per tenant: old message texts, lapsed candidates, stale idempotency records, flags of
noise, vectors of an embedding model that is no longer in use."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from uuid import UUID

from django.utils import timezone

from accounts.actor import Actor, system_actor
from memoryapp.domain.errors import ProviderError
from memoryapp.domain.guards import inspect_item
from memoryapp.domain.policy import Policy
from memoryapp.domain.types import Door, RunState, Status
from memoryapp.models import IdempotencyRecord, MemoryItem, Message, NoiseFlag, Run
from memoryapp.models.memory import MemoryItemQuerySet
from memoryapp.services import consolidation, exports
from memoryapp.services.ageing import age_tenant
from memoryapp.services.dictionary import make_terms
from memoryapp.services.erasure import erase_lapsed
from memoryapp.services.origins import Origin
from memoryapp.services.person_deletion import close_graves
from memoryapp.services.reembedding import bring_forward
from memoryapp.services.scope import tenant_scope
from memoryapp.services.spaces import active_policy, lock
from memoryapp.services.tenants import tenant_ids
from memoryapp.services.vectors import forget_foreign
from memoryapp.services.working_memory import end_lapsed
from memoryapp.services.write_door import change, flag, seal


def keep_house() -> None:
    for tenant_id in tenant_ids():
        clean(tenant_id)


def keep_nightly_house() -> None:
    """Once a night: ageing by policy, then consolidation of the spaces that changed."""
    for tenant_id in tenant_ids():
        age_tenant(tenant_id)
        consolidation.nightly(tenant_id)


def clean(tenant_id: UUID) -> None:
    """One tenant's round; every step is safe to repeat."""
    actor = system_actor(tenant_id, "housekeeping")
    with tenant_scope(actor):
        policy, now = active_policy(actor), timezone.now()
        old = now - timedelta(days=policy.message_days)
        ended = Run.objects.filter(tenant_id=tenant_id, state__in=[RunState.SUCCEEDED, RunState.FAILED])
        done = Message.objects.filter(tenant_id=tenant_id, run__in=ended, created_at__lt=old)
        done.exclude(text="").update(text="")
        stale = IdempotencyRecord.objects.filter(tenant_id=tenant_id, created_at__lt=now - timedelta(hours=24))
        stale.delete()
        rows = MemoryItem.objects.for_actor(actor).filter(status__in=["pending", "active"], expires_at__lte=now)
        lapsed = list(rows.values_list("pk", flat=True)[:500])
    for item_id in lapsed:
        _expire(actor, item_id)
    erase_lapsed(tenant_id)
    close_graves(tenant_id)
    end_lapsed(tenant_id)
    exports.end_lapsed(tenant_id)
    scan_noise(tenant_id)
    bring_forward(tenant_id)
    make_terms(tenant_id)
    with suppress(ProviderError):  # the embedder is away: the next round tries again
        forget_foreign(tenant_id)


def _expire(actor: Actor, item_id: UUID) -> None:
    with tenant_scope(actor):
        row = MemoryItem.objects.for_actor(actor).select_related("space").filter(pk=item_id).first()
        if row is None:
            return
        lock(row.space.pk)
        row.refresh_from_db()
        if row.status in (Status.PENDING, Status.ACTIVE):
            row.status = Status.EXPIRED
            change(
                actor, row, Origin(row.space, Door.MANUAL, active_policy(actor), timezone.now()), ("status",), "expired"
            )
            seal()


def _scanned(actor: Actor) -> MemoryItemQuerySet:
    return MemoryItem.objects.for_actor(actor).filter(status__in=[Status.ACTIVE, Status.PAUSED])


def scan_noise(tenant_id: UUID) -> int:
    """Flag what today's guard would refuse; answers how many flags stand. A dismissed flag stays dismissed.

    Each flag is written for itself: it raises the revision of a space, and nobody is to wait for the whole scan. What
    changed meanwhile is left to the next scan.
    """
    actor = system_actor(tenant_id, "noise")
    with tenant_scope(actor):
        policy = active_policy(actor)
        flags = {flag.item_id: flag for flag in NoiseFlag.objects.all()}
        stands, changed = 0, []
        for item_id, text, version in _scanned(actor).values_list("pk", "content", "version").iterator():
            reasons = _reasons(text, policy)
            stands += bool(reasons)
            if not _says(flags.get(item_id), reasons, policy):
                changed.append((item_id, version, reasons))
    for item_id, version, reasons in changed:
        with tenant_scope(actor):
            _reflag(actor, item_id, version, reasons, policy)
    return stands


def _says(standing: NoiseFlag | None, reasons: list[str], policy: Policy) -> bool:
    """Whether a flag that stands, or none, says so already. What was dismissed says nothing."""
    if standing is None or not reasons:
        return not reasons and (standing is None or standing.dismissed_at is not None)
    return (standing.reasons, standing.policy_version) == (reasons, policy.version)


def _reasons(text: str, policy: Policy) -> list[str]:
    verdict = inspect_item(text, policy)
    return [reason for reason in (verdict.refusal, *verdict.flags) if reason]


def _reflag(actor: Actor, item_id: UUID, version: int, reasons: list[str], policy: Policy) -> None:
    row = _scanned(actor).filter(pk=item_id, version=version).first()
    if row is not None and reasons:
        flag(row, tuple(reasons), policy)
    elif row is not None:
        NoiseFlag.objects.filter(item=row, dismissed_at=None).delete()
