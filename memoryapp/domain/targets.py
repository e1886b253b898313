"""Where a plain statement belongs among the items shown: beside them, in place of one, or as a repeat of one.

What is replaced is found by words first (one value of a kind, an old value named), then by meaning where the person
speaks of a change (`memoryapp.domain.nearness`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from memoryapp.domain.aiming import frames_of
from memoryapp.domain.beings import are_apart
from memoryapp.domain.claims import FREE_VALUES, Claim, claims_of, is_single, kind_of, restates, turns_preference
from memoryapp.domain.facts import Fact
from memoryapp.domain.naming import topics_of
from memoryapp.domain.nearness import LEAST_CHANGED, LEAST_JUDGED, Nearness
from memoryapp.domain.owners import may_be_same_owner, speak_of_others
from memoryapp.domain.portions import portions
from memoryapp.domain.terms import terms_of
from memoryapp.domain.types import Action, CueKind, Operation, Shown

CONFIDENCE = {CueKind.REMEMBER: 0.95, CueKind.INSTRUCT: 0.9, CueKind.CORRECT: 0.85, CueKind.FORGET: 0.95}
SELF_STATEMENT_CONFIDENCE = 0.78
WAITS = 0.5
"""Confidence of what its person must confirm: above the floor of candidates (0.35 by default), below either threshold."""
ALREADY_KNOWN = "already_known"
BY_MEANING = "meant_item"
"""Reason of an update whose item was found by its meaning."""


@dataclass(frozen=True, slots=True)
class Known:
    """The items shown, and how near they are by meaning to what is wanted."""

    shown: tuple[Shown, ...]
    nearness: Nearness


def placed(fact: Fact, cue: CueKind | None, known: Known, said: tuple[str, ...] = ()) -> Operation:
    """ADD, UPDATE of the item it replaces, or NONE for an item it only repeats. `said` is what was measured of the request."""
    fact = replace(fact, content=_without_request(fact.content))
    words = f"{fact.quote}\n{fact.content}"
    each_said = (replace(item, content=each) for item in known.shown for each in portions(item.content))
    mine = tuple(each for each in each_said if _may_be_about(words, fact, each))
    repeated = next((each for each in mine if _repeats(fact, cue, each)), None)
    if repeated is not None:
        return replace(_add(fact, cue), action=Action.NONE, target=repeated.number, reason=ALREADY_KNOWN)
    replaced = _replaced(fact, cue, mine)
    whole = replace(known, shown=tuple(item for item in known.shown if _may_be_about(words, fact, item)))
    target = replaced or _meant(fact, cue, whole, said)
    if target is None:
        return _add(fact, cue)
    target = next(item for item in known.shown if item.number == target.number)
    reason = "same_subject" if replaced is not None else BY_MEANING
    renewed = _add(fact, cue)
    content = fact.content
    if cue is CueKind.CORRECT:
        content = _with_the_rest(_without_request(_spelt_out(fact, target, said)), target.content)
    return replace(
        renewed, action=Action.UPDATE, content=content, target=target.number, reason=reason, kind=target.kind
    )


def _may_be_about(words: str, fact: Fact, item: Shown) -> bool:
    return not speak_of_others(fact.content, item.content) and not are_apart(words, item.content)


_ASKED_BEHIND = re.compile(
    r"(?:\s*[,;.!-]+\s*(?:and |so |but )?|\s+(?=(?:please|pls|plz|kindly) ))(?:(?:could|can|would|will) you )?(?:please |pls |plz |kindly )?"
    r"(?:remember|note|save|store|update|keep|record|log|memori[sz]e|make a note|take note)"
    r"(?: (?:that|this|it|them|my|your|the|a|note|of|down|in|mind|memory|memories|records?|profile|notes|for|me|later|future|reference|please|thanks|too|accordingly))*[\s,]*(?:please|pls|thanks|thank you)?[\s.!]*$"
    r"|[，,。；;]\s*(?:请|麻烦|帮我|帮忙|你|给我)*(?:记住|记一?下来?|记好|更新|update|存|保存|改一下|改过来|记得改过来|记得更新)\s?(?:一下|下|吧|哦|哈|啦|了|谢谢)*[。！!\s]*$",
    re.IGNORECASE,
)
_LONGEST_ASKED_BEHIND = 80
_OPENS_A_CORRECTION = re.compile(r"(?:actually|correction|no|sorry)[,:]\s{1,3}(?=\S+ \S)", re.IGNORECASE)
_ASKED_BEFORE = re.compile(r"^我?(?:请|麻烦|帮我|给我|你)+(?:记住|记得|记一?下)[：:，,\s]*(?=\S{2})")


def _without_request(content: str) -> str:
    """A statement without the request that stands behind it (…, please remember that)."""
    content = _ASKED_BEFORE.sub("", content) or content
    if opened := _OPENS_A_CORRECTION.match(content):
        content = content[opened.end() :][:1].upper() + content[opened.end() + 1 :]
    head, tail = content[:-_LONGEST_ASKED_BEHIND], content[-_LONGEST_ASKED_BEHIND:]
    found = _ASKED_BEHIND.search(tail)
    stated = head + tail[: found.start()] if found else content
    return stated if terms_of(stated) else content


_LONGEST_SPELT_OUT = 200


def _spelt_out(fact: Fact, target: Shown, said: tuple[str, ...]) -> str:
    """A correction in as many of its words as say of what it is (是猫 → 之前说我养狗，其实是猫)."""
    known = {term for term in terms_of(target.content) if not term[0].isdigit()}
    longer = sorted(
        (text for text in (fact.quote, *said) if len(fact.content) < len(text) <= _LONGEST_SPELT_OUT), key=len
    )
    if restates(fact.content, target.content) or _OPEN.match(fact.content):
        return longer[-1] if longer else fact.content
    return next((text for text in (fact.content, *longer) if terms_of(text) & known), fact.content)


_OPEN = re.compile(r"(?:it|that|this)(?:'s| is| was|'ll)\b|(?:应该|其实)?是(?![我他她的])", re.IGNORECASE)
"""How a statement begins that leaves open what it is about."""


_LABELS = frozenset({"is_called", "addressed_as", "birthday", "phone", "email"})
"""Families whose value is only a label: what else an item says does not hang on it."""


def _with_the_rest(content: str, known: str) -> str:
    """A corrected label within all that the item says besides (女儿叫小满，养了两只猫 keeps the cats).

    What else an item states by itself is kept by the plan (`parting.untouched`).
    """
    if re.search(r"[，,；;](?!\s*(?:not\b|不叫|不是))", content):
        return content
    said = portions(known)
    values = {(claim.family, claim.owner): claim.value for claim in claims_of(known)}
    for claim in claims_of(content):
        old = values.get((claim.family, claim.owner), "") if claim.family in _LABELS else ""
        holders = [each for each in said if any(one.family == claim.family for one in claims_of(each))]
        if len(said) > 1 and (len(holders) != 1 or claim.family in FREE_VALUES):
            continue
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


def _repeats(fact: Fact, cue: CueKind | None, item: Shown) -> bool:
    """Whether a fact only repeats an item. A correction that names the item's value as the old one does not."""
    old = cue is CueKind.CORRECT and _names_old_value(fact.quote, item.content)
    return not old and restates(fact.content, item.content)


def _meant(fact: Fact, cue: CueKind | None, known: Known, said: tuple[str, ...]) -> Shown | None:
    """The item that a change means although it names neither it nor its value in the same words.

    What is replaced is gone from use, so likeness alone is not enough: words must name the thing, its topic or its old
    value, or a correction be very near and give a value of the same sort (Thursdays for Tuesdays); and never does one sort of fact take another's place (a move that of a diet).
    """
    if cue not in (CueKind.CORRECT, CueKind.INSTRUCT) or _ADDS.search(fact.content):
        return None
    if cue is CueKind.INSTRUCT and not _TURNS_DOWN.search(" ".join(said)):
        return None
    mine = [item for item in known.shown if may_be_same_owner(fact.content, item.content, " ".join(said))]
    message = " ".join(said)
    topics, frames = topics_of(message), frames_of(fact.content)

    def named(item: Shown) -> float:
        content = item.content
        thing = _THING_NAMED * any(thing in message.lower() for thing in _things(content))
        topic = _TOPIC_NAMED * bool(topics & topics_of(content))
        return (thing or topic) + _OLD_NAMED * _names_old_value(fact.quote, content)

    def hint(item: Shown) -> float:
        return named(item) + _FRAMED * bool(frames & frames_of(item.content))

    mine = [item for item in mine if not _says_something_else(fact, item)]
    meant = known.nearness.meant(said, mine, LEAST_CHANGED, hint)
    if meant is None or named(meant):
        return meant
    alike = _same_sort(fact.content, meant.content) and known.nearness.is_near(meant, LEAST_JUDGED)
    return meant if alike and cue is CueKind.CORRECT else None


def _same_sort(text: str, known: str) -> bool:
    """Whether both give a day, a time, a date or a size."""
    return any(sort.search(text) and sort.search(known) for sort in _SORTS)


_SORTS = tuple(
    re.compile(source, re.IGNORECASE)
    for source in (
        r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|(?:周|星期|礼拜)[一二三四五六日天]",
        r"\b\d{1,2}(?::\d{2})?\s?(?:am|pm)\b|\b\d{1,2}:\d{2}\b|[一二三四五六七八九十两\d]{1,3}点",
        r"\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b|[一二三四五六七八九十\d]{1,2}月",
        r"\bsize (?:\d|x?[sml]\b)|[xX]{0,2}[SMLsml] ?码|\d+ ?码",
    )
)


def _says_something_else(fact: Fact, item: Shown) -> bool:
    """Whether both make claims, and none of the same sort."""
    mine = {claim.family for claim in claims_of(f"{fact.quote}\n{fact.content}")}
    theirs = {claim.family for claim in claims_of(item.content)}
    return bool(mine and theirs) and not mine & theirs


_THING_NAMED, _TOPIC_NAMED, _FRAMED, _OLD_NAMED = 0.25, 0.15, 0.1, 0.3
"""What it counts that a request names the item's thing or topic, says the same of somebody, or names its old value."""
_THING = re.compile(
    r"(?:^|\b)(?:my|our|user['’]s|the)\s+(?P<en>[\w'’-]+(?: [\w'’-]+){0,2}?) (?:is|are|was|will be|has been)\b|(?:我们?|用户)的(?P<zh>[^，。,\s是为]{1,8})(?:是|为|叫|在)",
    re.IGNORECASE,
)


def _things(text: str) -> frozenset[str]:
    """What a text says something of: my manager is …, 我的车牌是 …"""
    return frozenset((found["en"] or found["zh"]).lower() for found in _THING.finditer(text))


_TURNS_DOWN = re.compile(
    r"别(?!忘)|不\S{1,3}了|不要|不用|不再|不必|改|换|\b(?:no more|no longer|instead|rather than|stop|quit|not|don'?t(?! forget)|drop|switch\w*|change\w*)\b",
    re.IGNORECASE,
)
"""A rule that turns another down may replace it; one that only adds something stands beside it."""


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
    same = same or turns_preference(fact.content, item.content) or _same_place(fact.content, item.content)
    points = 1.0 if same and not _ADDS.search(said) and _same_project(said, item.content) else 0.0
    if cue in (CueKind.CORRECT, CueKind.INSTRUCT) and _names_old_value(fact.quote, item.content):
        points += 1.0
    words = terms_of(said)
    return points + 0.9 * len(words & terms_of(item.content)) / max(1, len(words)) if points else 0.0


_HAS_ONE = re.compile(
    r"(?P<owner>\b(?:my|our|(?:the )?user['’]s)|我们?的|用户的)\s*(?:new |current |新的?)?(?P<thing>[\w'’ -]{3,40}?|[\u4e00-\u9fff]{2,8}?)\s*(?:is now|is|are|['’]s|现在是|是|叫)\s*(?P<value>[^，。,.;]{1,40})",
    re.IGNORECASE,
)
_SEVERAL_OF = re.compile(
    r"(?:son|daughter|kid|child|friend|brother|sister|sibling|cousin|aunt|uncle|nephew|niece|neighbou?r|colleague|coworker|teammate|cat|dog|pet|hobby|allergy|goal|plan|problem)s?$|(?:儿子|女儿|孩子|朋友|同事|哥哥|弟弟|姐姐|妹妹|亲戚|邻居|同学|猫|狗|宠物|爱好|目标|计划)$",
    re.IGNORECASE,
)
_FAVOURITE = re.compile(r"favou?rite|preferred|usual|最(?:喜欢|爱|常)", re.IGNORECASE)


def _same_place(text: str, known: str) -> bool:
    """Whether two statements name the holder of one place (my manager is …): the newer one holds it now."""
    mine, theirs = _HAS_ONE.match(text), _HAS_ONE.match(known)
    if mine is None or theirs is None or mine["thing"].lower() != theirs["thing"].lower():
        return False
    if _SEVERAL_OF.search(mine["thing"]):
        return False
    return _FAVOURITE.search(mine["thing"]) is not None or _sort(mine["value"]) == _sort(theirs["value"]) != ""


_LONGEST_CHINESE_NAME = 4


def _sort(value: str) -> str:
    """What sort of value it is by its looks: a figure, a name, or none that can be told."""
    if re.search(r"\d", value):
        return "figure"
    chinese = not value.isascii() and len(value.strip()) <= _LONGEST_CHINESE_NAME
    return "name" if value[:1].isupper() or chinese else ""


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
    r"(?:别再|不要再|别|不要|不再|不)(?:用|吃|喝|住在?|在|叫|做|抽|养|喜欢|爱|写|当|负责|使用|发|打|穿|开|坐|看|说"
    r"|是)\s*(?P<zh>[^，,。；;]{1,16}?)(?:回答|了|[，,。；;]|$)"
    r"|(?:讨厌|戒[掉了]?|从)\s*(?P<zh2>[^，,。；;]{1,12}?)(?:了|搬|换|迁|切|改|到|[，,。；;]|$)"
    r"|\bno longer (?:\w+ )?(?P<en>[\w .'-]{2,30}?)(?:[,.;]|$)|\bfrom (?P<en2>[\w .'-]{2,30}?) to\b"
    r"|\b(?:don't|do not|stopped|quit|hate|stop|instead of|dropped|left)\s+(?:\w+ing |eat |drink |like |use "
    r"|live in )?(?P<en3>[\w .'-]{2,30}?)(?:[,.;]| any ?more|$)"
    r"|(?<!\w)not (?P<en4>[\w ./'-]{2,30}?)(?:[,.;]|$)|不是(?P<zh3>[^，,。]{1,12})"
    r"|(?P<zh4>[\w\u4e00-\u9fff]{1,10}?)\s*(?:那[个条份])?(?:就|都)?(?:不|别|不要)再?(?:用|写|吃|喝|打|发|看|要|做|开|穿)了"
    r"|(?:^|[，,。；;\s])我?的?(?P<zh5>[\w\u4e00-\u9fff]{1,8}?)(?:已经|都)?(?:换了|卖了|卖掉了|走了|离职了|辞职了|调走了)(?=[，,。；;]|$)"
    r"|\b(?P<en5>[a-z]{2,20}) (?:has |have |had |just |already )*(?:left|quit|resigned|retired|moved on)\b(?=[,.;]|$)",
    re.IGNORECASE,
)


def _names_old_value(quote: str, content: str) -> bool:
    known = terms_of(content)
    for found in _OLD_VALUE.finditer(quote):
        words = terms_of(next((part for part in found.groups() if part), ""))
        if words and words & known:
            return True
    return False
