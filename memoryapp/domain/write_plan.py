"""Operations + what was shown + tombstones + policy → a frozen WritePlan with a reason for every refusal.

Checks run in the order of the design: shape, id was shown, one per id, confidence, guard, language, evidence,
tombstone, literal duplicate, conflict, class (automatic, confirm, forbidden).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from memoryapp.domain.cues import find_cues, only_asks
from memoryapp.domain.guards import inspect_item
from memoryapp.domain.hashing import fingerprint, norm_hash
from memoryapp.domain.language import same_language
from memoryapp.domain.policy import Policy
from memoryapp.domain.types import (
    Action,
    Answer,
    CueKind,
    Door,
    Kind,
    Operation,
    Role,
    Sensitivity,
    Shown,
    Status,
    Turn,
)

DEFAULT_IMPORTANCE = 0.5


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

    `supersedes` is an item that this one replaces, `turn` indexes the turn of the evidence (None: no conversation).
    """

    content: str
    kind: Kind
    status: Status
    norm_hash: bytes
    fingerprint: bytes
    said_at: datetime
    target: UUID | None = None
    supersedes: UUID | None = None
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
class WritePlan:
    """What the write door will do, in full. `refreshes` pairs an item with whether a cue promotes it."""

    adds: tuple[PlannedText, ...] = ()
    updates: tuple[PlannedText, ...] = ()
    refreshes: tuple[tuple[UUID, bool, int | None], ...] = ()
    forgets: tuple[UUID, ...] = ()
    unasked: tuple[UUID, ...] = ()
    refusals: tuple[Refusal, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not (self.adds or self.updates or self.refreshes or self.forgets or self.unasked)


@dataclass(frozen=True, slots=True)
class Ground:
    """What a decision stands on. `tombstones` maps a fingerprint to its horizon; `key` is the space's own."""

    shown: tuple[Shown, ...]
    turns: tuple[Turn, ...]
    policy: Policy
    door: Door
    now: datetime
    key: bytes
    fold: Callable[[str], str]
    tombstones: Mapping[bytes, datetime] = field(default_factory=dict)
    extractor: str = ""


def plan(answer: Answer, ground: Ground) -> WritePlan:
    """Decide every operation of an answer. Pure: the same answer and ground give the same plan."""
    decided = _Plan(ground)
    for reason in answer.rejected:
        decided.refuse("failed", "", reason)
    for operation in answer.operations[: ground.policy.operations_per_run]:
        decided.decide(operation)
    for operation in answer.operations[ground.policy.operations_per_run :]:
        decided.refuse("skipped", operation.action, "too_many_operations", operation)
    return decided.frozen()


class _Plan:
    """Collects decisions; knows which ids and texts were used already."""

    def __init__(self, ground: Ground) -> None:
        self.ground = ground
        self.by_number = {s.number: s for s in ground.shown}
        self.by_hash = {s.norm_hash: s for s in ground.shown}
        self.used: set[UUID] = set()
        self.texts: set[bytes] = set()
        self.adds: list[PlannedText] = []
        self.updates: list[PlannedText] = []
        self.refreshes: list[tuple[UUID, bool, int | None]] = []
        self.forgets: list[UUID] = []
        self.unasked: list[UUID] = []
        self.refusals: list[Refusal] = []

    def frozen(self) -> WritePlan:
        return WritePlan(
            tuple(self.adds),
            tuple(self.updates),
            tuple(self.refreshes),
            tuple(self.forgets),
            tuple(self.unasked),
            tuple(self.refusals),
        )

    def refuse(self, section: str, action: str, reason: str, operation: Operation | None = None) -> None:
        shown = self.by_number.get(operation.target) if operation and operation.target is not None else None
        kind = str(operation.kind) if operation and operation.kind else ""
        self.refusals.append(Refusal(section, str(action), reason, kind, shown.id if shown else None))

    def decide(self, operation: Operation) -> None:
        if operation.action is Action.NONE:
            return
        if operation.action is Action.ADD:
            self._write(replace(operation, target=None), None)
            return
        target = self.by_number.get(operation.target) if operation.target is not None else None
        if target is None:
            self.refuse("skipped", operation.action, "unknown_id", operation)
        elif target.id in self.used:
            self.refuse("skipped", operation.action, "one_operation_per_id", operation)
        else:
            self.used.add(target.id)
            self._delete(operation, target) if operation.action is Action.DELETE else self._write(operation, target)

    def _delete(self, operation: Operation, target: Shown) -> None:
        if asks_to_forget(self.ground.turns):
            self.forgets.append(target.id)
            return
        statement = contradiction(target, self.ground.turns)
        if statement is None:
            self.unasked.append(target.id)
            return
        content = self.ground.turns[statement].text
        replacement = replace(operation, content=content, quote=content, kind=operation.kind or target.kind)
        self._write(replacement, target, supersede=True)

    def _write(self, operation: Operation, target: Shown | None, *, supersede: bool = False) -> None:
        refusal, text = judge_text(operation, target, self.ground)
        if text is None:
            self.refuse("skipped", operation.action, refusal, operation)
            return
        twin = self.by_hash.get(text.norm_hash)
        if twin is not None and (target is None or twin.id == target.id):
            cue = text.turn is not None and self.ground.turns[text.turn].cue
            self.refreshes.append((twin.id, cue, text.turn))
        elif text.norm_hash in self.texts or twin is not None:
            self.refuse("skipped", operation.action, "duplicate", operation)
        else:
            self.texts.add(text.norm_hash)
            self._place(text, target, supersede)

    def _place(self, text: PlannedText, target: Shown | None, supersede: bool) -> None:
        if target is None or text.status is Status.PENDING:
            self.adds.append(text)
        elif supersede:
            self.adds.append(replace(text, supersedes=target.id))
        else:
            self.updates.append(replace(text, target=target.id, scope=target.scope))


def judge_text(operation: Operation, target: Shown | None, ground: Ground) -> tuple[str, PlannedText | None]:
    """The text an operation may store, or the reason why none."""
    if only_asks(operation.content):
        return "request", None
    verdict = inspect_item(operation.content, ground.policy)
    if verdict.refusal is not None:
        return verdict.refusal, None
    turn = evidence_turn(operation, ground.turns)
    if turn is None:
        return "unsupported", None
    said = ground.turns[turn]
    threshold = ground.policy.cue_threshold if said.cue else ground.policy.idle_threshold
    if operation.confidence < ground.policy.candidate_floor:
        return "low_confidence", None
    text = _text(operation, target, ground, turn, verdict.text)
    horizon = ground.tombstones.get(text.fingerprint)
    if horizon is not None and not (said.cue and text.said_at > horizon):
        return "tombstoned", None
    reasons = [*verdict.confirm, *verdict.quarantine]
    if operation.confidence < threshold:
        reasons.append("below_threshold")
    text = replace(text, flags=verdict.flags, masked=verdict.masked, sensitivity=verdict.sensitivity)
    return "", replace(text, status=Status.PENDING, pending_reason=reasons[0]) if reasons else text


def _text(operation: Operation, target: Shown | None, ground: Ground, turn: int, content: str) -> PlannedText:
    said = ground.turns[turn]
    spoken = same_language(content, said.text)
    kept = content if spoken else said.text[: ground.policy.max_length]
    return PlannedText(
        content=kept,
        kind=operation.kind or (target.kind if target else Kind.NOTE),
        status=Status.ACTIVE if spoken else Status.PENDING,
        pending_reason="" if spoken else "language",
        norm_hash=norm_hash(kept, ground.fold),
        fingerprint=fingerprint(ground.key, kept, ground.fold),
        said_at=said.said_at or ground.now,
        importance=operation.importance if operation.importance is not None else DEFAULT_IMPORTANCE,
        confidence=operation.confidence,
        scope=operation.scope,
        subject=operation.subject,
        predicate=operation.predicate,
        object=operation.object,
        quote=operation.quote if operation.quote and operation.quote in said.text else said.text,
        turn=turn,
        extractor=ground.extractor,
    )


def evidence_turn(operation: Operation, turns: Sequence[Turn]) -> int | None:
    """The user turn that holds the quote; without a quote, the one that shares most with the content."""
    users = [(i, t) for i, t in enumerate(turns) if t.role is Role.USER]
    if operation.quote:
        wanted = _squeezed(operation.quote)
        exact = [i for i, t in users if wanted in _squeezed(t.text)]
        if exact:
            return exact[-1]
    words = grams(operation.content)
    scored = [(len(words & grams(t.text)) / max(1, len(words)), i) for i, t in users]
    best = max(scored, default=(0.0, -1))
    return best[1] if best[0] >= (0.5 if operation.quote else 0.3) else None


def asks_to_forget(turns: Sequence[Turn]) -> bool:
    """An explicit request to forget stands in a user turn."""
    return any(c.kind is CueKind.FORGET for t in turns if t.role is Role.USER for c in find_cues(t.text))


def contradiction(target: Shown, turns: Sequence[Turn]) -> int | None:
    """The user turn that says something else about what an item says; None when nothing does."""
    words = grams(target.content) - grams("用户 user the")
    scored = [(len(words & grams(t.text)), i) for i, t in enumerate(turns) if t.role is Role.USER]
    best = max(scored, default=(0, -1))
    return best[1] if best[0] >= 1 else None


def grams(text: str) -> frozenset[str]:
    """Latin words and Chinese character pairs, lower case: a cheap measure of shared wording."""
    lowered = text.lower()
    latin = re.findall(r"[a-z0-9][a-z0-9_.+#-]*", lowered)
    runs = re.findall(r"[\u3400-\u9fff]+", lowered)
    return frozenset(latin) | {run[i : i + 2] for run in runs for i in range(len(run) - 1)}


def _squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text).lower()
