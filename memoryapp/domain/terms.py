"""The words of a text for comparing it with another, in both languages."""

from __future__ import annotations

import re

_EMPTY_LATIN = (
    "a an and any are as at be been by can did do does for from had has have i i'm if in into is it its just me"
    " my now of on one or our please"
    " s so that the their them there these this to user user's users very was we were what when which who will"
    " with would you your about all"
    " rule preference instruction note fact memory thing regarding saved stored remember know everything"
    " anything related actually also"
    " always only default no longer not don't doesn't more anymore"
)
_EMPTY = frozenset(_EMPTY_LATIN.split())
EMPTY_CHINESE = re.compile(
    r"用户|我们|我的|你们|这个|那个|那条|这条|所有|全部|关于|一切|以后|现在|已经|之前|记住|记得|保存|信息|内容"
    r"|资料|这件事情?|那件事情?|事情|事儿|规则|偏好|记忆|喜欢|记录|规矩|约定"
    r"|[我你您他她它的了是在有和与就都也把被吧啊呢要请用]"
)
"""Chinese words that say nothing of what a text is about."""


def terms_of(text: str) -> frozenset[str]:
    """Words of a text for comparing: latin stems, figures, and pairs of Chinese characters, without empty words."""
    lowered = text.lower()
    latin = {_stem(word) for word in re.findall(r"[a-z0-9][\w.+#'-]*", lowered) if word.strip(".'") not in _EMPTY}
    pairs: set[str] = set()
    for run in re.findall(r"[\u3400-\u9fff]+", EMPTY_CHINESE.sub(" ", lowered)):
        pairs.update(run[i : i + 2] for i in range(len(run) - 1))
        if len(run) == 1:
            pairs.add(run)
    return frozenset(latin | pairs)


def _stem(word: str) -> str:
    word = word.strip(".'").removesuffix("'s")
    for suffix in ("ing", "ies", "es", "s", "ed"):
        if len(word) > len(suffix) + 3 and word.endswith(suffix):
            return word.removesuffix(suffix).rstrip("e")
    return word.rstrip("e") if len(word) > 3 else word
