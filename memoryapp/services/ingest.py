"""Taking messages in: cleaned and guarded before anything is stored, then a run whose rows are the queue of record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.utils import timezone

from accounts.actor import Actor
from accounts.models import new_id
from memoryapp import audit
from memoryapp.domain.cues import find_cues, has_cue
from memoryapp.domain.errors import DomainError, NotFound
from memoryapp.domain.guards import inspect, redact
from memoryapp.domain.hashing import message_hash
from memoryapp.domain.messages import MAX_MESSAGE_CHARACTERS, MAX_MESSAGES, text_of, without_injected
from memoryapp.domain.policy import Policy
from memoryapp.domain.types import CueKind, Door, Role, RunState
from memoryapp.keyring import tombstone_key
from memoryapp.models import Message, Run, Session, Space
from memoryapp.services.events import event_view
from memoryapp.services.results import EventView
from memoryapp.services.scope import tenant_scope
from memoryapp.services.spaces import active_policy, check_person, ensure_space, refuse_secrets, space_key
from memoryapp.services.vectors import wake

REFUSED_WHEN_LONG = frozenset({Role.USER, Role.SYSTEM})
CLOCK_SKEW = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Incoming:
    """One message as a client sent it. `text` is a string or a list of parts; `said_at` carries its offset."""

    role: str
    text: object
    id: str = ""
    name: str = ""
    said_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class _Read:
    """A message after cleaning and guarding: text to keep (may be empty) and why anything was left out."""

    role: Role
    text: str
    id: str
    speaker: str
    said_at: datetime
    said_at_known: bool
    text_hash: bytes
    cue: bool
    refused: tuple[str, ...] = ()
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class _Place:
    """Where messages go: the person's session, and the space that facts are written to."""

    session: Session
    target: Space
    scope: str
    metadata: Mapping[str, object]


def accept(
    actor: Actor,
    person: str,
    messages: Sequence[Incoming],
    *,
    session: str = "",
    agent_id: str = "",
    space: str = "person",
    project_id: str = "",
    scope: str = "",
    metadata: Mapping[str, object] | None = None,
    temporary: bool = False,
) -> EventView:
    """Store messages and open or join the session's run. Answers the run as an event."""
    whose = check_person(actor, person)
    _check_count(messages)
    refuse_secrets(metadata)
    with tenant_scope(actor):
        policy, now = active_policy(actor), timezone.now()
        home = ensure_space(actor, "person", whose)
        target = ensure_space(actor, space, space_key(space, whose, project_id))
        place = _Place(_session(actor, home, session, agent_id or actor.agent_id), target, scope, metadata or {})
        read = [_read(m, policy, tombstone_key(home.tenant_id, home.pk), now) for m in messages]
        skipped = _whole_refusal(read, home, temporary)
        run = _finished(actor, place, skipped, now) if skipped else _stored(actor, place, read, policy, now)
        audit.record(actor, "messages.accepted", audit.Target("run", (run.pk,)), person=whose, reason=run.door)
        if run.state == RunState.PENDING and run.due_at <= now:
            wake("memoryapp.extract", actor.tenant_id, run.pk)
        return event_view(run)


def _check_count(messages: Sequence[Incoming]) -> None:
    if not messages or len(messages) > MAX_MESSAGES:
        raise DomainError("invalid", f"`messages` takes 1 to {MAX_MESSAGES} messages.")


def _session(actor: Actor, home: Space, name: str, agent_id: str) -> Session:
    if name.startswith("ses_"):
        found = Session.objects.filter(space=home, pk=_session_id(name)).first()
        if found is None:
            raise NotFound
        return found
    Session.objects.bulk_create(
        [Session(tenant_id=actor.tenant_id, space=home, agent_id=agent_id, name=name)], ignore_conflicts=True
    )
    return Session.objects.get(tenant_id=actor.tenant_id, space=home, agent_id=agent_id, name=name)


def _session_id(name: str) -> UUID:
    try:
        return UUID(hex=name.removeprefix("ses_"))
    except ValueError as error:
        raise NotFound from error


def _read(message: Incoming, policy: Policy, key: bytes, now: datetime) -> _Read:
    role = Role(message.role)
    raw = without_injected(text_of(message.text))
    if len(raw) > MAX_MESSAGE_CHARACTERS and role in REFUSED_WHEN_LONG:
        raise DomainError("too_large", f"A message may have {MAX_MESSAGE_CHARACTERS} characters; this has {len(raw)}.")
    if message.said_at is not None and message.said_at > now + CLOCK_SKEW:
        raise DomainError("invalid", "`said_at` lies more than five minutes ahead.")
    text = raw[:MAX_MESSAGE_CHARACTERS]
    kept, refused = _guarded(text, policy, role)
    return _Read(
        role=role,
        text=kept,
        id=redact(message.id),
        speaker=redact(message.name),
        said_at=message.said_at or now,
        said_at_known=message.said_at is not None,
        text_hash=message_hash(key, role, text),
        cue=role is Role.USER and bool(kept) and has_cue(kept),
        refused=refused,
        truncated=len(raw) > len(text),
    )


def _guarded(text: str, policy: Policy, role: Role) -> tuple[str, tuple[str, ...]]:
    if not text:
        return "", ()
    if role is Role.USER and any(c.kind is CueKind.DO_NOT_STORE for c in find_cues(text)):
        return "", ("do_not_store",)
    verdict = inspect(text, policy, role)
    if verdict.refusal is not None:
        return "", (verdict.refusal,)
    return verdict.text, (*verdict.masked, *(verdict.quarantine if role is not Role.USER else ()))


def _whole_refusal(read: Sequence[_Read], home: Space, temporary: bool) -> list[dict[str, object]]:
    """Reasons why nothing of this call goes to extraction; empty when something does."""
    if temporary:
        return [_skip("temporary")]
    if home.learning_paused:
        return [_skip("learning_paused")]
    if not any(m.text for m in read):
        reasons = [reason for m in read for reason in m.refused]
        return [_skip(reason) for reason in reasons or ["no_text"]]
    return []


def _skip(reason: str) -> dict[str, object]:
    return {"section": "skipped", "action": "NONE", "reason": reason}


def _finished(actor: Actor, place: _Place, outcome: list[dict[str, object]], now: datetime) -> Run:
    run = _new_run(actor, place, Door.IDLE, now)
    run.state, run.outcome, run.finished_at = RunState.SUCCEEDED, outcome, now
    run.save(force_insert=True)
    return run


def _new_run(actor: Actor, place: _Place, door: Door, due_at: datetime) -> Run:
    return Run(
        id=new_id(),
        tenant_id=actor.tenant_id,
        space=place.session.space,
        target_space=place.target,
        session=place.session,
        door=door,
        scope=place.scope,
        metadata=dict(place.metadata),
        due_at=due_at,
    )


def _stored(actor: Actor, place: _Place, read: Sequence[_Read], policy: Policy, now: datetime) -> Run:
    session = Session.objects.select_for_update().get(pk=place.session.pk)
    fresh = _fresh(session, read)
    outcome = [_skip("duplicate")] * (len(read) - len(fresh))
    outcome += [_skip(reason) for m in fresh for reason in m.refused]
    kept = [m for m in fresh if m.text]
    if not kept:
        return _finished(actor, place, outcome, now)
    cue = any(m.cue for m in kept)
    due = now if cue else now + timedelta(seconds=policy.idle_seconds)
    run = _open_run(actor, place, Door.CUE if cue else Door.IDLE, due)
    run.outcome = [*run.outcome, *outcome]
    run.warnings = [*run.warnings, *({"reason": "truncated"} for m in kept if m.truncated)]
    run.save(update_fields=["door", "due_at", "outcome", "warnings"])
    start = Message.objects.filter(run=run).count()
    Message.objects.bulk_create([_message(actor, session, run, start + i, m) for i, m in enumerate(kept)])
    return run


def _open_run(actor: Actor, place: _Place, door: Door, due: datetime) -> Run:
    run = (
        Run.objects.select_for_update()
        .filter(session=place.session, target_space=place.target, state=RunState.PENDING, attempt=0, import_job=None)
        .first()
    )
    if run is None:
        run = _new_run(actor, place, door, due)
        run.save(force_insert=True)
    elif run.door != Door.CUE:
        run.door, run.due_at = door, due
    return run


def _message(actor: Actor, session: Session, run: Run, position: int, read: _Read) -> Message:
    offset = read.said_at.utcoffset()
    return Message(
        id=new_id(),
        tenant_id=actor.tenant_id,
        session=session,
        run=run,
        position=position,
        role=read.role,
        text=read.text,
        speaker=read.speaker,
        external_id=read.id,
        text_hash=read.text_hash,
        said_at=read.said_at,
        said_at_known=read.said_at_known,
        offset_minutes=int(offset.total_seconds() // 60) if offset else 0,
        cue=read.cue,
    )


def _fresh(session: Session, read: Sequence[_Read]) -> list[_Read]:
    """What was not heard before: a replay is known by id, by time and text, or by two known texts in a row."""
    ids = [m.id for m in read if m.id]
    known_ids = set(Message.objects.filter(session=session, external_id__in=ids).values_list("external_id", flat=True))
    hashes = [m.text_hash for m in read]
    rows = Message.objects.filter(session__space=session.space, text_hash__in=hashes).values_list(
        "text_hash", "said_at"
    )
    times: dict[bytes, set[datetime]] = {}
    for text_hash, said_at in rows:
        times.setdefault(bytes(text_hash), set()).add(said_at)
    heard = [m.text_hash in times for m in read]
    fresh: list[_Read] = []
    seen: set[str] = set(known_ids)
    for i, m in enumerate(read):
        in_a_row = heard[i] and ((i > 0 and heard[i - 1]) or (i + 1 < len(read) and heard[i + 1]))
        again = m.said_at_known and m.said_at in times.get(m.text_hash, set())
        if not (in_a_row or again or (m.id and m.id in seen)):
            fresh.append(m)
            seen.add(m.id)
    return fresh
