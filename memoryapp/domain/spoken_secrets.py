"""Secrets that are not written as one run of signs: digits in words, lists of codes, letters set apart, seed phrases."""

from __future__ import annotations

import re
from collections.abc import Iterator

_DIGIT_EN = r"(?:zero|oh|nought|one|two|three|four|five|six|seven|eight|nine)"
SPOKEN = re.compile(
    rf"(?P<en>(?:(?:double |triple )?{_DIGIT_EN}[ ,.-]{{1,3}}){{3,11}}(?:double |triple )?{_DIGIT_EN}(?![a-z]))"
    r"|(?P<zh>[零〇一二三四五六七八九幺两]{4,12})(?=$|[\s，。,.；;！!、）)]|吧|哦|啊|啦|了)"
)
"""Four digits and more in words; to be matched where a value is due."""
CODE_LIST = re.compile(
    r"[^\n\d]{0,40}?[:：\n,，]\s{0,3}(?P<value>(?:(?:\d{1,2}[.)] ?)?(?=[a-z-]{0,8}\d)[A-Za-z0-9]{4,8}(?:[- ][A-Za-z0-9]{4,8}){0,3}[\s,，、;；]{1,3}){2,19}"
    r"(?:\d{1,2}[.)] ?)?(?=[a-z-]{0,8}\d)[A-Za-z0-9]{4,8}(?:[- ][A-Za-z0-9]{4,8}){0,3})(?![A-Za-z0-9])"
)
"""Three codes and more behind their label, one below or beside the other."""
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
    elif text.count(" ") + 1 in _SEED_LENGTHS and _SEED_RUN.fullmatch(text) and not _is_list(text.split()):
        yield 0, len(text)


def _is_list(words: list[str]) -> bool:
    """A sentence, or things to buy: no list of seed words has many plurals."""
    plurals = sum(word.endswith("s") and not word.endswith(("ss", "us")) for word in words)
    return plurals > 2 or not _PROSE_WORDS.isdisjoint(words)


def set_apart(text: str) -> Iterator[tuple[int, int, str]]:
    """Runs of single characters behind the word for a secret, with what they say put together."""
    for run in _SINGLES.finditer(text):
        before = "".join(text[max(0, run.start() - 100) : run.start()].split())
        if _LABEL_BEFORE.search(before):
            yield run.start(), run.end(), re.sub(r"[ \t]", "", run.group())
