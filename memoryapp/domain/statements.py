"""Judging without an LLM: explicit statements become facts, corrections find their item, forgets find theirs.

It knows only what a person says plainly; whatever needs understanding is left alone. Confidence is a constant per
kind of statement, above the threshold of its door (policy: cue 0.55, idle 0.75).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from memoryapp.domain.claims import (
    Claim,
    claims_of,
    is_single,
    kind_of,
    restates,
    terms_of,
    turns_preference,
)
from memoryapp.domain.clauses import Sentence, is_hypothetical, leans, sentences
from memoryapp.domain.cues import confirms_saving, find_cues
from memoryapp.domain.extraction import JudgeRequest
from memoryapp.domain.facts import Fact, atoms, self_statements
from memoryapp.domain.naming import is_well_named, named_items
from memoryapp.domain.offers import accepts_saving
from memoryapp.domain.topic_rules import TopicRule, topic_rules
from memoryapp.domain.types import Action, Answer, Cue, CueKind, Kind, Operation, Role, Shown, Turn

CONFIDENCE = {CueKind.REMEMBER: 0.95, CueKind.INSTRUCT: 0.9, CueKind.CORRECT: 0.85, CueKind.FORGET: 0.95}
SELF_STATEMENT_CONFIDENCE = 0.78
ALREADY_KNOWN = "already_known"
FAINT_FORGET = "faint_forget"
"""A wish to forget that shares little with the item it may mean."""


@dataclass(frozen=True, slots=True)
class _Heard:
    """One user turn with its cues, and what was said right before it by whomever."""

    turn: Turn
    cues: tuple[Cue, ...]
    before: str = ""


def judge_by_rules(request: JudgeRequest) -> Answer:
    """Operations for what the user turns say plainly. Never raises; an empty answer means nothing was plain."""
    heard = _allowed(request.turns)
    operations: list[Operation] = []
    for index, one in enumerate(heard):
        said = _distinct(_of_turn(one, heard[:index], request.shown))
        operations = [old for old in operations if not _overtaken(old, said, one.cues)]
        operations = _distinct([*operations, *said])
    return Answer(operations=tuple(operations))


# --- which turns count ---


def _allowed(turns: Sequence[Turn]) -> list[_Heard]:
    """The user turns in order, without those the user wants kept out of memory."""
    heard = [
        _Heard(turn, find_cues(turn.text), turns[place - 1].text if place else "")
        for place, turn in enumerate(turns)
        if turn.role is Role.USER
    ]
    kept: list[_Heard] = []
    for one in heard:
        rules = topic_rules(one.turn.text)
        wishes = [cue for cue in one.cues if cue.kind is CueKind.DO_NOT_STORE and not _of_rule(cue, rules)]
        if any(_EVERYTHING.search(cue.clause) for cue in wishes):
            return []
        if not wishes:
            kept.append(one)
        elif kept and _only_wishes(one):
            kept.pop()
    return kept


def _of_rule(cue: Cue, rules: Sequence[TopicRule]) -> bool:
    """Whether a wish is a rule about a topic, which is kept like any other."""
    return any(cue.clause in rule.clause or rule.clause in cue.clause for rule in rules)


_EVERYTHING = re.compile(
    r"对话|聊天|任何|所有|全部|一切|\b(?:any|anything|any of|everything|conversation|chat"
    r"|session)\b",
    re.IGNORECASE,
)


def _only_wishes(one: _Heard) -> bool:
    """Whether the turn says nothing but "not this": then the turn before is meant."""
    said = sum(len(sentence.clauses) for sentence in sentences(one.turn.text))
    return said <= len(one.cues)


# --- one turn ---


def _of_turn(one: _Heard, before: Sequence[_Heard], shown: tuple[Shown, ...]) -> Iterator[Operation]:
    for cue in one.cues:
        yield from _of_cue(cue, one, before, shown)
    if not one.cues and accepts_saving(one.before, one.turn.text):
        yield from (_placed(fact, CueKind.REMEMBER, shown) for fact in _confirmed(before))
    covered = [cue.clause for cue in one.cues]
    for fact in self_statements(one.turn.text):
        if not any(fact.quote in clause or clause in fact.quote for clause in covered):
            yield replace(_placed(fact, None, shown), confidence=SELF_STATEMENT_CONFIDENCE)


def _of_cue(cue: Cue, one: _Heard, before: Sequence[_Heard], shown: tuple[Shown, ...]) -> Iterator[Operation]:
    if cue.kind is CueKind.FORGET:
        yield from _forgotten(cue, shown, one.before + one.turn.text.partition(cue.clause)[0])
    elif cue.body:
        yield from (_placed(fact, cue.kind, shown) for fact in _facts(cue))
    elif confirms_saving(one.turn.text):
        yield from (_placed(fact, CueKind.REMEMBER, shown) for fact in _confirmed(before))


def _facts(cue: Cue) -> tuple[Fact, ...]:
    if cue.kind is CueKind.CORRECT:
        body = _MISTAKE.sub("", cue.body).strip(" ，,。")
        return (Fact(_renewed(body), cue.clause),) if _stands_alone(body) and not _OF_NOTHING.match(body) else ()
    if cue.kind is CueKind.INSTRUCT and _replaces(cue.body):
        return (Fact(_renewed(cue.body), cue.clause),)
    return tuple(fact for fact in atoms(cue.body) if _stands_alone(fact.content))


_ANAPHORIC = re.compile(
    r"(?:这|那|它|此|上述|上面|刚才)[\u4e00-\u9fff]{0,3}|(?:以下|下面|这)几?[点条个项]\S{0,3}|(?:this|that|it"
    r"|them|these|those)(?: one| thing)?"
    r"|搬家了|换工作了|换了|记错了|说错了|搞错了|你记错了",
    re.IGNORECASE,
)


_MISTAKE = re.compile(
    r"(?:^|[，,]\s*)(?:是)?我?(?:刚才|之前|上次|刚刚|前面)?(?:说|记|写|讲|打|弄|搞)(?:错|岔|反|混)了?(?=$|[，,])|(?:^|,\s*)(?:my mistake|my bad|sorry)(?=$|,)",
    re.IGNORECASE,
)
_OF_NOTHING = re.compile(r"(?:应该)?是(?!我)\S*\d\S{0,6}$|(?:it|that)(?:'s| is) [\w ]{1,20}$", re.IGNORECASE)
"""A new value without what it is of (是5月18号): only what was said before tells, which the rules do not read."""


def _stands_alone(content: str) -> bool:
    return len(content) >= 2 and not _ANAPHORIC.fullmatch(content.strip(" ，,。.！!")) and not leans(content)


def _without_question(text: str, sentence: Sentence) -> str:
    """A sentence up to where it asks something; all of it when it asks nothing."""
    asking = next((clause.start for clause in sentence.clauses if clause.asks), sentence.end)
    return text[sentence.start : asking]


def _confirmed(before: Sequence[_Heard]) -> tuple[Fact, ...]:
    """What the user said last before a bare "yes, save it": the plain sentences of the nearest turn that has any."""
    for one in reversed(before):
        if confirms_saving(one.turn.text):
            continue
        if one.cues:
            return ()
        facts = [
            fact
            for sentence in sentences(one.turn.text)
            for fact in atoms(_without_question(one.turn.text, sentence))
            if _stands_alone(fact.content) and not is_hypothetical(fact.content)
        ]
        return tuple(facts)
    return ()


# --- corrections in the words of the user ---

_SWAP = re.compile(
    r"(?P<head>.*?)(?:别再|不要再|别|不要|不再|不)(?P<verb>用|使用)\s*(?P<old>[^，,了]{1,16}?)(?P<rest>(?:回答"
    r"|回复|跟我|和我|写|做|来)[^，,了]{0,8})?了?[，,\s]+(?:改成|改用|换成|换|改为|改)(?:用)?\s*"
    r"(?P<new>[^，,。]{1,20}?)(?:吧|了)?"
)


def _replaces(body: str) -> bool:
    return bool(_SWAP.fullmatch(body))


def _renewed(body: str) -> str:
    """The new state without the old one, still in the user's words: 不用 pnpm 了，改用 bun → 改用 bun."""
    swap = _SWAP.fullmatch(body)
    if swap:
        rest = swap["rest"] or ""
        verb = "用" if rest else "改用"
        gap = " " if swap["new"][:1].isascii() and not rest else ""
        return f"{swap['head']}{verb}{gap}{swap['new']}{rest}".strip()
    parts = [part.strip() for part in re.split(r"[，；]", body)]
    stating = [part for part in parts if part and not _OLD_STATE.match(part) and not _BARE_EVENT.fullmatch(part)]
    if len(parts) == 1 or not stating or not any(claims_of(part) for part in stating):
        return _without_actually(body)
    return _with_speaker(_without_actually("，".join(stating)), body)


_OLD_STATE = re.compile(r"(?:已经|现在)?不(?:再)?(?:住|在|用|是|叫)")
_BARE_EVENT = re.compile(r"(?:我|我们)?(?:最近|上周|上个月|已经|刚)?(?:搬家|换工作|跳槽|改名|换号)了?")


def _with_speaker(text: str, body: str) -> str:
    return f"我{text}" if re.match(r"我(?!们)", body) and not re.match(r"我|他|她|这|那", text) else text


_ACTUALLY = re.compile(r"^(?:其实|实际上|事实上|更正一下|actually[,\s]+|correction[:,\s]+)", re.IGNORECASE)


def _without_actually(text: str) -> str:
    stripped = _ACTUALLY.sub("", text.strip())
    return stripped[:1].upper() + stripped[1:] if stripped[:1].isascii() and text[:1].isupper() else stripped


# --- where a fact belongs among the items shown ---


def _placed(fact: Fact, cue: CueKind | None, shown: tuple[Shown, ...]) -> Operation:
    """ADD, UPDATE of the item it replaces, or NONE for an item it only repeats."""
    repeated = next((item for item in shown if restates(fact.content, item.content)), None)
    if repeated is not None:
        return replace(_add(fact, cue), action=Action.NONE, target=repeated.number, reason=ALREADY_KNOWN)
    target = _replaced(fact, cue, shown)
    if target is None:
        return _add(fact, cue)
    renewed = _add(fact, cue)
    content = _with_the_rest(fact.content, target.content) if cue is CueKind.CORRECT else fact.content
    return replace(
        renewed, action=Action.UPDATE, content=content, target=target.number, reason="same_subject", kind=target.kind
    )


_LABELS = frozenset({"is_called", "birthday", "phone", "email"})
"""Families whose value is only a label: what else an item says does not hang on it."""


def _with_the_rest(content: str, known: str) -> str:
    """A corrected label within all that the item says besides (女儿叫小满，今年上三年级 keeps the school year)."""
    if re.search(r"[，,；;](?!\s*(?:not\b|不叫|不是))", content):
        return content
    values = {(claim.family, claim.owner): claim.value for claim in claims_of(known)}
    for claim in claims_of(content):
        old = values.get((claim.family, claim.owner), "") if claim.family in _LABELS else ""
        if old and claim.value and known.count(old) == 1 and re.search(r"[，,；;]|\b(?:and|who)\b", known):
            return known.replace(old, claim.value)
    return content


def _add(fact: Fact, cue: CueKind | None) -> Operation:
    claims = claims_of(fact.content)
    claim = claims[0] if len(claims) == 1 and claims[0].value else None
    return Operation(
        action=Action.ADD,
        content=fact.content,
        kind=kind_of(fact.content),
        confidence=CONFIDENCE[cue] if cue else SELF_STATEMENT_CONFIDENCE,
        quote=fact.quote,
        reason=f"explicit_{cue.value}" if cue else "plain_self_statement",
        subject=claim.owner if claim else "",
        predicate=claim.family if claim else "",
        object=claim.value if claim else "",
    )


def _replaced(fact: Fact, cue: CueKind | None, shown: tuple[Shown, ...]) -> Shown | None:
    """The one item that the fact replaces; None when there is none or when two are equally near."""
    near = sorted(((_nearness(fact, cue, item), item) for item in shown), key=lambda pair: pair[0], reverse=True)
    if not near or near[0][0] < 1.0:
        return None
    if len(near) > 1 and near[1][0] > near[0][0] - 0.05:
        return None
    return near[0][1]


def _nearness(fact: Fact, cue: CueKind | None, item: Shown) -> float:
    """1 for a shared single-valued claim, 1 for the old value named, plus the share of common words (below 1)."""
    said = f"{fact.quote}\n{fact.content}"
    mine, theirs = claims_of(said), claims_of(item.content)
    same = any(
        one.family == other.family
        and (is_single(one.family) or (cue is CueKind.CORRECT and one.family == "drinks"))
        and _same_owner(one, other)
        for one in mine
        for other in theirs
    )
    same = same or turns_preference(fact.content, item.content)
    points = 1.0 if same and not _ADDS.search(said) and _same_project(said, item.content) else 0.0
    if cue in (CueKind.CORRECT, CueKind.INSTRUCT) and _names_old_value(fact.quote, item.content):
        points += 1.0
    words = terms_of(said)
    return points + 0.9 * len(words & terms_of(item.content)) / max(1, len(words)) if points else 0.0


_ADDS = re.compile(
    r"也|还有|除了|另[外一]|第二|\b(?:also|besides|in addition|as well|too|used to|other|another|second)\b|以前|曾经",
    re.IGNORECASE,
)


def _same_owner(one: Claim, other: Claim) -> bool:
    return one.owner == other.owner or {one.owner, other.owner} == {"user", "project"}


_PROJECT_NAME = re.compile(r"([\u4e00-\u9fff]{2,4})项目|\bproject ([A-Z]\w+)|\b([A-Z]\w+) project\b")
_NO_NAME = re.compile(r"^(?:.*(?:这个|那个|我们|咱们|本|该|的|公司))$|^(?:The|This|Our|My)$")


def _same_project(said: str, content: str) -> bool:
    mine, theirs = (
        {name for groups in _PROJECT_NAME.findall(text) for name in groups if name and not _NO_NAME.match(name)}
        for text in (said, content)
    )
    return not mine or not theirs or bool(mine & theirs)


_OLD_VALUE = re.compile(
    r"(?:别再|不要再|别|不要|不再|不)(?:用|吃|喝|住在?|在|叫|做|抽|养|喜欢|爱|写|当|负责|使用"
    r"|是)\s*(?P<zh>[^，,。；;]{1,16}?)(?:回答|了|[，,。；;]|$)"
    r"|(?:讨厌|戒[掉了]?|从)\s*(?P<zh2>[^，,。；;]{1,12}?)(?:了|搬|换|迁|切|改|到|[，,。；;]|$)"
    r"|\bno longer (?:\w+ )?(?P<en>[\w .'-]{2,30}?)(?:[,.;]|$)|\bfrom (?P<en2>[\w .'-]{2,30}?) to\b"
    r"|\b(?:don't|do not|stopped|quit|hate|stop|instead of|dropped|left)\s+(?:\w+ing |eat |drink |like |use "
    r"|live in )?(?P<en3>[\w .'-]{2,30}?)(?:[,.;]| any ?more|$)"
    r"|(?<!\w)not (?P<en4>[\w .'-]{2,30}?)(?:[,.;]|$)|不是(?P<zh3>[^，,。]{1,12})",
    re.IGNORECASE,
)


def _names_old_value(quote: str, content: str) -> bool:
    known = terms_of(content)
    for found in _OLD_VALUE.finditer(quote):
        words = terms_of(next((part for part in found.groups() if part), ""))
        if words and words & known:
            return True
    return False


# --- forgetting ---


def _forgotten(cue: Cue, shown: tuple[Shown, ...], before: str) -> Iterator[Operation]:
    """An item that is only faintly named, and by the request itself, waits for confirmation before it is forgotten."""
    by_itself = bool(named_items(cue.body, shown))
    for item in named_items(cue.body, shown, before):
        yield Operation(
            action=Action.DELETE,
            target=item.number,
            confidence=CONFIDENCE[CueKind.FORGET],
            quote=cue.clause,
            reason=FAINT_FORGET if by_itself and not is_well_named(cue.body, item) else "explicit_forget",
        )


# --- one run, one voice ---


def _distinct(operations: Iterable[Operation]) -> list[Operation]:
    """The operations in order, each content once and each target once, the later one winning its target."""
    kept: list[Operation] = []
    for new in operations:
        if new.content and any(_plain(new.content) == _plain(old.content) for old in kept):
            continue
        kept = [old for old in kept if new.target is None or old.target != new.target] + [new]
    return kept


def _overtaken(old: Operation, said: Sequence[Operation], cues: Sequence[Cue]) -> bool:
    """Whether a later turn of the run replaces or takes back what an earlier one would have added."""
    if old.action is not Action.ADD:
        return False
    if any(cue.kind is CueKind.FORGET and named_items(cue.body, (_as_shown(old),)) for cue in cues):
        return True
    return any(
        new.predicate and is_single(new.predicate) and (new.subject, new.predicate) == (old.subject, old.predicate)
        for new in said
    )


def _as_shown(operation: Operation) -> Shown:
    return Shown(0, UUID(int=0), operation.content, operation.kind or Kind.NOTE)


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.lower())
