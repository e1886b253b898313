"""Memories of an export taken in again, each through guard, tombstones and the write door, with its history.

An export is no new statement: what was forgotten since stays forgotten. What has the form of an instruction waits
for the person, unless the person takes it in.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from django.utils import timezone

from accounts.actor import Actor
from memoryapp.domain.bundle import Record, Wrote
from memoryapp.domain.guards import inspect_item, redact
from memoryapp.domain.hashing import norm_hash
from memoryapp.domain.planned import PlannedText
from memoryapp.domain.policy import Policy
from memoryapp.domain.provenance import UNTRUSTED_SOURCE, instructs
from memoryapp.domain.tombstones import Graveyard, Standing, Wording
from memoryapp.domain.types import Door, Status
from memoryapp.models import MemoryItem, Space
from memoryapp.models.memory import LIVE
from memoryapp.providers.script_folding import to_simplified
from memoryapp.services import tombstones
from memoryapp.services.footing import footing, ground
from memoryapp.services.scope import tenant_scope
from memoryapp.services.spaces import (
    active_policy,
    check_person,
    find_space,
    refuse_secret_names,
    refuse_secrets,
    space_key,
)
from memoryapp.services.vectors import embed_later
from memoryapp.services.write_door import Earlier, Origin, Past, Said, add_one

ADDED, PENDING, SKIPPED = "added", "pending", "skipped"
DUPLICATE, TOMBSTONED = "duplicate", "tombstoned"
NO_KEY = bytes(32)
"""Where there is no space yet, nothing is stored, and the marks of a text are not kept."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of one record: added, pending or skipped, with the reason; `id` of the memory that holds it now."""

    outcome: str
    id: UUID | None = None
    reason: str = ""


def take_in(actor: Actor, person: str, records: Sequence[Record]) -> tuple[Taken, ...]:
    """Take records in, each in a transaction of its own; the answer has their order. The same again adds nothing."""
    whose = _checked(actor, person, records)
    taken: dict[int, Taken] = {}
    known: dict[str, UUID] = {}
    for place in _successors_first(records):
        record = records[place]
        taken[place] = _take_one(actor, whose, record, known.get(record.superseded_by))
        if (found := taken[place].id) is not None and record.id:
            known[record.id] = found
    return tuple(taken[place] for place in range(len(records)))


def foresee(actor: Actor, person: str, records: Sequence[Record]) -> tuple[Taken, ...]:
    """What `take_in` would answer; nothing is written."""
    whose = _checked(actor, person, records)
    with tenant_scope(actor):
        policy, seen = active_policy(actor), set[tuple[UUID | None, str, bytes]]()
        return tuple(_foreseen(actor, whose, record, policy, seen) for record in records)


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


def _take_one(actor: Actor, whose: str, record: Record, successor: UUID | None) -> Taken:
    with tenant_scope(actor):
        now = timezone.now()
        at = footing(actor, record.space, space_key(record.space, whose, record.project_id), whose)
        text, reason = _guarded(actor, record, at.policy, at.space)
        if text is None:
            return Taken(SKIPPED, reason=reason)
        if (twin := _twin(at.space, text)) is not None:
            return Taken(SKIPPED, twin, DUPLICATE)
        graves = ground(at.space, text).graves
        text = _ruled(text, graves)
        if text is None:
            return Taken(SKIPPED, reason=TOMBSTONED)
        first = record.evidence[0] if record.evidence else None
        said = Said(first.role if first else "user", record.said_at, speaker=record.speaker)
        origin = Origin(
            at.space,
            Door.IMPORT,
            at.policy,
            now,
            whose,
            agent_id=record.agent_id,
            turns=(said,),
            metadata=record.metadata,
            expires_at=record.expires_at,
            pinned=record.pinned,
            subjects=at.subjects,
        )
        item, outcome = add_one(actor, text, origin, _past(record, at.policy, graves, successor))
        embed_later(actor)
        return Taken(outcome, item.pk, item.pending_reason)


def _foreseen(
    actor: Actor, whose: str, record: Record, policy: Policy, seen: set[tuple[UUID | None, str, bytes]]
) -> Taken:
    space = find_space(actor, record.space, space_key(record.space, whose, record.project_id))
    text, reason = _guarded(actor, record, policy, space)
    if text is None:
        return Taken(SKIPPED, reason=reason)
    mark = (space.pk if space else None, f"{record.space}:{record.project_id}:{text.scope}", text.norm_hash)
    again = mark in seen and text.status in LIVE
    seen.add(mark)
    if again or (space is not None and _twin(space, text) is not None):
        return Taken(SKIPPED, reason=DUPLICATE)
    ruled = _ruled(text, ground(space, text).graves) if space is not None else text
    if ruled is None:
        return Taken(SKIPPED, reason=TOMBSTONED)
    return Taken(PENDING if ruled.status is Status.PENDING else ADDED, reason=ruled.pending_reason)


def _guarded(actor: Actor, record: Record, policy: Policy, space: Space | None) -> tuple[PlannedText | None, str]:
    """The text to store, or why not. A candidate stays one; what the guard doubts becomes one."""
    verdict = inspect_item(record.content, policy)
    if verdict.refusal is not None:
        return None, verdict.refusal
    doubts = [*verdict.confirm, *verdict.quarantine]
    if not actor.is_person and instructs(verdict.text):
        doubts.append(UNTRUSTED_SOURCE)
    waits = record.status is Status.PENDING or (bool(doubts) and record.status in LIVE)
    wording = Wording(verdict.text, record.subject, record.predicate, record.object)
    marks = tombstones.marks(space, wording) if space is not None else None
    text = PlannedText(
        content=verdict.text,
        kind=record.kind,
        status=Status.PENDING if waits else record.status,
        pending_reason=(doubts[0] if doubts else record.pending_reason) if waits else "",
        norm_hash=norm_hash(verdict.text, to_simplified),
        fingerprint=marks.fingerprint if marks else NO_KEY,
        triple=marks.triple if marks else None,
        said_at=record.said_at,
        importance=record.importance,
        confidence=record.confidence,
        sensitivity=verdict.sensitivity,
        scope=record.scope,
        subject=record.subject,
        predicate=record.predicate,
        object=record.object,
        quote=_quotable(record.evidence[0].quote) if record.evidence else verdict.text,
        turn=0,
        flags=verdict.flags,
        masked=verdict.masked,
        extractor="verbatim",
    )
    return text, ""


def _twin(space: Space, text: PlannedText) -> UUID | None:
    """What holds this record already: the living memory of its text, or the ended one that was said at its time."""
    rows = MemoryItem.objects.filter(space=space, scope=text.scope, norm_hash=text.norm_hash).visible()
    alike = (
        rows.filter(status__in=[s.value for s in LIVE]) if text.status in LIVE else rows.filter(said_at=text.said_at)
    )
    return alike.values_list("pk", flat=True).first()


def _ruled(text: PlannedText, graves: Graveyard) -> PlannedText | None:
    """The text, or nothing when it was forgotten; a near repeat of something deleted waits for the person."""
    wording = Wording(text.content, text.subject, text.predicate, text.object)
    standing = graves.rule(wording, text.said_at, False, to_simplified).standing
    if standing is Standing.BLOCKED:
        return None
    if standing is Standing.SIMILAR and text.status in LIVE and text.status is not Status.PENDING:
        return replace(text, status=Status.PENDING, pending_reason=str(standing))
    return text


def _past(record: Record, policy: Policy, graves: Graveyard, successor: UUID | None) -> Past:
    earlier = (_earlier(text, record.said_at) for text in record.texts[:-1] if _may_stand(text, policy, graves))
    more = record.evidence[1:]
    return Past(
        earlier=tuple(earlier),
        quotes=tuple((_quotable(one.quote), Said(one.role, one.said_at, speaker=one.speaker)) for one in more),
        valid_until=record.valid_until,
        review_after=record.review_after,
        superseded_by=successor,
    )


def _may_stand(text: Wrote, policy: Policy, graves: Graveyard) -> bool:
    """Whether an earlier text may be kept: the guard and the tombstones are asked for it as for the present one."""
    moment = text.valid_from or timezone.now()
    if graves.rule(Wording(text.content), moment, False, to_simplified).standing is Standing.BLOCKED:
        return False
    verdict = inspect_item(text.content, policy)
    return verdict.refusal is None and not verdict.masked


def _earlier(text: Wrote, said_at: datetime) -> Earlier:
    return Earlier(text.content, text.kind, text.valid_from or said_at)


def _quotable(quote: str) -> str:
    return redact(quote)
