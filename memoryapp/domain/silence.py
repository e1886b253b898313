"""Wishes not to store what is said: how sure one is, which clause it is, and which messages it is about.

What is surely one is dropped with its message. What only sounds like one loses nothing and stores nothing: the facts
of the message wait in the inbox until their person decides, so that no judge can make them active.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from memoryapp.domain.admission import tells_something
from memoryapp.domain.classifier import classifier
from memoryapp.domain.clauses import FILLER, blanked, sentences
from memoryapp.domain.cues import find_cues, has_cue
from memoryapp.domain.noise import find_noise
from memoryapp.domain.offers import declines_saving
from memoryapp.domain.scripts import plain_text
from memoryapp.domain.silence_words import asks_for_silence, ideas, pieces
from memoryapp.domain.topic_rules import topic_rule, topic_rules, without_rules
from memoryapp.domain.types import Cue, CueKind, Role, Turn

PERHAPS_UNWANTED = "perhaps_unwanted"
"""Reason of a candidate that its writer may have wanted kept out of memory."""


class Wish(IntEnum):
    """How sure it is that a message is not to be stored."""

    NONE = 0
    LIKELY = 1
    SURE = 2


@dataclass(frozen=True, slots=True)
class Heard:
    """A wish and the clauses, verbatim, that say it; the whole message where no clause is known."""

    wish: Wish = Wish.NONE
    clauses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Silence:
    """Places of the turns that are not to be stored, and of those that perhaps are not."""

    sure: frozenset[int] = frozenset()
    likely: frozenset[int] = frozenset()


# --- one message ---

_I = re.IGNORECASE
_MAX_ENDING = 40
_REACH = 300
"""Characters of a clause that are looked at; what is longer is no spoken clause."""
_WITHDRAWN = re.compile(
    r"[。！!.，,；;\s](?:算了|还是|哦|哎|不对|等等|呃)*[，,\s]*(?:还是)?(?:别|不用|不要|不必|甭)再?(?:记|存|保存|记录)(?:录|住|下来?)?了?(?:吧|啦|哈)?[。.!！~\s]*$"
    r"|[.!?,;]\s+(?:(?:oh|wait|no|well|actually|hmm|on second thoughts?),?\s+)*(?:scratch that|strike that|forget (?:that|it|i said (?:that|anything|it))|never ?mind"
    r"|(?:don'?t|do not|no need to) (?:save|store|remember|keep|note|log) (?:that|it|this)(?: after all)?)[.!\s]*$",
    _I,
)
"""A message that ends by taking back what it said."""
_UNSAID = re.compile(
    r"^(?:\W|\b(?:ok(?:ay)?|oh|please|actually|just|can you|could you|and|so|well|wait|no)\b)*(?:forget (?:that )?(?:i|we)(?:'ve)? (?:just |ever |even )*(?:said|mentioned|brought|asked|told)\b"
    r"|(?:we|i) never (?:said|talked|spoke|told|had|discussed|mentioned) (?:about )?(?:this|that|it|any)\b"
    r"|forget (?:the )?(?:last|previous) (?:thing|bit|part|message|sentence)|forget (?:this|that) (?:chat|conversation|message)\b"
    r"|burn (?:this |it )?after\b|(?:this |the )?(?:chat|conversation|talk)(?: \w+)? (?:didn'?t|didnt|never) happen)"
    r"|#(?:do ?not|dont|no) ?(?:save|store|record|log|remember|memory)|^\W*(?:do not|don'?t|no) (?:save|store|record|log|memory)$|\byou (?:heard|saw|read) nothing\b"
    r"|[就全权]?当[我你作做]?(?:从来?)?(?:没|冇)(?:有)?(?:听|说|讲|提|问|发|看)(?!.*[她他]们?(?:没|冇))|(?:忘|撤|收|抹|擦)(?:掉|了|记|回|去)(?:吧|我)*(?:刚[才刚]?|这|上(?:一|面)?|前面)\S{0,3}[说讲提聊句段话]"
    r"|把(?:我)?(?:刚[才刚]?|上面|前面|上一?)\S{0,6}[话句段条]?(?:都|全|给我)?(?:忘|抹|擦|撤)"
    r"|阅后即焚|(?<!没)[看答听聊说读用](?:我|你)?完(?:了|后|以后|之后)?(?:就|即|请|便|马上)+(?:忘|删|焚|烧|扔|丢|销毁|清|作废)",
    _I,
)
"""What is to count as never said, in the words of a clause."""
_PRETENDED = re.compile(
    r"^(?:\W|\b(?:ok(?:ay)?|oh|please|actually|just|and|so|well|wait|no|let'?s)\b)*(?:pretend|act (?:like|as if|as though)) (?:that )?(?:i|we|you|this|that)(?: \w+)? "
    r"(?:never|didn'?t|did not|hadn'?t|have not|haven'?t)(?: \w+){0,2} (?:said|say|told|tell|mention\w*|asked?|hear\w*|read|see|seen|talk\w*|spoken?|happen\w*|wrote|written)\b",
    _I,
)
"""The same at the beginning of a sentence; the word pretend would make the rest a story."""


def heard(text: str) -> Heard:
    """The wish not to store that a message holds, by the grammar or by its wording.

    A message that asks to remember is only dropped on the grammar's word, and needs to sound surely like a wish to wait.
    A rule about a topic is no such wish (`memoryapp.domain.topic_rules`), and no message with one is dropped, or the
    rule would be lost; what is said beside it may be what it is about and waits.
    """
    rules = topic_rules(text)
    if not rules:
        return _heard(text)
    beside = without_rules(text, rules)
    return Heard(Wish.LIKELY, _heard(beside).clauses) if beside else Heard()


def _heard(text: str) -> Heard:
    cues = find_cues(text)
    plain = _plain_wishes(text, tuple(cue.clause for cue in cues if cue.kind is CueKind.DO_NOT_STORE))
    if plain:
        return Heard(Wish.SURE, plain)
    asking = {cue.kind for cue in cues if not _is_denied(cue)}
    whole = _scored(text)
    own = whole if FILLER not in blanked(text) else _scored(_own(text))
    learnt = classifier("silence")
    if own.best >= learnt.threshold and asking <= {CueKind.DO_NOT_STORE}:
        return Heard(Wish.SURE, own.saying(learnt.threshold) or (text,))
    enough = _enough(text, keeps=not asking.isdisjoint(_KEEPS))
    if whole.best >= enough:
        return Heard(Wish.LIKELY, whole.saying(enough) or (text,))
    beside = left_out(text)
    return Heard(Wish.LIKELY, beside) if beside and any(cue.kind in _KEEPS for cue in cues) else Heard()


def left_out(text: str) -> tuple[str, ...]:
    """The clauses of a message, verbatim, that keep something out of what is asked to be kept beside them.

    A clause of a rule about a topic (我孩子的信息，从今往后都不要记录) is none: the rule is kept whole.
    """
    clauses = [found.group().strip(_MARKS) for found in _BUT_NOT.finditer(text)]
    rules = [rule.clause.strip(_MARKS) for rule in topic_rules(text) if not _asks_to_keep(rule.clause)]
    return tuple(clause for clause in clauses if not any(clause in rule != clause for rule in rules))


_MARKS = " ,.;!，。；！"


def _asks_to_keep(clause: str) -> bool:
    return any(cue.kind is CueKind.REMEMBER for cue in find_cues(clause))


def without(text: str, clauses: Sequence[str]) -> str:
    """A text less some of its clauses and the signs that led to them."""
    less = text
    for clause in clauses:
        less = re.sub(rf"[\s，,；;]*{re.escape(clause)}", "", less)
    return text if less == text else less.strip(" ，,；;。.")


_WHOSE = r"(?:my|the|his|her|its|their|our|it|that|this|any|anything|how|what|where|who)\b"
_NOT_TO = r"(?:please )?(?:don['’]?t|do not) (?:store|save|keep|remember|record|note|log)"
_ON = r"(?:(?!,? and (?:that|i|my|also)\b)(?:[^.!?\n]|\.(?=\d))){0,80}"
"""The rest of such a clause, up to another fact."""
_BUT_NOT = re.compile(
    rf"\bbut,? {_NOT_TO}\b(?! (?:any|much|many|enough) because\b){_ON}"
    rf"|\b(?:but|and|just),? (?:please )?never (?:store|save|keep|record|note|log) {_WHOSE}{_ON}"
    rf"|(?:\b(?:just|only|and|though),? |\s[-–—] ?|[;(]\s*){_NOT_TO} {_WHOSE}{_ON}"
    rf"|(?:\b(?:but|just|and) |[-–—;,(]\s*)(?:please )?(?:leave out|omit|don['’]?t include) {_WHOSE}{_ON}"
    rf"|\b(?:but|and) (?:please )?(?:keep|leave) {_WHOSE}[^.!?\n]{{1,60}}? (?:out(?: of (?:it|this|that|memory))?|off the record)\b"
    r"|(?:但是?|不过|只是|可是)[^，,。！!？?\n]{0,10}(?:别|不要|不用|不必)(?:记|存|保存)[^，,。！!？?\n]{0,20}"
    r"|[，,；;（(](?!以后|今后|账)[^，,。！!？?\n（）()]{1,24}?(?:就|都)?(?:不要|别|不用|不必|无需|甭)(?:记录?|存|保存)(?:住|下来?|了)*[）)]?(?=[，,。！!？?；;）)]|$)"
    r"|[，,；;（(][^，,。！!？?\n（）()]{1,16}?(?:不记|不存)(?:了|吧)?[）)]?(?=[，,。！!？?；;）)]|$)",
    _I,
)
"""A request to remember that leaves something out (remember that I like tea but don't store my employer)."""


def _is_denied(cue: Cue) -> bool:
    """Whether what sounds like a request to remember says not to keep (别给我记着)."""
    said = ideas(plain_text(cue.clause))
    return cue.kind is CueKind.REMEMBER and not said.isdisjoint(_DENIALS) and "#KEEPIT" not in said


_DENIALS = frozenset({"#NOT…KEEP", "#NOT…MEM"})
_KEEPS = frozenset({CueKind.REMEMBER, CueKind.INSTRUCT, CueKind.CORRECT})


def _enough(text: str, *, keeps: bool) -> float:
    """The score from which a message waits: more for one that asks to remember, halfway for one that sounds so."""
    learnt = classifier("silence")
    if keeps:
        return learnt.threshold
    return (learnt.threshold + learnt.floor) / 2 if has_cue(text) else learnt.floor


def wants_silence(text: str) -> bool:
    """Whether the writer of a message surely wants it kept out of memory."""
    return heard(text).wish is Wish.SURE


def _plain_wishes(text: str, cued: tuple[str, ...]) -> tuple[str, ...]:
    """The clauses in which the grammar hears a wish."""
    unsaid = (
        clause.text
        for sentence in sentences(text)
        for clause in sentence.clauses
        if not clause.asks and _UNSAID.search(clause.own[:_REACH])
    )
    pretended = (piece for piece in pieces(text) if _PRETENDED.match(piece))
    found = tuple(dict.fromkeys((*cued, *unsaid, *pretended)))
    return found or ((text,) if _WITHDRAWN.search(text[-_MAX_ENDING:]) else ())


def _own(text: str) -> str:
    """The message without what is quoted, pasted, reported or imagined in it."""
    return blanked(text).replace(FILLER, " ")


@dataclass(frozen=True, slots=True)
class _Scored:
    """The log-odds of a text and of its sentences, of those that could be wishes at all; `best` is the highest."""

    whole: str
    scores: tuple[tuple[str, float], ...]

    @property
    def best(self) -> float:
        return max((score for _, score in self.scores), default=float("-inf"))

    def saying(self, least: float) -> tuple[str, ...]:
        """The sentences that are wishes, where the text has more than one."""
        return tuple(piece for piece, score in self.scores if score >= least and piece != self.whole)


def _scored(text: str) -> _Scored:
    learnt = classifier("silence")
    plain = ((piece, plain_text(piece)) for piece in pieces(text))
    found = ((piece, learnt.score(words)) for piece, words in plain if asks_for_silence(words))
    return _Scored(text, tuple((piece, score) for piece, score in found if score is not None))


def asks_at_once(text: str, *, doubted: bool) -> bool:
    """Whether a message asks for something that the judge is started for at once. One that may be a wish not to store
    does so by a wish to forget or a rule alone.
    """
    if not doubted:
        return has_cue(text)
    return topic_rule(text) is not None or any(cue.kind is CueKind.FORGET for cue in find_cues(text))


# --- a conversation ---


def silence(turns: Sequence[Turn]) -> Silence:
    """The turns that are not to be stored, surely or perhaps: those that say so, the one such a wish is about, or all."""
    found: tuple[set[int], set[int]] = (set(), set())
    before: int | None = None
    for index, turn in enumerate(turns):
        if turn.role is not Role.USER:
            continue
        wish = heard(turn.text)
        if before is not None and _turned_down(turns, index):
            found[True].add(index)
            asked = any(cue.kind is CueKind.REMEMBER for cue in find_cues(turns[before].text))
            found[not asked].add(before)
        elif wish.wish:
            reached = _reached(wish, turn.text, index, before, len(turns))
            found[wish.wish is Wish.SURE].update(reached)
        if before is None or find_noise(turn.text) is None:
            before = index
    likely, sure = found
    return Silence(frozenset(sure), frozenset(likely - sure))


def _turned_down(turns: Sequence[Turn], index: int) -> bool:
    """Whether a turn only answers no to an offer to remember what was said before it."""
    offer = turns[index - 1]
    return offer.role is Role.ASSISTANT and declines_saving(offer.text, turns[index].text)


def _reached(wish: Heard, text: str, index: int, before: int | None, turns: int) -> set[int]:
    if any(_EVERYTHING.search(clause) for clause in wish.clauses):
        return set(range(turns))
    return {index, before} if before is not None and _takes_back(wish, text) else {index}


def _takes_back(wish: Heard, text: str) -> bool:
    """Whether a message wants what was said before it not kept: it says nothing else, points back, or stands beside
    nothing that lasts.
    """
    if _AHEAD.search(text) or _A_THING.search(text) or not _POINTS.search(text):
        return False
    clauses = sum(len(sentence.clauses) for sentence in sentences(text))
    if clauses <= len(wish.clauses) or any(_SAID_BEFORE.search(clause) for clause in wish.clauses):
        return True
    beside = text
    for clause in wish.clauses:
        beside = beside.replace(clause, " ")
    return not tells_something(beside if beside.strip(" ，,。.！!") else text)


_A_THING = re.compile(
    r"\b(?:this|that|these|those|the) (?!(?:one|bit|part|thing|stuff|fact|info\w*|detail|message|line|sentence|last|previous|conversation|chat|session|was|is|i|we|about|please|either|anywhere|down|now|yet|for|to|in your|in memory)\b)[a-z]+"
    r"|[这那](?:张|份|本|台|封|页|幅|部|辆|只|首|节|版|笔)|[这那]个?(?:文件|图|表|草稿|代码|标签|网页|链接|发票|截图|会议|错误|日志|设置|邮件)"
    r"|(?:存|保存|上传|传)[到在](?!记忆|心|脑)|\b(?:as an?|to|in|on) (?:the |my )?(?:pdf|disk|drive|cloud|chrome|browser|minutes|fridge|file|folder|desktop)\b",
    re.IGNORECASE,
)
"""A thing that is kept elsewhere than in memory (don't save that draft, 这张发票先别存)."""
_POINTS = re.compile(
    r"[这那它此]|刚[才刚]?|上[一面]?[条句段]?|前[一面]|以上|咱俩|我们俩|私下|保密|\b(?:this|that|it|these|those|above|last|previous|earlier|just now|what I"
    r"|anything|everything|off the record|off record|between (?:us|you and me)|private|confidential)\b"
    r"|^\W*(?:(?:请|麻烦|还是|算了|哦|嗯|pls|please)\W*)*(?:别|不要|不用|不必|勿|莫|无需)再?(?:给我|帮我)?(?:记录|记住|记下来?|记|保存|存档|存|入档|留底|留痕)"
    r"(?:了|啊|哦|噢|吧|哈|呀|啦|来|着|\W)*$",
    re.IGNORECASE,
)
"""A wish that points at something said, or has no object of its own: "别存钱了" and "do not store my jackets" have."""
_AHEAD = re.compile(
    r"(?:这个|这件?事|this|that)\s*[：:]|接下来|下面|以下|后面|\b(?:next|following|follows|from here|going to)\b",
    re.IGNORECASE,
)
_SAID_BEFORE = re.compile(
    r"刚才|刚刚|刚说|前面|上面|上一?[句条段]|前一?[句条段]|之前(?:那|说)|\b(?:what I (?:just )?(?:said|told|wrote)|(?:that|the) last|the above"
    r"|earlier|just now|previous|that (?:was|bit|part|one|message)|I just (?:said|told|wrote|mentioned))\b",
    re.IGNORECASE,
)
_EVERYTHING = re.compile(
    r"(?<!和)(?:对话|聊天|会话)|(?:所有|全部|一切|任何)的?(?:话|内容|东西|消息|事情?)?(?=\W*$|[都也全])|什么(?:都|也)[别不]"
    r"|\b(?:this|our|the)(?: whole| entire)? (?:conversation|chat|session|talk|thread)\b|\b(?:any|none|all) of (?:this|it|that|the above)\b"
    r"|\b(?:anything|everything)\b(?!(?: else)? (?:about|regarding|on|to do with|related|concerning|of my|with)\b|(?: \w+){0,4} about\b)",
    re.IGNORECASE,
)
"""A wish about all that is said here; one that names its matter (any of my card numbers, 任何密码) is about its message."""
