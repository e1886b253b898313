"""Judging without an LLM: explicit statements become facts, corrections find their item, forgets find theirs.

It knows only what a person says plainly; whatever needs understanding is left alone. Confidence is a constant per
kind of statement, above the threshold of its door (policy: cue 0.55, idle 0.75).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from memoryapp.domain.claims import claims_of, is_single
from memoryapp.domain.cue_reach import ANNOUNCES, COMING, says_nothing
from memoryapp.domain.cues import confirms_saving, find_cues
from memoryapp.domain.edits import changed_by, edits_asked, is_of_the_task, orders_a_change
from memoryapp.domain.extraction import JudgeRequest
from memoryapp.domain.facts import Fact, self_statements
from memoryapp.domain.likeness import negative, speaks_of_change
from memoryapp.domain.naming import named_items, names_something
from memoryapp.domain.nearness import said_of
from memoryapp.domain.offers import accepts_saving
from memoryapp.domain.scripts import simplified
from memoryapp.domain.silence import left_out, silence, without
from memoryapp.domain.stated import facts_of_message, facts_of_request, nearest_facts, stands_alone, with_those_behind
from memoryapp.domain.targets import BY_MEANING, CONFIDENCE, SELF_STATEMENT_CONFIDENCE, WAITS, Known, placed
from memoryapp.domain.terms import terms_of
from memoryapp.domain.topic_rules import TopicRule, topic_rules
from memoryapp.domain.types import Action, Answer, Cue, CueKind, Kind, Operation, Role, Shown, Turn
from memoryapp.domain.unwanted import OLD_EN, forgotten


@dataclass(frozen=True, slots=True)
class _Heard:
    """One user turn with its cues, and what was said right before it by whomever."""

    turn: Turn
    cues: tuple[Cue, ...]
    before: str = ""


def judge_by_rules(request: JudgeRequest) -> Answer:
    """Operations for what the user turns say plainly. Never raises; an empty answer means nothing was plain."""
    heard = _allowed(request.turns)
    known = Known(request.shown, request.nearness)
    operations: list[Operation] = []
    for index, one in enumerate(heard):
        said = _distinct(_of_turn(one, heard[:index], known))
        operations = [old for old in operations if not _overtaken(old, said, one.cues)]
        operations = _distinct([*operations, *said])
    return Answer(operations=tuple(operations))


# --- which turns count ---


def _allowed(turns: Sequence[Turn]) -> list[_Heard]:
    """The user turns in order, without those the user wants kept out of memory."""
    silent = silence(turns).sure
    return [
        _Heard(turn, find_cues(turn.text)[:MOST_CUES], turns[place - 1].text if place else "")
        for place, turn in enumerate(turns)
        if turn.role is Role.USER and place not in silent
    ]


def _of_rule(cue: Cue, rules: Sequence[TopicRule]) -> bool:
    """Whether a request is a rule about what to keep, which is kept as it was said and changes nothing."""
    return any(cue.clause in rule.clause or rule.clause in cue.clause for rule in rules)


def kept_rule(rule: TopicRule) -> Operation:
    confidence = CONFIDENCE[CueKind.INSTRUCT]
    return Operation(Action.ADD, rule.clause, None, Kind.INSTRUCTION, confidence, rule.clause, "explicit_instruct")


MOST_CUES = 12
"""Requests of one message that the rules look at: each is looked at in the light of the whole message."""


# --- one turn ---


def _of_turn(one: _Heard, before: Sequence[_Heard], known: Known) -> Iterator[Operation]:
    rules = topic_rules(one.turn.text)
    cues = [cue for cue in one.cues if cue.kind is not CueKind.DO_NOT_STORE and not _of_rule(cue, rules)]
    beside = left_out(one.turn.text)
    meant = [replace(cue, body=without(cue.body, beside)) for cue in cues] if beside else cues
    asked = [operation for cue in meant for operation in _of_cue(cue, one, before, known)]
    asked += [kept_rule(rule) for rule in rules]
    told = [operation for operation in asked if not _BARE_EVENT.fullmatch(operation.content.strip(" ，,。."))]
    asked = told if any(operation.content for operation in told) else asked
    yield from _without_turned_down(asked, known)
    if not one.cues and before and any(_announces(cue) for cue in before[-1].cues):
        yield from (placed(fact, CueKind.REMEMBER, known) for fact in facts_of_message(one.turn.text))
    if not one.cues and accepts_saving(one.before, one.turn.text):
        yield from (placed(fact, CueKind.REMEMBER, known) for fact in _confirmed(before))
    covered = [cue.clause for cue in one.cues]
    for fact in self_statements(one.turn.text):
        if not any(fact.quote in clause or clause in fact.quote for clause in covered):
            yield replace(placed(fact, None, known), confidence=SELF_STATEMENT_CONFIDENCE)


def _without_turned_down(asked: Sequence[Operation], known: Known) -> Iterator[Operation]:
    """The operations of a turn with each change whole: what it turns down is no rule beside it (…in grams, no more cups)."""
    contents = {item.number: item.content for item in known.shown}
    changes = [each for each in asked if each.action is Action.UPDATE]
    old = [terms_of(contents.get(each.target or 0, "")) for each in changes]
    beside = [each for each in asked if each.action is Action.ADD and each.reason in _OF_A_CHANGE]
    dropped = [each for each in beside if negative(each.content) and any(terms_of(each.content) & one for one in old)]
    for operation in asked:
        news = [each.content for each in beside if each not in dropped]
        if operation in changes and negative(operation.content) and len(changes) == 1 and len(news) == 1:
            yield replace(operation, content=_joined(operation.content, news[0]))
            dropped += [each for each in beside if each.content == news[0]]
        elif operation not in dropped:
            yield operation


_OF_A_CHANGE = frozenset({"explicit_instruct", "explicit_correct"})


def _joined(first: str, second: str) -> str:
    return f"{first}, {second}" if first.isascii() else f"{first}，{second}"


def _announces(cue: Cue) -> bool:
    """Whether a request only says that something to remember is coming."""
    coming = ANNOUNCES.fullmatch(cue.clause) is not None or COMING.search(cue.clause) is not None
    return cue.kind is CueKind.REMEMBER and not cue.body and coming


def _of_cue(cue: Cue, one: _Heard, before: Sequence[_Heard], known: Known) -> Iterator[Operation]:
    if cue.kind is CueKind.FORGET:
        yield from _of_wish_to_forget(cue, one, known)
    elif cue.kind is CueKind.CORRECT and _GONE.fullmatch(cue.body):
        rest = one.turn.text.replace(cue.clause, " ").strip(" ，,。.")
        yield from forgotten(Cue(CueKind.FORGET, cue.clause, rest), known, one.before, (rest,))
    elif cue.kind is CueKind.CORRECT and (changed := _of_edit(cue, one, known)) is not None:
        yield from changed
    else:
        said = said_of(cue, one.turn.text)
        kind = CueKind.CORRECT if cue.kind is CueKind.REMEMBER and speaks_of_change(cue.body) else cue.kind
        for fact in _facts_meant(cue, one, before):
            operation = placed(fact, kind, known, said)
            yield replace(operation, confidence=WAITS if _says_no_state(operation) else CONFIDENCE[cue.kind])


def _says_no_state(operation: Operation) -> bool:
    """Whether what a correction would add is only a value or an order, of nobody knows what."""
    open_value = _OF_NOTHING.fullmatch(operation.content) is not None
    return operation.action is Action.ADD and (open_value or orders_a_change(operation.content))


def _of_wish_to_forget(cue: Cue, one: _Heard, known: Known) -> Iterator[Operation]:
    """What goes; for “the old one” what is said beside it, which replaces its item."""
    said, beside = said_of(cue, one.turn.text), one.turn.text.replace(cue.clause, " ")
    old = _OLD_ONE.search(simplified(cue.clause)) is not None and not names_something(cue.body)
    if news := facts_of_message(beside) if old else ():
        yield from (placed(fact, CueKind.CORRECT, known, said) for fact in news)
    else:
        yield from forgotten(cue, known, one.before + one.turn.text.partition(cue.clause)[0], said)


def _of_edit(cue: Cue, one: _Heard, known: Known) -> list[Operation] | None:
    """What a correction that names a thing changes or adds, nothing for one of the task; None when it names none."""
    edits = [edit for edit in edits_asked(one.turn.text) if edit.quote in cue.clause]
    if not edits:
        return [] if orders_a_change(cue.clause) and is_of_the_task(cue.clause) else None
    tasks = [edit for edit in edits if edit.of_the_task]
    changed = changed_by(edits, known.shown)
    return changed if changed or len(tasks) == len(edits) else None


def _facts_meant(cue: Cue, one: _Heard, before: Sequence[_Heard]) -> tuple[Fact, ...]:
    """The facts of a request: its own, or those around it where it only points."""
    beside = one.turn.text.replace(cue.clause, " ")
    cue = replace(cue, body=_answered(cue.body, beside))
    points = cue.kind in (CueKind.REMEMBER, CueKind.INSTRUCT) and says_nothing(cue.body)
    facts = _facts(cue) if cue.body and not points else ()
    if cue.kind is CueKind.REMEMBER:
        others = [other.clause for other in one.cues if other != cue]
        facts = with_those_behind(facts, cue.clause, one.turn.text, others)
    if not facts and (points or cue.kind is CueKind.REMEMBER) and not _announces(cue):
        facts = facts_of_message(beside) or _confirmed(before)
    if not facts and cue.kind is CueKind.CORRECT:
        facts = facts_of_message(beside)[:1] or (Fact(cue.clause, cue.clause),)
    if cue.kind is CueKind.INSTRUCT and _LEFT_OPEN.search(cue.body):
        facts = (*facts_of_message(beside), *facts)
    named = _CALLED_INSTEAD.search(beside) if facts and _NOT_CALLED.search(cue.body) else None
    if named is not None:
        facts = (Fact(f"{facts[0].content}; call me {named['name']}", facts[0].quote), *facts[1:])
    return facts


_NOT_CALLED = re.compile(r"\b(?:stop|quit|don['’]?t|do not|never) call(?:ing)? me\b", re.IGNORECASE)
_CALLED_INSTEAD = re.compile(
    r"(?:^|[.!,;]\s{0,3})(?:[Jj]ust |[Pp]lain )?(?P<name>[A-Z][a-z]+)(?: is (?:fine|enough|better|good)| will do| works|, please)\b"
)
"""The name that stands beside a wish not to be called by another (stop calling me Mr Roe. Jo is fine)."""


def _answered(body: str, beside: str) -> str:
    """What a polite question asks to keep, with the value that follows it (可以记住我的生日吗？是8月8日)."""
    asked = body.removesuffix("吗")
    follows = re.match(r"[？?，,\s]{0,4}(?P<value>是[^。！？!?\n]{1,40})", beside) if asked != body else None
    return f"{asked}{follows['value']}" if follows and not re.search(r"[是对有在叫]|喜欢", asked) else asked


_GONE = re.compile(
    r"(?:也|就|都|请|帮我)*(?:别|不要|不用)(?:再)?(?:留|要|记|存)(?:着|了)?|(?:删|清|去)(?:掉|了|除)?吧?|作废吧?"
)
"""What is left of a correction that only takes something back (那条作废，别留了)."""
_OLD_ZH = r"(?:旧的|老的|原来的?|之前的)"
_OLD_ONE = re.compile(rf"{_OLD_ZH}|\b{OLD_EN}\b", re.IGNORECASE)
"""A wish to forget the item that something said beside it replaces (we moved to GCP, delete the old one)."""
_LEFT_OPEN = re.compile(r"(?:这个|这一?点|这些|这事儿?|\b(?:this|that))\W*$", re.IGNORECASE)
"""A rule that ends in a pronoun: what was told beside it is meant (我妈晕车。以后安排行程你得想着这个)."""


def _facts(cue: Cue) -> tuple[Fact, ...]:
    if cue.kind is CueKind.CORRECT:
        body = _OLD_AWAY.sub("", _MISTAKE.sub("", cue.body)).strip(" ，,。")
        return (Fact(_renewed(body), cue.clause),) if stands_alone(body) and not _OF_NOTHING.match(body) else ()
    if cue.kind is CueKind.INSTRUCT and _replaces(cue.body):
        return (Fact(_renewed(cue.body), cue.clause),)
    return facts_of_request(cue.body)


_MISTAKE = re.compile(
    r"(?:^|[，,]\s*)(?:是)?我?(?:刚才|之前|上次|刚刚|前面)?(?:说|记|写|讲|打|弄|搞)(?:错|岔|反|混)了?(?=$|[，,])|(?:^|,\s*)(?:my mistake|my bad|sorry)(?=$|,)",
    re.IGNORECASE,
)
_OLD_AWAY = re.compile(
    rf"[，,；;.]\s*(?:and |so )?(?:please )?(?:delete|remove|forget|drop|erase) (?:the |my )?{OLD_EN} (?:one|entry|note|memory|address|value)s?\W*$"
    rf"|[，,；;。]\s*(?:请|帮我)?(?:把)?{_OLD_ZH}(?:那[条个])?(?:都|就)?(?:删掉?|删除|去掉|清掉|作废|忘掉?|不要)了?吧?\W*$",
    re.IGNORECASE,
)
"""What a correction says of the item that it replaces (…, delete the old one)."""
_OF_NOTHING = re.compile(
    r"(?:不过|但)?(?:应该|其实)?是(?!我)(?:\S*\d\S{0,6}|[上下这本]?(?:周|星期|礼拜)[一二三四五六日天末]\S{0,4})$|(?:it|that)(?:'s| is) [\w ]{1,20}$",
    re.IGNORECASE,
)
"""A new value without what it is of (是5月18号): only what was said before tells, which the rules do not read."""


def _confirmed(before: Sequence[_Heard]) -> tuple[Fact, ...]:
    """What a bare "yes, save it" means: the facts that the user told last, unless a request of their own keeps them."""
    told: list[str] = []
    for one in before:
        told = [] if one.cues else told
        if not one.cues and not confirms_saving(one.turn.text):
            told.append(one.turn.text)
    return nearest_facts(told)


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
_BARE_EVENT = re.compile(
    r"(?:我|我们)?(?:最近|上周|上个月|已经|刚)?(?:搬家|换工作|跳槽|改名|换号)了?"
    r"|I(?:['’]ve| have)?(?: just| recently)? (?:changed jobs?|switched jobs?|got a new job|moved(?: house)?)",
    re.IGNORECASE,
)


def _with_speaker(text: str, body: str) -> str:
    return f"我{text}" if re.match(r"我(?!们)", body) and not re.match(r"我|他|她|这|那", text) else text


_ACTUALLY = re.compile(r"^(?:其实|实际上|事实上|更正一下|actually[,\s]+|correction[:,\s]+)", re.IGNORECASE)


def _without_actually(text: str) -> str:
    stripped = _ACTUALLY.sub("", text.strip())
    return stripped[:1].upper() + stripped[1:] if stripped[:1].isascii() and text[:1].isupper() else stripped


# --- one run, one voice ---


def _distinct(operations: Iterable[Operation]) -> list[Operation]:
    """The operations in order, each content once and each target once, the later one winning its target."""
    kept: list[Operation] = []
    for new in operations:
        if new.content and any(_plain(new.content) == _plain(old.content) for old in kept):
            continue
        if new.target is not None and any(old.target == new.target and _stronger(old, new) for old in kept):
            continue
        kept = [old for old in kept if new.target is None or old.target != new.target] + [new]
    return kept


def _stronger(old: Operation, new: Operation) -> bool:
    """Whether an earlier operation on the same item stands: a new text for it, against its mere removal or a guess."""
    if old.action is not Action.UPDATE:
        return False
    return new.reason == BY_MEANING or (new.action is Action.DELETE and bool(_VOID.search(new.quote)))


_VOID = re.compile(r"作废|不算数?|过时|\b(?:void|outdated|no longer (?:valid|true))\b", re.IGNORECASE)
"""What is only declared void is replaced by what was said beside it."""


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
