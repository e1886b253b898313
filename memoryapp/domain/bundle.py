"""Memories out of an export, read strictly: what a record must hold to be taken in again. Pure.

A record is an object of the export's section `memories` (docs/export.md). Fields that belong to the service that wrote
it (ids of events, uses, flags, version numbers) are read over; an unknown field is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from enum import StrEnum
from typing import TypeVar

from memoryapp.domain.errors import DomainError
from memoryapp.domain.exporting import Memory
from memoryapp.domain.guards import GUARD_RULES
from memoryapp.domain.moments import CLOCK_SKEW, moment_of
from memoryapp.domain.planned import BELOW_THRESHOLD, CONFLICT, UNTRUSTED_SOURCE
from memoryapp.domain.storable import unstorable
from memoryapp.domain.tombstones import Standing
from memoryapp.domain.types import Kind, Role, SpaceKind, Status

LONGEST_CONTENT = 4_000
LONGEST_NAME = 128
LONGEST_TOPIC = 200
MOST_PARTS = 200
"""Versions, and pieces of evidence, of one memory."""

KNOWN = frozenset(field.name for field in fields(Memory))
REASONS = frozenset({BELOW_THRESHOLD, CONFLICT, UNTRUSTED_SOURCE, str(Standing.SIMILAR), *GUARD_RULES})
STATUSES = frozenset(Status) - {Status.FORGOTTEN}
E = TypeVar("E", bound=StrEnum)


@dataclass(frozen=True, slots=True)
class Wrote:
    """A text that a memory had, from a moment on."""

    content: str
    kind: Kind
    valid_from: datetime | None


@dataclass(frozen=True, slots=True)
class Heard:
    """A quote that a memory stands on."""

    quote: str
    role: Role
    speaker: str
    said_at: datetime


@dataclass(frozen=True, slots=True)
class Record:
    """A memory to take in. `id` is what the export called it; `texts` end with the present one."""

    id: str
    texts: tuple[Wrote, ...]
    status: Status
    space: SpaceKind
    said_at: datetime
    metadata: Mapping[str, object] | None = None
    project_id: str = ""
    scope: str = ""
    subject: str = ""
    predicate: str = ""
    object: str = ""
    importance: float = 0.5
    confidence: float = 1.0
    pinned: bool = False
    agent_id: str = ""
    speaker: str = ""
    pending_reason: str = ""
    superseded_by: str = ""
    valid_until: datetime | None = None
    expires_at: datetime | None = None
    review_after: datetime | None = None
    evidence: tuple[Heard, ...] = ()

    @property
    def content(self) -> str:
        return self.texts[-1].content

    @property
    def kind(self) -> Kind:
        return self.texts[-1].kind


def record_of(entry: object, place: int, now: datetime) -> Record:
    """One memory out of parsed JSON; `place` counts from 1. Raises `invalid` or `unknown_field` saying where and what."""
    read = _Reader(_object(entry, f"memory {place}"), f"memory {place}")
    if unstorable(entry):
        raise DomainError(
            "invalid",
            f"This export cannot be read: {read.where} holds a NUL, a lone surrogate, infinity or more than 32 levels.",
        )
    if unknown := set(read.given) - KNOWN:
        raise DomainError("unknown_field", f"{read.where} has unknown fields: {', '.join(sorted(map(str, unknown)))}.")
    said_at = read.moment("said_at")
    if said_at is None or said_at > now + CLOCK_SKEW:
        raise read.wrong("said_at", "a past time with its offset")
    return Record(
        id=read.text("id"),
        texts=_texts(read, said_at),
        status=read.one_of("status", Status.ACTIVE, STATUSES),
        space=read.one_of("space", SpaceKind.PERSON, frozenset(SpaceKind)),
        said_at=said_at,
        project_id=read.text("project_id"),
        scope=read.text("scope", 64),
        subject=read.text("subject", LONGEST_TOPIC),
        predicate=read.text("predicate", LONGEST_TOPIC),
        object=read.text("object", 500),
        importance=read.share("importance", 0.5),
        confidence=read.share("confidence", 1.0),
        pinned=read.truth("pinned"),
        agent_id=read.text("agent_id"),
        speaker=read.text("speaker"),
        pending_reason=_known_reason(read.given.get("pending_reason")),
        metadata=_object(read.given.get("metadata") or {}, f"`metadata` of {read.where}"),
        superseded_by=read.text("superseded_by"),
        valid_until=read.moment("valid_until"),
        expires_at=read.moment("expires_at"),
        review_after=read.moment("review_after"),
        evidence=tuple(_heard(part, said_at) for part in read.parts("evidence")),
    )


def _known_reason(given: object) -> str:
    """Why a candidate waits, of the codes that this service knows: a reason is no place for a text."""
    return str(given) if given in REASONS else BELOW_THRESHOLD


def _texts(read: _Reader, said_at: datetime) -> tuple[Wrote, ...]:
    """Every text in turn. Versions that changed something else tell nothing new; the present text ends the list."""
    texts: list[Wrote] = []
    for part in read.parts("versions"):
        text = Wrote(part.content(), part.one_of("kind", Kind.NOTE, frozenset(Kind)), part.moment("valid_from"))
        if not texts or (texts[-1].content, texts[-1].kind) != (text.content, text.kind):
            texts.append(text)
    present = Wrote(read.content(), read.one_of("kind", Kind.NOTE, frozenset(Kind)), said_at)
    while texts and (texts[-1].content, texts[-1].kind) == (present.content, present.kind):
        texts.pop()
    return (*texts, present)


def _heard(part: _Reader, said_at: datetime) -> Heard:
    role = part.one_of("role", Role.USER, frozenset(Role)) if part.given.get("role") != "api" else Role.USER
    return Heard(part.text("quote", LONGEST_CONTENT), role, part.text("speaker"), part.moment("said_at") or said_at)


def _object(entry: object, where: str) -> Mapping[str, object]:
    if not isinstance(entry, Mapping):
        raise DomainError("invalid", f"This export cannot be read: {where} is no JSON object.")
    return entry


@dataclass(frozen=True, slots=True)
class _Reader:
    """Fields of one object by their type; every refusal names the field and the place."""

    given: Mapping[str, object]
    where: str

    def wrong(self, name: str, wanted: str) -> DomainError:
        return DomainError("invalid", f"This export cannot be read: `{name}` of {self.where} is not {wanted}.")

    def text(self, name: str, longest: int = LONGEST_NAME) -> str:
        value = self.given.get(name) or ""
        if not isinstance(value, str) or len(value) > longest:
            raise self.wrong(name, f"a text of at most {longest:,} characters")
        return value

    def content(self) -> str:
        value = self.text("content", LONGEST_CONTENT)
        if not value.strip():
            raise self.wrong("content", "a text")
        return value

    def share(self, name: str, default: float) -> float:
        value = self.given.get(name, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            raise self.wrong(name, "a number from 0 to 1")
        return float(value)

    def truth(self, name: str) -> bool:
        value = self.given.get(name, False)
        if not isinstance(value, bool):
            raise self.wrong(name, "true or false")
        return value

    def one_of(self, name: str, default: E, allowed: frozenset[E]) -> E:
        value = self.given.get(name, default)
        for one in allowed:
            if value == one.value:
                return one
        raise self.wrong(name, f"one of {', '.join(sorted(allowed))}")

    def moment(self, name: str) -> datetime | None:
        value = self.given.get(name)
        if value is None:
            return None
        when = moment_of(value)
        if when is None:
            raise self.wrong(name, "a time from 1900 to 9999 with its offset")
        return when

    def parts(self, name: str) -> list[_Reader]:
        value = self.given.get(name) or []
        if not isinstance(value, list) or len(value) > MOST_PARTS:
            raise self.wrong(name, f"a list of at most {MOST_PARTS} objects")
        where = [f"{name}[{n}] of {self.where}" for n in range(len(value))]
        return [_Reader(_object(part, place), place) for part, place in zip(value, where, strict=True)]
