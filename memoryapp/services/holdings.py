"""What is kept about a person, in numbers, and the sources that it came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import UUID

from django.db.models import Count, Value
from django.db.models.functions import Coalesce, NullIf
from django.utils import timezone

from accounts.actor import Actor
from memoryapp import audit
from memoryapp.domain.public_ids import public
from memoryapp.domain.types import Door, SpaceKind, Status
from memoryapp.models import Evidence, MemoryItem, MemoryVersion, Message, Session, Space, Use, WorkingMemory
from memoryapp.services.scope import tenant_scope
from memoryapp.services.source_purge import DOCUMENT_ROLES, Source, SourceKind
from memoryapp.services.spaces import check_person, find_space

MOST_SOURCES = 200


@dataclass(frozen=True, slots=True)
class Holdings:
    """`memories` counts by status, without what is being erased; `messages` are those whose text is still there."""

    memories: Mapping[str, int] = field(default_factory=dict)
    versions: int = 0
    evidence: int = 0
    sessions: int = 0
    messages: int = 0
    working: int = 0
    uses: int = 0
    sources: tuple[Source, ...] = ()


def holdings(actor: Actor, person: str) -> Holdings:
    """Of the person's own space. Somebody unknown has nothing."""
    whose = check_person(actor, person)
    with tenant_scope(actor):
        space = find_space(actor, SpaceKind.PERSON, whose)
        audit.record(actor, "person.holdings_read", audit.Target("space", (space.pk,) if space else ()), person=whose)
        return _held(space) if space else Holdings()


def _held(space: Space) -> Holdings:
    items = MemoryItem.objects.filter(space=space)
    trash = items.filter(status=Status.FORGOTTEN, undo_until__gt=timezone.now()).count()
    by_status = dict(items.visible().order_by().values_list("status").annotate(Count("pk")))
    return Holdings(
        memories={**by_status, **({str(Status.FORGOTTEN): trash} if trash else {})},
        versions=MemoryVersion.objects.filter(item__space=space).count(),
        evidence=Evidence.objects.filter(item__space=space).count(),
        sessions=Session.objects.filter(space=space).count(),
        messages=Message.objects.filter(session__space=space).exclude(text="").count(),
        working=WorkingMemory.objects.filter(space=space).count(),
        uses=Use.objects.filter(space=space).count(),
        sources=_sources(space),
    )


def _sources(space: Space) -> tuple[Source, ...]:
    """Imports, agents, documents, conversations (newest first)."""
    imported = MemoryItem.objects.filter(space=space, origin=Door.IMPORT).exists()
    sessions = list(Session.objects.filter(space=space).order_by("-id").values_list("pk", "name", "agent_id"))
    given = MemoryItem.objects.filter(space=space).order_by().values_list("agent_id", flat=True).distinct()
    agents = sorted({*given, *(agent for _, _, agent in sessions)} - {""})
    names = [name for _, name, _ in sessions]
    return (
        *([Source(SourceKind.IMPORT)] if imported else []),
        *(Source(SourceKind.AGENT, agent) for agent in agents),
        *(Source(SourceKind.DOCUMENT, name) for name in _documents(space)),
        *(Source(SourceKind.SESSION, _name(pk, name, names)) for pk, name, _ in sessions[:MOST_SOURCES]),
    )


def _documents(space: Space) -> list[str]:
    """Documents, web pages and tools by the name of their messages, or by their id where they have none."""
    said = Message.objects.filter(session__space=space, role__in=DOCUMENT_ROLES)
    named = said.annotate(called=Coalesce(NullIf("speaker", Value("")), NullIf("external_id", Value(""))))
    found = named.exclude(called=None).order_by("called").values_list("called", flat=True).distinct()
    return list(found[:MOST_SOURCES])


def _name(pk: UUID, name: str, names: list[str]) -> str:
    """The client's own name when it means one conversation only, else the public id."""
    return name if name and names.count(name) == 1 else public("ses", pk)
