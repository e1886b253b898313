"""Which of our two languages a text is in, by counting scripts.

Identifiers, code, URLs, acronyms and figures do not count: "部署前先跑 migrate_db.sh" is Chinese and "INC-2026" is
nothing. English words inside a Chinese sentence are usual, Chinese names inside an English one as well, so the
grammar words of Chinese decide between the two.
"""

from __future__ import annotations

import re

_CODE = re.compile(r"```[^`]*(?:```|\Z)|`[^`\n]{1,400}`|https?://[!-~]+|[\w.+-]{1,64}@[\w.-]{1,100}")
_CHINESE = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_GRAMMAR = re.compile("[的了是我你他她们在不没有就都要用也到前后先把被给让对很会和跟或再别请吗呢吧这那個们們沒]")
_TOKEN = re.compile(r"[A-Za-z\u00c0-\u024f][A-Za-z\u00c0-\u024f0-9_'’./:\\-]*")
_WORD = re.compile(r"[A-Za-z\u00c0-\u024f]?[a-z\u00c0-\u024f]+(?:['’-][a-z]+)*[.:]?|[AI]")
_OTHER = re.compile(r"[\u0370-\u1fff\u3041-\u30ff\uac00-\ud7af]")


def language_of(text: str) -> str:
    """Return "zh", "en" or "other"; "other" also when there is nothing to judge."""
    prose = _CODE.sub(" ", text)
    chinese = len(_CHINESE.findall(prose))
    words = sum(_WORD.fullmatch(token) is not None for token in _TOKEN.findall(prose))
    foreign = len(_OTHER.findall(prose))
    if foreign > max(chinese // 4, 4 * words):
        return "other"
    if chinese >= 2 and chinese >= words * (0.5 if _GRAMMAR.search(prose) else 1.5):
        return "zh"
    if words:
        return "en"
    return "zh" if chinese else "other"


def same_language(a: str, b: str) -> bool:
    """Whether two texts are in one language; a text that cannot be judged agrees with any."""
    languages = {language_of(a), language_of(b)}
    return len(languages) == 1 or "other" in languages
