"""The words of the domain as types. See the glossary in docs/architecture.md."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from uuid import UUID


class Role(StrEnum):
    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"
    WEB = "web"
    DOCUMENT = "document"


class Door(StrEnum):
    """How a fact came in."""

    CUE = "cue"
    IDLE = "idle"
    MANUAL = "manual"
    IMPORT = "import"
    CONSOLIDATION = "consolidation"


class Kind(StrEnum):
    PROFILE = "profile"
    PREFERENCE = "preference"
    INSTRUCTION = "instruction"
    DECISION = "decision"
    PROJECT = "project"
    LESSON = "lesson"
    EVENT = "event"
    NOTE = "note"


class Layer(StrEnum):
    SEMANTIC = "semantic"
    EPISODIC = "episodic"
    PROCEDURAL = "procedural"


class Status(StrEnum):
    PENDING = "pending"
    ACTIVE = "active"
    PAUSED = "paused"
    SUPERSEDED = "superseded"
    EXPIRED = "expired"
    ARCHIVED = "archived"
    FORGOTTEN = "forgotten"


class Sensitivity(StrEnum):
    NORMAL = "normal"
    PERSONAL = "personal"
    CONFIDENTIAL = "confidential"
    RESTRICTED = "restricted"


class SpaceKind(StrEnum):
    PERSON = "person"
    PROJECT = "project"
    ORGANISATION = "organisation"


class Action(StrEnum):
    """What the judge may ask for."""

    ADD = "ADD"
    UPDATE = "UPDATE"
    DELETE = "DELETE"
    NONE = "NONE"


class RunState(StrEnum):
    PENDING = "pending"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"


class ReembeddingState(StrEnum):
    FILLING = "filling"
    SWITCHED = "switched"
    ROLLED_BACK = "rolled_back"
    FINISHED = "finished"


class CueKind(StrEnum):
    """What an explicit statement asks for."""

    REMEMBER = "remember"
    INSTRUCT = "instruct"
    CORRECT = "correct"
    FORGET = "forget"
    DO_NOT_STORE = "do_not_store"


class Effect(StrEnum):
    """What a guard finding does to the text it stands in."""

    REFUSE = "refuse"
    MASK = "mask"
    FLAG = "flag"
    CONFIRM = "confirm"
    QUARANTINE = "quarantine"


@dataclass(frozen=True, slots=True)
class Turn:
    """One message as the domain sees it: cleaned text with its role, speaker and time.

    `said_at` stands in the speaker's own zone; relative dates are resolved only when it is `said_at_known`, that is
    given by the client and not the time of receipt.
    """

    role: Role
    text: str
    id: str = ""
    speaker: str = ""
    said_at: datetime | None = None
    said_at_known: bool = False
    cue: bool = False

    @property
    def dated(self) -> datetime | None:
        """The time that relative words may be resolved against."""
        return self.said_at if self.said_at_known else None


@dataclass(frozen=True, slots=True)
class Cue:
    """A clause that asks for something. `clause` is verbatim; `body` is what is left when the asking words are gone."""

    kind: CueKind
    clause: str
    body: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing a guard saw. `start` and `end` are offsets into the guarded text (end exclusive)."""

    rule: str
    effect: Effect
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the guard says of a text.

    `text` is the text to keep (secrets masked as `[label]`); `refusal` is the reason code when nothing may be kept;
    `flags` are reasons that mark it as suspected noise; `masked` are classes that were masked;
    `masks` is how many stretches were masked or cut out;
    `confirm` holds reasons why a person must confirm it; `quarantine` those why it is kept apart from memory.
    """

    text: str
    refusal: str | None = None
    flags: tuple[str, ...] = ()
    masked: tuple[str, ...] = ()
    confirm: tuple[str, ...] = ()
    quarantine: tuple[str, ...] = ()
    sensitivity: Sensitivity = Sensitivity.NORMAL
    masks: int = 0


@dataclass(frozen=True, slots=True)
class Shown:
    """An existing item as the judge sees it: `number` is the small integer of its line `[number] (kind) content`."""

    number: int
    id: UUID
    content: str
    kind: Kind
    status: Status = Status.ACTIVE
    scope: str = ""
    subject: str = ""
    predicate: str = ""
    object: str = ""
    norm_hash: bytes = b""
    said_at: datetime | None = None
    pinned: bool = False
    importance: float = 0.5
    content_version: int = 1
    speaker: str = ""
    pending_reason: str = ""
    heard: frozenset[tuple[str, str]] = frozenset()
    """Where a candidate was said already: pairs of session id and day (ISO, the speaker's own)."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of the judge after parsing. `target` is the number of a shown item, None for ADD."""

    action: Action
    content: str = ""
    target: int | None = None
    kind: Kind | None = None
    confidence: float = 0.8
    quote: str = ""
    reason: str = ""
    subject: str = ""
    predicate: str = ""
    object: str = ""
    scope: str = ""
    importance: float | None = None
    valid_from: str = ""
    space: SpaceKind | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """A parsed judge answer: what could be read, and the entries that could not (reason codes)."""

    operations: tuple[Operation, ...] = ()
    rejected: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens and calls that one judgement cost."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Judgement:
    """What an extractor answers: operations, who answered, what it cost."""

    answer: Answer
    extractor: str
    model: str = ""
    usage: Usage = field(default_factory=Usage)
