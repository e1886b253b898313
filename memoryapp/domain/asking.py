"""How a text is put: whether it asks, how little it says. A library that holds turns of a conversation holds questions
and greetings too, and a question is nearer to every other question than its answer is.

All of it costs a microsecond or a few a text, since it is looked at for each row that a search weighs.
"""

from __future__ import annotations

import re

FULL_LENGTH = 30
"""Bytes in UTF-8 from which a text is long enough to say something: ten Chinese characters or thirty Latin letters."""
_SENTENCE = re.compile(r"[^.!?。！？…~～\n]+[.!?。！？…~～\n]*")
_UNMARKED = ("吗", "几点", "哪儿", "哪里", "怎么样", "多少", "是谁", "干什么", "做什么")
"""Ends of Chinese questions that often go without a mark."""
_LONGEST_UNMARKED = 25
_SPEAKER = re.compile(r"([A-Z][\w'-]{1,30}|[\u4e00-\u9fff]{1,4})(?:: |：)")
_ROLES = frozenset({"User", "Assistant", "AI", "System", "Human", "用户", "助手", "系统"})
_CLOSING = " \t\n\"'”’」』)）"


def share_asked(text: str) -> float:
    """How much of a text stands in sentences that ask, 0–1."""
    if "?" not in text and "？" not in text:
        return 1.0 if _asks_unmarked(text) else 0.0
    sentences = _SENTENCE.findall(text)
    asked = sum(len(each) for each in sentences if "?" in each or "？" in each)
    return asked / max(sum(map(len, sentences)), 1)


def ends_asking(text: str) -> bool:
    """Whether the last thing said is a question, so that what follows is likely its answer."""
    return text.rstrip(_CLOSING).endswith(("?", "？")) or _asks_unmarked(text)


def brevity(text: str) -> float:
    """How far a text is from saying anything, 0–1: 1 for nothing, 0 from ten Chinese characters or thirty letters."""
    return max(0.0, 1.0 - len(text.encode("utf-8", "replace")) / FULL_LENGTH)


def last_sentence(text: str) -> str:
    sentences = _SENTENCE.findall(text)
    return sentences[-1] if sentences else text


def speaker(text: str) -> str:
    """Who says a text that begins like a line of a script (“Bart: …”, “小林：…”); empty for none or a mere role."""
    found = _SPEAKER.match(text)
    return found[1] if found and found[1] not in _ROLES else ""


def _asks_unmarked(text: str) -> bool:
    return len(text) <= _LONGEST_UNMARKED and text.rstrip("~～ 。").endswith(_UNMARKED)
