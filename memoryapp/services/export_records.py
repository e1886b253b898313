"""What is kept about a person as records of an export, read in short transactions of a few hundred rows each.

What was forgotten and waits in the trash is in none of them: not as a memory, and not in the messages that said it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar
from uuid import UUID

from django.db.models import QuerySet

from accounts.actor import Actor
from accounts.models import ApiKey, Invitation, Membership
from memoryapp.domain.exporting import Conversation, Event, Given, Memory, Quote, Utterance, Version
from memoryapp.domain.moments import moment
from memoryapp.domain.public_ids import public
from memoryapp.domain.redaction import Sought, labels_without, state_without, without
from memoryapp.domain.tombstones import Graveyard, blank_quotes, evened_blanks
from memoryapp.domain.types import SpaceKind, Status
from memoryapp.domain.working_memory import state_from_json, state_to_json
from memoryapp.models import (
    Derivation,
    Evidence,
    MemoryItem,
    MemoryVersion,
    Message,
    NoiseFlag,
    Run,
    Session,
    Space,
    Use,
    WorkingMemory,
)
from memoryapp.models.base import TenantRow
from memoryapp.models.memory import MemoryItemQuerySet
from memoryapp.providers.script_folding import to_simplified
from memoryapp.services.item_texts import texts_of_items
from memoryapp.services.person_deletion import PersonRows
from memoryapp.services.tombstones import graveyard


@dataclass(frozen=True, slots=True)
class Selection:
    """What an erasure of the person would remove, less what is in the trash: that is counted only.

    `ids` are the rows of every section. `veil` knows what was forgotten, `hidden` holds its texts as long as they wait in
    the trash.
    """

    ids: Mapping[str, tuple[UUID, ...]]
    in_trash: int
    veil: Graveyard
    hidden: tuple[str, ...]


R = TypeVar("R", bound=TenantRow)


def _of(actor: Actor, model: type[R]) -> QuerySet[R]:
    """The rows of the tenant: row-level security says the same once more."""
    return model._default_manager.filter(tenant_id=actor.tenant_id)


def _visible(actor: Actor) -> MemoryItemQuerySet:
    return MemoryItem.objects.for_actor(actor).visible()


def selection(actor: Actor, space: Space, rows: PersonRows) -> Selection:
    """Inside a tenant scope."""
    items = MemoryItem.objects.for_actor(actor).filter(pk__in=rows.all_item_ids)
    trash = items.filter(status=Status.FORGOTTEN)
    said = _of(actor, Message).filter(session_id__in=rows.session_ids).order_by("session_id", "id")
    return Selection(
        ids={
            "memories": _ids(items.visible().order_by("status", "kind", "id")),
            "evidence": _ids(_of(actor, Evidence).filter(pk__in=rows.evidence_ids, item__in=_visible(actor))),
            "sessions": rows.session_ids,
            "messages": _ids(said),
            "events": _ids(_of(actor, Run).filter(session_id__in=rows.session_ids).order_by("id")),
        },
        in_trash=trash.exclude(undo_until=None).count(),
        veil=graveyard(space),
        hidden=_texts_of_forgotten_only(actor, trash, items.visible()),
    )


def _ids(rows: QuerySet[Any]) -> tuple[UUID, ...]:
    return tuple(rows.values_list("pk", flat=True))


def _texts_of_forgotten_only(
    actor: Actor, forgotten: QuerySet[MemoryItem], kept: QuerySet[MemoryItem]
) -> tuple[str, ...]:
    """Texts and quotes of what was forgotten; not those that a memory which is kept bears as well.

    The database subtracts: in memory are only texts of the trash.
    """
    versions, quotes = texts_of_items(actor, forgotten)
    texts = versions.union(quotes).difference(*texts_of_items(actor, kept))
    return tuple(sorted(texts))


def memories(actor: Actor, ids: Sequence[UUID]) -> Iterator[Memory]:
    """In the order of the ids; what vanished or was forgotten meanwhile is missing."""
    items = {i.pk: i for i in _visible(actor).filter(pk__in=ids).select_related("space")}
    versions = _of(actor, MemoryVersion).filter(item_id__in=ids).order_by("number")
    uses = _of(actor, Use).filter(item_id__in=ids).order_by("id")
    sources = _of(actor, Derivation).filter(item_id__in=ids, source__in=_visible(actor))
    noise = _of(actor, NoiseFlag).filter(item_id__in=ids, dismissed_at=None)
    parts = Parts(
        _grouped((v.item_id, _version(v)) for v in versions),
        _grouped((e.item_id, _quote(e)) for e in _of(actor, Evidence).filter(item_id__in=ids).order_by("id")),
        _grouped((u.item_id, _use(u)) for u in uses),
        _grouped((d.item_id, public("mem", d.source_id)) for d in sources),
        {n.item_id: tuple(n.reasons) for n in noise},
    )
    for item_id in (i for i in ids if i in items):
        yield _memory(items[item_id], parts)


T = TypeVar("T")
Grouped = Mapping[UUID, tuple[T, ...]]


def _grouped(pairs: Iterable[tuple[UUID, T]]) -> Grouped[T]:
    found: dict[UUID, list[T]] = defaultdict(list)
    for key, value in pairs:
        found[key].append(value)
    return {key: tuple(values) for key, values in found.items()}


@dataclass(frozen=True, slots=True)
class Parts:
    """What hangs on items, by item."""

    versions: Grouped[Version]
    evidence: Grouped[Quote]
    uses: Grouped[Given]
    sources: Grouped[str]
    noise: Mapping[UUID, tuple[str, ...]]


def _memory(item: MemoryItem, parts: Parts) -> Memory:
    return Memory(
        id=public("mem", item.pk),
        content=item.content,
        kind=item.kind,
        status=item.status,
        layer=item.layer,
        space=item.space.kind,
        project_id=item.space.key if item.space.kind == SpaceKind.PROJECT else None,
        scope=item.scope,
        subject=item.subject,
        predicate=item.predicate,
        object=item.object,
        importance=item.importance,
        confidence=item.confidence,
        sensitivity=item.sensitivity,
        pinned=item.pinned,
        origin=item.origin,
        speaker=item.speaker,
        agent_id=item.agent_id,
        pending_reason=item.pending_reason,
        metadata=item.metadata,
        version=item.version,
        superseded_by=public("mem", item.superseded_by_id) if item.superseded_by_id else None,
        conflicts_with=public("mem", item.conflicts_with_id) if item.conflicts_with_id else None,
        derived_from=parts.sources.get(item.pk, ()),
        suspected_noise=parts.noise.get(item.pk, ()),
        said_at=item.said_at,
        valid_from=item.valid_from,
        valid_until=item.valid_until,
        expires_at=item.expires_at,
        review_after=item.review_after,
        created_at=item.created_at,
        updated_at=item.updated_at,
        versions=parts.versions.get(item.pk, ()),
        evidence=parts.evidence.get(item.pk, ()),
        uses=parts.uses.get(item.pk, ()),
    )


def _version(v: MemoryVersion) -> Version:
    return Version(
        v.number,
        v.content,
        v.kind,
        v.status,
        tuple(v.changed_fields),
        v.reason,
        v.actor_kind,
        v.valid_from,
        v.created_at,
    )


def _quote(e: Evidence) -> Quote:
    return Quote(
        id=str(e.pk),
        memory_id=public("mem", e.item_id),
        quote=e.quote,
        role=e.role,
        speaker=e.speaker,
        session_id=public("ses", e.session_id) if e.session_id else None,
        message_id=str(e.message_id) if e.message_id else None,
        said_at=e.said_at,
        door=e.door,
        extractor=e.extractor,
        model=e.model,
        policy_version=e.policy_version,
    )


def _use(u: Use) -> Given:
    return Given(str(u.pk), u.purpose, u.agent_id, u.rank, u.score, u.feedback, u.created_at)


def evidence(actor: Actor, ids: Sequence[UUID]) -> Iterator[Quote]:
    """This person's evidence for memories that others support too; not for forgotten ones."""
    rows = _of(actor, Evidence).filter(pk__in=ids, item__in=_visible(actor))
    yield from map(_quote, rows.order_by("id"))


def conversations(actor: Actor, ids: Sequence[UUID], what: Sought) -> Iterator[Conversation]:
    working = {w.session_id: w for w in _of(actor, WorkingMemory).filter(session_id__in=ids)}
    for row in _of(actor, Session).filter(pk__in=ids).order_by("id"):
        yield _conversation(row, working.get(row.pk), what)


def _conversation(row: Session, memory: WorkingMemory | None, what: Sought) -> Conversation:
    state = state_without(state_from_json(memory.task_state), what, to_simplified) if memory else {}
    return Conversation(
        id=public("ses", row.pk),
        session_id=row.name or public("ses", row.pk),
        agent_id=row.agent_id,
        summary=without(memory.summary, what, to_simplified) if memory else "",
        summary_source=memory.summary_source if memory else "",
        task_state=state_to_json(state),
        labels=tuple(labels_without(memory.labels, what, to_simplified)) if memory else (),
        expires_at=memory.expires_at if memory else None,
        created_at=row.created_at,
    )


def utterances(actor: Actor, ids: Sequence[UUID], chosen: Selection) -> Iterator[Utterance]:
    for row in _of(actor, Message).filter(pk__in=ids).order_by("session_id", "id"):
        yield Utterance(
            id=str(row.pk),
            session_id=public("ses", row.session_id),
            message_id=row.external_id or None,
            role=row.role,
            speaker=row.speaker,
            text=_readable(row, chosen),
            said_at=row.said_at,
            created_at=row.created_at,
        )


def _readable(row: Message, chosen: Selection) -> str:
    """The text without the spans of what was forgotten, and without a forgotten text word for word (an echo)."""
    text = chosen.veil.readable(row.role, row.text, bytes(row.text_hash), row.said_at, row.cue)
    echoed = {t for t in chosen.hidden if evened_blanks(t) in evened_blanks(text)} if text else set()
    return blank_quotes(text, echoed) if echoed else text


def events(actor: Actor, ids: Sequence[UUID]) -> Iterator[Event]:
    for run in _of(actor, Run).filter(pk__in=ids).order_by("id"):
        yield Event(
            id=public("evt", run.pk),
            session_id=public("ses", run.session_id),
            door=run.door,
            status=run.state,
            scope=run.scope,
            metadata=run.metadata,
            outcome=tuple(_line(entry) for entry in run.outcome),
            extractor=run.extractor,
            model=run.model,
            created_at=run.created_at,
            finished_at=run.finished_at,
        )


def _line(entry: Mapping[str, object]) -> dict[str, object]:
    """An entry of an event with public ids."""
    named = {n: public("mem", UUID(str(entry[n]))) for n in ("id", "superseded_id") if entry.get(n)}
    return {**entry, **named}


def account(actor: Actor, person: str) -> dict[str, object]:
    """The person's logins, invitations and bound keys: an erasure takes them away too. No secret is among them."""
    seats = Membership.objects.filter(tenant_id=actor.tenant_id, user_key=person).select_related("user").order_by("id")
    invited = Invitation.objects.filter(tenant_id=actor.tenant_id, user_key=person).order_by("id")
    keys = ApiKey.objects.filter(tenant_id=actor.tenant_id, user_key=person).order_by("id")
    return {
        "logins": [{"email": s.user.email, "role": s.role, "created_at": moment(s.created_at)} for s in seats],
        "invitations": [{"email": i.email, "role": i.role, "created_at": moment(i.created_at)} for i in invited],
        "keys": [{"id": k.public_id, "name": k.name, "created_at": moment(k.created_at)} for k in keys],
    }
