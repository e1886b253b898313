"""A text as the detectors of the guard see it, made once for all of them."""

from __future__ import annotations

from dataclasses import dataclass

from memoryapp.domain.literals import Literals
from memoryapp.domain.messages import Folded, fold_width
from memoryapp.domain.scripts import simplified
from memoryapp.domain.shapes import signs_of


@dataclass(frozen=True, slots=True)
class Reading:
    """`plain` is the text in one width and in simplified characters, with the way back to the source; `lower` has its
    length, `signs` are those of `shapes.signs_of`, `hints` the literals of a family that stand in `lower`.
    """

    plain: Folded
    lower: str
    signs: bytes
    hints: frozenset[str]


def read(text: str, family: Literals) -> Reading:
    """Read a cleaned text for detectors whose literals are in the family."""
    folded = fold_width(text)
    plain = folded if text.isascii() else Folded(simplified(folded.text), folded.offsets)
    lower = lower_of(plain.text)
    return Reading(plain, lower, signs_of(plain.text), family.within(lower))


def lower_of(text: str) -> str:
    """Lower case of the same length, so that offsets hold (İ would grow)."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(each.lower() if each.isascii() else each for each in text)
