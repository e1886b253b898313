"""How many tokens a text costs at most, for any of the usual tokenizers, without loading one.

The rule, by kind of character (byte-pair vocabularies of 100,000 and more entries, as the common model families have):

| characters | counted |
|---|---|
| a run of ASCII letters | one for every 4, rounded up: prose stays below, words of 5 to 9 letters are mostly one token |
| a run of digits | one for every 2, rounded up (vocabularies cut after 3, some after 1 or 2) |
| any other ASCII sign, a line break | one each; a blank belongs to the word behind it |
| Chinese, kana, Hangul and letters of other alphabets | one and a quarter each (common characters are one token or less, rare ones two) |
| signs beyond the basic plane (emoji, rare characters) | three each |

It is a documented bound, not a count: a budget that is kept by it is kept in practice, at the price of room unused.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_NARROW = re.compile(r"[A-Za-z]{1,4}|[0-9]{1,2}|[!-/:-@\[-`{-~\n]|[ \t]{2,}")
"""What counts one each: up to four letters or two digits of a run, a sign, a line break, more than one blank."""


class Measure(NamedTuple):
    """How many of each kind a text holds: what counts one, what counts one and a quarter, and what counts three.

    Measures of the lines of a text, and of the breaks between them, add up to that of the text.
    """

    narrow: int = 0
    wide: int = 0
    far: int = 0

    @property
    def bound(self) -> int:
        return self.narrow + (5 * self.wide + 3) // 4 + 3 * self.far

    def plus(self, other: Measure) -> Measure:
        return Measure(self.narrow + other.narrow, self.wide + other.wide, self.far + other.far)


def measure(text: str) -> Measure:
    narrow = len(_NARROW.findall(text))
    if text.isascii():
        return Measure(narrow)
    far = len(text.encode("utf-16-le", "surrogatepass")) // 2 - len(text)
    return Measure(narrow, len(text) - len(text.encode("ascii", "ignore")) - far, far)


def token_bound(text: str) -> int:
    """Tokens that the text costs at most. It adds up: the bound of joined lines is not above the sum of theirs
    and one for each line break.
    """
    return measure(text).bound
