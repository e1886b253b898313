"""Is memory needed for this question, and how far must one look? The cheapest look: words only (FEATURES D6)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Decision:
    """`needed`: look at all. `take_all`: the library fits, take it whole without search and without an embedding.

    Reasons: `empty_library`, `empty_query`, `acknowledgement` (not needed); `small_library`, `signal.<name>` for each
    kind of words seen, `search` when nothing particular was seen and the library must be searched.
    """

    needed: bool
    reasons: tuple[str, ...]
    take_all: bool


SIGNALS: Mapping[str, re.Pattern[str]] = {
    "past": re.compile(
        r"上(?:次|回|周|个?月)|之前|以前|先前|前几天|昨天|前天|那(?:次|天)|曾经"
        r"|\b(?:last (?:time|week|month)|previous(?:ly)?|before|earlier|yesterday|the other day|ago)\b",
        re.IGNORECASE,
    ),
    "recall": re.compile(
        r"(?:还|记不)?记得|你(?:还)?知道我|提(?:过|到过)|说过|讲过|聊过|关于我|了解我"
        r"|\b(?:remember|recall|remind me|(?:i|we) (?:told|said|mentioned|discussed|talked)|know about me)\b",
        re.IGNORECASE,
    ),
    "continue": re.compile(
        r"继续|接着|下一(?:步|阶段)|接下来|进度|未完成|没做完|老样子"
        r"|\b(?:continue|carry on|go on|resume|pick up where|next (?:step|phase)|as usual)\b",
        re.IGNORECASE,
    ),
    "habit": re.compile(
        r"按(?:照)?我的|我的?(?:习惯|风格|偏好|喜好|口味|要求)|我(?:平时|一般|通常|总是|一向|最?喜欢)|适合我|推荐"
        r"|\bmy (?:usual|habits?|style|preferences?|favou?rites?|taste)\b|\b(?:i (?:usually|always|like|prefer)"
        r"|for me|suits? me|recommend|suggest)\b",
        re.IGNORECASE,
    ),
    "possession": re.compile(
        r"我(?:的|们的?|家)|咱们?|(?:这|那)个项目|\b(?:my|our|mine|ours|the project)\b",
        re.IGNORECASE,
    ),
}

_ACKNOWLEDGEMENT = re.compile(
    r"(?<![你您])好|嗯|哦|噢|行|可以|收到|明白|知道|懂|了解|(?:谢谢?|多谢|感谢|辛苦)[你您]?|不客气|没事|没问题"
    r"|再见|拜拜|晚安|哈|对|是|不是|不用|的|了|啦|呀|啊|吧"
    r"|\b(?:thank you|thanks?|thx|ty|ok(?:ay)?|k|yes|yep|yeah|no|nope|sure|fine|great|cool|nice|good|perfect"
    r"|got it|i see|bye|goodbye|lol|(?:ha)+|well done|never mind)\b",
    re.IGNORECASE,
)
LONGEST_ACKNOWLEDGEMENT = 40


def decide(query: str, library_size: int, limit: int) -> Decision:
    """Decide for the latest user message. `library_size` counts recallable items, `limit` how many fit whole.

    A signal in words always wins over an acknowledgement, so “好的，按我的习惯来” looks. A greeting opens a
    conversation and is no acknowledgement.
    """
    text = query.strip()
    if library_size <= 0:
        return Decision(False, ("empty_library",), False)
    small = library_size <= limit
    seen = tuple(f"signal.{name}" for name, pattern in SIGNALS.items() if pattern.search(text))
    if not seen and not _says_something(text):
        return Decision(small, ("empty_query", "small_library") if small else ("empty_query",), small)
    if not seen and len(text) <= LONGEST_ACKNOWLEDGEMENT and not _says_something(_ACKNOWLEDGEMENT.sub("", text)):
        return Decision(False, ("acknowledgement",), False)
    if small:
        return Decision(True, ("small_library", *seen), True)
    return Decision(True, seen or ("search",), False)


def _says_something(text: str) -> bool:
    return any(character.isalnum() for character in text)
