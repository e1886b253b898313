"""Corrections that no single clause makes: one thing against another, or what is to change and what to.

之前说住三楼，是四楼 · it's the 9th, not the 19th · update my hours: 7 till 3
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memoryapp.domain.clauses import Clause, Sentence, is_hypothetical

_REACH = 300
"""Characters of a clause that is looked at; what is longer is no spoken clause."""

_DENIED = re.compile(r"(?:而|并|and |rather )?(?:不是|不叫|not|instead of|rather than)\s?[^，。]{1,30}", re.IGNORECASE)
STATED = re.compile(
    r"(?:我|他|她|它|咱|俺).*(?:是|叫|在|姓|住|有|用)|\b(?:my|our|his|her|their|the) \w+(?: \w+){0,2}(?:'s| is| are)\b|\b(?:I'm|I am|I've|I have|it's|we're|we are|we've) ",
    re.IGNORECASE,
)
_SAID_BEFORE = re.compile(
    r"我?(?:之前|先前|上次|早先|以前|刚才|前面|刚刚)(?:我)?(?:跟|和|给|对)?你?(?:说|讲|提|告诉你?|报|填|写)(?:过|的|了)?\S{1,24}|(?:earlier |before |last time )?i (?:told you|said|mentioned|wrote|put)\b.{3,80}",
    re.IGNORECASE,
)
_SAID_NOW = re.compile(
    r"(?:但|可|不过|，)*(?:其实|实际上?|现在|如今|应该|是(?!不是)|不是|改成?|已经|早就?|换|更正|正确)\S+|(?:but |and )?(?:it'?s|it is|that'?s|now|actually|make that|it should|in fact|turns out|i'?m|i am|we|she'?s|he'?s|i now|i)\b"
    r".*\b(?:now|actually|not|instead|really|since|these days|moved|changed|correct\w*|should|meant)\b.*|(?:it'?s|it is|make that) (?:really |actually )?[\w' ]{2,40}",
    re.IGNORECASE,
)
_TO_CHANGE = re.compile(
    r"(?:please |can you |could you |so |and |also )*(?:update|amend|adjust|correct|change|edit|set) (?:my|our) (?P<en>[\w' -]{3,40}?)(?: please| for me| then)*"
    r"|(?:帮我|请|麻烦|把|我|你)*(?:之前|以前|上次|原来)?(?:存|记|说|写|填|登记|设)?(?:的)?(?:我的)?(?P<zh>[^，。的]{2,8}?)(?:得|要|需要|该)(?:改|换|更新|调整|变)(?:一?下|了)?",
    re.IGNORECASE,
)
_NEW_VALUE = re.compile(
    r"(?:改|换|调整?|变|更新)(?:成|为|到|在)\S+|现在是\S+|(?!.*\?)(?:it'?s now |now )?(?:[\w:.,'/& -]{1,60})",
    re.IGNORECASE,
)
_WORK = re.compile(
    r"翻译|译文|文案|标题|语气|措辞|邮件|代码|文件|函数|变量|字段|表格?|文档|文章|简历|论文|作业|稿|图|句|段|题|页|样式|配置|密码|\b(?:code|files?|functions?|script|text|quer(?:y|ies)|essay|resume|cv|letter|draft|grammar|spelling|sentence"
    r"|paragraph|table|sheet|spreadsheet|config\w*|dependenc\w+|branch|repo\w*|app|website|site|packages?|homework|answer|translation|readme|docs?|documents?|tests?|schema|database"
    r"|story|poem|thesis|paper|report|slides?|deck|image|prompt|settings?|password|title|caption|mind|tone|wording|css|html|sql|build|version|recipe)\b",
    re.IGNORECASE,
)


def contrasted(sentence: Sentence) -> tuple[int, int] | None:
    """Where such a correction and its body begin (both end with the sentence); None for none."""
    if any(len(clause.own) > _REACH for clause in sentence.clauses):
        return None
    return _restated(sentence) or _denied(sentence) or _new_value(sentence) or _asked_behind(sentence)


def _restated(sentence: Sentence) -> tuple[int, int] | None:
    """What was said before, and how it is (之前说住三楼，是四楼; I told you the 9th, it's the 10th)."""
    for before, after in zip(sentence.clauses, sentence.clauses[1:], strict=False):
        plain = not before.asks and not after.asks
        if plain and _SAID_BEFORE.fullmatch(before.own) and _SAID_NOW.fullmatch(after.own):
            return before.start, after.start
    return None


_BARE_REQUEST = re.compile(
    r"(?:so |and |then |please |pls |also )*(?:(?:can|could|would|will) you (?:please |kindly |mind )?)?"
    r"(?:updat(?:e|ing)|chang(?:e|ing)|fix(?:ing)?|correct(?:ing)?|amend(?:ing)?|adjust(?:ing)?) (?:that|this|it|your (?:notes?|records?|memory))"
    r"(?: (?:please|pls|for me|accordingly|too|thanks))*"
    r"|(?:你|您|请|麻烦|帮我|帮忙|记得|那|可以|也|就|给我)*(?:更新|update|改|修改|更正|修正)\s?(?:一下|过来|下)(?:吧|哈|啊|呗|哦|啦|了|嘛|呀)*",
    re.IGNORECASE,
)
_CHANGED = re.compile(
    r"现在|如今|以后|搬|换|改(?:[成为到去学]|周|星期|每)|转[到去入]|调[到去]|升|不再|开学|辞职|离职|退休|结婚|离婚|分手|毕业|停了|戒|transfer|能[吃喝]了|不[吃喝做用住学]"
    r"|\b(?:now|moved|moving|upped|raised|lowered|switched|changed|quit|left|stopped|started|became|turned|since|no longer|any ?more|instead|these days|got (?:married|divorced|promoted)|from now on)\b",
    re.IGNORECASE,
)


def _asked_behind(sentence: Sentence) -> tuple[int, int] | None:
    """A change that is told, and a bare request behind it (Hannah's moved to Sligo, can you update that?)."""
    *told, last = sentence.clauses
    if not told or _BARE_REQUEST.fullmatch(last.own.strip(" ?？!！.。")) is None:
        return None
    return (told[0].start, told[0].start) if tells_a_change(told) else None


def tells_a_change(told: Sequence[Clause]) -> bool:
    """Whether clauses state that something is otherwise now, and nothing of a text or a file to work on."""
    fits = not any(clause.asks or _WORK.search(clause.own) for clause in told) and not is_hypothetical(told[0].own)
    return fits and any(_CHANGED.search(clause.own) for clause in told)


def _denied(sentence: Sentence) -> tuple[int, int] | None:
    """One thing stated, another denied beside it (…是高二，不是高一; it's the 9th, not the 19th): the first is new."""
    said = sentence.clauses
    denied = any(_DENIED.fullmatch(clause.own) for clause in said)
    stated = [clause for clause in said if STATED.search(clause.own) and not _DENIED.fullmatch(clause.own)]
    if not denied or not stated or any(clause.asks for clause in said) or is_hypothetical(said[0].own):
        return None
    return stated[0].start, stated[0].start


def _new_value(sentence: Sentence) -> tuple[int, int] | None:
    """What is to be changed, and what to (Update my work hours: 7 till 3; 健身时间要改，改成每周二)."""
    for before, after in zip(sentence.clauses, sentence.clauses[1:], strict=False):
        if _names_what_changes(before) and not after.asks and _NEW_VALUE.match(after.own):
            return before.start, before.start
    return None


def _names_what_changes(clause: Clause) -> bool:
    found = _TO_CHANGE.fullmatch(clause.own)
    return found is not None and not clause.asks and not _WORK.search(clause.own)
