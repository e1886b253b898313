"""Text as an attacker may have written it, folded back: look-alike letters, leet digits, spelled-out words, odd blanks."""

from __future__ import annotations

import re

from memoryapp.domain.messages import fold_width, holds_any
from memoryapp.domain.scripts import simplified

# Cyrillic, Greek and other look-alikes of Latin letters (Unicode confusables), and leet digits inside words.
_LOOKALIKES = str.maketrans(
    "аеорсухіјѕԁԛԝһӏтмкнвгпАВЕКМНОРСТУХІЈЅοαερτυκνιχγωΑΒΕΖΗΙΚΜΝΟΡΤΥΧɡıɑ’‘“”ʼ",
    "aeopcyxijsdqwhltmkhbrnABEKMHOPCTYXIJSoaeptuknixywABEZHIKMNOPTYXgia''\"\"'",
)
_LEET = re.compile(r"(?:[013457$]|@(?![\w-]{1,60}\.))(?=[a-z])(?:(?<=[a-z].)|(?<!\w.))")
_LEET_LETTERS = {"0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "7": "t", "@": "a", "$": "s"}
_BLANKS = re.compile(r"[ \t\u00a0\u2000-\u200a\u202f\u205f\u3000]{2,}|[\t\u00a0\u2000-\u200a\u202f\u205f\u3000]| ?\n ?")
_MAYBE_SPELLED = re.compile(r"[ .\-_*][a-z][ .\-_*][a-z][ .\-_*][a-z]")
_LOOKALIKE = re.compile("[\u0131\u0251\u0261\u02bc\u0391-\u03c9\u0400-\u051d\u2018-\u201d]")
_ODD_BLANK = re.compile("[\u00a0\u2000-\u200a\u202f\u205f\u3000]")
_SPELLED = re.compile(r"(?<![A-Za-z])(?:[A-Za-z][ .\-_*]){4,}[A-Za-z](?![A-Za-z])")


def fold_lookalikes(text: str) -> str:
    """Lower-case cleaned text without disguised letters, look-alikes, leet and doubled blanks."""
    if not text.isascii():
        text = fold_width(text).text
        text = simplified(text.translate(_LOOKALIKES) if _LOOKALIKE.search(text) else text)
    lower = text.lower()
    if holds_any(lower, ("  ", "\n", "\t")) or (not lower.isascii() and _ODD_BLANK.search(lower)):
        lower = _BLANKS.sub(_one_blank, lower)
    if _MAYBE_SPELLED.search(lower) or lower[1:2] == " ":
        lower = _SPELLED.sub(lambda match: re.sub(r"[ .\-_*]", "", match.group()), lower)
    return _LEET.sub(lambda match: _LEET_LETTERS[match.group()], lower)


def _one_blank(match: re.Match[str]) -> str:
    return "\n" if "\n" in match.group() else " "
