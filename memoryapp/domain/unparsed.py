"""Requests that no grammar hears, but that are worded as requests are: what of them is written, and what waits.

Where the wording is sure and something lasting is told, the writer's own clauses are kept without the request itself;
what is only faintly a request waits in the inbox as it stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from memoryapp.domain.admission import is_task, tells_something
from memoryapp.domain.claims import kind_of
from memoryapp.domain.classifier import classifier
from memoryapp.domain.clauses import FILLER, Clause, Sentence, is_hypothetical, is_one_off, sentences
from memoryapp.domain.cue_grammar import REQUEST
from memoryapp.domain.cue_reach import says_nothing
from memoryapp.domain.cues import find_cues, unheard, unparsed_requests
from memoryapp.domain.edits import Edit, changed_by, edits_asked, orders_a_change
from memoryapp.domain.facts import Fact
from memoryapp.domain.likeness import speaks_of_change
from memoryapp.domain.naming import bare_name
from memoryapp.domain.nearness import whole
from memoryapp.domain.noise import find_noise
from memoryapp.domain.scripts import plain_text
from memoryapp.domain.stated import nearest_facts
from memoryapp.domain.targets import WAITS, Known, placed
from memoryapp.domain.types import Action, Cue, CueKind, Operation, Role, Turn
from memoryapp.domain.unwanted import FAINT_FORGET, forgotten

UNPARSED = "unparsed_request"
_SURE = 0.8
"""Confidence above either door's threshold."""
SURELY = 0.4
"""How far beyond its threshold the classifier must be, in log-odds, where nobody confirms."""
_EDITS = re.compile(
    r"改|换|更[新正]|修正|同步一下|早就?不|不(?!用[记存留])\S{1,4}了|停了|挪|升|降|涨|不再|现在(?:是|叫|在)"
    r"|\b(?:edit|fix|updat\w*|chang\w*|correct\w*|amend|adjust|turns out|swap\w*|switch\w*|replac\w*|bump|moved|pushed|went (?:up|down)|these days|nowadays|no longer|any ?more|used to|isn'?t|aren'?t|not)\b",
    re.IGNORECASE,
)
"""Words of a change: then an item that is surely near gives way."""


def unparsed_operations(turns: Sequence[Turn], known: Known) -> Iterator[Operation]:
    """What is made of the messages in which the grammar hears nothing and the wording a request."""
    users = [turn for turn in turns if turn.role is Role.USER]
    for place, turn in enumerate(users):
        kind = None if _asks_what_is_known(turn.text) else unheard(turn.text)
        edits = edits_asked(turn.text) if not find_cues(turn.text) else ()
        changed = changed_by(edits, known.shown)
        if any(operation.action is Action.UPDATE for operation in changed):
            yield from changed
        elif kind is CueKind.FORGET and not _EDITS.search(turn.text):
            meant = Cue(CueKind.FORGET, turn.text, turn.text)
            wished = forgotten(meant, known, "", (bare_name(turn.text), *whole(turn.text)))
            yield from wished if _TAKES_AWAY.search(turn.text) else (replace(o, reason=FAINT_FORGET) for o in wished)
        elif kind is not None:
            around = [each.text for each in users[:place]], [each.text for each in users[place + 1 :][:1]]
            yield from _kept(turn.text, around, known, edits)


_WHAT_IS_KNOWN = re.compile(
    r"(?:知道|记得|记了|记着|记录|存了|保存|了解|掌握|有)(?:了|着|过|我)?(?:些|多少|哪些|几[条件个]|什么|啥)|(?:什么|啥|哪些|多少).{0,8}(?:知道|记|存|了解)|还记得.{1,20}[吗么?？]"
    r"|\bwhat(?:'s| is| do| did| have| has| all| else| kind| sort)?\b.{0,24}\b(?:know|remember|have|saved|stored|kept|got|recall|memory|file)\b"
    r"|\b(?:do|did|can|could|have) you (?:still |ever )?(?:know|remember|recall|have|saved|stored|kept)\b",
    re.IGNORECASE,
)
_TELLS = re.compile(
    r"[说讲念列报]一?[遍下出]|告诉我|给我看|\b(?:tell me|list|show me|read (?:me|out)|summari[sz]e|recap)\b",
    re.IGNORECASE,
)
_TAKES_AWAY = re.compile(
    r"忘(?!记?没)|删|清[空除掉]|去掉|抹|拿掉|移除|取消|作废|撤|销|别[留记存]|不[用要必想需][^，。]{0,6}[留记存知]"
    r"|\b(?:forget|delet\w*|remov\w*|eras\w*|wip\w*|drop\w*|los[et]|scrub|purg\w*|clear|rid of|let go|go|gone|strike|scrap|bin|ditch|unlearn|take .{1,30} (?:out|off)|no longer|don'?t need|stop)\b",
    re.IGNORECASE,
)
"""Words of taking away. What only sounds like a wish to forget waits for its person."""


def _asks_what_is_known(text: str) -> bool:
    """Whether a message asks what is remembered and for nothing to be taken away (关于我家孩子你都知道些啥？)."""
    asks = _WHAT_IS_KNOWN.search(text) or _TELLS.search(text)
    return asks is not None and _TAKES_AWAY.search(text) is None


def _kept(text: str, around: tuple[list[str], list[str]], known: Known, edits: tuple[Edit, ...]) -> Iterator[Operation]:
    """What is written of a message that asks for keeping or changing, or what of it waits."""
    new = [edit for edit in edits if edit.own and not edit.of_the_task]
    facts = tuple(Fact(edit.statement, edit.quote) for edit in new) or _stated(text)
    if not facts and _points(text):
        facts = nearest_facts(around[0]) or nearest_facts(around[1])
    elif not _surely_asks(text):
        facts = ()
    changes = bool(_EDITS.search(text)) or speaks_of_change(text)
    for fact in _as_one(facts, text) if changes else facts:
        cue = CueKind.CORRECT if changes else CueKind.REMEMBER
        yield replace(placed(fact, cue, known, whole(text)), confidence=_SURE)
    if not facts:
        yield from map(_to_confirm, unparsed_requests(text))


def _points(text: str) -> bool:
    """Whether a message says nothing but that something said around it is to be kept."""
    return all(_only_asks(clause) for sentence in sentences(text) for clause in sentence.clauses)


def _as_one(facts: tuple[Fact, ...], text: str) -> tuple[Fact, ...]:
    """A change is one statement, from its first to its last fact."""
    if len(facts) < 2 or any(fact.quote not in text for fact in facts):
        return facts
    first, last = text.index(facts[0].quote), text.index(facts[-1].quote) + len(facts[-1].quote)
    return (Fact(text[first:last], text[first:last]),)


def _to_confirm(sentence: str) -> Operation:
    """What sounds like a request is kept in its writer's words, to be confirmed, when no judge makes anything of it."""
    return Operation(Action.ADD, sentence, None, kind_of(sentence), WAITS, sentence, reason=UNPARSED)


def _surely_asks(text: str) -> bool:
    """Whether a message surely asks for keeping or changing: by a word that asks, and not by its likeness alone."""
    if not (_ASKS.search(text) or _EDITS.search(text)):
        return False
    ask = classifier("ask")
    score = ask.score(plain_text(text))
    sure = score is not None and score >= ask.threshold + SURELY
    return sure and (tells_something(text) or classifier("lasting").accepts(plain_text(text)))


# --- what of a message is the statement ---


def _stated(text: str) -> tuple[Fact, ...]:
    facts: list[Fact] = []
    for sentence in sentences(text):
        said = _statement(text, sentence)
        if not said:
            continue
        if facts and _QUALIFIES.match(said):
            facts[-1] = Fact(
                f"{facts[-1].content}. {said}" if said.isascii() else f"{facts[-1].content}，{said}", facts[-1].quote
            )
        else:
            facts.append(Fact(said, said))
    return tuple(facts)


_QUALIFIES = re.compile(
    r"(?:除了|不过|但|只有|只是|尤其|特别是|比如|包括)|(?:\w+ )?(?:being|except|excepting|apart from|only|but|especially|including|unless|even|mostly)\b",
    re.IGNORECASE,
)
"""A sentence that only limits the one before it."""


def _statement(text: str, sentence: Sentence) -> str:
    """A sentence from its first to its last clause that is no request; empty when it asks, orders or imagines."""
    kept = [clause for clause in _cut(sentence) if not _only_asks(clause)]
    said = text[kept[0].start : kept[-1].end].strip() if kept else ""
    requests = REQUEST.search(sentence.clauses[0].own) is not None
    unfit = orders_a_change(said) or any(
        (clause.asks and not requests) or FILLER in clause.own for clause in sentence.clauses
    )
    if unfit or not said or is_task(said) or is_hypothetical(said) or is_one_off(said) or find_noise(said) is not None:
        return ""
    return said


_GAP = re.compile(r"(?<=[\u4e00-\u9fff])[ \u3000]+(?=[\u4e00-\u9fff])")


def _cut(sentence: Sentence) -> Iterator[Clause]:
    """The clauses, cut at blanks between Chinese characters as well."""
    for clause in sentence.clauses:
        start = 0
        for gap in [*_GAP.finditer(clause.own), None]:
            end = gap.start() if gap else len(clause.own)
            yield replace(
                clause,
                text=clause.text[start:end],
                own=clause.own[start:end],
                start=clause.start + start,
                end=clause.start + end,
            )
            start = gap.end() if gap else end


def _only_asks(clause: Clause) -> bool:
    """Whether a clause only announces, points or asks for keeping."""
    if says_nothing(clause.own):
        return True
    return (
        classifier("ask").accepts(plain_text(clause.own))
        and bool(_ASKS.search(clause.own))
        and not tells_something(clause.own)
    )


_ASKS = re.compile(
    r"记|存|备忘|忘|留(?:个|一|着|心)|心眼|黑板|重点|重要|\b(?:remember|memor\w*|note[sd]?|keep|save|store|record|file|forget|know|fix|edit|update|log|jot|write|put|stick|pop)\b",
    re.IGNORECASE,
)
