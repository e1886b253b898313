"""The literal dedup key, its hash, and the keyed fingerprints of tombstones and replays.

The rules are ruling "Literal dedup key": two texts are literally the same when they differ only in width, case
(outside identifiers), script, blanks and sentence punctuation. Figures, versions, signs and names of things differ
when any character of theirs differs: 1.5万 is not 15万, C++ is not C, −5 is not 5.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator

from memoryapp.domain.messages import clean_text

NORM_VERSION = 1

# NFKC would turn 10² into 102; minus and the short dashes are one sign.
_SIGNS = str.maketrans(
    {"\u2212": "-", "\u2010": "-", "\u2011": "-", "\u2012": "-", "\u2013": "-", "\ufe63": "-", "\uff0d": "-"}
    | {character: f"^{digit}" for character, digit in zip("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789", strict=True)}
    | {character: f"_{digit}" for character, digit in zip("₀₁₂₃₄₅₆₇₈₉", "0123456789", strict=True)}
)
# What keeps its case: `code`, snake_case, /paths/, URLs, camelCase, file names, one-letter flags.
_IDENTIFIER = re.compile(
    r"`[^`\n]{1,200}`"
    r"|https?://[!-~]+"
    r"|(?<![A-Za-z0-9_])[A-Za-z0-9]*_[A-Za-z0-9_]*"
    r"|(?<![A-Za-z0-9_.])(?:\.{1,2}|~)?/[A-Za-z0-9_.~/-]+"
    r"|(?<![A-Za-z0-9_])[a-z]{2,}(?:[A-Z][a-z0-9]+)+(?![A-Za-z0-9_])"
    r"|(?<![A-Za-z0-9_.])[A-Za-z0-9-]+\.[a-z]{2,4}(?![A-Za-z0-9_.])"
    r"|(?<![A-Za-z0-9_-])-[A-Za-z](?![A-Za-z0-9_-])"
)
_CHINESE = re.compile(r"[\u3400-\u9fff]+")
_WORD = re.compile(r"[^\W\u3400-\u9fff]+")
_KEPT_PUNCTUATION = frozenset("_@&*\\")
_EITHER_SIDE = frozenset("+-/#%")


def normal_form(text: str, fold: Callable[[str], str]) -> str:
    """Return the literal dedup key of a text. `fold` turns traditional characters into simplified ones."""
    folded = fold(unicodedata.normalize("NFKC", clean_text(text).translate(_SIGNS)))
    return _without_sentence_marks(_lower_outside_identifiers(folded))


def norm_hash(text: str, fold: Callable[[str], str]) -> bytes:
    """SHA-256 (32 bytes) of the normal form: the unique key of literal duplicates."""
    return hashlib.sha256(normal_form(text, fold).encode()).digest()


def fingerprint(key: bytes, text: str, fold: Callable[[str], str]) -> bytes:
    """HMAC-SHA256 of the normal form: what a tombstone remembers of a text."""
    return _keyed(key, normal_form(text, fold))


def triple_fingerprint(
    key: bytes, subject: str, predicate: str, object: str, fold: Callable[[str], str]
) -> bytes | None:
    """HMAC-SHA256 of subject, predicate and object; None when any of them is empty."""
    if not (subject and predicate and object):
        return None
    parts = [normal_form(part, fold) for part in (subject, predicate, object)]
    return _keyed(key, "\x1f".join(parts)) if all(parts) else None


def message_hash(key: bytes, role: str, text: str) -> bytes:
    """HMAC-SHA256 of role and cleaned text with its blanks evened: recognises a replayed message."""
    return _keyed(key, f"{role}\x1f{' '.join(clean_text(text).split())}")


def span_hash(key: bytes, span: str) -> bytes:
    """HMAC-SHA256 of a span of a message whose blanks are evened: recognises what may not be read again."""
    return _keyed(key, f"span\x1f{span}")


def keyed_words(key: bytes, text: str, fold: Callable[[str], str]) -> frozenset[bytes]:
    """HMACs, cut to 12 bytes, of a text's words and Chinese character pairs: compares wordings without holding them."""
    return next(keyed_words_of_all(key, [text], fold))


def keyed_words_of_all(key: bytes, texts: Iterable[str], fold: Callable[[str], str]) -> Iterator[frozenset[bytes]]:
    """`keyed_words` of one text after the other; a word that many of them share is keyed once."""
    known: dict[str, bytes] = {}
    for text in texts:
        words = _words(fold(unicodedata.normalize("NFKC", clean_text(text).translate(_SIGNS))).casefold())
        for word in words - known.keys():
            known[word] = _keyed(key, f"word\x1f{word}")[:12]
        yield frozenset(map(known.__getitem__, words))


def _words(folded: str) -> set[str]:
    words = set(_WORD.findall(folded))
    if not folded.isascii():
        for run in _CHINESE.findall(folded):
            words |= {run} if len(run) == 1 else {run[i : i + 2] for i in range(len(run) - 1)}
    return words


def _keyed(key: bytes, text: str) -> bytes:
    return hmac.digest(key, text.encode(), "sha256")


def _lower_outside_identifiers(text: str) -> str:
    pieces: list[str] = []
    position = 0
    for identifier in _IDENTIFIER.finditer(text):
        pieces += [text[position : identifier.start()].casefold(), identifier.group()]
        position = identifier.end()
    return "".join([*pieces, text[position:].casefold()])


def _without_sentence_marks(text: str) -> str:
    """Drop blanks and sentence punctuation; figures that they kept apart stay apart by one blank."""
    kept: list[str] = []
    dropped = False
    for position, character in enumerate(text):
        if not _means_something(text, position):
            dropped = dropped or not _groups_thousands(text, position)
            continue
        if dropped and kept and kept[-1].isdigit() and character.isdigit():
            kept.append(" ")
        kept.append(character)
        dropped = False
    return "".join(kept)


def _means_something(text: str, position: int) -> bool:
    character = text[position]
    if character.isalnum() or character in _KEPT_PUNCTUATION:
        return True
    before = text[position - 1] if position else " "
    after = text[position + 1] if position + 1 < len(text) else " "
    if character in _EITHER_SIDE:
        return _is_word(after) or _is_word(before) or before == character or after == character
    if character == ".":
        return _is_word(after) and before != "."
    if character == ":":
        return _is_word(before) and _is_word(after)
    if character == ",":
        return before.isdigit() and after.isdigit() and not _groups_thousands(text, position)
    if character == "~":
        return after.isdigit() or after == "/"
    return unicodedata.category(character)[0] in "SM" and character not in "`´¨˜"


def _groups_thousands(text: str, position: int) -> bool:
    following = text[position + 1 : position + 5]
    return text[position] == "," and following[:3].isdigit() and len(following) >= 3 and not following[3:].isdigit()


def _is_word(character: str) -> bool:
    """A letter or digit of an alphabet; Chinese characters carry no signs of their own."""
    return character.isalnum() and not "\u2e80" <= character <= "\u9fff"
