"""Periodic care per tenant: old message texts, lapsed candidates, stale idempotency records, flags of noise."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from django.db import connection
from django.utils import timezone

from accounts.actor import Actor, system_actor
from memoryapp.domain.guards import inspect_item
from memoryapp.domain.types import Door, RunState, Status
from memoryapp.models import IdempotencyRecord, MemoryItem, Message, NoiseFlag
from memoryapp.services import consolidation
from memoryapp.services.ageing import age_tenant
from memoryapp.services.erasure import erase_lapsed
from memoryapp.services.person_deletion import close_graves
from memoryapp.services.scope import tenant_scope
from memoryapp.services.spaces import active_policy, lock
from memoryapp.services.working_memory import end_lapsed
from memoryapp.services.write_door import Origin, change, flag, seal


def keep_house() -> None:
    for tenant_id in _tenants():
        clean(tenant_id)


def keep_nightly_house() -> None:
    """Once a night: ageing by policy, then consolidation of the spaces that changed."""
    for tenant_id in _tenants():
        age_tenant(tenant_id)
        consolidation.nightly(tenant_id)


def _tenants() -> list[UUID]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM door.tenants()")
        return [row[0] for row in cursor.fetchall()]


def clean(tenant_id: UUID) -> None:
    """One tenant's round; every step is safe to repeat."""
    actor = system_actor(tenant_id, "housekeeping")
    with tenant_scope(actor):
        policy, now = active_policy(actor), timezone.now()
        old = now - timedelta(days=policy.message_days)
        done = Message.objects.filter(run__state__in=[RunState.SUCCEEDED, RunState.FAILED], created_at__lt=old)
        done.exclude(text="").update(text="")
        IdempotencyRecord.objects.filter(created_at__lt=now - timedelta(hours=24)).delete()
        lapsed = list(MemoryItem.objects.filter(status__in=["pending", "active"], expires_at__lte=now)[:500])
    for row in lapsed:
        _expire(actor, row.pk)
    erase_lapsed(tenant_id)
    close_graves(tenant_id)
    end_lapsed(tenant_id)
    scan_noise(tenant_id)


def _expire(actor: Actor, item_id: UUID) -> None:
    with tenant_scope(actor):
        row = MemoryItem.objects.select_related("space").get(pk=item_id)
        lock(row.space.pk)
        row.refresh_from_db()
        if row.status in (Status.PENDING, Status.ACTIVE):
            row.status = Status.EXPIRED
            change(
                actor, row, Origin(row.space, Door.MANUAL, active_policy(actor), timezone.now()), ("status",), "expired"
            )
            seal()


def scan_noise(tenant_id: UUID) -> int:
    """Flag what today's guard would refuse; answers how many flags stand. A dismissed flag stays dismissed."""
    actor = system_actor(tenant_id, "noise")
    with tenant_scope(actor):
        policy = active_policy(actor)
        found = 0
        for row in MemoryItem.objects.filter(status__in=[Status.ACTIVE, Status.PAUSED]).iterator():
            verdict = inspect_item(row.content, policy)
            reasons = tuple(r for r in (verdict.refusal, *verdict.flags) if r)
            if reasons:
                flag(row, reasons, policy)
                found += 1
            else:
                NoiseFlag.objects.filter(item=row, dismissed_at=None).delete()
        return found
