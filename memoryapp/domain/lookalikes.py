"""Text as an attacker may have written it, folded back: look-alike letters, leet digits, spelled-out words, odd blanks."""

from __future__ import annotations

import re

from memoryapp.domain.messages import holds_any
from memoryapp.domain.shapes import letters_of

# Cyrillic, Greek and other look-alikes of Latin letters (Unicode confusables), and leet digits inside words.
_LOOKALIKES = str.maketrans(
    "аеорсухіјѕԁԛԝһӏтмкнвгпАВЕКМНОРСТУХІЈЅοαερτυκνιχγωΑΒΕΖΗΙΚΜΝΟΡΤΥΧɡıɑ’‘“”ʼ",
    "aeopcyxijsdqwhltmkhbrnABEKMHOPCTYXIJSoaeptuknixywABEZHIKMNOPTYXgia''\"\"'",
)
_LEET = re.compile(r"(?:[013457$]|@(?![\w-]{1,60}\.))(?=[a-z])(?:(?<=[a-z].)|(?<!\w.))")
_LEET_LETTERS = {"0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "7": "t", "@": "a", "$": "s"}
_LEET_TABLE = str.maketrans(_LEET_LETTERS)
_LEET_WORD = re.compile(r"(?<![\w@$])(?=[013457@$]*[a-z])[a-z013457@$]{3,16}(?![\w@$])")
_POINTS = re.compile(r"[.\-_*]")
_LOOKALIKE = re.compile("[\u0131\u0251\u0261\u02bc\u0391-\u03c9\u0400-\u051d\u2018-\u201d]")
_ODD_BLANK = re.compile("[\u00a0\u2000-\u200a\u202f\u205f\u3000]")
_SPELLED = re.compile(r"(?<![A-Za-z])(?:[A-Za-z][ .\-_*]){4,}[A-Za-z](?![A-Za-z])")
_SET_APART, _LEET_BEFORE_LETTER = b" a a a a", b"la"


def unmasked(lower: str) -> str:
    """A `Reading.lower` without look-alikes, leet, doubled blanks and letters set apart."""
    if not lower.isascii() and _LOOKALIKE.search(lower):
        lower = lower.translate(_LOOKALIKES).lower()
    if holds_any(lower, ("  ", "\n", "\t")) or (not lower.isascii() and _ODD_BLANK.search(lower)):
        lower = "\n".join(" ".join(line.split()) for line in lower.split("\n"))
    letters = letters_of(lower)
    if _SET_APART in letters or lower[1:2] == " ":
        lower = _SPELLED.sub(_closed, lower)
        letters = letters_of(lower)
    return _LEET.sub(lambda match: _LEET_LETTERS[match.group()], lower) if _LEET_BEFORE_LETTER in letters else lower


def without_leet(lower: str) -> str:
    """The text with every digit and sign that looks like a letter turned into it, when two words and more hide letters so."""
    words = [word for word in _LEET_WORD.findall(lower) if not word.isalpha()]
    return lower if len(words) < 2 else _LEET_WORD.sub(lambda match: match.group().translate(_LEET_TABLE), lower)


def _closed(match: re.Match[str]) -> str:
    """A spelled-out run put together; where points or hyphens stand between the letters, blanks divide words."""
    run = match.group()
    return _POINTS.sub("", run) if _POINTS.search(run) else run.replace(" ", "")
