"""Operations + what was shown + tombstones + policy → a frozen WritePlan with a reason for every refusal.

Each operation becomes a draft (`memoryapp.domain.drafting`) and finds its place: a repeat refreshes, a newer statement
replaces what it contradicts, an unclear one waits as a conflict, and nothing is deleted that nobody asked to forget.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from memoryapp.domain.aiming import UNRELATED, aimed, concerns, may_be_a_change
from memoryapp.domain.answers import UNKNOWN_ID
from memoryapp.domain.cues import find_cues
from memoryapp.domain.drafting import Hearing, draft, quarantined, requests_in
from memoryapp.domain.evidence import UNTRUSTED, grams, may_forget, voice_of
from memoryapp.domain.extraction import JudgeRequest
from memoryapp.domain.likeness import contradicts, hedged, negative, replacing_clause, same_statement
from memoryapp.domain.naming import leaves_open, names_something, share_named
from memoryapp.domain.nearness import LEAST_JUDGED, NOT_MEASURED, Nearness
from memoryapp.domain.owners import may_be_same_owner
from memoryapp.domain.parting import is_of_others_too, parted, parted_by_all, takes_what_may_stay, untouched
from memoryapp.domain.planned import (
    BELOW_THRESHOLD,
    CONFLICT,
    UNTRUSTED_SOURCE,
    Forget,
    Ground,
    PlannedText,
    Refresh,
    Refusal,
    WritePlan,
)
from memoryapp.domain.portions import joined, portions
from memoryapp.domain.statements import judge_by_rules, kept_rule
from memoryapp.domain.targets import ALREADY_KNOWN, BY_MEANING, Known
from memoryapp.domain.terms import terms_of
from memoryapp.domain.topic_rules import TopicRule, topic_rules
from memoryapp.domain.types import Action, Answer, CueKind, Door, Operation, Role, Shown, Status, Turn
from memoryapp.domain.unparsed import UNPARSED, unparsed_operations
from memoryapp.domain.unwanted import FAINT_FORGET

__all__ = ["Ground", "PlannedText", "Refresh", "Refusal", "WritePlan", "explicit_operations", "plan"]

CURRENT = (Status.ACTIVE, Status.PAUSED)


def plan(answer: Answer, ground: Ground, explicit: tuple[Operation, ...] = ()) -> WritePlan:
    """Decide every operation of an answer, then the explicit ones (by the rules) that it left out.

    Pure: the same answer and ground give the same plan.
    """
    decided = _Plan(ground)
    for reason in answer.rejected:
        decided.refuse("skipped" if reason == UNKNOWN_ID else "failed", "", reason)
    most = ground.policy.operations_per_run
    understood = tuple(operation for operation in explicit if operation.reason != UNPARSED)
    operations = aimed(answer.operations[:most], understood, ground.shown)
    for operation in sorted(operations, key=lambda o: o.action is Action.DELETE):
        decided.decide(operation, alone=_deletions(answer) == 1)
    for operation in answer.operations[most:]:
        decided.refuse("skipped", operation.action, "too_many_operations", operation)
    decided.honour(understood)
    if not decided.heeded:
        decided.honour(tuple(operation for operation in explicit if operation.reason == UNPARSED))
    decided.quarantine()
    return decided.frozen()


def _repeats(operation: Operation) -> bool:
    return operation.action is Action.NONE and operation.reason == ALREADY_KNOWN and bool(operation.content)


def _deletions(answer: Answer) -> int:
    return sum(operation.action is Action.DELETE for operation in answer.operations)


_LONGEST_EXPLICIT = 120
_SENTENCES = re.compile(r"[。！？!?\n]+|\.\s")
_KEPT = frozenset({"explicit_remember", "explicit_instruct", "explicit_correct", BY_MEANING})
_SHORTEST_QUOTE = 3


def explicit_operations(
    turns: tuple[Turn, ...], shown: tuple[Shown, ...], door: Door, nearness: Nearness = NOT_MEASURED
) -> tuple[Operation, ...]:
    """What the rules make of short, explicit, unambiguous cue clauses: what they ask for has at most 120 characters."""
    cues = [c for t in turns if t.role is Role.USER for c in find_cues(t.text)]
    short = [c.clause for c in cues if len(c.body or c.clause) <= _LONGEST_EXPLICIT]
    pieces = [piece for c in cues if c.clause not in short for piece in _SENTENCES.split(c.clause)]
    long = [piece for piece in pieces if len(piece) > _LONGEST_EXPLICIT]
    cued = any(turn.cue and turn.role is Role.USER for turn in turns)
    request = JudgeRequest(turns, shown, door, "zh", nearness=nearness)
    said = judge_by_rules(request).operations if short or cued else ()
    plain = tuple(
        o
        for o in said
        if any(o.quote in clause or clause in o.quote for clause in short)
        or (o.reason in _KEPT and not any(o.quote in piece for piece in long))
    )
    users = [turn for turn in turns if turn.role is Role.USER]
    rules = [rule for turn in users for rule in topic_rules(turn.text)]
    plain = tuple(o for o in plain if not any(_belongs_to(o, rule) for rule in rules))
    plain += tuple(kept_rule(rule) for rule in rules)
    others = [turn for turn in turns if turn.role is not Role.USER or not topic_rules(turn.text)]
    return plain + tuple(unparsed_operations(others, Known(shown, nearness)))


def _belongs_to(operation: Operation, rule: TopicRule) -> bool:
    """Whether the rules of the grammar made a fact of a rule about what to keep, which is kept as it was said."""
    quoted = operation.quote in rule.clause or rule.clause in operation.quote
    return operation.action in (Action.ADD, Action.UPDATE) and bool(operation.quote) and quoted


@dataclass(frozen=True, slots=True)
class _Heeded:
    """What the judge used: the words it quoted, and the words and terms of what it made of them."""

    quoted: frozenset[str]
    made: frozenset[str]
    terms: frozenset[str]

    def covers(self, stated: str) -> bool:
        """Whether a statement is used up: half of its words stand in what was made of its matter, or were quoted for it."""
        words, terms = grams(stated), terms_of(stated)
        half = max(1, len(words) // 2)
        used = len(words & self.made) >= half or len(words & self.quoted) >= half
        figures = {word for word in words if word[0].isdigit()}
        return used and figures <= self.made | self.quoted and (bool(terms & self.terms) or not terms)


_WAVED_OFF = re.compile(
    r"(?:别|不用|不要|甭)(?:理|听|管|信|照做|当真)|\b(?:ignore|disregard|don['’]t (?:listen|obey|follow|trust)|pay no attention)\b",
    re.IGNORECASE,
)
"""Words that turn down what a tool, web page or document asks."""


class _Plan:
    """Collects decisions; knows which ids and texts were used already."""

    def __init__(self, ground: Ground) -> None:
        self.ground = ground
        self.hearing = Hearing.of(ground)
        self.by_number = {s.number: s for s in ground.shown}
        self.library = ground.library or ground.shown
        self.by_hash = {(s.scope, s.norm_hash): s for s in self.library}
        self.words = [(grams(s.content), s) for s in self.library]
        self.used: set[UUID] = set()
        self.texts: set[tuple[str, bytes]] = set()
        self.heeded: list[_Heeded] = []
        self.changed: set[str] = set()
        """Quotes of the judge's changes of known items."""
        self.adds: list[PlannedText] = []
        self.updates: list[PlannedText] = []
        self.refreshes: list[Refresh] = []
        self.forgets: list[Forget] = []
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

    # --- one operation ---

    def decide(self, operation: Operation, *, alone: bool = False) -> None:
        target = self.by_number.get(operation.target) if operation.target is not None else None
        if operation.action is Action.NONE:
            self._heed_refusal(operation, target)
            if target is not None and _repeats(operation):
                self._repeat(operation, target)
        elif operation.action is Action.ADD:
            self._write(replace(operation, target=None), None)
        elif target is None:
            self.refuse("skipped", operation.action, "unknown_id", operation)
        elif target.id in self.used:
            self.refuse("skipped", operation.action, "one_operation_per_id", operation)
        elif operation.action is Action.DELETE or self._takes_a_part(operation, target):
            self._delete(operation, target, alone=alone)
        else:
            self._write(operation, target)

    def _heed_refusal(self, operation: Operation, target: Shown | None) -> None:
        """A NONE that names its clause or item refuses it; a bare one says nothing about any cue."""
        if operation.quote and operation.reason:
            self._heed(operation.quote, operation.quote)
        if target is not None:
            self._heed(operation.quote, target.content)

    def _repeat(self, operation: Operation, target: Shown) -> None:
        """What the rules recognise as said before adds its evidence to the item, and wakes one that waits."""
        _, text = draft(replace(operation, action=Action.ADD, target=None), None, self.ground, self.hearing)
        if text is not None and target.id not in self.used and self._beside(text, target):
            self.used.add(target.id)
            self.refreshes.append(Refresh(target.id, self._promotes(target, text), text))

    def _heed(self, quote: str, content: str) -> None:
        self.heeded.append(_Heeded(grams(quote), grams(content), terms_of(content)))

    def _delete(self, operation: Operation, target: Shown, *, alone: bool) -> None:
        self.used.add(target.id)
        by_rules = self.ground.extractor == "rules"
        if by_rules and operation.reason == FAINT_FORGET:
            self.unasked.append(target.id)
            return
        if (by_rules and operation.reason == "explicit_forget") or may_forget(
            operation, target, self.ground.turns, alone=alone
        ):
            self._forget(operation, target)
            return
        sentence = self._taken_back(target)
        if not sentence:
            self.unasked.append(target.id)
        elif not self._replaced_by_another(target, sentence):
            kind = operation.kind or target.kind
            self._write(replace(operation, content=sentence, quote=sentence, kind=kind), target, supersede=True)

    def _forget(self, operation: Operation, target: Shown) -> None:
        """The item goes; what it says besides what the wishes name stays as an item of its own, or all of it waits."""
        wish, *others = self._wishes(operation, target)
        part = parted_by_all(wish, others, target.content)
        waits = takes_what_may_stay(wish, target.content, part) or (
            is_of_others_too(wish, target.content)
            if part is None
            else not self._keep_rest(operation, target, part.stays)
        )
        if waits:
            self.unasked.append(target.id)
        else:
            self.forgets.append(Forget(target.id, part.gone if part is not None else ()))
        self._heed(operation.quote, f"{operation.quote} {target.content}")

    def _wishes(self, operation: Operation, target: Shown) -> list[str]:
        """What is to be forgotten by the request behind a deletion, then by the others; its quote where no cue is heard.

        A wish that only points (把他生日忘掉) is read with the message around it.
        """
        quote = operation.quote
        asked: dict[str, bool] = {}
        for text in (turn.text for turn in self.ground.turns if turn.role is Role.USER):
            for cue in find_cues(text):
                if cue.kind is CueKind.FORGET:
                    wish = text if leaves_open(cue.body) else cue.body
                    asked[wish] = not quote or quote in cue.clause or cue.clause in quote
        mine = [wish for wish, is_mine in asked.items() if is_mine]
        first = max(mine, key=lambda wish: share_named(wish, target), default=quote)
        return [first, *(wish for wish in asked if wish != first)]

    def _takes_a_part(self, operation: Operation, target: Shown) -> bool:
        """Whether an update only leaves a part of an item out that its person wants forgotten: no version may keep it."""
        if operation.action is not Action.UPDATE or not terms_of(operation.content) < terms_of(target.content):
            return False
        wish = self._wishes(operation, target)[0]
        return wish != operation.quote and parted(wish, target.content) is not None

    def _keep_rest(self, operation: Operation, target: Shown, content: str) -> bool:
        """Add what stays of an item, with its standing and date; False where it may not be written by itself.

        What was asked to go stands in the wish, so that the rest is its own evidence.
        """
        kept = replace(operation, action=Action.ADD, content=content, target=None, kind=target.kind, scope=target.scope)
        kept = replace(kept, importance=target.importance, subject="", predicate="", object="")
        _, text = draft(kept, target, self.ground, self.hearing)
        if text is None:
            return False
        twin = self._twin(text)
        if (twin is None or twin.id == target.id) and (text.scope, text.norm_hash) not in self.texts:
            self.texts.add((text.scope, text.norm_hash))
            text = replace(text, status=target.status, pending_reason=target.pending_reason, rest_of=target.id)
            self.adds.append(replace(text, said_at=target.said_at or text.said_at, quote=text.content, turn=None))
        return True

    def _taken_back(self, target: Shown) -> str:
        """The newest user sentence that takes an item back; empty when none does."""
        for index, turn in reversed(list(enumerate(self.ground.turns))):
            mine = turn.role is Role.USER and index not in self.hearing.silent and self._same_voice(turn, target)
            if mine and (sentence := replacing_clause(turn.text, target.content)):
                return sentence
        return ""

    def _replaced_by_another(self, target: Shown, sentence: str) -> bool:
        """Whether a text of this plan already says the new state; then that one supersedes the item."""
        for position, text in enumerate(self.adds):
            if text.supersedes == target.id:
                return True
            fits = text.status is Status.ACTIVE and text.supersedes is None
            if fits and (text.quote in sentence or sentence in text.quote or grams(text.content) & grams(sentence)):
                self.adds[position] = replace(text, supersedes=target.id)
                return True
        return False

    def _write(self, operation: Operation, target: Shown | None, *, supersede: bool = False) -> None:
        refusal, text = draft(operation, target, self.ground, self.hearing)
        if text is None:
            self.refuse("skipped", operation.action, refusal, operation)
            return
        self._heed(operation.quote, text.content)
        target = target if target is not None and self._may_change(target, text) else None
        if target is not None and not supersede and not self._concerns(operation, text, target):
            self.refuse("skipped", operation.action, UNRELATED, operation)
            text, target = self._beside_the_point(text, target), None
        if target is not None:
            self.used.add(target.id)
            self.changed |= {operation.quote} if len(operation.quote) >= _SHORTEST_QUOTE else set()
        text = self._with_untouched(operation, text, target or self._rival(text))
        twin = self._twin(text)
        if text.pending_reason == UNTRUSTED_SOURCE and twin is not None:
            self.refuse("skipped", operation.action, "duplicate", operation)
        elif twin is not None and (target is None or twin.id == target.id):
            self.refreshes.append(Refresh(twin.id, self._promotes(twin, text), text))
        elif twin is not None or (text.scope, text.norm_hash) in self.texts:
            self.refuse("skipped", operation.action, "duplicate", operation)
        else:
            self.texts.add((text.scope, text.norm_hash))
            self._place(text, target, supersede)

    def _with_untouched(self, operation: Operation, text: PlannedText, known: Shown | None) -> PlannedText:
        """A text with what the item that it replaces says of other things, which nobody asked to change."""
        said = self.ground.turns[text.turn].text if text.turn is not None else text.quote
        rest = untouched(text.content, said, known.content) if known is not None else ()
        if not rest:
            return text
        _, whole = draft(replace(operation, content=joined([text.content, *rest])), known, self.ground, self.hearing)
        return whole or text

    # --- what it may touch ---

    def _may_change(self, target: Shown, text: PlannedText) -> bool:
        """Another speaker's or person's fact, or one of another scope, never becomes the item's new text."""
        if self.ground.scope and target.scope != self.ground.scope:
            return False
        said = self.ground.turns[text.turn] if text.turn is not None else None
        spoken = said.text if said else ""
        same_owner = any(may_be_same_owner(text.content, each, spoken) for each in portions(target.content))
        return same_owner and (said is None or self._same_voice(said, target))

    def _concerns(self, operation: Operation, text: PlannedText, target: Shown) -> bool:
        said = self.ground.turns[text.turn].text if text.turn is not None else text.quote
        near = self.ground.nearness.is_near(target, LEAST_JUDGED)
        return self.ground.extractor == "rules" or near or concerns(operation, text.content, said, target)

    def _beside_the_point(self, text: PlannedText, target: Shown) -> PlannedText:
        """A text for another item than the judge named: new by itself, or in the inbox when it may replace it."""
        said = self.ground.turns[text.turn].text if text.turn is not None else text.quote
        if target.status not in CURRENT or not may_be_a_change(said):
            return text
        return replace(text, status=Status.PENDING, pending_reason=CONFLICT, conflicts_with=target.id)

    def _same_voice(self, turn: Turn, item: Shown) -> bool:
        person, several = self.ground.person, self.hearing.several
        return voice_of(turn.speaker, person, several) == voice_of(item.speaker, person, several)

    def _twin(self, text: PlannedText) -> Shown | None:
        literal = self.by_hash.get((text.scope, text.norm_hash))
        if literal is not None:
            return literal
        return next((i for i in self._akin(text) if same_statement(text.content, i.content)), None)

    def _akin(self, text: PlannedText) -> Iterator[Shown]:
        """Items of the same scope and voice that have words in common with a text."""
        words = grams(text.content)
        for known, item in self.words:
            if words & known and item.status is not Status.ARCHIVED and self._beside(text, item):
                yield item

    def _beside(self, text: PlannedText, item: Shown) -> bool:
        voiced = text.turn is None or self._same_voice(self.ground.turns[text.turn], item)
        return item.scope == text.scope and voiced

    def _promotes(self, twin: Shown, text: PlannedText) -> bool:
        """A candidate becomes active by an explicit cue or by a second independent source: another session or day."""
        if twin.status is not Status.PENDING or text.pending_reason not in ("", BELOW_THRESHOLD) or text.turn is None:
            return False
        turn = self.ground.turns[text.turn]
        if turn.role is not Role.USER:
            return False
        if text.status is Status.ACTIVE and turn.cue:
            return True
        weak_enough = twin.pending_reason == BELOW_THRESHOLD or text.status is Status.ACTIVE
        return weak_enough and (self.ground.session, text.said_at.date().isoformat()) not in twin.heard

    # --- where it goes ---

    def _place(self, text: PlannedText, target: Shown | None, supersede: bool) -> None:
        # A rule about what to keep says nothing of its topic, so it takes no fact's place.
        rival = target or (None if topic_rules(text.content) else self._rival(text))
        if rival is None or text.conflicts_with is not None:
            self.adds.append(text)
        elif text.status is Status.PENDING:
            self.adds.append(replace(text, conflicts_with=rival.id))
        elif text.said_at < (rival.said_at or text.said_at) or (target is None and self._unclear(text)):
            self.adds.append(replace(text, status=Status.PENDING, pending_reason=CONFLICT, conflicts_with=rival.id))
        elif target is None or supersede:
            self.used.add(rival.id)
            self.adds.append(replace(text, supersedes=rival.id))
        else:
            promotes = target.status is Status.PENDING and self._promotes(target, text)
            self.updates.append(replace(text, target=target.id, scope=target.scope, promotes=promotes))

    def _rival(self, text: PlannedText) -> Shown | None:
        """The present item that a new text contradicts."""
        free = (i for i in self._akin_or_claimed(text) if i.status in CURRENT and i.id not in self.used)
        return next((i for i in free if contradicts(text.content, i.content)), None)

    def _akin_or_claimed(self, text: PlannedText) -> Iterator[Shown]:
        """Values of one thing need share no word (上海 / 苏州), so the items shown are looked at as well."""
        yield from self._akin(text)
        yield from (item for item in self.ground.shown if self._beside(text, item))

    def _unclear(self, text: PlannedText) -> bool:
        """Whether it is open which of two statements holds: the new one is guessed, or nobody knows when it was said."""
        undated = text.turn is not None and not self.ground.turns[text.turn].said_at_known
        guessed = hedged(text.quote) or hedged(text.content)
        return guessed or (self.ground.door is Door.IMPORT and undated)

    # --- what no judge may lose, and what no tool may add ---

    def honour(self, explicit: tuple[Operation, ...]) -> None:
        """Explicit requests of the user that the judge neither used nor refused are decided by the rules."""
        judged, self.ground = self.ground, replace(self.ground, extractor="rules")
        refused, acted = list(self.refusals), [item for item in self.by_number.values() if item.id in self.used]
        for operation in explicit:
            said = operation.action is not Action.NONE or _repeats(operation)
            if said and not self._is_heeded(operation) and not self._is_met(operation, acted):
                self.decide(operation)
        self.refusals = refused + [r for r in self.refusals[len(refused) :] if r not in refused]
        self.ground = judged

    def _is_heeded(self, operation: Operation) -> bool:
        target = self.by_number.get(operation.target) if operation.target is not None else None
        if target is not None and target.id in self.used:
            return True
        if operation.action is Action.DELETE:
            return False
        stated = operation.content or operation.quote
        return any(heeded.covers(stated) for heeded in self.heeded) or self._is_part_of_a_change(operation, stated)

    def _is_met(self, operation: Operation, acted: Sequence[Shown]) -> bool:
        """Whether the judge met a faint wish to forget by an item that the request names no worse."""
        target = self.by_number.get(operation.target) if operation.target is not None else None
        if operation.reason != FAINT_FORGET or target is None:
            return False
        mine = share_named(operation.quote, target)
        if not mine and names_something(operation.quote):
            return False
        return any(share_named(operation.quote, item) >= mine for item in acted)

    def _is_part_of_a_change(self, operation: Operation, stated: str) -> bool:
        """Whether a change that was made says it already: another clause of the same correction, or the old value
        turned down (我搬家了，现在住南京，别再按杭州推荐)."""
        if operation.reason == "explicit_correct" and any(quote in operation.quote for quote in self.changed):
            return True
        old = (item.content for item in self.by_number.values() if item.id in self.used)
        return negative(stated) and any(terms_of(content) & terms_of(stated) for content in old)

    def quarantine(self) -> None:
        """What a tool, web page or document asks to be remembered waits in the inbox, whatever the judge said."""
        for index, turn in enumerate(self.ground.turns):
            waved_off = self._is_waved_off(index)
            for request in requests_in(turn.text) if turn.role in UNTRUSTED else ():
                refusal, text = quarantined(request, index, self.ground)
                if text is not None and waved_off:
                    self.refuse("skipped", Action.ADD, UNTRUSTED_SOURCE)
                elif text is None:
                    self.refuse("skipped", Action.ADD, refusal)
                elif not self._waits(text):
                    self.texts.add((text.scope, text.norm_hash))
                    self.adds.append(text)

    def _is_waved_off(self, index: int) -> bool:
        """Whether the person said to ignore what a foreign text asks."""
        after = (turn.text for turn in self.ground.turns[index + 1 :] if turn.role is Role.USER)
        return any(_WAVED_OFF.search(text) for text in after)

    def _waits(self, text: PlannedText) -> bool:
        """Whether a foreign request is known or stands in the plan already, in the judge's words perhaps."""
        if self._twin(text) is not None or (text.scope, text.norm_hash) in self.texts:
            return True
        words = grams(text.content)
        planned = (each for each in self.adds if each.pending_reason == UNTRUSTED_SOURCE and each.turn == text.turn)
        return any(2 * len(words & grams(each.content)) >= len(words) for each in planned)
