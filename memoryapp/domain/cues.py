"""Explicit statements of a user turn: what asks for remembering, a standing rule, a correction, forgetting, silence.

A small grammar: message → sentences → clauses; a clause may *open* a cue after its polite words, the clauses that
follow it belong to the cue until another opens, a question comes, or the sentence ends. Words that are quoted, asked,
reported, imagined or meant for once are no cue (`memoryapp.domain.clauses`).
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace

from memoryapp.domain import cue_asks as asks
from memoryapp.domain import cue_contrast as contrast
from memoryapp.domain import cue_grammar as grammar
from memoryapp.domain import cue_limits as limits
from memoryapp.domain import cue_reach as reach
from memoryapp.domain.classifier import classifier
from memoryapp.domain.clauses import Clause, Sentence, is_hypothetical, is_one_off, leans, sentences
from memoryapp.domain.scripts import plain_text
from memoryapp.domain.topic_rules import topic_rule
from memoryapp.domain.types import Cue, CueKind

DO_NOT_STORE = "do_not_store"
"""Reason of a message that its writer wants kept out of memory."""
_MAX_CONFIRMATION = 40
_SHORTEST = 2
"""Characters of a clause that may ask for anything."""
_REACH = 300
"""Characters of a clause in which its opening words are looked for; what is longer is no spoken clause."""


@dataclass(frozen=True, slots=True)
class _Span:
    """A cue as offsets into the message: its whole and its body (both end exclusive)."""

    kind: CueKind
    start: int
    end: int
    body_start: int
    body_end: int

    @property
    def empty(self) -> bool:
        return self.body_start >= self.body_end


_MOST_COVERED = 12
"""Requests that a later one can take into itself: it reaches over a few sentences only."""


def find_cues(text: str) -> tuple[Cue, ...]:
    """The cues of one user message, in order. `clause` and `body` are verbatim; a bare request has body ""."""
    cut = sentences(text)
    spans: list[_Span] = []
    for index, sentence in enumerate(cut):
        for span in _spans(sentence):
            filled = _filled(span, text, cut, index, spans)
            near = [earlier for earlier in spans[-_MOST_COVERED:] if not _covers(filled, earlier)]
            spans[-_MOST_COVERED:] = [*near, filled]
    return tuple(_cue(span, text) for span in spans if _holds(span, text))


def has_cue(text: str) -> bool:
    """Whether a message asks for something to be kept, changed or forgotten (a wish for silence is no such request).

    Where the grammar hears nothing, it may still be worded as such requests are (`memoryapp.domain.classifier`).
    """
    return asks_plainly(text) or (not find_cues(text) and _sounds_like("ask", text))


def asks_plainly(text: str) -> bool:
    """Whether the grammar hears a request to keep, change or forget something, or a rule about what to keep."""
    return any(cue.kind is not CueKind.DO_NOT_STORE for cue in find_cues(text)) or topic_rule(text) is not None


def unheard(text: str) -> CueKind | None:
    """What a message asks by its wording where the grammar hears nothing: to keep (or change) something, or to forget."""
    if find_cues(text) or not _sounds_like("ask", text):
        return None
    return CueKind.FORGET if _sounds_like("forget", text) else CueKind.REMEMBER


def unparsed_requests(text: str) -> tuple[str, ...]:
    """The sentences of a message that are worded as requests to keep something, where the grammar hears none."""
    if unheard(text) is not CueKind.REMEMBER:
        return ()
    cut = sentences(text)
    said = [text[each.start : each.end].strip() for each in cut if not any(clause.asks for clause in each.clauses)]
    asking = [each for each in said if _sounds_like("ask", each)]
    return tuple(asking or said)


def _sounds_like(kind: str, text: str) -> bool:
    return classifier(kind).accepts(plain_text(text))


def only_asks(text: str) -> bool:
    """Whether a text is nothing but a wish to forget or not to store: words to act on, never a fact to keep."""
    cues = find_cues(text)
    asking = (CueKind.FORGET, CueKind.DO_NOT_STORE)
    return bool(cues) and all(cue.kind in asking for cue in cues) and len(cues[0].clause) >= 0.6 * len(text.strip())


def confirms_saving(text: str) -> bool:
    """Whether the whole message only says yes to saving what was said before (嗯，记下来吧 / Yes, save it)."""
    if len(text) > _MAX_CONFIRMATION:
        return False
    clauses = [clause for sentence in sentences(text) for clause in sentence.clauses]
    rest = [clause for clause in clauses if not _is_trailing_ask(clause) and not _is_bare_ask(clause)]
    return len(rest) < len(clauses) and all(_only_assents(one.own) or asks.is_purpose(one.own) for one in rest)


def _only_assents(own: str) -> bool:
    return not re.sub(r"[\s,，.。!！]|的|吧", "", grammar.ASSENT.sub("", own))


# --- one sentence ---


def _spans(sentence: Sentence) -> list[_Span]:
    spans: list[_Span] = []
    current: _Span | None = None
    for position, clause in enumerate(sentence.clauses):
        opened = _opened(clause, sentence.clauses[max(0, position - _MOST_EARLIER) : position])
        if opened is None and clause.asks and not _goes_on(current, clause):
            current = None
            continue
        if current is not None and opened is None and _turns_to_a_task(current, clause):
            current = None
        elif current is not None and (opened is None or _continues(current, opened) or leans(clause.own)):
            spans[-1] = current = _extended(current, clause)
        elif opened is not None:
            current = _with_topic(opened, sentence, position, spans)
            if current.kind is CueKind.FORGET and current.empty:
                current = None
                continue
            spans.append(current)
            if current.start < opened.start and opened.kind is CueKind.REMEMBER:
                current = None
    return spans or _contrasted(sentence)


def _goes_on(current: _Span | None, clause: Clause) -> bool:
    """Whether a clause with an asking word carries a rule on (每次改文章，都先列出改了哪些地方)."""
    return (
        current is not None
        and current.kind is CueKind.INSTRUCT
        and not clause.marked
        and clause.own[:1] in "都先请要就别"
    )


def _contrasted(sentence: Sentence) -> list[_Span]:
    """A correction that its clauses make together (`memoryapp.domain.cue_contrast`)."""
    found = contrast.contrasted(sentence)
    return [_Span(CueKind.CORRECT, found[0], sentence.end, found[1], sentence.end)] if found else []


def _continues(current: _Span, opened: _Span) -> bool:
    """Whether a clause that could open a cue belongs to the one before it instead."""
    if opened.kind in (CueKind.FORGET, CueKind.DO_NOT_STORE):
        return current.kind is opened.kind
    if current.kind is CueKind.REMEMBER and current.empty:
        return True
    if opened.kind is CueKind.REMEMBER:
        return opened.empty
    return current.kind is opened.kind or opened.kind is CueKind.CORRECT


_TASK = re.compile(
    r"(?:帮我|替我|给我)(?:再|先|把.{1,8})?(?:改|写|翻译|查|看|算|画|做|找|排|订|推荐|列|总结|生成|润色|检查|想|规划|起|解释)"
    r"|^(?:and |then |now |so |ok |but )*(?:help me|can you|could you|would you|please (?:write|fix|draft|find|list|translate|summar|check|make|recommend|suggest)"
    r"|what|how|which|where|when (?:is|are|do))\b",
    re.IGNORECASE,
)


def _turns_to_a_task(current: _Span, clause: Clause) -> bool:
    """Whether a clause behind a fact asks for work (…，然后帮我改下标题) and is no part of the fact."""
    return current.kind in (CueKind.REMEMBER, CueKind.CORRECT) and bool(_TASK.search(clause.own[:_REACH]))


def _extended(current: _Span, clause: Clause) -> _Span:
    if _is_trailing_ask(clause) or (current.empty and asks.is_purpose(clause.own)):
        return replace(current, end=clause.end)
    if current.empty:
        return replace(current, end=clause.end, body_start=clause.start, body_end=clause.end)
    return replace(current, end=clause.end, body_end=clause.end)


def _with_topic(opened: _Span, sentence: Sentence, position: int, spans: list[_Span]) -> _Span:
    """A trailing request takes the clauses before it; a rule takes the condition before it (For code, always …)."""
    start = bisect_left(sentence.clauses, spans[-1].end, key=lambda clause: clause.start) if spans else 0
    free = [
        clause for clause in sentence.clauses[start:position] if not clause.asks or not reach.says_nothing(clause.own)
    ]
    if not free or any(clause.asks for clause in free):
        return opened
    points_back = bool(_POINTS_BACK.search(sentence.clauses[position].own))
    if opened.kind is CueKind.REMEMBER and opened.empty and (opened.end == sentence.end or points_back):
        if all(_only_assents(clause.own) or reach.says_nothing(clause.own) for clause in free):
            return opened
        return replace(opened, start=free[0].start, body_start=free[0].start, body_end=free[-1].end)
    unnamed = opened.empty or _PRONOUN.fullmatch(
        sentence.clauses[position].own[opened.body_start - sentence.clauses[position].start :]
    )
    if opened.kind is CueKind.FORGET and unnamed and any(_KEPT.search(clause.own) for clause in free):
        return replace(opened, start=free[0].start, body_start=free[0].start, body_end=free[-1].end)
    if (
        opened.kind is CueKind.CORRECT
        and opened.empty
        and opened.end == sentence.end
        and (contrast.STATED.search(free[-1].own) or contrast.tells_a_change(free))
    ):
        return replace(opened, start=free[0].start, body_start=free[0].start, body_end=free[-1].end)
    own = sentence.clauses[position].own
    leaning = leans(own) or reach.says_nothing(own)
    if opened.kind is CueKind.INSTRUCT and opened.empty and opened.end == sentence.end and not spans:
        return replace(opened, start=free[-1].start, body_start=free[-1].start, body_end=opened.end)
    if opened.kind is CueKind.INSTRUCT and (leaning or _CONDITION.match(free[-1].own)):
        return replace(opened, start=free[-1].start, body_start=free[-1].start)
    return opened


_PRONOUN = re.compile(
    r"(?:it|that|this|them|those|these|它|那个|这个|那条|这条)(?: (?:from|out of|in) .*| please| now)*", re.IGNORECASE
)
_POINTS_BACK = re.compile(
    r"^(?:\S{0,3}(?:这|那)(?:[个条点些句件]|\S{1,3}[你您请帮])|.{0,6}(?:上面|以上|刚才))|\b(?:that|this|it|these|those|them)(?: (?:one|fact|bit|part|info\w*))?"
    r"(?: (?:down|too|as well))*(?: (?:to|in|into|on|for|4)\b.*)?$",
    re.IGNORECASE,
)
"""A bare request whose pronoun means what was said before it (…, add that to my profile, and now …)."""
_KEPT = re.compile(
    r"记|存|保留|留|说|讲|提|关于|有关|(?:那|这)一?[条个件]$|的事(?:儿|情)?$|\b(?:told|said|keep|remember|stor|sav|know|have|about (?:my|me)|the (?:bit|part|thing|stuff|note) (?:about|on))",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"(?:and |so |also )?(?:in|for|when|whenever|if|on|with|after|before|unless|during)\b|(?:如果|每当|当|在|写"
    r"|回答|遇到|凡是|关于|对于|只要)",
    re.IGNORECASE,
)


# --- one clause ---


def _opened(clause: Clause, earlier: tuple[Clause, ...]) -> _Span | None:
    if len(clause.own) < _SHORTEST:
        return None
    lead = grammar.LEAD.match(clause.own)
    offset = lead.end() if lead else 0
    if _is_trailing_ask(clause) and not clause.asks:
        return _Span(CueKind.REMEMBER, clause.start, clause.end, clause.end, clause.end)
    inline = grammar.INLINE_ASK.fullmatch(clause.own) if len(clause.own) <= _REACH else None
    if inline and not clause.asks:
        return _Span(CueKind.REMEMBER, clause.start, clause.end, clause.start, clause.start + inline.end("body"))
    for attempt in sorted({0, offset}, reverse=True):
        found = next(_openings(clause.own[attempt : attempt + _REACH]), None)
        if found is None:
            continue
        span = _without_empty_body(_span(clause, attempt, *found), clause)
        return span if _asked_politely(clause, span, attempt) and not _withheld(span, clause, earlier) else None
    return _asked_freely(clause, offset, earlier)


def _asked_freely(clause: Clause, lead: int, earlier: tuple[Clause, ...]) -> _Span | None:
    """A request to keep that no opener knows (`memoryapp.domain.cue_asks`)."""
    found = asks.asked(clause.own, lead) if len(clause.own) <= _REACH else None
    if found is None:
        return None
    span = _Span(CueKind.REMEMBER, clause.start, clause.end, clause.start + found.start, clause.start + found.end)
    span = _without_empty_body(span, clause)
    return span if _asked_politely(clause, span, lead) and not _withheld(span, clause, earlier) else None


def _without_empty_body(span: _Span, clause: Clause) -> _Span:
    """A request whose body only points (note that down somewhere) is a bare one."""
    body = clause.own[span.body_start - clause.start : span.body_end - clause.start]
    points = (
        span.kind is CueKind.REMEMBER
        and reach.says_nothing(body)
        and not grammar.POINTS_AHEAD.fullmatch(body.strip(_MARKS))
    )
    return replace(span, body_start=span.end, body_end=span.end) if points else span


def _openings(rest: str) -> Iterator[tuple[CueKind, re.Match[str]]]:
    for kind, patterns in grammar.OPENERS.items():
        for pattern in patterns:
            if found := pattern.match(rest):
                yield kind, found


def _span(clause: Clause, offset: int, kind: CueKind, found: re.Match[str]) -> _Span:
    if "body" not in found.re.groupindex:
        return _Span(kind, clause.start, clause.end, clause.start + offset, clause.end)
    start, end = found.span("body")
    body_end = clause.end if end == _REACH else clause.start + offset + end
    return _Span(kind, clause.start, clause.end, clause.start + offset + start, body_end)


def _asked_politely(clause: Clause, span: _Span, offset: int) -> bool:
    """A question is a cue only when it requests (Could you remember that …?) and its body asks nothing."""
    body = clause.own[span.body_start - clause.start : span.body_end - clause.start].strip(" ，,?？")
    if span.kind is CueKind.REMEMBER and grammar.ASKING_BODY.search(body.removesuffix("吗")):
        return False
    plain = span.kind in (CueKind.FORGET, CueKind.DO_NOT_STORE)
    named = plain and not clause.marked and not _CHINESE_QUESTION_END.search(body)
    if not clause.asks or named:
        return True
    if span.kind is CueKind.REMEMBER and not grammar.POLITE_STATEMENT.search(body):
        return " that " in clause.own
    return bool(grammar.REQUEST.search(clause.own[:offset])) or bool(_RULE_REQUEST.match(clause.own))


_CHINESE_QUESTION_END = re.compile(r"吗$|怎么办|怎么样$|呢$|怎么\S{1,5}$")
_RULE_REQUEST = re.compile(
    r"(?:以后|今后|往后)?(?:你|您|请)?(?:能不能|能否|可不可以|可以|可否).*(?:以后|今后"
    r"|都|一律)|(?:以后|今后)(?:能|可)"
)


_MOST_EARLIER = 12
"""Clauses before a wish in which it may be taken back."""


def _withheld(span: _Span, clause: Clause, earlier: tuple[Clause, ...]) -> bool:
    """Whether the clauses before take the wish back: imagined, for once only, or another person's."""
    if span.kind in (CueKind.INSTRUCT, CueKind.CORRECT):
        if any(is_hypothetical(before.own) or grammar.ANOTHER_SUBJECT.match(before.own) for before in earlier):
            return True
        if earlier and len(earlier[-1].own) <= _SHORT_ADVERBIAL and is_one_off(earlier[-1].own):
            return not re.search(r"以后|今后|from now on|going forward", clause.own, re.IGNORECASE)
    return _wished_by_another(span, clause, earlier[-1] if earlier else None)


_SHORT_ADVERBIAL = 24


def _wished_by_another(span: _Span, clause: Clause, before: Clause | None) -> bool:
    """我妈说以后…, My boss says always …: the wish is not the user's."""
    if before is not None and re.search(r"(?:(?<![没别再乱瞎你])说|写道|要求|said|says|wrote|told me)$", before.own):
        return not re.match(r"(?:我|I\b)", before.own)
    if span.kind is CueKind.REMEMBER:
        return _ASKED_BY_ANOTHER.search(clause.own[: max(1, span.body_start - clause.start)]) is not None
    return bool(grammar.THIRD_PERSON_WISH.search(clause.own[: max(1, span.body_start - clause.start) + 12]))


_ASKED_BY_ANOTHER = re.compile(
    r"\b(?:he|she|they|my (?!name)\w+(?: \w+)?) (?:wants?|asks?|asked|told|tells|would like|begs?) (?:you|u) to\b|(?:[他她]们?|我(?!们?(?:想|让|要|叫|请|希望))\S{1,3}?)(?:想|让|要|叫|请|希望)(?:你|您)(?=\S{0,4}(?:记|存))",
    re.IGNORECASE,
)


def _is_trailing_ask(clause: Clause) -> bool:
    if len(clause.own) > 2 * _MAX_CONFIRMATION:
        return False
    return bool(grammar.TRAILING_ASK.fullmatch(clause.own.strip(" ~～!！")))


def _is_bare_ask(clause: Clause) -> bool:
    lead = grammar.LEAD.match(clause.own)
    found = asks.asked(clause.own, lead.end() if lead else 0) if len(clause.own) <= _MAX_CONFIRMATION else None
    return found is not None and found.start == found.end


# --- across sentences ---


def _filled(span: _Span, text: str, cut: tuple[Sentence, ...], index: int, spans: list[_Span]) -> _Span:
    """A bare request takes the sentences it points at: those after it (记住以下几点：), or those before it."""
    body = text[span.body_start : span.body_end].strip(" ：:，,")
    if span.kind is not CueKind.REMEMBER or not (grammar.POINTS_AHEAD.fullmatch(body) or reach.says_nothing(body)):
        return span
    listed = reach.list_below(text, cut, index)
    before = reach.stated_before(cut, index, lambda sentence: _is_taken(sentence, spans) or _asks_for_work(sentence))
    coming = reach.COMING.search(text[span.start : span.end]) is not None
    opens = text[span.end : span.end + 1] in (":", "：") or _SAYS_AHEAD.search(body) is not None
    if opens or coming or not before:
        taken = listed or reach.stated_after(
            cut, index, lambda sentence: bool(_spans(sentence)) or _asks_for_work(sentence)
        )
        if taken:
            return replace(span, end=taken[-1].end, body_start=taken[0].start, body_end=taken[-1].end)
    if before and not coming:
        return replace(span, start=before[0].start, body_start=before[0].start, body_end=before[-1].end)
    return replace(span, body_start=span.end, body_end=span.end)


_SAYS_AHEAD = re.compile(r"以下|下面|下列|下述|这几|\b(?:the following|these|this)\b", re.IGNORECASE)


def _is_taken(sentence: Sentence, spans: list[_Span]) -> bool:
    return any(span.start <= sentence.start < span.end for span in spans)


def _asks_for_work(sentence: Sentence) -> bool:
    return any(_TASK.search(clause.own[:_REACH]) for clause in sentence.clauses)


def _covers(later: _Span, earlier: _Span) -> bool:
    return later.start <= earlier.start and earlier.end <= later.end and later.kind is CueKind.REMEMBER


def _holds(span: _Span, text: str) -> bool:
    """Whether the cue survives what limits it: once only, imagined, debugging, a reminder instead of a fact."""
    clause, body = text[span.start : span.end], text[span.body_start : span.body_end]
    if span.kind is CueKind.REMEMBER and limits.asks_back(text, span.start, span.end):
        return False
    if span.kind is CueKind.FORGET and limits.PASSAGE.match(body):
        return False
    if span.kind is CueKind.FORGET:
        return bool(body) and (bool(re.search("忘|forget", clause, re.IGNORECASE)) or not limits.is_artifact(body))
    if span.kind is CueKind.DO_NOT_STORE:
        return not limits.DEVICE.search(clause)
    if span.kind is CueKind.REMEMBER:
        if _NOTES.match(clause) and not limits.speaks_of_self(body) and not _sounds_like("lasting", body):
            return False
        return not limits.is_errand(clause, body) and not (is_one_off(body) and not limits.speaks_of_self(body))
    if is_one_off(clause) or is_hypothetical(clause):
        return False
    if span.kind is CueKind.CORRECT and (grammar.DEBUGGING.search(clause) or limits.denies_the_task(clause, body)):
        return False
    return bool(_clean(body))


_NOTES = re.compile(r"(?:please |also |and |but )*note that\b", re.IGNORECASE)
"""“Note that …” explains more often than it asks."""


def _cue(span: _Span, text: str) -> Cue:
    return Cue(span.kind, text[span.start : span.end], _clean(text[span.body_start : span.body_end]))


_LEADING_ASK = re.compile(
    r"^(?:that|从(?:现在|今天)(?:起|开始)|从今(?:以后|往后)|今后|请|一下|一点"
    r"|[：:，,、\s—–-])+(?![a-z])",
    re.IGNORECASE,
)


_LIST_LEAD = re.compile(
    r"^(?:(?:a |these |the )?(?:few|couple of|two|three|following|some) (?:things|facts|points)(?: (?:about|for) me)?"
    r"|(?:以下|下面|这)?几(?:件事情?|点|条))\s*[:：]\s*",
    re.IGNORECASE,
)
"""What only opens a list (remember a few things: …)."""


def _clean(body: str) -> str:
    return _TRAILING_PARTICLE.sub("", _LIST_LEAD.sub("", _LEADING_ASK.sub("", body)).strip(_MARKS))


_MARKS = " \t\n，,。.：:；;!！、~～—–-"
_TRAILING_PARTICLE = re.compile(r"(?<=[\u4e00-\u9fff])(?:吧|哦|啊|哈|谢谢)+$")
