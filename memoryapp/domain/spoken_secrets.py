"""Secrets that are not one run of signs behind a label: digits in words, lists, letters set apart, locks, seed phrases."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memoryapp.domain.shapes import has_hyphens, has_singles

_DIGIT_EN = r"(?:zero|oh|nought|one|two|three|four|five|six|seven|eight|nine)"
SPOKEN = re.compile(
    rf"(?P<en>(?:(?:double |triple )?{_DIGIT_EN}[ ,.-]{{1,3}}){{3,11}}(?:double |triple )?{_DIGIT_EN}(?![a-z]))"
    r"|(?P<digits>\d(?: \d){3,9}(?! ?\d))|(?P<same>[四五六七八468]个[零〇一二三四五六七八九\d](?![\d年月日号人次天]))|(?P<zh>[零〇一二三四五六七八九幺两]{3,12})(?=$|[\s，。,.；;！!、）)]|吧|哦|啊|啦|了)"
)
"""Four digits and more in words; to be matched where a value is due."""
CODE_LIST = re.compile(
    r"[^\n\d]{0,40}?[:：\n,，]\s{0,3}(?P<value>(?:(?:\d{1,2}[.)] ?)?(?=[a-z-]{0,8}\d)[A-Za-z0-9]{4,8}(?:[- ][A-Za-z0-9]{4,8}){0,3}[\s,，、;；]{1,3}){2,19}"
    r"(?:\d{1,2}[.)] ?)?(?=[a-z-]{0,8}\d)[A-Za-z0-9]{4,8}(?:[- ][A-Za-z0-9]{4,8}){0,3})(?![A-Za-z0-9])"
)
"""Three codes and more behind their label, one below or beside the other."""
CODE_AFTER = re.compile(
    r"[^\n.!?:：。！？]{0,24}?[:：]\s?(?P<value>(?=[A-Z-]{0,8}\d)[A-Z0-9]{4,8}(?:-[A-Z0-9]{2,6})?)(?![\w-])"
    r"|[^\n\d。！？]{0,12}?[，,：:]\s?(?P<digits>\d{4,8})(?![\d.:/-]|\s?[年月日号元块个人次位分秒天])"
)
"""A code behind a colon or a comma, with words between it and its label."""
_ENTRY_CODE = re.compile(
    r"(?<![a-z])(?:code|combination|combo|pin) (?:to|for) (?:get (?:in|into)|enter|open|unlock|access|(?:the |my |our )(?:\w+ ){0,2}?(?:door|gate|building"
    r"|garage|lift|safe|office|shed|locker|bike|room|card|phone|sim|tablet|alarm))[^\n.,:]{0,24}?(?: is|:)? (?P<value>\d{3,8}[#*]?)(?![\w.]|\s?(?:mm|cm|m|km|years?|days?|euros?)\b)"
)
"""`the code to get in is 2580`, `PIN for the blue card 9034`, in lower case."""
_LOCK = re.compile(
    r"(?<![a-z])(?:dis)?arms? (?:it )?with (?P<arm>\d{4,8})(?!\d)|(?:bike|luggage|suitcase|locker|pad) ?(?:lock)?(?: \w+){0,3}? (?P<wheel>\d(?:-\d){2,5})(?![\d-])|(?<![a-z])(?:keypad|alarm(?: panel)?|lock ?box|padlock|key ?safe|gate keypad|door keypad)(?: \w+){0,4}? ?(?:is|=|:) ?(?P<pad>\d[\d#*]{3,9})"
    r"(?![\w.]|\s?(?:mm|cm|m|km|euros?|usd|eur|years?|days?)\b)|(?:[侧前后大院]门|键盘|单元门)[^\n，。]{0,6}?(?:是|按|输入?)\s?(?P<door>\d{4,8}[#*]|\d{4,8}(?=[#*再然]))|(?<![a-z])(?:safe|garage|door|gate|alarm|keypad|locker?|padlock|suitcase)(?:'s)?(?: \w+){0,2}? (?:takes|opens (?:with|by|on)|unlocks with|is set to)"
    r" (?P<en>\d{4,8}[#*]?|\d{1,2}(?:-\d{1,2}){2,3})(?!\S)|(?:保险[箱柜]|门锁|智能锁|密码锁|车库|行李箱|门禁|储物柜)[^\n，。]{0,6}?"
    r"(?:是|按|输入?|转到|拨到|用)\s?(?P<zh>\d{4,8}[#*]?)(?!\d|\s?[元块万层楼号年月人台个])"
)
_LOCKED = frozenset(
    {
        "safe",
        "garage",
        "door",
        "luggage",
        "suitcase",
        "arm",
        "gate",
        "alarm",
        "keypad",
        "lock",
        "保险",
        "锁",
        "码",
        "键盘",
    }
)
_ENTRY = frozenset({"code", "pin", "combin", "combo"})
_HAS_DIGITS = re.compile(r"\d{4}|\d-\d")
_HYPHENS = re.compile(r"(?<![\w-])(?:[A-Za-z0-9]-){5,30}[A-Za-z0-9](?![\w-])")
CHINESE_PHRASE = re.compile(r"(?![^\n]{0,8}(?:至少|长度|字符|位|有效))[一-鿿]{2,8}\d{2,6}(?=$|[\s，。,；;！!])")
"""`大象跳舞77`, where a password is due."""
_SINGLES = re.compile(r"(?:(?<!\S)\S[ \t]){5,}\S(?!\S)")
_LABEL_BEFORE = re.compile(
    r"pass(?:word|wd|phrase|code)?|pwd|pin(?![a-z])|secret|token|apikey|密码|口令|密钥|验证码", re.IGNORECASE
)
SEED_LABELS = frozenset(
    [
        "seed",
        "mnemonic",
        "recovery phrase",
        "secret phrase",
        "backup phrase",
        "wallet",
        "bip39",
        "bip-39",
        "ledger",
        "trezor",
        "metamask",
        "12 words",
        "24 words",
        "twelve words",
        "助记词",
        "助記詞",
        "种子词",
        "钱包",
        "恢复词",
        "十二个词",
        "12个词",
        "24个词",
    ]
)
_SEED_RUN = re.compile(
    r"(?:(?:\d{1,2}[.):、]?\s{0,2})?(?<![A-Za-z])[a-z]{3,8}(?![A-Za-z])[\s,，、]{1,3}){11,23}(?:\d{1,"
    r"2}[.):、]?\s{0,2})?[a-z]{3,8}(?![A-Za-z])"
)
_CHINESE_SEED = re.compile(
    r"(?:助记词|助記詞|种子词|恢复词|十二个词|12个词|24个词|二十四个词)[^\n一-鿿]{0,4}(?:[一-鿿]{0,6}[:：是]\s?)?(?P<value>[一-鿿](?:[ ,，、]{0,2}[一-鿿]){11,23})(?![ ,，、]{0,2}[一-鿿])"
    r"|(?P<apart>(?:[一-鿿][ ]){11,23}[一-鿿])(?! [一-鿿](?: |$))"
)
"""Words of the Chinese list are single characters."""
_PROSE = "the and for are was were with from have has had our his her its but not they them she which would could"
_PROSE_WORDS = frozenset(_PROSE.split())
_SHORTEST_SEED = 12
_SEED_LENGTHS = (12, 15, 18, 21, 24)


def seed_phrases(text: str, hints: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Spans of seed phrases: behind a label, or a whole text that can be nothing else."""
    if SEED_LABELS & hints:
        for match in _SEED_RUN.finditer(text):
            words = [*re.finditer("[a-z]+", match.group())]
            last = max((place for place, word in enumerate(words) if word.group() in _PROSE_WORDS), default=-1)
            if len(words) - last > _SHORTEST_SEED:
                yield match.start() + words[last + 1].start(), match.end()
        for chinese in _CHINESE_SEED.finditer(text):
            yield chinese.span(chinese.lastgroup or 0)
    elif text.count(" ") + 1 in _SEED_LENGTHS and _SEED_RUN.fullmatch(text) and not _is_list(text.split()):
        yield 0, len(text)


def _is_list(words: list[str]) -> bool:
    """A sentence, or things to buy: no list of seed words has many plurals."""
    plurals = sum(word.endswith("s") and not word.endswith(("ss", "us")) for word in words)
    return plurals > 2 or not _PROSE_WORDS.isdisjoint(words)


def lock_codes(lower: str, hints: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Spans of the numbers that open doors, safes and locks, in lower-case text of which the hints are known."""
    if _LOCKED & hints and _HAS_DIGITS.search(lower):
        for lock in _LOCK.finditer(lower):
            yield lock.span(lock.lastgroup or 0)
    if _ENTRY & hints:
        for entry in _ENTRY_CODE.finditer(lower):
            yield entry.span("value")


def set_apart(text: str) -> Iterator[tuple[int, int, str]]:
    """Runs of single characters behind the word for a secret, with what they say put together."""
    runs = [*_SINGLES.finditer(text)] if has_singles(text) else []
    for run in [*runs, *_HYPHENS.finditer(text)] if has_hyphens(text) else runs:
        before = "".join(text[max(0, run.start() - 100) : run.start()].split())
        if _LABEL_BEFORE.search(before):
            yield run.start(), run.end(), re.sub(r"[ \t-]", "", run.group())
