"""What changed between two texts, in pieces a person can follow: words of Latin script, single Chinese characters."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum

_PIECES = re.compile(r"[㐀-鿿]|[^\W_㐀-鿿]+|\s+|.", re.DOTALL)


class Mark(StrEnum):
    SAME = "same"
    GONE = "gone"
    NEW = "new"


@dataclass(frozen=True, slots=True)
class Piece:
    mark: Mark
    text: str


def differences(old: str, new: str) -> tuple[Piece, ...]:
    """The new text with what left the old one; joining SAME and NEW gives `new`, SAME and GONE gives `old`."""
    before, after = _PIECES.findall(old), _PIECES.findall(new)
    found: list[Piece] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            found.append(Piece(Mark.SAME, "".join(before[i1:i2])))
            continue
        found += [Piece(m, t) for m, t in ((Mark.GONE, "".join(before[i1:i2])), (Mark.NEW, "".join(after[j1:j2]))) if t]
    return tuple(found)
