"""Which items agents were given: noted in memory during a call, written after it, in batches.

A web process writes them in its thread (`services.afterwards`), so a call never waits for these rows. Any other process
writes them as soon as it notes them. What a killed process had not written yet is lost: the audit event of the read,
written in its transaction, names the same items.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from django.db import connection
from django.utils import timezone

from accounts.actor import Actor, system_actor
from accounts.models import new_id
from memoryapp.models.base import array_text
from memoryapp.services import afterwards
from memoryapp.services.scope import tenant_scope

MOST_WAITING = 10_000
"""Calls that may wait; beyond it the oldest are dropped, so that a database that is away costs no memory."""

_INSERT = """
INSERT INTO memoryapp_use (id, tenant_id, item_id, space_id, purpose, agent_id, rank, score, feedback, created_at)
SELECT overlay(g.id::text PLACING lpad(to_hex(u.place), 4, '0') FROM 33)::uuid, i.tenant_id, i.id, i.space_id,
    g.purpose, g.agent_id, u.place - 1, u.score, '', g.at
FROM unnest(%s::uuid[], %s::text[], %s::text[], %s::text[], %s::text[], %s::timestamptz[])
    g(id, items, scores, purpose, agent_id, at)
CROSS JOIN LATERAL unnest(g.items::uuid[], g.scores::float8[]) WITH ORDINALITY u(item_id, score, place)
JOIN memoryapp_memoryitem i ON i.tenant_id = %s AND i.id = u.item_id
"""
"""A whole call is one row of what is sent, its items one text. Ids of a call differ in their last digits, which count
its items. An item that was erased meanwhile leaves no row.
"""


@dataclass(frozen=True, slots=True)
class Given:
    """The items of one answer, best first; `purpose` is search or context. `scores` is empty or as long as `items`."""

    tenant_id: UUID
    items: tuple[UUID, ...]
    purpose: str
    agent_id: str
    at: datetime
    scores: tuple[float, ...] = ()


@dataclass(slots=True)
class _Desk:
    waiting: deque[Given] = field(default_factory=lambda: deque(maxlen=MOST_WAITING))


_desk = _Desk()


def note(actor: Actor, items: Sequence[UUID], purpose: str, scores: Sequence[float] = ()) -> None:
    """Note what an answer holds. Call it after the transaction of the read."""
    if not items:
        return
    _desk.waiting.append(
        Given(actor.tenant_id, tuple(items), purpose, actor.agent_id, timezone.now(), tuple(scores)),
    )
    if not afterwards.soon(write_waiting):
        write_waiting()


def write_waiting() -> int:
    """Write what waits, one transaction a tenant; answers how many rows."""
    batches: dict[UUID, list[Given]] = defaultdict(list)
    while _desk.waiting:
        given = _desk.waiting.popleft()
        batches[given.tenant_id].append(given)
    return sum(_write(tenant_id, batch) for tenant_id, batch in batches.items())


def _write(tenant_id: UUID, batch: Sequence[Given]) -> int:
    columns = (
        array_text([new_id() for _ in batch]),
        [array_text(given.items) for given in batch],
        [f"{{{','.join(map(str, given.scores))}}}" for given in batch],
        [given.purpose for given in batch],
        [given.agent_id for given in batch],
        [given.at for given in batch],
    )
    with tenant_scope(system_actor(tenant_id, "uses"), durable_read=False), connection.cursor() as cursor:
        cursor.execute(_INSERT, [*columns, tenant_id])
        return int(cursor.rowcount)
