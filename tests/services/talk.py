"""Conversations for tests of the write path: said at a time, in a session, judged by the stub."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

from memoryapp.models import MemoryItem
from memoryapp.services import changes, events, memories
from memoryapp.services.ingest import Incoming, accept
from memoryapp.services.results import EventView, ListFilter
from memoryapp.services.scope import tenant_scope
from tests.cast import Cast, finish


def told(
    cast: Cast,
    text: str,
    *,
    at: datetime | None = None,
    session: str = "",
    name: str = "",
    role: str = "user",
    person: str = "alice",
) -> EventView:
    """One message, its run brought to an end; answers the event."""
    return talked(cast, Incoming(role, text, name=name, said_at=at), session=session, person=person)


def talked(cast: Cast, *messages: Incoming, session: str = "", person: str = "alice") -> EventView:
    event = accept(cast.agent, person, list(messages), session=session)
    finish(cast.agent, event)
    return events.event(cast.agent, event.id)


def keep(cast: Cast, *contents: str) -> None:
    """Memories of alice, word for word."""
    for content in contents:
        changes.add(cast.agent, "alice", changes.NewItem(content))


def active(cast: Cast) -> set[str]:
    """The texts in use in the agent's tenant."""
    with tenant_scope(cast.agent):
        return set(MemoryItem.objects.filter(status="active").values_list("content", flat=True))


def lines(event: EventView) -> list[tuple[str, str]]:
    return [(e.section, e.reason) for e in event.entries]


def op(action: str, content: str = "", quote: str = "", **more: object) -> dict[str, object]:
    """An operation of the judge, sure of itself unless told otherwise."""
    return {"action": action, "content": content, "quote": quote or content, "confidence": 0.9, **more}


def add(content: str, quote: str = "", **more: object) -> dict[str, object]:
    return op("ADD", content, quote, **more)


def ids(cast: Cast, *statuses: str, person: str = "alice") -> list[UUID]:
    """Ids of a person's items in these statuses, oldest first."""
    page = memories.list_items(cast.agent, person, ListFilter(statuses=statuses))
    return [item.id for item in reversed(page.items)]


def a_while_ago(days: float = 3) -> datetime:
    """A time in the speaker's own zone, UTC+8."""
    return datetime.fromisoformat("2026-05-17T20:00:00+08:00") - timedelta(days=days)
