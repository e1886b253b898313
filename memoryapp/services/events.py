"""Runs as clients see them: events with partial outcomes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from uuid import UUID

from django.utils import timezone

from accounts.actor import Actor
from memoryapp import audit
from memoryapp.domain.errors import DomainError, NotFound
from memoryapp.domain.types import RunState, Status
from memoryapp.models import MemoryItem, Run
from memoryapp.services.pages import newest
from memoryapp.services.results import Entry, EventView
from memoryapp.services.scope import tenant_scope
from memoryapp.services.spaces import check_person
from memoryapp.services.vectors import wake


def event_view(run: Run) -> EventView:
    return event_views([run])[0]


def event_views(runs: Sequence[Run]) -> tuple[EventView, ...]:
    """Runs as events, their texts joined live by one query for all of them."""
    ids = {UUID(str(e["id"])) for run in runs for e in run.outcome if e.get("id")}
    rows = MemoryItem.objects.filter(tenant_id__in={run.tenant_id for run in runs}, pk__in=ids)
    rows = rows.exclude(status=Status.FORGOTTEN)
    texts = dict(rows.values_list("pk", "content"))
    return tuple(_view(run, texts) for run in runs)


def _view(run: Run, texts: Mapping[UUID, str]) -> EventView:
    return EventView(
        id=run.pk,
        session=run.session.name or f"ses_{run.session_id.hex}",
        status=run.state,
        door=run.door,
        due_at=run.due_at,
        attempt=run.attempt,
        created_at=run.created_at,
        entries=tuple(_entry(e, texts) for e in run.outcome),
        warnings=tuple(run.warnings),
    )


def _entry(stored: Mapping[str, object], texts: Mapping[UUID, str]) -> Entry:
    found = UUID(str(stored["id"])) if stored.get("id") else None
    old = stored.get("superseded_id")
    return Entry(
        section=str(stored["section"]),
        action=str(stored.get("action", "")),
        id=found,
        kind=str(stored.get("kind", "")),
        content=texts.get(found) if found else None,
        reason=str(stored.get("reason", "")),
        superseded_id=UUID(str(old)) if old else None,
    )


def stored_entry(entry: Entry) -> dict[str, object]:
    """An entry as it is kept: ids and reasons, never content."""
    kept: dict[str, object] = {"section": entry.section, "action": entry.action}
    if entry.id:
        kept["id"] = str(entry.id)
    if entry.superseded_id:
        kept["superseded_id"] = str(entry.superseded_id)
    return kept | {name: value for name in ("kind", "reason") if (value := getattr(entry, name))}


def _row(actor: Actor, event_id: UUID) -> Run:
    rows = Run.objects.filter(tenant_id=actor.tenant_id, pk=event_id).select_related("session", "space")
    run = rows.first()
    if run is None or (actor.user_key and run.space.key != actor.user_key):
        raise NotFound
    return run


def event(actor: Actor, event_id: UUID) -> EventView:
    with tenant_scope(actor):
        return event_view(_row(actor, event_id))


def list_events(actor: Actor, person: str | None, status: str = "", limit: int = 50) -> tuple[EventView, ...]:
    """Newest first; of one person, or of all of them for a key that is not bound."""
    return page(actor, person, status=status, limit=limit)[0]


def page(
    actor: Actor, person: str | None, *, status: str = "", limit: int = 50, cursor: str | None = None
) -> tuple[tuple[EventView, ...], str | None, int]:
    """One page of events, newest first, the cursor of the next, and how many there are."""
    if status and status not in set(RunState):
        raise DomainError("invalid", f"`status` is one of {', '.join(RunState)}.")
    whose = check_person(actor, person or "") if person or actor.user_key else ""
    with tenant_scope(actor):
        rows = Run.objects.filter(tenant_id=actor.tenant_id).select_related("session", "space")
        if whose:
            rows = rows.filter(space__kind="person", space__key=whose)
        if status:
            rows = rows.filter(state=status)
        page = newest(rows, limit, cursor)
        return event_views(page.rows), page.cursor, page.total


def retry(actor: Actor, event_id: UUID) -> EventView:
    """Start a failed run again; one that did not fail is refused."""
    with tenant_scope(actor):
        run = _row(actor, event_id)
        again = Run.objects.filter(pk=run.pk, state=RunState.FAILED).update(
            state=RunState.PENDING, due_at=timezone.now(), error_code="", finished_at=None
        )
        if not again:
            raise DomainError("invalid_transition", "Only a failed event can be tried again.")
        audit.record(actor, "run.retried", audit.Target("run", (run.pk,)))
        wake("memoryapp.extract", actor.tenant_id, run.pk)
        return event_view(_row(actor, event_id))
