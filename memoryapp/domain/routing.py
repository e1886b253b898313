"""Is memory needed for this question, and how far must one look? The cheapest look: words only (FEATURES D6)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Decision:
    """`needed`: give memories at all. `search`: the library must be searched; otherwise what always goes in is enough,
    and a library that fits goes in whole, without search and without an embedding.

    Reasons: `empty_library`, `acknowledgement` (not needed); `small_library`, `empty_query`, `signal.<name>` for each
    kind of words seen, `session` for a message that leans on those before it, `search` when nothing particular was
    seen. Whoever searches adds `similar` or `nothing_similar`.
    """

    needed: bool
    reasons: tuple[str, ...]
    search: bool


SIGNALS: Mapping[str, re.Pattern[str]] = {
    "past": re.compile(
        r"上(?:次|回|周|个?月)|之前|以前|先前|前几天|昨天|前天|那(?:次|天|时候?)|曾经|上(?:周末|星期|礼拜|季度)|去年|前年|前阵子|早些时候"
        r"|\b(?:last (?:time|night|week(?:end)?|month|year|spring|summer|autumn|fall|winter)|previous(?:ly)?|before|earlier|yesterday|the other day|ago)\b",
        re.IGNORECASE,
    ),
    "recall": re.compile(
        r"(?:还|记不)?记得|你(?:还)?知道我|提(?:过|到过)|说过|讲过|聊过|关于我|了解我"
        r"|\b(?:remember|recall|remind me|(?:i|we) (?:told|said|mentioned|discussed|talked)|know about me)\b",
        re.IGNORECASE,
    ),
    "continue": re.compile(
        r"继续|接着|下一(?:步|阶段)|接下来|进度|未完成|没做完|老样子|老规矩|照旧|照常|同上|跟(?:之前|以前|上次)一样|还是那样|接上"
        r"|\b(?:continue|carry on|go on|resume|pick up where|next (?:step|phase)|as (?:usual|always|before)"
        r"|the usual|same as (?:always|before|usual|last time)|like (?:last time|before)|where (?:were|was) (?:we|i)|keep going)\b",
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
    r"|再见|拜拜|晚安|哈|嘿|呵|对|是|不是|不用|的|了|啦|呀|啊|吧|[真太很]?棒|厉害|太好|不错|赞|有道理|听起来"
    r"|\b(?:thank you|thanks?|thx|ty|ok(?:ay)?|k|yes|yep|yeah|no|nope|sure|fine|great|cool|nice|good|perfect|awesome"
    r"|got it|i see|bye|goodbye|lol|(?:ha)+|well done|never mind|(?:that )?(?:sounds|looks) (?:good|great)|makes sense"
    r"|wow|cheers|no (?:problem|worries)|you(?:'re| are) welcome|so much|very much|a lot|that's|it's)\b",
    re.IGNORECASE,
)
LONGEST_ACKNOWLEDGEMENT = 40
_LEANING = re.compile(
    r"^(?:那|那么|这|它|他|她|另外|还有|第[一二三四五六七八九十\d]+|然后|所以|为什么|怎么|呢)|呢[？?]?$"
    r"|^(?:and|but|so|then|what about|how about|why|it|that|this|those|they|he|she|the (?:first|second|other|last))\b",
    re.IGNORECASE,
)
LONGEST_LEANING = 40


def decide(query: str, library_size: int, limit: int, *, earlier: bool = False) -> Decision:
    """Decide for the latest user message. `library_size` counts recallable items (above `limit` it need not be exact),
    `limit` how many fit whole; `earlier` says that the user spoke before in this conversation.

    A signal in words always wins over an acknowledgement, so “好的，按我的习惯来” looks. A greeting opens a
    conversation and is no acknowledgement. Without words (a picture, nothing) what always goes in is given.
    """
    text = query.strip()
    if library_size <= 0:
        return Decision(False, ("empty_library",), False)
    fits = ("small_library",) if library_size <= limit else ()
    seen = tuple(f"signal.{name}" for name, pattern in SIGNALS.items() if pattern.search(text))
    if not seen and not _says_something(text):
        return Decision(True, ("empty_query", *fits), False)
    if not seen and len(text) <= LONGEST_ACKNOWLEDGEMENT and not _says_something(_ACKNOWLEDGEMENT.sub("", text)):
        return Decision(False, ("acknowledgement",), False)
    if earlier and len(text) <= LONGEST_LEANING and _LEANING.search(text):
        seen = (*seen, "session")
    return Decision(True, (*fits, *seen) or ("search",), not fits)


def _says_something(text: str) -> bool:
    return any(character.isalnum() for character in text)
