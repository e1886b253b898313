"""Everything that was learnt from one source: a session, an agent, or imports. One action, one receipt."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from django.db.models import Q

from accounts.actor import Actor
from memoryapp import audit
from memoryapp.domain.errors import DomainError, NotFound
from memoryapp.domain.public_ids import parsed
from memoryapp.domain.receipts import ErasureKind, phrases
from memoryapp.domain.types import Door, SpaceKind
from memoryapp.models import Evidence, MemoryItem, MemoryVersion, Message, Session, Space
from memoryapp.services import erasure
from memoryapp.services.person_deletion import Impact, check_phrase, split_by_support, stop_runs
from memoryapp.services.scope import tenant_scope
from memoryapp.services.spaces import check_person, find_space, lock


class SourceKind(StrEnum):
    SESSION = "session"
    AGENT = "agent"
    IMPORT = "import"


@dataclass(frozen=True, slots=True)
class Source:
    """`name` is the client's session id or `ses_…`, the agent's id, `imp_…`, or empty for everything imported."""

    kind: SourceKind
    name: str = ""


@dataclass(frozen=True, slots=True)
class SourceRows:
    """Items that this source alone supports, its evidence for others, and its conversations."""

    item_ids: tuple[UUID, ...]
    evidence_ids: tuple[UUID, ...]
    session_ids: tuple[UUID, ...]


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
    told = Evidence.objects.filter(item__space=space, run__import_job_id=job_id)
    learnt = set(told.values_list("item_id", flat=True))
    from_elsewhere = Evidence.objects.filter(item_id__in=learnt).exclude(pk__in=told.values("pk"))
    supported = set(from_elsewhere.values_list("item_id", flat=True))
    messages = Message.objects.filter(session__space=space)
    imported = set(messages.filter(run__import_job_id=job_id).values_list("session_id", flat=True))
    live = messages.filter(session_id__in=imported).exclude(run__import_job_id=job_id)
    sessions = imported - set(live.values_list("session_id", flat=True))
    rows = told.filter(item_id__in=supported).values_list("pk", flat=True)
    return SourceRows(tuple(sorted(learnt - supported)), tuple(rows), tuple(sorted(sessions)))


def impact(actor: Actor, person: str, source: Source) -> Impact:
    """The dry run."""
    whose = _allowed(actor, person)
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
            messages=Message.objects.filter(session_id__in=rows.session_ids).count(),
            phrases=wanted,
        )


def purge(actor: Actor, person: str, source: Source, confirm: str) -> UUID:
    """Erase what came from one source and from nowhere else. Raises `confirmation_required`, NotFound for no such one."""
    whose = _allowed(actor, person)
    check_phrase(confirm, phrases(_phrase_name(source)))
    with tenant_scope(actor):
        space = find_space(actor, SpaceKind.PERSON, whose)
        if space is None:
            raise NotFound
        lock(space.pk)
        rows = select(space, source)
        if not (rows.item_ids or rows.session_ids):
            raise NotFound
        stop_runs(rows.session_ids)
        return erasure.begin(
            actor,
            space,
            ErasureKind.SOURCE,
            rows.item_ids,
            evidence_ids=rows.evidence_ids,
            session_ids=rows.session_ids,
        )


def _allowed(actor: Actor, person: str) -> str:
    whose = check_person(actor, person)
    if not actor.may("memory:delete"):
        raise DomainError("scope_missing", "Purging a source needs the scope memory:delete.")
    return whose


def _phrase_name(source: Source) -> str:
    return f"{source.kind} {source.name}".strip()
