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

_LETTERS = re.compile(r"[A-Za-z]+")
_DIGITS = re.compile(r"[0-9]+")
_SIGNS = re.compile(r"[!-/:-@\[-`{-~\n]")
_BLANKS = re.compile(r"[ \t]{2,}")
_WIDE = re.compile("[\u0080-\uffff]")
_FAR = re.compile("[\U00010000-\U0010ffff]")


def token_bound(text: str) -> int:
    """Tokens that the text costs at most. It adds up: the bound of joined lines is not above the sum of theirs
    and one for each line break.
    """
    letters = sum((len(run) + 3) // 4 for run in _LETTERS.findall(text))
    digits = sum((len(run) + 1) // 2 for run in _DIGITS.findall(text))
    others = len(_SIGNS.findall(text)) + len(_BLANKS.findall(text))
    wide = (5 * len(_WIDE.findall(text)) + 3) // 4
    return letters + digits + others + wide + 3 * len(_FAR.findall(text))
