"""Requests that change what is kept by naming it: update my shoe size to 43, 把我的鞋码改成43.

They say what is named, its new value and sometimes the old one. Only the one item that says what the named thing is,
or holds the old value once, is meant; a thing of the task (a flight, a file) is the agent's to change and no memory.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from memoryapp.domain.beings import are_apart
from memoryapp.domain.claims import kind_of
from memoryapp.domain.clauses import between
from memoryapp.domain.cue_limits import is_artifact
from memoryapp.domain.naming import topics_of
from memoryapp.domain.owners import may_be_same_owner, speak_of_others
from memoryapp.domain.portions import portions
from memoryapp.domain.scripts import simplified
from memoryapp.domain.targets import CONFIDENCE
from memoryapp.domain.terms import terms_of
from memoryapp.domain.types import Action, CueKind, Operation, Shown

_I = re.IGNORECASE
_LONGEST = 300
"""Characters of a message that may be such a request."""
_KEPT_EN = (
    r"(?:(?:that |which )?(?:you|i)(?:['’](?:re|ve)| are| have)?\s+(?:\w+\s){0,3}?"
    r"(?:keep(?:ing)?|kept|have|has|saved?|stored?|remember(?:ed)?|noted?|got|hold(?:ing)?|gave you|told you)"
    r"(?:\s+(?:for|about|on|of) me| on file| in memory)?|in (?:your|my) (?:memory|notes|records|profile)|on (?:file|record))"
)
_ASIDE_EN = (
    r",?\s+(?:please|pls|thanks|thank you|now|instead|from now on|in (?:your|my) (?:memory|notes|records|profile)"
    r"|on (?:file|record))\b|,\s+(?:because|since|as|the|my|i|it|they|we|that)\b|\s+(?:because|since)\b"
)
_CHANGE_EN = r"(?:update|change|set|switch|correct|amend|edit|modify|adjust)"
_EN = re.compile(
    r"(?:^|[.!?\n]\s*|,\s*)(?:(?:hey|hi|ok|okay|so|oh|and|also|please|pls|just|now|can|could|would|will|you|kindly"
    r"|i['’]d like (?:you )?to|i need (?:you )?to)[\s,]+){0,5}"
    rf"(?P<asked>(?:{_CHANGE_EN}|revise|bump|raise|lower)\s+"
    rf"(?P<named>(?:my|our|the)\s+[\w'’-]+(?: [\w'’-]+){{0,5}}?)(?P<kept>\s+{_KEPT_EN})?"
    r"(?:\s+from\s+(?P<old>[^.!?;\n]{1,40}?))?(?:\s+(?:up|down|over))?\s+to\s+(?:be\s+)?(?P<new>[^!?;\n]{1,80}?))"
    rf"(?=\s*(?:$|[!?;\n]|\.(?:\s|$)|{_ASIDE_EN}))",
    _I,
)
_KEPT_ZH = r"(?:[你您](?:那里|这里|那儿|这儿|那边)?(?:给我|替我|帮我)?(?:记|存|保存|记录|备忘)(?:录|住|下|着|里|中)*的)"
_ENDS_ZH = r"(?:了|吧|哈|哦|呀|啊|谢谢)*(?=\s*(?:$|[，,。！!？?；;\n]))"
_ZH = (
    re.compile(
        r"(?:更新|更正|修改)(?:一下|下)?[：:，,]\s*"
        r"(?P<asked>(?P<kept>)(?P<named>[^，,。！!？?；;：:\n从改换调更]{2,12}?)(?P<old>)(?:改|换|更新|变)(?:成|为)"
        rf"\s*(?P<new>[^，,。！!？?；;\n]{{1,20}}?)){_ENDS_ZH}"
    ),
    re.compile(
        r"(?:^|[，,。！!？?；;：:\n\s])(?:请|麻烦|劳驾|帮忙|帮我|给我|替我|你|能不能|可以|顺便|那|就|再){0,4}"
        rf"(?P<asked>[把将](?P<kept>{_KEPT_ZH})?(?P<named>[^，,。！!？?；;：:\n从改换调更]{{1,14}}?)"
        r"(?:从(?P<old>[^，,。！!？?；;\n]{1,14}?))?(?:改|换|调整?|更新|修改|变更|更正)(?:一下|下)?[，,]?(?:改|换|调|挪|变)?"
        rf"(?:成|为|到|作|是)\s*(?P<new>[^，,。！!？?；;\n]{{1,30}}?)){_ENDS_ZH}"
    ),
    re.compile(
        r"(?:^|[，,。！!？?；;：:\n\s])(?:请|麻烦|帮我|给我|你|再){0,3}"
        r"(?P<asked>(?:更新|修改|更正|改)(?:一下|下)(?P<kept>)(?P<named>我们?的[^，,。！!？?；;：:\n\s]{1,12}?)(?P<old>)"
        rf"(?:[：:]|为|到|成|是|\s)\s*(?P<new>[^，,。！!？?；;\n]{{1,30}}?)){_ENDS_ZH}"
    ),
)
_OF_THE_TASK = re.compile(
    r"航班|机票|车票|订单|购物车|预约|预订|会议|闹钟|提醒|日程|酒店|房间|密码|标题|题目|字体|字号|格式|背景|(?<!喜欢的)颜色|单词|句子|句话|段落"
    r"|头像|作文|作业|表格|菜谱|食谱|日记|报告|合同|邮件(?!地址)|签名|个人简介|简介|照片|图片?|简历|代码|开场白|结尾|回[复答]|答案|文案|台词|音量|亮度|[说写画做]的$"
    r"|\b(?:flights?|tickets?|orders?|carts?|baskets?|appointments?|meetings?|reservations?|bookings?|alarms?|timers?|reminders?|calls?|dentist"
    r"|passwords?|(?<!job )titles?|headings?|fonts?|background|status|volume|brightness|temperature|lights?|subject line|tone|wording|function|variable"
    r"|(?:profile )?pictures?|avatars?|photos?|images?|logos?|drafts?|essays?|letters?|stor(?:y|ies)|poems?|lyrics|scenes?|characters?|voice|glass|mind|heart|reply|replies|answers?|responses?"
    r"|bio|spreadsheet|sheet|recipe|report|homework|assignment|presentation|deck|caption|headline|email signature|signature|wallpaper|r[eé]sum[eé]|cv|slides?|cursor|screen|playlist|shift)\b",
    _I,
)
"""What the agent is to change in the world or in a text: nothing of it is a memory."""
_IN_A_TEXT = re.compile(
    r"\bin (?:the|this|that|my|our) (?!memory|notes|records|profile|file|morning|afternoon|evening|city|country|summer|winter)[\w ]{2,20}$"
    r"|(?:这|那)(?:[段篇封张句首]|个故事)",
    _I,
)
"""The place of a change that is made to a text or a picture (my name to Bob in the letter)."""
_CONDITION = re.compile(
    r"如果|要是|假如|万一|的话|除非|\b(?:if|unless|suppose|imagine|when(?:ever)?)\b|\bfor (?:this|the) (?!future|moment|record)\w+",
    _I,
)
_NO_VALUE = re.compile(
    r"^(?:了|what|whatever|something|someone|the (?:right|correct|new|other|same)|this|that|it|more|less|a bit|be|use|say|serve|rhyme|match|fit|include|show|what's)\b"
    r"|\b(?:no wait|and (?:my|our|change|update|set|remember|also|that|then)|to \d)\b|^了|我(?:说|讲|告诉)|(?<![\d一二三四五六七八九十两零])(?:点|些|一点|一些)(?:的)?$|更\S+的?$|正确|刚才|之前",
    _I,
)
"""What is no value, or more than one."""
_DONE = re.compile(
    r"[你您](?:怎么|又|已经|刚才?|居然|竟然)?(?:给我)?[把将][^，,。]*了(?:[。！!?？]|$)|[^，,。]*(?:改|换|调)(?:成|为|到)了"
)
"""A complaint about a change that was made, and no request for one."""
_OWN = re.compile(r"^(?:my|our|the)\s+|^(?:我们?|咱们?|用户)的?", _I)
_ATTRIBUTE = re.compile(
    r"(?<=[\u4e00-\u9fff])的?(?:时间|日期|地点|数量|信息|设置|记录)$"
    r"|(?<=\w) (?:time|dates?|days?|details?|info(?:rmation)?|settings?|preferences?|values?|entry|notes?|records?)$",
    _I,
)
"""A word for the sort of the value, which an item need not hold (瑜伽课时间, my yoga day)."""


@dataclass(frozen=True, slots=True)
class Edit:
    """What a request names, without whose it is, its new value, its old one where given, and the words, verbatim."""

    whole: str
    named: str
    new: str
    old: str
    quote: str
    own: bool
    of_the_task: bool = False

    @property
    def statement(self) -> str:
        """The new state as a sentence."""
        if self.named.isascii() and self.new.isascii():
            return f"My {self.named} {'are' if _PLURAL.search(self.named) else 'is'} {self.new}"
        return f"我的{self.named}是{self.new}"


_NEXT_EN = re.compile(
    rf"(?:\s*[,;]\s*|\s+)and\s+(?:also\s+)?(?=(?:{_CHANGE_EN}\s+)?(?:my|our|the)\s[\w'’-]{{1,30}}(?: [\w'’-]{{1,30}}){{0,3}} to\s)",
    _I,
)
_NEXT_ZH = re.compile(r"[，,；;]\s*(?:再|还有|也|并且?|同时|顺便)?(?=[把将])")
_VERB_EN = re.compile(rf"\b{_CHANGE_EN}\b", _I)


def edits_asked(text: str) -> tuple[Edit, ...]:
    """The changes of named things that a message asks for, one after the other (… to 43 and my favourite colour to red).

    Empty where it asks for none, or where one of several cannot be told.
    """
    if len(text) > _LONGEST:
        return ()
    pieces = [piece for part in _NEXT_ZH.split(text) for piece in between(part, _NEXT_EN)]
    verb = _VERB_EN.search(text)
    edits: list[Edit] = []
    for piece in pieces:
        led = piece if not edits or _VERB_EN.match(piece) or verb is None else f"{verb.group()} {piece}"
        edit = edit_asked(led)
        if edit is None:
            return ()
        edits.append(edit if edit.quote in text else replace(edit, quote=piece.strip(" .。!！")))
    return tuple(edits)


def edit_asked(text: str) -> Edit | None:
    """The change of a named thing that a message asks for, of a thing of the task too; None when it asks for none."""
    if len(text) > _LONGEST or _CONDITION.search(text):
        return None
    asked = [match for pattern in (_EN, *_ZH) for match in pattern.finditer(simplified(text))]
    if len(asked) != 1 or _NO_VALUE.search(asked[0]["new"]) or _DONE.search(text):
        return None
    found = asked[0]
    whole, (start, end) = found["named"].strip(), found.span("asked")
    named = _OWN.sub("", whole)
    if not named:
        return None
    task = _OF_THE_TASK.search(whole) or is_artifact(whole) or _IN_A_TEXT.search(found["asked"])
    own = bool(found["kept"]) or re.match(r"my\b|our\b|我", whole, _I) is not None
    new = text[found.start("new") : found.end("new")].strip()
    old = text[found.start("old") : found.end("old")].strip() if found["old"] else ""
    return Edit(whole, named, new, old, text[start:end], own, of_the_task=bool(task))


_PLURAL = re.compile(r"[^su'’]s$")


_ORDER = re.compile(
    rf"(?:please |can you |could you |just |now )*{_CHANGE_EN} (?:my|our|the|this|that)\b",
    _I,
)


def orders_a_change(text: str) -> bool:
    """Whether a text begins as an order to change something, which states nothing by itself."""
    return _ORDER.match(text) is not None


def is_of_the_task(text: str) -> bool:
    """Whether an order speaks of a thing of the task: a picture, a text, a booking."""
    return _OF_THE_TASK.search(text) is not None or is_artifact(text)


def changed_by(edits: Sequence[Edit], shown: tuple[Shown, ...]) -> list[Operation]:
    """The updates of the items that changes name, one for each item, then what no item holds yet."""
    updates: dict[int, Operation] = {}
    new: list[Operation] = []
    for edit in edits:
        operation = edited(edit, shown)
        if operation is not None and operation.target is not None:
            updates[operation.target] = operation
            now = operation.content
            shown = tuple(replace(item, content=now) if item.number == operation.target else item for item in shown)
        elif edit.own and not edit.of_the_task:
            new.append(stated_edit(edit))
    return [*updates.values(), *new]


def edited(edit: Edit, shown: tuple[Shown, ...]) -> Operation | None:
    """The update of the one item that a change names; None when it names no item or more than one."""
    said = [replace(item, content=each) for item in shown for each in portions(item.content) if each in item.content]
    part = None if edit.of_the_task else _meant(edit, tuple(said))
    if part is None:
        return None
    item = next(item for item in shown if item.number == part.number)
    content = item.content.replace(part.content, _renewed(edit, part.content), 1)
    confidence = CONFIDENCE[CueKind.CORRECT]
    return Operation(Action.UPDATE, content, item.number, item.kind, confidence, edit.quote, "same_subject")


def stated_edit(edit: Edit) -> Operation:
    """The new state of something of the writer's that no item holds yet."""
    content, confidence = edit.statement, CONFIDENCE[CueKind.CORRECT]
    return Operation(Action.ADD, content, None, kind_of(content), confidence, edit.quote, "explicit_correct")


def _meant(edit: Edit, shown: tuple[Shown, ...]) -> Shown | None:
    owned = [
        item
        for item in shown
        if may_be_same_owner(edit.whole, item.content)
        and not speak_of_others(edit.whole, item.content)
        and not are_apart(edit.whole, item.content)
    ]
    if edit.old:
        held = [item for item in owned if _holds_once(item.content, edit.old)]
        near = [item for item in held if _is_near(edit, item)]
        held = [item for item in near or (held if edit.own else []) if edit.new.lower() not in item.content.lower()]
    else:
        names = {edit.named, _ATTRIBUTE.sub("", edit.named)}
        held = [item for item in owned if any(_is_about(item, name) for name in names)]
    return held[0] if len(held) == 1 else None


_IS = r"(?:is now|is|are|=|:|：|现在是|是|为)"


def _is_about(item: Shown, name: str) -> bool:
    """Whether an item says what the named thing is, and nothing else: the shoe size is 42, 体重70公斤."""
    content = simplified(item.content).strip(" .。")
    stated = re.fullmatch(
        rf"(?:the )?(?:user['’]s |my |our |用户的?|我们?的?)?{re.escape(simplified(name))}(?P<so>\s*(?:{_IS}|was|在|有)?)\s*+"
        rf"(?P<value>(?!{_NO_VALUE_OF_A_NAME})[^，,；;。]+?)(?:[，,；;].*)?",
        content,
        _I,
    )
    return stated is not None and bool(stated["so"].strip() or re.match(r"[\d一二两三四五六七八九十]", stated["value"]))


_NO_VALUE_OF_A_NAME = r"(?:(?!(?:red|bed|wed|king|ring|wing|thing|spring|string|sling)\b)(?-i:[a-z]+)(?:ed|ing)|in|at|on|to|not|never|always|also|allergic|going|very|too|about)\b|.*\b(?:because|but|with|until)\b|.*(?:但|因为)"
"""How what is said of a thing begins, or holds more, where it is no value of it (the car is insured at …)."""


def _holds_once(content: str, value: str) -> bool:
    return len(_value(value).findall(content)) == 1


def _value(value: str) -> re.Pattern[str]:
    edge = r"(?<![A-Za-z0-9]){}(?![A-Za-z0-9])"
    return re.compile(edge.format(re.escape(value)), _I)


def _is_near(edit: Edit, item: Shown) -> bool:
    words = terms_of(simplified(edit.named)) & terms_of(simplified(item.content))
    return bool(words or topics_of(edit.named) & topics_of(item.content))


def _renewed(edit: Edit, content: str) -> str:
    """The item with its value changed: in place of the old one, or behind the name in its first clause."""
    if edit.old:
        first, _, rest = edit.new.partition(" ")
        known_rest = rest and re.match(rf"\s*{re.escape(rest)}\b", _value(edit.old).split(content)[1], _I)
        return _value(edit.old).sub(lambda _: first if known_rest else edit.new, content)
    clause, *further = re.split(r"([，,；;]\s*)", content, maxsplit=1)
    named = re.search(rf"{re.escape(edit.named)}\s*{_IS}\s*(?P<value>.+?)\s*[。.]?$", clause, _I)
    return (clause[: named.start("value")] + edit.new if named else edit.statement) + "".join(further)
