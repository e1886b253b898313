"""Everything that was learnt from one source: a session, a document, an agent, or imports. One action, one receipt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils import timezone

from accounts.actor import Actor
from memoryapp import audit
from memoryapp.domain.errors import DomainError, NotFound
from memoryapp.domain.guards import redact
from memoryapp.domain.public_ids import parsed
from memoryapp.domain.receipts import ErasureKind, phrases
from memoryapp.domain.types import Door, Role, RunState, SpaceKind
from memoryapp.models import Evidence, MemoryItem, MemoryVersion, Message, Run, Session, Space, WorkingMemory
from memoryapp.services import erasure
from memoryapp.services.erasure_tables import with_family
from memoryapp.services.hiding import stop_runs
from memoryapp.services.person_deletion import Impact, check_phrase, split_by_support
from memoryapp.services.scope import tenant_scope
from memoryapp.services.spaces import check_person, find_space, lock


class SourceKind(StrEnum):
    SESSION = "session"
    AGENT = "agent"
    IMPORT = "import"
    DOCUMENT = "document"


DOCUMENT_ROLES = (Role.DOCUMENT, Role.WEB, Role.TOOL)
"""Who speaks in messages that are no conversation: their `name` or `id` says which document, page or tool it was."""


@dataclass(frozen=True, slots=True)
class Source:
    """`name` is the client's session id or `ses_…`, the agent's id, `imp_…`, or empty for everything imported.

    Of a document, web page or tool it is the `name` or the `id` of its messages.
    """

    kind: SourceKind
    name: str = ""


@dataclass(frozen=True, slots=True)
class SourceRows:
    """Items that this source alone supports, its evidence for others, its conversations, or its messages in others."""

    item_ids: tuple[UUID, ...]
    evidence_ids: tuple[UUID, ...]
    session_ids: tuple[UUID, ...]
    message_ids: tuple[UUID, ...] = ()


def _sessions(space: Space, source: Source) -> tuple[UUID, ...]:
    rows = Session.objects.filter(space=space)
    if source.kind is SourceKind.AGENT:
        rows = rows.filter(agent_id=source.name)
    elif source.name.startswith("ses_"):
        rows = rows.filter(pk=parsed("ses", source.name))
    else:
        rows = rows.filter(name=source.name)
    return tuple(rows.values_list("pk", flat=True))


def select(space: Space, source: Source) -> SourceRows:
    """Inside a tenant scope."""
    if source.kind is SourceKind.IMPORT and source.name:
        return _of_import(space, parsed("imp", source.name))
    if source.kind is SourceKind.DOCUMENT:
        return _of_document(space, redact(source.name))
    if source.kind is SourceKind.IMPORT:
        items = MemoryItem.objects.filter(space=space, origin=Door.IMPORT).values_list("pk", flat=True)
        return SourceRows(tuple(items), (), ())
    sessions = _sessions(space, source)
    learnt = set(Evidence.objects.filter(session_id__in=sessions).values_list("item_id", flat=True))
    sole, supporting = split_by_support(learnt, sessions)
    if source.kind is SourceKind.AGENT and source.name:
        given = MemoryItem.objects.filter(Q(space=space, agent_id=source.name), evidence__session=None)
        sole = tuple({*sole, *given.values_list("pk", flat=True)})
    return SourceRows(sole, supporting, sessions)


def _of_import(space: Space, job_id: UUID) -> SourceRows:
    """What one import alone supports, its evidence for the rest, and the sessions that nothing else was said in."""
    sole, supporting = _only_by(Evidence.objects.filter(item__space=space, run__import_job_id=job_id))
    messages = Message.objects.filter(session__space=space)
    imported = set(messages.filter(run__import_job_id=job_id).values_list("session_id", flat=True))
    live = messages.filter(session_id__in=imported).exclude(run__import_job_id=job_id)
    sessions = imported - set(live.values_list("session_id", flat=True))
    return SourceRows(sole, supporting, tuple(sorted(sessions)))


def _of_document(space: Space, name: str) -> SourceRows:
    """What only this document taught, in whatever conversation it was sent, and the messages that it was sent in."""
    said = Message.objects.filter(session__space=space, role__in=DOCUMENT_ROLES)
    sent = tuple(said.filter(Q(external_id=name) | Q(speaker=name)).order_by("id").values_list("pk", flat=True))
    named = Q(item__space=space, role__in=DOCUMENT_ROLES, speaker=name)
    sole, supporting = _only_by(Evidence.objects.filter(named | Q(message_id__in=sent)))
    return SourceRows(sole, supporting, (), sent)


def _only_by(told: QuerySet[Evidence]) -> tuple[tuple[UUID, ...], tuple[UUID, ...]]:
    """Items that this evidence alone supports, and the rest of it, which supports what others support too."""
    learnt = set(told.values_list("item_id", flat=True))
    from_elsewhere = Evidence.objects.filter(item_id__in=learnt).exclude(pk__in=told.values("pk"))
    supported = set(from_elsewhere.values_list("item_id", flat=True))
    rows = told.filter(item_id__in=supported).values_list("pk", flat=True)
    return tuple(sorted(learnt - supported)), tuple(rows)


def unsay(message_ids: Sequence[UUID]) -> None:
    """Take the texts of a document's messages away at once; what is read from them now is read anew without them."""
    said = Message.objects.filter(pk__in=message_ids)
    reading = Run.objects.filter(pk__in=said.values("run_id"), state=RunState.RUNNING)
    reading.update(state=RunState.PENDING, lease_until=None, due_at=timezone.now())
    WorkingMemory.objects.filter(session_id__in=said.values("session_id")).sum_up_anew()
    said.update(text="", speaker="", external_id="")


def impact(actor: Actor, person: str, source: Source) -> Impact:
    """The dry run."""
    whose = _allowed(actor, person, source)
    wanted = phrases(_phrase_name(source))
    with tenant_scope(actor):
        space = find_space(actor, SpaceKind.PERSON, whose)
        rows = select(space, source) if space else SourceRows((), (), ())
        audit.record(actor, "source.erasure_previewed", audit.Target("memory", rows.item_ids), person=whose)
        return Impact(
            items=len(rows.item_ids),
            versions=MemoryVersion.objects.filter(item_id__in=rows.item_ids).count(),
            evidence=len(rows.evidence_ids) + Evidence.objects.filter(item_id__in=rows.item_ids).count(),
            sessions=len(rows.session_ids),
            messages=len(rows.message_ids) + Message.objects.filter(session_id__in=rows.session_ids).count(),
            phrases=wanted,
        )


def purge(actor: Actor, person: str, source: Source, confirm: str) -> UUID:
    """Erase what came from one source and from nowhere else. Raises `confirmation_required`, NotFound for no such one."""
    whose = _allowed(actor, person, source)
    check_phrase(confirm, phrases(_phrase_name(source)))
    with tenant_scope(actor):
        space = find_space(actor, SpaceKind.PERSON, whose)
        if space is None:
            raise NotFound
        lock(space.pk)
        rows = select(space, source)
        if not (rows.item_ids or rows.session_ids or rows.message_ids):
            raise NotFound
        stop_runs(rows.session_ids)
        job = erasure.begin(
            actor,
            space,
            ErasureKind.SOURCE,
            with_family(rows.item_ids),
            evidence_ids=rows.evidence_ids,
            session_ids=rows.session_ids,
            message_ids=rows.message_ids,
        )
        unsay(rows.message_ids)
        return job


def _allowed(actor: Actor, person: str, source: Source) -> str:
    whose = check_person(actor, person)
    if source.kind is SourceKind.DOCUMENT and not source.name:
        raise DomainError("invalid", "`source_id` names the document by the `name` or `id` of its messages.")
    if not actor.may("memory:delete"):
        raise DomainError("scope_missing", "Purging a source needs the scope memory:delete.")
    return whose


def _phrase_name(source: Source) -> str:
    return f"{source.kind} {source.name}".strip()
