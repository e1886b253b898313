"""What takes a cue back although its words are there: it asks what is remembered, is an errand, or speaks of a thing of
the task (a file, a paragraph, the answer at hand) and not of memory.
"""

from __future__ import annotations

import re

from memoryapp.domain import cue_asks as asks
from memoryapp.domain import cue_grammar as grammar

_ASKS_BACK = re.compile(
    r"(?:(?:do|did|don'?t|would) (?:you|ya|u) (?:still |even )?)?remember (?:that|the|when|how|our|my)\b", re.IGNORECASE
)


def asks_back(text: str, start: int, end: int) -> bool:
    """Whether words ask what is remembered, and not to remember (remember that time we went to Rome?)."""
    if not text[end : end + 2].lstrip().startswith("?"):
        return False
    before = _SENTENCE_END.split(text[max(0, start - _LONGEST_OPENING) : start])[-1].lstrip(" ,")
    return _ASKS_BACK.match(f"{before}{text[start:end]}") is not None


_SENTENCE_END = re.compile(r"[.!?\n]")
_LONGEST_OPENING = 60


_BARE_DENIAL = re.compile(
    r"(?:\W|\b(?:no|nope|nah|wait|sorry|oh|oops|well|hmm|ah)\b)*(?:不对|错了|搞错了|弄错了|不是|(?:(?:that|it|this|you)(?:'s| is| was|'re| are) )?(?:wrong|incorrect|inaccurate"
    r"|mistaken|a mistake|not (?:right|true|correct|quite right|accurate))\b)",
    re.IGNORECASE,
)
_MISTOLD = re.compile(r"\b(?:wrong|incorrect\w*|backwards|mixed up|mistake)\b", re.IGNORECASE)
_TASK_NOUN = re.compile(
    r"\b(?:functions?|arrow|figure|columns?|args?|arguments?|code|sum|output|rows?|charts?|cells?|formula|script|tests?|input|variables?|files?|image|slides?|paragraph|line \d+|import|index)\b",
    re.IGNORECASE,
)
_TASK_SAID = re.compile(
    r"\W*(?:I|we) (?:meant|want|wanted|need|needed|asked|said|think|thought|see|get|got|was asking|am asking|don't (?:see|think|want|get))\b|it\b|"
    r"[我俺](?:要|说的|问|指|想|让|的意思|看|觉得|给你|发|需要|就|没|在(?:问|说)|知道)|(?:请|帮我|重新|再|改|换)\S"
)


def denies_the_task(clause: str, body: str) -> bool:
    """Whether 不对 speaks of the answer at hand (不对，我要的是表格) and not of what is known about a person."""
    if _BARE_DENIAL.match(clause):
        return not speaks_of_self(body) or bool(_TASK_SAID.match(body))
    return bool(_MISTOLD.search(clause)) and bool(_TASK_NOUN.search(clause))


PASSAGE = re.compile(r"(?:上|前|这|那|刚才那?)一?[段句题步版页章张稿]")
DEVICE = re.compile(
    r"文件|代码|图片|照片|文档|编辑器|公式|单词|台词|\b(?:localstorage|git|database|cache|redis|cookies?|plain ?text|disk|repo|bucket|session storage|macro|the (?:file|image|table|variable|form))\b",
    re.IGNORECASE,
)
"""Where programs keep things: what is not to be stored there is no wish about memory."""


def is_artifact(body: str) -> bool:
    """Whether what is to be deleted is a thing of the task (a file, a paragraph) and no memory."""
    body = asks.without_place(body)
    if grammar.ALWAYS_ARTIFACT.search(body):
        return True
    return bool(grammar.ARTIFACT.search(body)) and not grammar.MEMORY_WORD.search(body)


def is_errand(clause: str, body: str) -> bool:
    asked = re.search(r"(?<!备)忘|记得|\b(?:forget|remember to)\b", clause, re.IGNORECASE)
    if grammar.CALL_TO_ACTION.match(body):
        return True
    once = grammar.ONE_OFF_TIME.search(body) is not None
    if asked and once and _TO_DO.match(body):
        return True
    if not asked or speaks_of_self(body):
        return False
    return once or (bool(body) and not grammar.STATES.search(body))


_TO_DO = re.compile(r"to (?!always\b|never\b)\w+", re.IGNORECASE)
"""Something to be done, by the writer too (to call my mum tomorrow)."""


def speaks_of_self(body: str) -> bool:
    return bool(re.search(r"我|\b(?:I|I'm|my|we|our)\b", body))
