"""The frozen values of a write plan: what a decision stands on, and what the write door will do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from memoryapp.domain.nearness import NOT_MEASURED, Nearness
from memoryapp.domain.policy import Policy
from memoryapp.domain.tombstones import Graveyard
from memoryapp.domain.types import Door, Kind, Sensitivity, Shown, Status, Turn

DEFAULT_IMPORTANCE = 0.5
BELOW_THRESHOLD, CONFLICT, UNTRUSTED_SOURCE = "below_threshold", "conflict", "untrusted_source"
DELETE_UNASKED = "delete_unasked"
"""A deletion that somebody proposed and the person did not ask for."""
REST = "rest_of_forgotten"
"""What is left of an item of which a part was to be forgotten."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """An operation that is not carried out. `section` is skipped or failed."""

    section: str
    action: str
    reason: str
    kind: str = ""
    target: UUID | None = None


@dataclass(frozen=True, slots=True)
class PlannedText:
    """A text to store, as a new item (`target` None) or as the next version of `target`.

    `supersedes` is an item that this one replaces now, `conflicts_with` one that it replaces once it is confirmed,
    `rest_of` one that is forgotten and of which this is left,
    `promotes` says that the update makes a candidate active, `lifts` names the tombstones that a newer explicit statement ends.
    `turn` indexes the turn of the evidence (None: no conversation); `triple` is the keyed fingerprint of
    subject–predicate–object.
    """

    content: str
    kind: Kind
    status: Status
    norm_hash: bytes
    fingerprint: bytes
    said_at: datetime
    target: UUID | None = None
    supersedes: UUID | None = None
    rest_of: UUID | None = None
    conflicts_with: UUID | None = None
    promotes: bool = False
    lifts: tuple[UUID, ...] = ()
    triple: bytes | None = None
    pending_reason: str = ""
    importance: float = DEFAULT_IMPORTANCE
    confidence: float = 0.8
    sensitivity: Sensitivity = Sensitivity.NORMAL
    scope: str = ""
    subject: str = ""
    predicate: str = ""
    object: str = ""
    quote: str = ""
    turn: int | None = None
    flags: tuple[str, ...] = ()
    masked: tuple[str, ...] = ()
    extractor: str = ""


@dataclass(frozen=True, slots=True)
class Refresh:
    """A repeat of an item: evidence and time move on; `promotes` makes a candidate active."""

    item: UUID
    promotes: bool = False
    text: PlannedText | None = None


@dataclass(frozen=True, slots=True)
class Forget:
    """An item to forget; `parts` are the statements asked for where the rest of it stays, empty for the whole of it."""

    item: UUID
    parts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WritePlan:
    """What the write door will do, in full."""

    adds: tuple[PlannedText, ...] = ()
    updates: tuple[PlannedText, ...] = ()
    refreshes: tuple[Refresh, ...] = ()
    forgets: tuple[Forget, ...] = ()
    unasked: tuple[UUID, ...] = ()
    refusals: tuple[Refusal, ...] = ()


@dataclass(frozen=True, slots=True)
class Ground:
    """What a decision stands on.

    `shown` is what the judge saw, `library` every live item of the space: a repeat is known by its text wherever it
    lies. `graveyard` is what was forgotten there; `key` is the space's own. `person`
    names whose memory it is, `session` where the turns were said, `scope` the label that new texts get. `instructions`
    are those that the person keeps in a space of their own beside the one that is written to; `nearness` how near the
    items are by meaning to what is to be changed or forgotten.
    """

    shown: tuple[Shown, ...]
    turns: tuple[Turn, ...]
    policy: Policy
    door: Door
    now: datetime
    key: bytes
    fold: Callable[[str], str]
    graveyard: Graveyard = field(default_factory=Graveyard)
    extractor: str = ""
    library: tuple[Shown, ...] = ()
    person: str = ""
    session: str = ""
    scope: str = ""
    instructions: tuple[str, ...] = ()
    nearness: Nearness = NOT_MEASURED
