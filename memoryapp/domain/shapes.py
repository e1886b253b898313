"""What a text is made of: the tests that come before a pattern, at a hundredth of its cost.

A text is written down as one byte a character, by the sort of that character. Whether something of a certain make can
stand in it (a run of sixteen signs, four letters set apart) is then a plain search for a few bytes.
"""

from __future__ import annotations

import string

_CONTINUATION = bytes(range(0x80, 0xC0))
"""The bytes of UTF-8 that are not the first of their character."""


def _table(other: str, **members: str) -> bytes:
    table = bytearray(other.encode() * 256)
    for sort, characters in members.items():
        for character in characters.encode("latin-1"):
            table[character] = ord(sort)
    return bytes(table)


_VISIBLE = "".join(map(chr, range(0x21, 0x7F)))
_SIGNS = _table("_", s=_VISIBLE)
_OF_PROSE = bytes(set(range(256)) - set(b"0123456789#$%&()*+/:;<=>@[\\]^_`{|}~"))
_PIECES = bytearray(_table("p"))
_LETTERS = bytearray(_table("x", a=string.ascii_lowercase, h="".join(map(chr, range(0xE3, 0xEA)))))
for _blank in b" \t":
    _PIECES[_blank] = _LETTERS[_blank] = 0x20
for _separator in b".-_*":
    _LETTERS[_separator] = 0x20
for _digit in b"013457@$":
    _LETTERS[_digit] = ord("l")
_PIECES[0x0A] = 0x0A
_HYPHENS = bytearray(_table("_", s=string.ascii_letters + string.digits))
_HYPHENS[ord("-")] = ord("-")


def share_of_marks(text: str) -> float:
    """The share, 0–1 of the characters, of digits and of marks that prose has no use for."""
    return len(text.encode("utf-8", "replace").translate(None, _OF_PROSE)) / max(len(text), 1)


def signs_of(text: str) -> bytes:
    """`s` for each visible ASCII sign; anything else breaks a run of them."""
    return text.encode("utf-8", "replace").translate(_SIGNS)


def has_run(signs: bytes, length: int) -> bool:
    """Whether as many visible ASCII signs stand together, by `signs_of`: no token is longer than its run."""
    return b"s" * length in signs


def has_singles(text: str) -> bool:
    """Whether three single characters stand between blanks, as in a word that was set apart letter by letter."""
    return b" p p p " in text.encode("utf-8", "replace").translate(_PIECES, _CONTINUATION)


def has_hyphens(text: str) -> bool:
    """Whether five single letters or digits stand between hyphens."""
    return b"s-s-s-s-s-" in text.encode("utf-8", "replace").translate(_HYPHENS)


def letters_of(lower: str) -> bytes:
    """`a` for a Latin letter, `h` for a Chinese character, `l` for a digit or sign that looks like a letter, a blank
    for blank, full stop, hyphen, low line and asterisk.
    """
    return lower.encode("utf-8", "replace").translate(_LETTERS, _CONTINUATION)
