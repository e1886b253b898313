"""Questions that ask for advice, and the tastes and limits of a person that bear on them.

"Recommend me a place for dinner" shares neither words nor much meaning with "I can't stand seafood". What they share is
the area of life. The idea of following a preference that the question does not repeat is that of PrefEval (Zhao et al.,
“Do LLMs recognize your preferences?”, ICLR 2025); the rule here is our own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memoryapp.domain.areas import AREAS, Area
from memoryapp.domain.asking import last_sentence, share_asked

_ADVICE = re.compile(
    r"\b(?:recommend\w*|suggest\w*|advice|advise|ideas?|tips?|(?:should|could|can|would|shall) (?:i|we|our|my)"
    r"|help (?:me|us)|plan (?:an?|my|our|the|one|two|three)|draft|(?:make|give|show|find|write|pick) (?:me|us|an?)"
    r"|any good|(?:a|the|some) (?:good|best|must)|(?:would|could) you|would (?:suit|fit|be (?:warm|good|right|best))"
    r"|where do (?:i|we) (?:order|start|find)|how do (?:i|we) (?:best|get|choose)|worth (?:seeing|reading|trying)"
    r"|(?:i'm|i am|we're|we are) (?:looking for|thinking (?:of|about))|(?:i|we) need|explain|anything (?:to|good|worth)"
    r"|where should|what should|which .{1,40} should)\b"
    r"|推荐|建议|如何|哪款|帮我|给我做|适合|合适|有什么好|你觉得|[我们]该|(?<!不)应该",
    re.IGNORECASE,
)
_CHOICE = re.compile(
    r"[吃喝穿用换买选送玩看放点学逛听](?:点|些|个)?(?:什么|啥|哪)|补充点|去哪|选哪|安排|怎么(?!样|了|回事|办|会|还)|好[？?]?$"
)
"""Chinese questions that ask for a choice; with 我 before it they ask what the person does."""
_OF_THE_PAST = re.compile(
    r"\b(?:did|was|(?<!if you )were|had|recommended|suggested|mentioned|told|said|remember|recall|previously|earlier"
    r"|last time|ever|have you|you have|you've)\b|曾|过|之前|以前|上次|记得|提到|当时|那次|来着|给了|了(?:什么|哪|几|多)",
    re.IGNORECASE,
)
"""Who asks what was recommended then wants that fact and no advice."""
_OF_OTHERS = re.compile(r"\b(?:does|has|might|he|she|they|his|her|their|hers|should you)\b|你应该|你该", re.IGNORECASE)
"""Nor who asks what somebody else does or recommends, or what the assistant was told to do."""
_LATIN_WORD = re.compile(r"[a-z][a-z'-]*")
_TASTE_WORDS = frozenset((
    "prefer", "prefers", "preferred", "preference", "preferences", "like", "likes", "love", "loves", "enjoy",
    "enjoys", "fond", "favourite", "favorite", "favourites", "favorites", "hate", "hates", "dislike", "dislikes",
    "despise", "despises", "avoid", "avoids", "can't", "cannot", "refuse", "refuses", "never", "won't", "don't",
    "doesn't", "only", "allergic", "allergy", "intolerant", "intolerance", "uncomfortable", "terrified", "afraid",
    "scared", "fear", "unbearable", "aversion", "sceptical", "skeptical", "keep", "always", "want", "wants", "need",
    "needs", "strict", "must", "rather", "fan",
))  # fmt: skip
_TASTE_WORDS_ZH = (
    "喜欢", "爱", "讨厌", "不吃", "不喝", "不穿", "不用", "不想", "不碰", "不接", "不要", "不看", "不听", "吃不了",
    "受不了", "过敏", "偏好", "从不", "只", "怕", "烦", "习惯", "宁愿", "一定要", "必须", "敏感", "听不得", "不耐受",
    "看重",
)  # fmt: skip


def sought(question: str) -> tuple[Area, ...]:
    """The areas of life in which a question asks for advice; none when it asks for a fact or tells more than it asks."""
    low = _low(question)
    if not _asks_for_advice(low):
        return ()
    words = _LATIN_WORD.findall(low)
    return tuple(area for area in AREAS if _of(area, words, low))


def bearing(areas: Sequence[Area], text: str) -> float:
    """How much a text bears on advice, 0–1: the share of its areas in which the text states a taste or a limit."""
    if not areas:
        return 0.0
    low = _low(text)
    words = _LATIN_WORD.findall(low)
    if _TASTE_WORDS.isdisjoint(words) and (low.isascii() or not any(each in low for each in _TASTE_WORDS_ZH)):
        return 0.0
    return sum(_of(area, words, low) for area in areas) / len(areas)


def _asks_for_advice(low: str) -> bool:
    """The last thing said must be the wish, and the better part of what is said."""
    wish = last_sentence(low)
    told_after = "?" in low.replace("？", "?") and share_asked(wish) == 0
    if told_after or 2 * len(wish) < len(low) or _OF_THE_PAST.search(low) or _OF_OTHERS.search(low):
        return False
    return bool(_ADVICE.search(wish)) or (not low.startswith("我") and bool(_CHOICE.search(wish)))


def _low(text: str) -> str:
    return text.lower().replace("’", "'")


def _of(area: Area, words: list[str], low: str) -> bool:
    return not area.latin.isdisjoint(words) or (not low.isascii() and any(each in low for each in area.chinese))
