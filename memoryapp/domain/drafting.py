"""One operation → the text that may be stored for it, or the reason why none.

Checks run in the order of the design: confidence, guard, evidence, language and invention, sensitivity, tombstone.
What the judge got wrong about something that was said is not lost: the user's own sentence becomes a candidate.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from memoryapp.domain.cues import find_cues, has_cue, only_asks
from memoryapp.domain.dates import invented_dates, with_dates
from memoryapp.domain.evidence import (
    evidence_turn,
    grams,
    is_reported,
    own_sentence,
    untrusted_turn,
    voice_of,
    voices,
)
from memoryapp.domain.guards import inspect_item
from memoryapp.domain.hashing import fingerprint, norm_hash, triple_fingerprint
from memoryapp.domain.language import language_of, same_language
from memoryapp.domain.likeness import shares_a_word
from memoryapp.domain.parting import tells_what_was_forgotten
from memoryapp.domain.planned import BELOW_THRESHOLD, DEFAULT_IMPORTANCE, UNTRUSTED_SOURCE, Ground, PlannedText
from memoryapp.domain.provenance import carries_quoted_rule
from memoryapp.domain.silence import PERHAPS_UNWANTED, left_out, silence, without
from memoryapp.domain.terms import terms_of
from memoryapp.domain.tombstones import Standing, Wording
from memoryapp.domain.topic_rules import OWNER_ASKED_NOT_TO, TopicRule, falls_under, topic_rules, without_rules
from memoryapp.domain.types import Action, CueKind, Door, Kind, Operation, Role, Shown, Status, Turn, Verdict


@dataclass(frozen=True, slots=True)
class Hearing:
    """What is known of the turns of a plan once for all its operations."""

    silent: frozenset[int]
    several: frozenset[str]
    doubted: frozenset[int] = frozenset()
    """Turns that their writer perhaps did not want kept."""
    rules: tuple[TopicRule, ...] = ()
    """What the person asked not to keep, in their instructions and in these turns."""
    left_out: tuple[str, ...] = ()
    """Clauses of their requests that say what not to keep, which stand in no item and in no evidence."""

    @classmethod
    def of(cls, ground: Ground) -> Hearing:
        kept_out = silence(ground.turns)
        several = voices(ground.turns, ground.library, ground.person)
        asked = {n for n, turn in enumerate(ground.turns) if turn.role is Role.USER and has_cue(turn.text)}
        heard = sorted((kept_out.likely | asked) - kept_out.sure)
        clauses = tuple(clause for index in heard for clause in left_out(ground.turns[index].text))
        return cls(kept_out.sure, several, kept_out.likely, _rules(ground), clauses)


def _rules(ground: Ground) -> tuple[TopicRule, ...]:
    kept = [i.content for i in ground.library if i.kind is Kind.INSTRUCTION and i.status is Status.ACTIVE]
    standing = (rule for text in (*kept, *ground.instructions) for rule in topic_rules(text, standing=True))
    said = (rule for turn in ground.turns if turn.role is Role.USER for rule in topic_rules(turn.text))
    return (*standing, *said)


def draft(
    operation: Operation, target: Shown | None, ground: Ground, hearing: Hearing
) -> tuple[str, PlannedText | None]:
    """The text an operation may store, or the reason why none."""
    if operation.confidence < ground.policy.candidate_floor:
        return "low_confidence", None
    if hearing.left_out:
        operation = _less(operation, hearing.left_out)
        if not operation.content or _tells_left_out(operation.content, hearing.left_out, ground.turns):
            return "do_not_store", None
    if only_asks(operation.content) and not _is_rule(operation):
        return "request", None
    verdict = inspect_item(operation.content, ground.policy)
    if verdict.refusal is not None:
        return verdict.refusal, None
    index = evidence_turn(operation, ground.turns)
    if index is None:
        foreign = untrusted_turn(operation, ground.turns)
        asked = foreign is not None and requests_in(ground.turns[foreign].text)
        return (
            quarantined(operation.content, foreign, ground) if foreign is not None and asked else ("unsupported", None)
        )
    if index in hearing.silent:
        return "do_not_store", None
    said = ground.turns[index]
    if _is_forbidden(operation, said, hearing):
        return OWNER_ASKED_NOT_TO, None
    if same_language(operation.content, said.text) and not _supported(operation, target, ground):
        return "unsupported", None
    wrong = mistake(operation, target, said, ground)
    if wrong:
        operation, verdict = _own_words(operation, said, ground, hearing.left_out)
        if verdict.refusal is not None:
            return verdict.refusal, None
    return _standing(_text(operation, target, verdict, ground, index, hearing, wrong), said, ground)


def _less(operation: Operation, clauses: tuple[str, ...]) -> Operation:
    """An operation whose content and quote hold none of these clauses; the quote stays one piece of the message."""
    quote = operation.quote
    for clause in clauses:
        before, _, after = quote.partition(clause)
        quote = before.strip(" ，,；;") or after.strip(" ，,；;")
    return replace(operation, content=without(operation.content, clauses), quote=quote)


def _tells_left_out(content: str, clauses: tuple[str, ...], turns: tuple[Turn, ...]) -> bool:
    """Whether a text says in other words what was left out: it has words of those clauses that stand nowhere else."""
    elsewhere = terms_of(" ".join(without(turn.text, clauses) for turn in turns if turn.role is Role.USER))
    return bool(terms_of(content) & terms_of(" ".join(clauses)) - elsewhere)


def _is_rule(operation: Operation) -> bool:
    """Whether an operation keeps nothing but a rule about what to keep."""
    rules = topic_rules(operation.content, standing=operation.kind is Kind.INSTRUCTION)
    return bool(rules) and not falls_under(rules, without_rules(operation.content, rules))


def _is_forbidden(operation: Operation, said: Turn, hearing: Hearing) -> bool:
    """Whether a fact falls under a rule of its person, who did not ask to remember just that."""
    if not hearing.rules or _is_rule(operation):
        return False
    if not falls_under(hearing.rules, operation.content, operation.quote):
        return False
    stated = grams(f"{operation.content} {operation.quote}")
    asked = (cue.clause for cue in find_cues(said.text) if cue.kind is CueKind.REMEMBER)
    return not any(grams(clause) & stated and not topic_rules(clause) for clause in asked)


def _supported(operation: Operation, target: Shown | None, ground: Ground) -> bool:
    """A fact has a word in common with something the user said, or with the item that it changes."""
    said = [t.text for t in ground.turns if t.role is Role.USER] + ([target.content] if target else [])
    return any(shares_a_word(operation.content, text) for text in said)


def _standing(text: PlannedText, said: Turn, ground: Ground) -> tuple[str, PlannedText | None]:
    """The text, unless it was forgotten; a newer explicit statement of the user passes and ends the tombstone."""
    explicit = said.role is Role.USER and said.cue and ground.door is not Door.IMPORT
    wording = Wording(text.content, text.subject, text.predicate, text.object)
    ruling = ground.graveyard.rule(wording, text.said_at, explicit, ground.fold)
    if ruling.standing is Standing.BLOCKED:
        return str(Standing.BLOCKED), None
    again = not explicit and tells_what_was_forgotten(
        text.content,
        lambda part: (
            ground.graveyard.rule(Wording(part), text.said_at, False, ground.fold).standing is Standing.BLOCKED
        ),
    )
    if (again or ruling.standing is Standing.SIMILAR) and text.status is Status.ACTIVE:
        return "", replace(text, status=Status.PENDING, pending_reason=str(Standing.SIMILAR))
    return "", replace(text, lifts=ruling.lifts)


# --- what a judge gets wrong ---


def mistake(operation: Operation, target: Shown | None, said: Turn, ground: Ground) -> str:
    """Why the judge's words cannot be kept although something was said: language, a date or a detail of its own."""
    if operation.content not in said.text and not same_language(operation.content, said.text):
        return "language"
    if _invents_a_date(operation.content, target, ground):
        return "invented_date"
    return "invented_detail" if _invents_a_detail(operation.content, target, ground) else ""


def _invents_a_date(content: str, target: Shown | None, ground: Ground) -> bool:
    sources = [(t.text, t.dated) for t in ground.turns if t.role is Role.USER]
    sources += [(target.content, None)] if target else []
    claimed = [span.text for text, said_at in sources[:1] for span in invented_dates(content, text, said_at)]
    for text, said_at in sources[1:]:
        invented = {span.text for span in invented_dates(content, text, said_at)}
        claimed = [one for one in claimed if one in invented]
    return bool(claimed)


_IDENTIFIER = re.compile(r"[A-Za-z0-9]+(?:[_./:@#-][A-Za-z0-9]+)+|[A-Za-z]+\d\w*|\d+[A-Za-z]\w*|\d{3,}")
_NUMBER_WORDS = re.compile(
    r"[零一二三四五六七八九十百千万亿两半]|\b(?:k|hundred|thousand|million|dozen|half|one|two|three|four|five|six"
    r"|seven|eight|nine|ten|twenty|thirty|fifty|o'clock|am|pm)\b|\d ?[kKwW万]",
)


def _invents_a_detail(content: str, target: Shown | None, ground: Ground) -> bool:
    """An identifier or a long figure that nobody wrote. Figures may be another form of number words."""
    known = " ".join([*(t.text for t in ground.turns), target.content if target else ""])
    plain = re.sub(r"[\s,，]", "", known).casefold()
    for found in _IDENTIFIER.findall(_without_dates(content)):
        worded = found.isdigit() and _NUMBER_WORDS.search(known)
        if not worded and found.casefold() not in plain:
            return True
    return False


def _without_dates(content: str) -> str:
    return re.sub(r"(?:19|20)\d{2}(?:[-/.]\d{1,2}){0,2}(?:/(?:\d{4}-)?\d{2}(?:-\d{2})?)?", " ", content)


def _own_words(operation: Operation, said: Turn, ground: Ground, clauses: tuple[str, ...]) -> tuple[Operation, Verdict]:
    """The operation with the user's own sentence, less what they left out, as its content."""
    sentence = without(own_sentence(operation.quote, said.text), clauses)[: ground.policy.max_length]
    verdict = inspect_item(sentence, ground.policy)
    return replace(operation, content=sentence, subject="", predicate="", object=""), verdict


# --- the text ---


def _text(
    operation: Operation,
    target: Shown | None,
    verdict: Verdict,
    ground: Ground,
    index: int,
    hearing: Hearing,
    wrong: str,
) -> PlannedText:
    said = ground.turns[index]
    speaker = said.speaker if voice_of(said.speaker, ground.person, hearing.several) else ""
    content = with_dates(_attributed(verdict.text, speaker), said.dated)
    unwanted = [PERHAPS_UNWANTED] if index in hearing.doubted and not _is_rule(operation) else []
    doubts = [*unwanted, *verdict.confirm, *verdict.quarantine, *([wrong] if wrong else [])]
    doubts += _doubts(operation, said, ground)
    return PlannedText(
        content=content,
        kind=operation.kind or (target.kind if target else Kind.NOTE),
        status=Status.PENDING if doubts else Status.ACTIVE,
        pending_reason=doubts[0] if doubts else "",
        norm_hash=norm_hash(content, ground.fold),
        fingerprint=fingerprint(ground.key, content, ground.fold),
        triple=triple_fingerprint(ground.key, operation.subject, operation.predicate, operation.object, ground.fold),
        said_at=said.said_at or ground.now,
        importance=operation.importance if operation.importance is not None else DEFAULT_IMPORTANCE,
        confidence=operation.confidence,
        sensitivity=verdict.sensitivity,
        scope=ground.scope or operation.scope,
        subject=operation.subject,
        predicate=operation.predicate,
        object=operation.object,
        quote=operation.quote if operation.quote and operation.quote in said.text else said.text,
        turn=index,
        flags=verdict.flags,
        masked=verdict.masked,
        extractor=ground.extractor,
    )


def _doubts(operation: Operation, said: Turn, ground: Ground) -> list[str]:
    """Reasons of the source: other people's words, a rule out of an import, confidence below the door's threshold."""
    threshold = ground.policy.cue_threshold if said.cue else ground.policy.idle_threshold
    rule = ground.door is Door.IMPORT and (operation.kind is Kind.INSTRUCTION or _instructs(said.text))
    told = is_reported(operation.quote, said.text) or carries_quoted_rule(operation.content, said.text)
    foreign = rule or (not said.cue and told)
    return [UNTRUSTED_SOURCE] * foreign + [BELOW_THRESHOLD] * (operation.confidence < threshold)


def _instructs(text: str) -> bool:
    return any(cue.kind is CueKind.INSTRUCT for cue in find_cues(text))


_IMPERSONAL = re.compile(r"^(?:用户|the user|user)(?=\W|[\u4e00-\u9fff])", re.IGNORECASE)


def _attributed(content: str, speaker: str) -> str:
    """A fact of one of several speakers names its speaker, so that it is never taken for somebody else's."""
    if not speaker or speaker.casefold() in content.casefold():
        return content
    named = _IMPERSONAL.sub(speaker, content)
    if named != content:
        return named
    return f"{speaker}：{content}" if language_of(content) == "zh" else f"{speaker}: {content}"


# --- what tools, web pages and documents ask for ---


def quarantined(content: str, index: int, ground: Ground) -> tuple[str, PlannedText | None]:
    """A text that only a tool, web page or document holds: pending for good, until its owner says so."""
    verdict = inspect_item(content, ground.policy)
    if verdict.refusal is not None:
        return verdict.refusal, None
    operation = Operation(Action.ADD, content=content, quote=content)
    text = _text(operation, None, verdict, ground, index, Hearing(frozenset(), frozenset()), UNTRUSTED_SOURCE)
    return _standing(replace(text, pending_reason=UNTRUSTED_SOURCE), ground.turns[index], ground)


_ASKS_MEMORY = re.compile(
    r"记住|记下来?|记得|牢记|记忆|保存|\b(?:remember|memori[sz]e|memory|note that|keep in mind|store)\b", re.IGNORECASE
)
_ADDRESSES = re.compile(
    r"用户|助手|请|务必|以后|永远|总是|始终|你|\bAI\b|(?i:\b(?:user|assistant|please|always|never|from now on|you|must)\b)"
)
_PIECE = re.compile(r"[^。！？!?\n；;]+")
_MOST_REQUESTS = 3


def requests_in(text: str) -> tuple[str, ...]:
    """The sentences of a foreign text that ask an assistant to remember something, at most three."""
    pieces = [piece.strip(" -<>…") for piece in _PIECE.findall(text[:20_000])]
    return tuple(p for p in pieces if _ASKS_MEMORY.search(p) and _ADDRESSES.search(p))[:_MOST_REQUESTS]
