"""Where a memory was given to an agent."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from accounts.actor import Actor
from memoryapp.models import Use
from memoryapp.services.memories import get_row
from memoryapp.services.pages import newest
from memoryapp.services.scope import tenant_scope


@dataclass(frozen=True, slots=True)
class UseView:
    """`purpose` is search, context or note (feedback without a use); `rank` counts from 0; `score` in 0–1 or None."""

    purpose: str
    agent_id: str
    rank: int
    score: float | None
    feedback: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Uses:
    """One page: `cursor` continues it, `total` counts all."""

    rows: tuple[UseView, ...]
    cursor: str | None
    total: int


def uses(actor: Actor, item_id: UUID, *, limit: int = 50, cursor: str | None = None) -> Uses:
    """The uses of one memory, newest first."""
    with tenant_scope(actor):
        get_row(actor, item_id)
        rows = Use.objects.filter(tenant_id=actor.tenant_id, item_id=item_id)
        page = newest(rows, limit, cursor)
        views = tuple(UseView(u.purpose, u.agent_id, u.rank, u.score, u.feedback, u.created_at) for u in page.rows)
        return Uses(views, page.cursor, page.total)
