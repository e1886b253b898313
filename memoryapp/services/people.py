"""The people of a tenant and their conversations, as an agent's operator sees them. No texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Count, Max

from accounts.actor import Actor
from memoryapp import audit
from memoryapp.domain.types import SpaceKind, Status
from memoryapp.models import MemoryItem, Message, Run, Session, Space
from memoryapp.services.pages import newest
from memoryapp.services.scope import tenant_scope
from memoryapp.services.spaces import check_person

COUNTED = (Status.ACTIVE, Status.PAUSED, Status.PENDING)


@dataclass(frozen=True, slots=True)
class PersonView:
    """A person by the tenant's own `user_id`. `memories` are active and paused ones, `pending` wait for a yes."""

    user_id: str
    memories: int
    pending: int
    sessions: int
    created_at: datetime
    last_activity: datetime


@dataclass(frozen=True, slots=True)
class SessionView:
    """A conversation. `name` is the client's own id, empty for the default one; `messages` counts all ever kept."""

    id: UUID
    user_id: str
    name: str
    agent_id: str
    messages: int
    created_at: datetime
    last_activity: datetime


@dataclass(frozen=True, slots=True)
class People:
    """One page: `cursor` continues it, `total` counts all."""

    rows: tuple[PersonView, ...]
    cursor: str | None
    total: int


@dataclass(frozen=True, slots=True)
class Sessions:
    """One page: `cursor` continues it, `total` counts all."""

    rows: tuple[SessionView, ...]
    cursor: str | None
    total: int


def users(actor: Actor, *, limit: int = 50, cursor: str | None = None) -> People:
    """The people about whom anything was ever said, newest first; a bound actor finds only its own."""
    with tenant_scope(actor, durable_read=False):
        rows = Space.objects.filter(tenant_id=actor.tenant_id, kind=SpaceKind.PERSON)
        rows = rows.filter(key=actor.user_key) if actor.user_key else rows
        page = newest(rows, limit, cursor)
        audit.record(actor, "people.listed", audit.Target("space", tuple(s.pk for s in page.rows)))
        return People(_people(page.rows), page.cursor, page.total)


def _people(page: Sequence[Space]) -> tuple[PersonView, ...]:
    items: Counter[tuple[UUID, str]] = Counter()
    latest = {space.pk: space.created_at for space in page}
    counted = MemoryItem.objects.filter(space__in=page, status__in=COUNTED).values("space", "status")
    for row in counted.annotate(n=Count("pk"), at=Max("updated_at")):
        items[row["space"], row["status"]] = row["n"]
        latest[row["space"]] = max(latest[row["space"]], row["at"])
    for space, at in Run.objects.filter(space__in=page).values_list("space").annotate(Max("created_at")):
        latest[space] = max(latest[space], at)
    sessions = dict(Session.objects.filter(space__in=page).values_list("space").annotate(Count("pk")))
    return tuple(
        PersonView(
            user_id=s.key,
            memories=items[s.pk, Status.ACTIVE] + items[s.pk, Status.PAUSED],
            pending=items[s.pk, Status.PENDING],
            sessions=sessions.get(s.pk, 0),
            created_at=s.created_at,
            last_activity=latest[s.pk],
        )
        for s in page
    )


def sessions(actor: Actor, person: str, *, limit: int = 50, cursor: str | None = None) -> Sessions:
    """A person's conversations, newest first; an unknown person has none."""
    whose = check_person(actor, person)
    with tenant_scope(actor, durable_read=False):
        rows = Session.objects.filter(tenant_id=actor.tenant_id, space__kind=SpaceKind.PERSON, space__key=whose)
        page = newest(rows, limit, cursor)
        audit.record(actor, "sessions.listed", audit.Target("session", tuple(s.pk for s in page.rows)), person=whose)
        return Sessions(_sessions(page.rows, whose), page.cursor, page.total)


def _sessions(page: Sequence[Session], whose: str) -> tuple[SessionView, ...]:
    counted = Message.objects.filter(session__in=page).values_list("session")
    heard = {session: (n, at) for session, n, at in counted.annotate(Count("pk"), Max("created_at"))}
    return tuple(
        SessionView(
            id=s.pk,
            user_id=whose,
            name=s.name,
            agent_id=s.agent_id,
            messages=heard.get(s.pk, (0, s.created_at))[0],
            created_at=s.created_at,
            last_activity=heard.get(s.pk, (0, s.created_at))[1],
        )
        for s in page
    )
