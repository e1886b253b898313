"""Taking messages in: cleaned and guarded before anything is stored, then a run whose rows are the queue of record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

from django.db.models import F
from django.utils import timezone

from accounts.actor import Actor, system_actor
from accounts.models import new_id
from memoryapp import audit
from memoryapp.domain.cues import DO_NOT_STORE, asks_plainly
from memoryapp.domain.errors import DomainError, NotFound
from memoryapp.domain.guards import inspect, redact
from memoryapp.domain.hashing import message_hash
from memoryapp.domain.messages import MAX_MESSAGE_CHARACTERS, MAX_MESSAGES, text_of, without_injected
from memoryapp.domain.moments import CLOCK_SKEW
from memoryapp.domain.offers import accepts_saving, declines_saving, says_no, says_yes
from memoryapp.domain.policy import Policy
from memoryapp.domain.public_ids import parsed
from memoryapp.domain.silence import asks_at_once, silence
from memoryapp.domain.types import Door, Role, RunState, Turn
from memoryapp.failpoints import failpoint
from memoryapp.keyring import tombstone_key
from memoryapp.models import Evidence, MemoryItem, Message, Run, Session, Space, WorkingMemory
from memoryapp.services import changes
from memoryapp.services.events import event_view
from memoryapp.services.results import EventView
from memoryapp.services.scope import tenant_scope
from memoryapp.services.spaces import (
    active_policy,
    check_person,
    ensure_space,
    lock,
    refuse_secret_names,
    refuse_secrets,
    space_key,
)
from memoryapp.services.vectors import wake

MOST_TAKEN_BACK = 200
"""Messages of a session, the newest, that a wish not to store may reach."""
REFUSED_WHEN_LONG = frozenset({Role.USER, Role.SYSTEM})


@dataclass(frozen=True, slots=True)
class Incoming:
    """One message as a client sent it. `text` is a string or a list of parts; `said_at` carries its offset."""

    role: str
    text: object
    id: str = ""
    name: str = ""
    said_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class _Cleaned:
    """A message whose shape, size and time were found to be in order. `text` is cut to the longest that is kept."""

    role: Role
    text: str
    truncated: bool
    said_at: datetime
    sent: Incoming


@dataclass(frozen=True, slots=True)
class ReadMessage:
    """A message after cleaning and guarding: text to keep (may be empty), its hash, and why anything was left out."""

    role: Role
    text: str
    id: str
    speaker: str
    said_at: datetime
    said_at_known: bool
    text_hash: bytes
    cue: bool
    """The grammar hears a request; only that counts as its writer's explicit word."""
    asks: bool = False
    """It is worded as a request: reason enough to judge at once."""
    refused: tuple[str, ...] = ()
    truncated: bool = False
    masks: int = 0


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
    """Store messages and open or join the session's run. Answers the run as an event.

    Everything is read, cleaned and guarded before the transaction that stores it, so that no lock waits for that.
    With `temporary` nothing that was said, named or attached is kept; the event itself can be read afterwards.
    """
    whose = check_person(actor, person)
    check_attached(metadata, session_id=session, agent_id=agent_id, project_id=project_id, scope=scope)
    now = timezone.now()
    cleaned = _cleaned(messages, now)
    key = space_key(space, whose, project_id)
    with tenant_scope(actor):
        policy, home = active_policy(actor), ensure_space(actor, "person", whose)
        target = home if (space, key) == ("person", whose) else ensure_space(actor, space, key)
        offer = _said_last(home, session, agent_id or actor.agent_id, cleaned[0])
    read = _heard(cleaned, policy, tombstone_key(home.tenant_id, home.pk), offer)
    skipped = _whole_refusal(read, home, temporary)
    with tenant_scope(actor):
        found = session_of(actor, home, session, agent_id or actor.agent_id, make=not temporary)
        if _is_called(found, session) and any(DO_NOT_STORE in message.refused for message in read):
            _take_back(found, cleaned, read)
        place = _Place(found, target, "", {}) if temporary else _Place(found, target, scope, metadata or {})
        run = _finished(actor, place, skipped, now) if skipped else _stored(actor, place, read, policy, now)
        audit.record(actor, "messages.accepted", audit.Target("run", (run.pk,)), person=whose, reason=run.door)
        if run.state == RunState.PENDING and run.due_at <= now:
            wake("memoryapp.extract", actor.tenant_id, run.pk)
        return event_view(run)


def check_attached(metadata: object, **named: str) -> None:
    """What comes beside the messages of a request, read before anything is looked up or stored."""
    refuse_secrets(metadata)
    refuse_secret_names(**named)


def _cleaned(messages: Sequence[Incoming], now: datetime) -> list[_Cleaned]:
    if not messages or len(messages) > MAX_MESSAGES:
        raise DomainError("invalid", f"`messages` takes 1 to {MAX_MESSAGES} messages.")
    return [_clean(message, now) for message in messages]


def _clean(message: Incoming, now: datetime) -> _Cleaned:
    role = Role(message.role)
    raw = without_injected(text_of(message.text))
    if len(raw) > MAX_MESSAGE_CHARACTERS and role in REFUSED_WHEN_LONG:
        raise DomainError("too_large", f"A message may have {MAX_MESSAGE_CHARACTERS} characters; this has {len(raw)}.")
    kept = raw[:MAX_MESSAGE_CHARACTERS]
    return _Cleaned(role, kept, len(raw) > len(kept), _said_at(message.said_at, now), message)


def _said_at(given: datetime | None, now: datetime) -> datetime:
    """The time with the offset it was given in; refused when it is no instant of our calendar or lies ahead."""
    if given is None:
        return now
    try:
        instant = given.astimezone(UTC)
    except OverflowError as error:
        raise DomainError("invalid", "`said_at` lies outside the calendar.") from error
    if instant > now + CLOCK_SKEW:
        raise DomainError("invalid", "`said_at` lies more than five minutes ahead.")
    return given


def session_of(actor: Actor, home: Space, name: str, agent_id: str, *, make: bool = True) -> Session:
    """The person's session of that name, made at its first use.

    With `make` false a new name is not kept: the default session stands in for it.
    """
    if name.startswith("ses_"):
        return _known(Session.objects.filter(space=home, pk=parsed("ses", name)).first())
    named = Session.objects.filter(tenant_id=actor.tenant_id, space=home, agent_id=agent_id)
    found = named.filter(name=name).first()
    if found is not None:
        return found
    kept = name if make else ""
    new = Session(tenant_id=actor.tenant_id, space=home, agent_id=agent_id, name=kept)
    Session.objects.bulk_create([new], ignore_conflicts=True)
    return named.get(name=kept)


def _said_last(home: Space, name: str, agent_id: str, answer: _Cleaned) -> str:
    """What an assistant said last in the session, where a call begins with nothing but a yes or a no to it."""
    if answer.role is not Role.USER or not (says_yes(answer.text) or says_no(answer.text)):
        return ""
    if name.startswith("ses_"):
        said = Message.objects.filter(session__space=home, session_id=parsed("ses", name))
    else:
        said = Message.objects.filter(session__space=home, session__agent_id=agent_id, session__name=name)
    last = said.order_by("-said_at", "-created_at", "-position").first()
    return last.text if last is not None and last.role == Role.ASSISTANT else ""


def _is_called(session: Session, name: str) -> bool:
    """Whether it is the session that was named, and not the default one in its place."""
    return session.name == name or name.startswith("ses_")


def _known(session: Session | None) -> Session:
    if session is None:
        raise NotFound
    return session


def _heard(cleaned: Sequence[_Cleaned], policy: Policy, key: bytes, offer: str = "") -> list[ReadMessage]:
    """The messages as read, each in the light of those around it: a wish for silence reaches back, a yes answers.

    `offer` is what an assistant said right before them.
    """
    kept_out = silence([Turn(m.role, m.text) for m in cleaned])
    before = [offer, *(m.text if m.role is Role.ASSISTANT else "" for m in cleaned)]
    turned_down = {
        place for place, m in enumerate(cleaned) if m.role is Role.USER and declines_saving(before[place], m.text)
    }
    sure, likely = kept_out.sure | turned_down, kept_out.likely - turned_down
    return [
        _read(m, policy, key, silent=place in sure, doubted=place in likely, offer=before[place])
        for place, m in enumerate(cleaned)
    ]


def _take_back(session: Session, cleaned: Sequence[_Cleaned], read: Sequence[ReadMessage]) -> None:
    """What the session heard before loses its text where these messages ask not to store it, and what was written from
    nothing else is forgotten, all in the transaction that takes these messages in.

    Only the keyed hashes stay, as they do when messages age. A run that is just being judged looks again, since the
    revision of its space rises. Order of locks: session, spaces, runs.
    """
    Session.objects.select_for_update(no_key=True).get(pk=session.pk)
    taken = _unwanted(session, cleaned, read)
    heard = Run.objects.filter(session=session)
    open_runs = heard.filter(state__in=[RunState.PENDING, RunState.RUNNING, RunState.FAILED])
    concerned = open_runs | heard.filter(pk__in=[row.run_id for row in taken])
    for space_id in sorted(set(concerned.values_list("target_space_id", flat=True))):
        lock(space_id)
    Space.objects.filter(pk__in=open_runs.values("target_space")).update(revision=F("revision") + 1)
    for run in open_runs.select_for_update(no_key=True):
        if any(row.run_id == run.pk for row in taken):
            run.outcome = [*run.outcome, _skip(DO_NOT_STORE)]
            run.save(update_fields=["outcome"])
    Message.objects.filter(pk__in=[row.pk for row in taken]).update(text="", cue=False)
    WorkingMemory.objects.filter(session=session).sum_up_anew()
    for item_id in _founded_only_on([row.pk for row in taken]):
        changes.forget(system_actor(session.tenant_id, "extractor"), item_id)
        failpoint("ingest.taken_back")


def _unwanted(session: Session, cleaned: Sequence[_Cleaned], read: Sequence[ReadMessage]) -> list[Message]:
    """The messages of the session that these ask not to store, themselves among them where they were sent before."""
    again = {message.text_hash for message in read}
    newest = Message.objects.filter(session=session).exclude(text="").order_by("-said_at", "-created_at", "-position")
    rows = list(newest[:MOST_TAKEN_BACK])[::-1]
    before = [row for row in rows if bytes(row.text_hash) not in again]
    heard = [Turn(Role(row.role), row.text) for row in before]
    silent = silence([*heard, *(Turn(message.role, message.text) for message in cleaned)]).sure
    unkept = {bytes(row.text_hash) for place, row in enumerate(before) if place in silent}
    unkept |= {message.text_hash for message in read if DO_NOT_STORE in message.refused}
    return [row for row in rows if bytes(row.text_hash) in unkept]


def _founded_only_on(messages: Sequence[UUID]) -> list[UUID]:
    """The items in use whose every evidence is one of these messages."""
    founded = Evidence.objects.filter(message_id__in=messages).values_list("item_id", flat=True)
    elsewhere = Evidence.objects.filter(item_id__in=list(founded)).exclude(message_id__in=messages)
    alone = MemoryItem.objects.filter(pk__in=list(founded)).alive().exclude(pk__in=elsewhere.values("item_id"))
    return list(alone.values_list("pk", flat=True))


def _read(message: _Cleaned, policy: Policy, key: bytes, *, silent: bool, doubted: bool, offer: str) -> ReadMessage:
    """`silent` when its writer wants it unkept, `doubted` when that may be so, `offer` what an assistant said right
    before it.
    """
    agrees = message.role is Role.USER and accepts_saving(offer, message.text)
    kept, refused, masks = _guarded(message, policy, silent=silent, agrees=agrees)
    spoken = message.role is Role.USER and bool(kept)
    return ReadMessage(
        role=message.role,
        text=kept,
        id=redact(message.sent.id),
        speaker=redact(message.sent.name),
        said_at=message.said_at,
        said_at_known=message.sent.said_at is not None,
        text_hash=message_hash(key, message.role, message.text),
        cue=spoken and (agrees or asks_plainly(kept)),
        asks=spoken and (agrees or asks_at_once(kept, doubted=doubted)),
        refused=refused,
        truncated=message.truncated,
        masks=masks,
    )


def _guarded(message: _Cleaned, policy: Policy, *, silent: bool, agrees: bool) -> tuple[str, tuple[str, ...], int]:
    """The text to keep, why anything was left out of it, and how many stretches were masked.

    A bare yes to an offer is no noise, and holds nothing that a guard would stop.
    """
    if not message.text:
        return "", (), 0
    if silent:
        return "", (DO_NOT_STORE,), 0
    if agrees:
        return message.text, (), 0
    verdict = inspect(message.text, policy, message.role)
    if verdict.refusal is not None:
        return "", (verdict.refusal,), verdict.masks
    reasons = (*verdict.masked, *(verdict.quarantine if message.role is not Role.USER else ()))
    return verdict.text, reasons, verdict.masks


def _whole_refusal(read: Sequence[ReadMessage], home: Space, temporary: bool) -> list[dict[str, object]]:
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
        space_id=place.session.space_id,
        target_space=place.target,
        session=place.session,
        door=door,
        scope=place.scope,
        metadata=dict(place.metadata),
        due_at=due_at,
    )


def _stored(actor: Actor, place: _Place, read: Sequence[ReadMessage], policy: Policy, now: datetime) -> Run:
    session = Session.objects.select_for_update(no_key=True).get(pk=place.session.pk)
    fresh = unheard(session, read)
    outcome = [_skip("duplicate")] * (len(read) - len(fresh))
    outcome += [_skip(reason) for m in fresh for reason in m.refused]
    kept = [m for m in fresh if m.text]
    if not kept:
        return _finished(actor, place, outcome, now)
    cue = any(m.asks for m in kept)
    due = now if cue else now + timedelta(seconds=policy.idle_seconds)
    run = _open_run(actor, place, Door.CUE if cue else Door.IDLE, due)
    run.outcome = [*run.outcome, *outcome]
    run.warnings = [*run.warnings, *warnings_of(fresh)]
    run.save(update_fields=["door", "due_at", "outcome", "warnings"])
    start = Message.objects.filter(run=run).count()
    Message.objects.bulk_create([message_row(actor, session, run, start + i, m) for i, m in enumerate(kept)])
    return run


def warnings_of(read: Sequence[ReadMessage]) -> list[dict[str, object]]:
    """What a run says of messages it did not take as they came: each that was cut, and how many stretches were masked."""
    masks = sum(m.masks for m in read)
    cut: list[dict[str, object]] = [{"reason": "truncated"} for m in read if m.text and m.truncated]
    return [*cut, {"reason": "masked", "count": masks}] if masks else cut


def _open_run(actor: Actor, place: _Place, door: Door, due: datetime) -> Run:
    run = (
        Run.objects.select_for_update(no_key=True)
        .filter(session=place.session, target_space=place.target, state=RunState.PENDING, attempt=0, import_job=None)
        .first()
    )
    if run is None:
        run = _new_run(actor, place, door, due)
        run.save(force_insert=True)
    elif run.door != Door.CUE:
        run.door, run.due_at = door, due
    run.session = place.session
    return run


def message_row(actor: Actor, session: Session, run: Run, position: int, read: ReadMessage) -> Message:
    """An unsaved row of a message that was read."""
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


def unheard(session: Session, read: Sequence[ReadMessage]) -> list[ReadMessage]:
    """What was not heard before: a replay is known by id, by time and text, or by two known texts in a row."""
    known_ids, times = heard_before(session.space_id, session, read)
    heard = [m.text_hash in times for m in read]
    fresh: list[ReadMessage] = []
    for i, m in enumerate(read):
        in_a_row = heard[i] and ((i > 0 and heard[i - 1]) or (i + 1 < len(read) and heard[i + 1]))
        again = m.said_at_known and m.said_at in times.get(m.text_hash, set())
        if not (in_a_row or again or (m.id and m.id in known_ids)):
            fresh.append(m)
            known_ids.add(m.id)
    return fresh


def heard_before(
    home_id: UUID, session: Session | None, read: Sequence[ReadMessage]
) -> tuple[set[str], dict[bytes, set[datetime]]]:
    """Those of the messages' ids that the session knows; hash of a text that its person's sessions know → when said."""
    named = Message.objects.filter(session=session, external_id__in=[m.id for m in read if m.id])
    ids = set(named.values_list("external_id", flat=True)) if session else set()
    said = Message.objects.filter(session__space_id=home_id, text_hash__in=[m.text_hash for m in read])
    times: dict[bytes, set[datetime]] = {}
    for text_hash, said_at in said.values_list("text_hash", "said_at"):
        times.setdefault(bytes(text_hash), set()).add(said_at)
    return ids, times


def read_messages(messages: Sequence[Incoming], policy: Policy, key: bytes, now: datetime) -> list[ReadMessage]:
    """Clean and guard messages without storing anything. `key` is that of the person's space."""
    return _heard(_cleaned(messages, now), policy, key)
