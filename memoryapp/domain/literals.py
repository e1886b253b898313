"""Which of many literals stand in a text: one pass over its pieces of four bytes instead of a search for each literal.

A literal can only stand where its rarest piece does, so a text in which few of the pieces occur is done with after one
look-up a byte, however many literals there are. Words that the text repeats are looked at once.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator

_PIECE = 4
_COMMON = " etaoinsrhldcumfpgwybvkxjqz"
"""From the most common to the rarest; what is not in it is rarer."""


class Literals:
    """A family of literals, compiled once. Short ones cost a search each."""

    def __init__(self, needles: Iterable[str]) -> None:
        self.needles = frozenset(needles)
        self._short: list[str] = []
        self._by_piece: dict[int, list[str]] = {}
        for needle in self.needles:
            if is_short(needle):
                self._short.append(needle)
            else:
                self._by_piece.setdefault(_number(_rarest(_longest_word(needle))), []).append(needle)
        self._pieces = frozenset(self._by_piece)

    def within(self, text: str) -> frozenset[str]:
        """The literals of the family that stand in the text."""
        words = " ".join(set(text.split()))
        raw = memoryview(words.encode("utf-8", "replace"))
        found = {needle for needle in self._short if needle in text}
        for first in range(min(_PIECE, len(raw))):
            last = len(raw) - (len(raw) - first) % _PIECE
            for piece in self._pieces.intersection(raw[first:last].cast("I")):
                found.update(needle for needle in self._by_piece[piece] if needle in text)
        return frozenset(found)


def places(text: str, needle: str) -> Iterator[int]:
    """Where a literal stands in the text."""
    place = text.find(needle)
    while place >= 0:
        yield place
        place = text.find(needle, place + len(needle))


def is_short(needle: str) -> bool:
    """Whether no word of it has four bytes."""
    return len(_longest_word(needle)) < _PIECE


def _longest_word(needle: str) -> bytes:
    return max((word.encode() for word in needle.split()), key=len, default=b"")


def _number(piece: bytes) -> int:
    return int.from_bytes(piece, sys.byteorder)


def _rarest(raw: bytes) -> bytes:
    pieces = (raw[start : start + _PIECE] for start in range(len(raw) - _PIECE + 1))
    return max(pieces, key=_rarity)


def _rarity(piece: bytes) -> int:
    return sum(_COMMON.index(chr(each)) if chr(each) in _COMMON else len(_COMMON) for each in piece)
