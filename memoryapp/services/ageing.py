"""Ageing of a space by its policy: planned first, shown on request, then carried out through the write door."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import connection
from django.utils import timezone

from accounts.actor import Actor, system_actor
from memoryapp.domain.forgetting import Aged, AgeingPlan, Step, plan_ageing
from memoryapp.domain.policy import Policy
from memoryapp.domain.types import Door, Status
from memoryapp.models import MemoryItem, Space
from memoryapp.services.origins import Origin
from memoryapp.services.scope import tenant_scope
from memoryapp.services.spaces import active_policy, check_person, find_space, lock
from memoryapp.services.write_door import change, forget_item, seal

LARGEST_ROUND = 500
"""Items that one round of one space changes; the next round goes on."""

_LOOK = """
SELECT i.id, i.kind, i.status, i.importance, i.pinned, greatest(i.updated_at, coalesce(u.last_used, i.updated_at)),
       i.updated_at, coalesce(u.uses, 0), coalesce(n.feedback, ''), i.review_after
FROM memoryapp_memoryitem i
LEFT JOIN LATERAL (SELECT max(created_at) AS last_used, count(*) AS uses FROM memoryapp_use
                   WHERE tenant_id = i.tenant_id AND item_id = i.id AND purpose <> 'note') u ON true
LEFT JOIN LATERAL (SELECT feedback FROM memoryapp_use WHERE tenant_id = i.tenant_id AND item_id = i.id AND feedback <> ''
                   ORDER BY created_at DESC LIMIT 1) n ON true
WHERE i.tenant_id = %s AND i.space_id = %s AND i.status IN ('active', 'archived')
"""


@dataclass(frozen=True, slots=True)
class AgeingReport:
    """What ageing did, or would do: `plan` with scores and reasons, and whether it was carried out."""

    plan: AgeingPlan
    applied: bool


def age(actor: Actor, person: str, *, dry_run: bool = True) -> AgeingReport:
    """One round over a person's space. Raises nothing for an unknown person: there is nothing to age."""
    whose = check_person(actor, person)
    with tenant_scope(actor):
        space = find_space(actor, "person", whose)
        if space is None:
            return AgeingReport(AgeingPlan(), not dry_run)
        if dry_run:
            return AgeingReport(_planned(space, active_policy(actor), timezone.now()), False)
    return AgeingReport(_carried_out(actor, space, whose), True)


def age_tenant(tenant_id: UUID) -> int:
    """The nightly round over every space of a tenant; answers how many items changed."""
    actor = system_actor(tenant_id, "ageing")
    with tenant_scope(actor):
        spaces = list(Space.objects.filter(tenant_id=tenant_id))
    return sum(len(_carried_out(actor, space, _person(space)).steps) for space in spaces)


def _carried_out(actor: Actor, space: Space, person: str) -> AgeingPlan:
    with tenant_scope(actor):
        lock(space.pk)
        policy, now = active_policy(actor), timezone.now()
        plan = _planned(space, policy, now)
        origin = Origin(space, Door.CONSOLIDATION, policy, now, person)
        for step in plan.steps:
            _apply(actor, step, origin)
        if plan.steps:
            seal()
    return plan


def _apply(actor: Actor, step: Step, origin: Origin) -> None:
    item = MemoryItem.objects.get(pk=step.id)
    if step.after is Status.FORGOTTEN:
        forget_item(actor, item, origin, "aged")
        return
    item.status = step.after
    change(actor, item, origin, ("status",), "archived")


def _planned(space: Space, policy: Policy, now: datetime) -> AgeingPlan:
    plan = plan_ageing(_look(space), now, policy)
    return AgeingPlan(plan.steps[:LARGEST_ROUND], plan.suggestions[:LARGEST_ROUND])


def _look(space: Space) -> Sequence[Aged]:
    with connection.cursor() as cursor:
        cursor.execute(_LOOK, [space.tenant_id, space.pk])
        return [Aged(*row) for row in cursor.fetchall()]


def _person(space: Space) -> str:
    return space.key if space.kind == "person" else ""
