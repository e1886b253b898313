"""Text → search terms, for documents and questions, in Chinese, English, mixed text and identifiers (FEATURES D3).

A document and a question go through the same cutting, so whatever the cutter makes of a word it makes on both sides.
Every term is safe in `array_to_tsvector(text[])`: not empty, at most 64 characters, without NUL, quotes or blanks.
"""

from __future__ import annotations

import logging
import os
import re
import threading
import unicodedata
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

from memoryapp.providers.script_folding import to_simplified
from memoryapp.retrieval.english import STOP_WORDS as ENGLISH_STOP_WORDS
from memoryapp.retrieval.english import stem
from memoryapp.retrieval.own_words import NONE, OwnWords, lowered, term_of

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import jieba  # type: ignore[import-untyped]

MOST_TERMS = 2_000
LONGEST_TERM = 64
LONGEST_TEXT = 40_000
"""Characters of a text that are read; items end at 4,000, documents of an import may be longer."""

_CJK = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_KANA_HANGUL = "\u3040-\u30ff\uac00-\ud7af"
_CJK_RUN = re.compile(f"[{_CJK}{_KANA_HANGUL}]+")
_JOINED = re.compile(r"[A-Za-z0-9][A-Za-z0-9_\-/.:+#@%]*")
"""A Latin run with what joins the parts of an identifier."""
_OTHER_WORD = re.compile(r"[^\W\d_]+|\d+")
_LATIN_OR_CJK = re.compile(
    f"(?P<cjk>{_CJK_RUN.pattern})|(?P<joined>{_JOINED.pattern})|(?P<other>{_OTHER_WORD.pattern})"
)
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_SEPARATORS = re.compile(r"[_\-/.:@%]+")
_EDGES = "-/.:@_"

CHINESE_STOP_WORDS = frozenset(
    [
        "的",
        "了",
        "在",
        "是",
        "我",
        "你",
        "他",
        "她",
        "它",
        "们",
        "我们",
        "你们",
        "他们",
        "她们",
        "它们",
        "咱们",
        "自己",
        "和",
        "与",
        "及",
        "或",
        "或者",
        "以及",
        "而",
        "而且",
        "并",
        "并且",
        "但",
        "但是",
        "不过",
        "然后",
        "因为",
        "所以",
        "如果",
        "虽然",
        "就",
        "都",
        "也",
        "还",
        "又",
        "再",
        "很",
        "太",
        "更",
        "最",
        "非常",
        "比较",
        "一个",
        "一些",
        "一下",
        "一种",
        "这",
        "那",
        "这个",
        "那个",
        "这些",
        "那些",
        "这样",
        "那样",
        "这里",
        "那里",
        "什么",
        "怎么",
        "怎样",
        "怎么样",
        "为什么",
        "哪",
        "哪里",
        "哪个",
        "哪些",
        "谁",
        "吗",
        "呢",
        "吧",
        "啊",
        "呀",
        "嘛",
        "哦",
        "嗯",
        "得",
        "地",
        "着",
        "过",
        "把",
        "被",
        "让",
        "给",
        "对",
        "对于",
        "关于",
        "从",
        "到",
        "向",
        "往",
        "有",
        "没有",
        "会",
        "能",
        "可以",
        "可能",
        "要",
        "想",
        "请",
        "请问",
        "一",
        "个",
        "上",
        "下",
        "里",
        "中",
        "之",
        "其",
        "为",
        "以",
        "于",
        "用户",
        "是否",
        "有没有",
        "是不是",
        "记得",
        "知道",
        "告诉",
    ]
)
"""Words that say nothing about a topic. 用户 is among them because extracted facts begin with it."""


def configure(cache_dir: Path) -> None:
    """Keep the dictionary's cache in a private folder (made with mode 0700); call before the first use.

    jieba's own choice is a predictable file in the shared temporary folder, which others could prepare.
    """
    cache_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.chmod(cache_dir, 0o700)
    jieba.dt.tmp_dir = str(cache_dir)
    jieba.setLogLevel(logging.WARNING)


_warm_lock = threading.Lock()


def warm() -> None:
    """Load the dictionary now (about a second the first time, a third from the cache); later calls cost nothing."""
    if jieba.dt.initialized:
        return
    with _warm_lock:
        jieba.setLogLevel(logging.WARNING)
        jieba.initialize()


def terms(text: str, own: OwnWords = NONE) -> tuple[str, ...]:
    """Terms of a stored text: no repeats, at most MOST_TERMS; single Chinese characters stand last.

    The characters are there for questions of one character only: no other question has a term that could meet them.
    The tenant's own words come beside what the text is cut into, so that a piece of one is found as well.
    """
    folded = folded_text(text)
    low = lowered(folded) if own.words else ""
    whole = (term_of(low[start:end]) for start, end in own.spans(low))
    characters = (char for run in _CJK_RUN.findall(folded) for char in run if char not in CHINESE_STOP_WORDS)
    return _distinct(chain(whole, _terms(folded, _document_chinese), characters))


def item_terms(
    subject: str, content: str, own: OwnWords = NONE, known: Mapping[str, Sequence[str]] | None = None
) -> list[str]:
    """Terms of a memory: of its subject and of its text, each cut by itself. `known` are terms that were cut before."""
    cut = known or {}
    parts = (cut[text] if text in cut else terms(text, own) for text in (subject, content))
    return list(dict.fromkeys(chain.from_iterable(parts)))


def query_terms(text: str, own: OwnWords = NONE) -> tuple[str, ...]:
    """Terms of a question; none when it holds nothing but stop words. One Chinese character alone is a term.

    The tenant's own words stay whole; what stands between them is cut by itself.
    """
    folded = folded_text(text)
    bare = folded.strip()
    if len(bare) == 1 and _CJK_RUN.fullmatch(bare):
        return (bare,)
    return _distinct(_asked(folded, own) if own.words else _terms(folded, _query_chinese))


def _asked(folded: str, own: OwnWords) -> Iterator[str]:
    """An own word is helped by its pairs and parts, as a longer word of the dictionary is: a text that was stored
    before the word was known has only those."""
    low, place = lowered(folded), 0
    for start, end in own.spans(low):
        yield from _terms(folded[place:start], _query_chinese)
        yield term_of(low[start:end])
        yield from _terms(folded[start:end], _pairs)
        place = end
    yield from _terms(folded[place:], _query_chinese)


def folded_text(text: str) -> str:
    """NFKC and simplified, case kept (camelCase needs it), NUL and soft characters out."""
    plain = unicodedata.normalize("NFKC", text[:LONGEST_TEXT])
    return to_simplified(plain if plain.isprintable() else "".join(filter(_is_visible, plain)))


def _is_visible(char: str) -> bool:
    return unicodedata.category(char) not in ("Cf", "Cs", "Cc") or char in "\n\t "


def words_of_identifiers(text: str) -> tuple[str, ...]:
    """The identifiers of a text, whole and lower-case: Latin runs with a joint, a digit, or capitals inside.

    `INC-2026/07-114`, `migrate_db.sh`, `useEffect`, `v1.12`. Equality of one of them is an exact match.
    """
    whole = (match.group().strip(_EDGES) for match in _JOINED.finditer(folded_text(text)))
    return _distinct(word.lower() for word in whole if _is_identifier(word))


def _is_identifier(word: str) -> bool:
    if len(word) < 3 or word.isdigit():
        return False
    jointed = bool(re.search(r"[A-Za-z0-9][_\-/.:@+#][A-Za-z0-9]", word))
    mixed = bool(re.search(r"[A-Za-z]", word)) and bool(re.search(r"\d", word))
    return jointed or mixed or bool(re.search(r"[a-z][A-Z]", word))


def _terms(folded: str, chinese: Callable[[str], Iterator[str]]) -> Iterator[str]:
    for match in _LATIN_OR_CJK.finditer(folded):
        if match["cjk"]:
            yield from chinese(match["cjk"])
        elif match["joined"]:
            yield from _latin(match["joined"])
        else:
            yield match["other"].lower()


def _document_chinese(run: str) -> Iterator[str]:
    """Dictionary words and pairs of neighbours: the words rank, the pairs find what the dictionary does not know."""
    warm()
    for word in jieba.cut_for_search(run):
        if len(word) > 1 and word not in CHINESE_STOP_WORDS:
            yield word
    yield from _pairs(run)


def _query_chinese(run: str) -> Iterator[str]:
    """Words, and pairs only where the dictionary left single characters or made a longer word up.

    Every term is among the document's whatever the document's own segmentation was: a word of two characters is a
    pair there, and a longer one is helped by its pairs. Pairs across known words would only dilute the match.
    """
    warm()
    words = list(jieba.cut(run))
    for word in words:
        if len(word) > 1 and word not in CHINESE_STOP_WORDS:
            yield word
        if len(word) > 2:
            yield from _pairs(word)
    for left, right in zip(words, words[1:], strict=False):
        if 1 in (len(left), len(right)) and not {left, right} & CHINESE_STOP_WORDS:
            yield left[-1] + right[0]


def _pairs(run: str) -> Iterator[str]:
    for left, right in zip(run, run[1:], strict=False):
        if left not in CHINESE_STOP_WORDS or right not in CHINESE_STOP_WORDS:
            yield left + right


def _latin(joined: str) -> Iterator[str]:
    whole = joined.strip(_EDGES)
    parts = [part for part in _SEPARATORS.split(whole) if part]
    lower = whole.lower()
    if len(parts) > 1 or _has_sign(lower):
        yield lower
    yield from _inner_joints(parts, whole)
    for part in parts:
        yield from _part(part)


def _has_sign(lower: str) -> bool:
    return "+" in lower or "#" in lower


def _inner_joints(parts: list[str], whole: str) -> Iterator[str]:
    """`migrate_db` of `migrate_db.sh`, `INC-2026` of `INC-2026/07-114`: pieces that people search by."""
    for separator in ("/", ".", ":"):
        pieces = [piece.strip(_EDGES) for piece in whole.split(separator)]
        if len(pieces) > 1:
            yield from (piece.lower() for piece in pieces if len(_SEPARATORS.split(piece)) > 1)


def _part(part: str) -> Iterator[str]:
    word = part.rstrip("+#").lower()
    if _has_sign(part.lower()) and part.lower() != word:
        yield part.lower()
    yield from _english(word)
    humps = _CAMEL.findall(part)
    if len(humps) > 1:
        yield from (term for hump in humps if len(hump) > 1 for term in _english(hump.lower()))


def _english(word: str) -> Iterator[str]:
    if word and word not in ENGLISH_STOP_WORDS and (len(word) > 1 or word.isdigit()):
        yield stem(word)


def _distinct(found: Iterable[str]) -> tuple[str, ...]:
    kept: dict[str, None] = {}
    for term in found:
        if term:
            kept.setdefault(term[:LONGEST_TERM])
        if len(kept) == MOST_TERMS:
            break
    return tuple(kept)
