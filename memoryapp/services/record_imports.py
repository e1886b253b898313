"""Memories of an export taken in again, each through guard, tombstones and the write door, with its history.

An export is no new statement: what was forgotten since stays forgotten. What has the form of an instruction waits
for the person, unless the person takes it in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from uuid import UUID

from django.utils import timezone

from accounts.actor import Actor
from memoryapp.domain.bundle import Record
from memoryapp.domain.errors import DomainError
from memoryapp.domain.guards import inspect, inspect_item
from memoryapp.domain.hashing import norm_hash
from memoryapp.domain.parting import tells_what_was_forgotten
from memoryapp.domain.planned import PlannedText
from memoryapp.domain.policy import Policy
from memoryapp.domain.provenance import UNTRUSTED_SOURCE, instructs
from memoryapp.domain.storable import texts_in
from memoryapp.domain.tombstones import Graveyard, Standing, Wording
from memoryapp.domain.types import Door, Effect, Kind, Status, Verdict
from memoryapp.models import MemoryItem, Space
from memoryapp.models.memory import LIVE
from memoryapp.providers.script_folding import to_simplified
from memoryapp.services import tombstones
from memoryapp.services.footing import Footing, footing
from memoryapp.services.origins import Earlier, Origin, Past, Said
from memoryapp.services.scope import tenant_scope
from memoryapp.services.spaces import (
    active_policy,
    check_person,
    find_space,
    refuse_secret_names,
    refuse_secrets,
    space_key,
)
from memoryapp.services.tombstones import Marks
from memoryapp.services.vectors import embed_later
from memoryapp.services.write_door import add_one

ADDED, PENDING, SKIPPED = "added", "pending", "skipped"
DUPLICATE, TOMBSTONED = "duplicate", "tombstoned"
BATCH = 50
"""Records of one transaction: the space is locked, and what was forgotten in it is read, once for so many."""
_WORTHLESS = ("machine_dump", "noise")
"""Classes of guard rules that say what no memory is worth, not what may not be stored."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of one record: added, pending or skipped, with the reason; `id` of the memory that holds it now."""

    outcome: str
    id: UUID | None = None
    reason: str = ""


def take_in(actor: Actor, person: str, records: Sequence[Record]) -> tuple[Taken, ...]:
    """Take records in, some dozens a transaction; the answer has their order. The same again adds nothing.

    Raises `gone` when the person is erased meanwhile: what was taken in by then is erased as well, and the rest stays
    out.
    """
    whose = _checked(actor, person, records)
    taken: dict[int, Taken] = {}
    known: dict[str, UUID] = {}
    homes: dict[tuple[str, str], UUID] = {}
    for places in _batches(records, _successors_first(records)):
        with tenant_scope(actor):
            ground = _footed(actor, whose, records[places[0]], homes)
            for place in places:
                taken[place] = _take_one(actor, records[place], ground, known.get(records[place].superseded_by))
                if (found := taken[place].id) is not None and records[place].id:
                    known[records[place].id] = found
            embed_later(actor)
    return tuple(taken[place] for place in range(len(records)))


def foresee(actor: Actor, person: str, records: Sequence[Record]) -> tuple[Taken, ...]:
    """What `take_in` would answer; nothing is written."""
    whose = _checked(actor, person, records)
    taken: dict[int, Taken] = {}
    with tenant_scope(actor):
        policy, seen = active_policy(actor), set[tuple[object, ...]]()
        for places in _batches(records, _successors_first(records)):
            first = records[places[0]]
            space = find_space(actor, first.space, space_key(first.space, whose, first.project_id))
            graves = tombstones.graveyard(space) if space is not None else Graveyard()
            for place in places:
                taken[place] = _foreseen(actor, records[place], policy, space, graves, seen)
    return tuple(taken[place] for place in range(len(records)))


def _checked(actor: Actor, person: str, records: Iterable[Record]) -> str:
    for record in records:
        refuse_secret_names(
            subject=record.subject,
            predicate=record.predicate,
            object=record.object,
            scope=record.scope,
            project_id=record.project_id,
            agent_id=record.agent_id,
            speaker=record.speaker,
        )
        refuse_secrets(record.metadata)
    return check_person(actor, person)


def _successors_first(records: Sequence[Record]) -> list[int]:
    """Places in an order in which what replaced a memory comes before it; a circle is taken as it comes."""
    by_id = {record.id: place for place, record in enumerate(records) if record.id}
    order: dict[int, None] = {}
    for start in range(len(records)):
        chain: list[int] = []
        place: int | None = start
        while place is not None and place not in order and place not in chain:
            chain.append(place)
            place = by_id.get(records[place].superseded_by)
        order.update(dict.fromkeys(reversed(chain)))
    return list(order)


def _batches(records: Sequence[Record], order: Iterable[int]) -> Iterator[list[int]]:
    """Runs of places whose records go to one space."""
    for _, run in groupby(order, key=lambda place: (records[place].space, records[place].project_id)):
        places = list(run)
        yield from (places[start : start + BATCH] for start in range(0, len(places), BATCH))


@dataclass(frozen=True, slots=True)
class _Ground:
    """A locked space with what was forgotten in it."""

    at: Footing
    graves: Graveyard
    now: datetime


def _footed(actor: Actor, whose: str, first: Record, homes: dict[tuple[str, str], UUID]) -> _Ground:
    """The space of a batch, which has to be the one that the batch before went to."""
    at = footing(actor, first.space, space_key(first.space, whose, first.project_id), whose)
    if homes.setdefault((first.space, first.project_id), at.space.pk) != at.space.pk:
        raise DomainError("gone", "This person's memory was erased while the import ran; the rest was not taken in.")
    return _Ground(at, tombstones.graveyard(at.space), timezone.now())


def _take_one(actor: Actor, record: Record, ground: _Ground, successor: UUID | None) -> Taken:
    space, policy, graves = ground.at.space, ground.at.policy, ground.graves
    judged = _judged(actor, record, policy, graves)
    if judged.refusal:
        return Taken(SKIPPED, reason=judged.refusal)
    if (twin := _twin(space, record, judged)) is not None:
        return Taken(SKIPPED, twin, DUPLICATE)
    marks = tombstones.marks(space, _wording(record, judged.verdict.text))
    text = _text(record, judged, marks, _first_quote(record, policy, graves) or judged.verdict.text)
    item, outcome = add_one(actor, text, _origin(record, ground), _past(record, policy, graves, successor))
    return Taken(outcome, item.pk, item.pending_reason)


def _origin(record: Record, ground: _Ground) -> Origin:
    role = record.evidence[0].role if record.evidence else "user"
    return Origin(
        ground.at.space,
        Door.IMPORT,
        ground.at.policy,
        ground.now,
        ground.at.person,
        agent_id=record.agent_id,
        turns=(Said(role, record.said_at, speaker=record.speaker),),
        metadata=record.metadata,
        expires_at=record.expires_at,
        pinned=record.pinned,
        subjects=ground.at.subjects,
    )


def _foreseen(
    actor: Actor,
    record: Record,
    policy: Policy,
    space: Space | None,
    graves: Graveyard,
    seen: set[tuple[object, ...]],
) -> Taken:
    judged = _judged(actor, record, policy, graves)
    if judged.refusal:
        return Taken(SKIPPED, reason=judged.refusal)
    status = _status(record, judged)
    life = "" if status in LIVE else record.said_at
    mark = (record.space, record.project_id, record.scope, norm_hash(judged.verdict.text, to_simplified), life)
    if mark in seen or (space is not None and _twin(space, record, judged) is not None):
        return Taken(SKIPPED, reason=DUPLICATE)
    seen.add(mark)
    if status is not Status.PENDING:
        return Taken(ADDED)
    return Taken(PENDING, reason=judged.doubts[0] if judged.doubts else record.pending_reason)


@dataclass(frozen=True, slots=True)
class _Judged:
    """What guard and tombstones say of a record: refused for a reason, or the text with its doubts."""

    refusal: str
    verdict: Verdict
    doubts: tuple[str, ...] = ()


def _judged(actor: Actor, record: Record, policy: Policy, graves: Graveyard) -> _Judged:
    verdict = inspect_item(record.content, policy)
    if verdict.refusal is not None:
        return _Judged(verdict.refusal, verdict)
    standing = _standing(_wording(record, verdict.text), record.said_at, graves)
    refused = TOMBSTONED if standing is Standing.BLOCKED else _refused_beside(record, policy, graves)
    if refused:
        return _Judged(refused, verdict)
    again = tells_what_was_forgotten(
        verdict.text, lambda part: _standing(Wording(part), record.said_at, graves) is Standing.BLOCKED
    )
    similar = (str(Standing.SIMILAR),) if again or standing is Standing.SIMILAR else ()
    told = not actor.is_person and (record.kind is Kind.INSTRUCTION or instructs(verdict.text))
    doubts = (*verdict.confirm, *verdict.quarantine, *similar, *((UNTRUSTED_SOURCE,) if told else ()))
    return _Judged("", verdict, doubts)


def _wording(record: Record, content: str) -> Wording:
    return Wording(content, record.subject, record.predicate, record.object)


def _standing(wording: Wording, said_at: datetime, graves: Graveyard) -> Standing:
    """An export is no new statement, whoever takes it in."""
    return graves.rule(wording, said_at, False, to_simplified).standing


def _status(record: Record, judged: _Judged) -> Status:
    """A candidate stays one; what is doubted becomes one; what has ended is in nobody's way."""
    return Status.PENDING if judged.doubts and record.status in LIVE else record.status


def _text(record: Record, judged: _Judged, marks: Marks, quote: str) -> PlannedText:
    status = _status(record, judged)
    reason = judged.doubts[0] if judged.doubts else record.pending_reason
    return PlannedText(
        content=judged.verdict.text,
        kind=record.kind,
        status=status,
        pending_reason=reason if status is Status.PENDING else "",
        norm_hash=norm_hash(judged.verdict.text, to_simplified),
        fingerprint=marks.fingerprint,
        triple=marks.triple,
        said_at=record.said_at,
        importance=record.importance,
        confidence=record.confidence,
        sensitivity=judged.verdict.sensitivity,
        scope=record.scope,
        subject=record.subject,
        predicate=record.predicate,
        object=record.object,
        quote=quote,
        turn=0,
        flags=judged.verdict.flags,
        masked=judged.verdict.masked,
        extractor="verbatim",
    )


def _for_values(policy: Policy) -> Policy:
    """A number, a letter or a checksum is worth no memory and may well stand beside one."""
    kept = {rule: effect for rule, effect in policy.guard_effects.items() if rule.partition(".")[0] not in _WORTHLESS}
    return replace(policy, guard_effects={**kept, **dict.fromkeys(_WORTHLESS, Effect.FLAG)})


def _refused_beside(record: Record, policy: Policy, graves: Graveyard) -> str:
    """Why what stands beside the text may not be stored, or nothing."""
    beside = [record.subject, record.predicate, record.object, record.speaker, dict(record.metadata or {})]
    values = _for_values(policy)
    for text in filter(str.strip, texts_in(beside)):
        if (refusal := inspect(text, values).refusal) is not None:
            return refusal
        if _standing(Wording(text), record.said_at, graves) is Standing.BLOCKED:
            return TOMBSTONED
    return ""


def _twin(space: Space, record: Record, judged: _Judged) -> UUID | None:
    """What holds this record already: the living memory of its text, or the ended one that was said at its time."""
    rows = MemoryItem.objects.saying(space.pk, record.scope, norm_hash(judged.verdict.text, to_simplified))
    ended = record.status not in LIVE
    alike = rows.visible().filter(said_at=record.said_at) if ended else rows.alive()
    return alike.values_list("pk", flat=True).first()


def _past(record: Record, policy: Policy, graves: Graveyard, successor: UUID | None) -> Past:
    """What a record brings along, without texts that could not be stored by themselves."""
    earlier = tuple(
        Earlier(text.content, text.kind, text.valid_from or record.said_at)
        for text in record.texts[:-1]
        if _stands(text.content, record.said_at, policy, graves)
    )
    quotes = tuple(
        (one.quote, Said(one.role, one.said_at, speaker=one.speaker))
        for one in record.evidence[1:]
        if _stands(one.quote, one.said_at, policy, graves)
    )
    return Past(earlier, quotes, record.valid_until, record.review_after, successor)


def _first_quote(record: Record, policy: Policy, graves: Graveyard) -> str:
    quote = record.evidence[0].quote if record.evidence else ""
    return quote if _stands(quote, record.said_at, policy, graves) else ""


def _stands(text: str, said_at: datetime, policy: Policy, graves: Graveyard) -> bool:
    """Whether an earlier text or a quote may be kept beside a memory: nothing in it is refused, masked, doubted, or like
    something that was deleted.
    """
    verdict = inspect(text, policy)
    doubted = verdict.refusal is not None or verdict.masked or verdict.confirm or verdict.quarantine
    return not doubted and _standing(Wording(text), said_at, graves) is Standing.FREE
