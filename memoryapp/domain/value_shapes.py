"""What in a text may be the value of a secret, by its make alone: codes, digits in words, marks inside, quotations.

Nothing here is a secret yet: room numbers and article codes are made like that as well. What stands around a value
decides (`likely_secrets`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

_EN = r"(?:zero|oh|nought|one|two|three|four|five|six|seven|eight|nine)"
_ZH = "零〇一二三四五六七八九幺两壹贰叁肆伍陆柒捌玖"
_PHONETIC = (
    r"(?:alpha|alfa|bravo|charlie|delta|echo|foxtrot|golf|hotel|india|juliett?|kilo|lima|mike|november|oscar|papa|quebec|romeo|sierra|tango"
    r"|uniform|victor|whiskey|x-?ray|yankee|zulu)"
)
_CANDIDATE = re.compile(
    r"(?P<groups>(?<![\w.:/-])\d{1,4}(?:-\d{1,4}){2,9}(?![\w-])|(?<![\w.:/-])\d{4,5}(?:-\d{4,6})+(?:[ ,，、]{1,2}\d{4,5}-\d{4,6})*(?![\w-])"
    r"|(?<![\w.-])\d{1,4}(?:[ ,，、]{1,2}\d{1,4}){3,9}(?![\w.:-])|(?<![\w.-])\d{3}[ -]\d{3}(?![\w.:-]| \d)|(?<![\w.-])\d{2,3}(?: \d{2,3}){2}(?![\w.:-]| \d)|(?<![\w.-])\d{1,6}[#*]\d{1,6}[#*]?(?![\w.-]))"
    rf"|(?P<spelt>(?<![a-z])(?:(?:double |triple )?{_EN}[ ,.-]{{1,3}}){{3,11}}(?:double |triple )?{_EN}(?![a-z])"
    rf"|[{_ZH}](?:[ ,，、]?[{_ZH}]){{3,11}}(?![十百千万亿年月日号点个元块两{_ZH}]))"
    r"|(?P<dial>(?:[左右顺逆](?:转|时针)?[一二两三四五\d]?圈?(?:转|拨)?到?\s?\d{1,3}[，,、 ]{0,2}(?:再|然后)?){2,6}"
    r"|(?<![a-z])(?:(?:left|right)(?: to)? \d{1,3}|\d{1,3} (?:left|right))(?:,? (?:then )?(?:(?:left|right)(?: to)? \d{1,3}|\d{1,3} (?:left|right))){1,5}"
    r"|(?<![\w.-])(?:[A-Z] )?\d(?: \d){2,9}(?: [A-Z])?(?![\w.:-]))"
    r"|(?P<keycaps>(?:\d\ufe0f?\u20e3[ ,]?){3,10})"
    rf"|(?P<phonetic>(?<![a-z])(?:(?:{_PHONETIC}|{_EN}|\d)[ ,-]{{1,2}}){{3,19}}(?:{_PHONETIC}|{_EN}|\d)(?![a-z\d])|(?<![.-])(?:[.-]{{1,6}} ){{3,11}}[.-]{{1,6}}(?![.-]))"
    r"|(?P<quoted>[“「『‘][^”」』’\n]{2,48}[”」』’]|(?<![\w])\"[^\"\n]{2,48}\"|(?<![\w])'[^'\n]{3,48}'(?!\w)|`[^`\n]{3,48}`)"
    r"|(?P<run>[!-~]{3,400})"
)
_OPENING, _CLOSING = "([{<>\"'`:=*~-,;|", ".,;:!?)]}>\"'`"
_ASSIGNED = re.compile(r"[\w()/.\"' -]{0,40}?(?:=>|->|:=|[=:])(?=[^/=:]{4})")
_NO_VALUE = re.compile(
    r"(?:https?|ftp|file|ssh|git|postgres(?:ql)?|mysql|redis)://.*|www\..*|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|[\w./-]+\.[a-z]{2,4}\d?(?:[:/?#].*)?|[~.]{0,2}/[\w./*-]*|[\w-]+(?:/[\w.*-]+)+/?"
    r"|v?\d+(?:[.,]\d+)+[a-z%]{0,3}|[#@][\w-]+|(?:19|20)\d\d[-/.]\d{1,2}(?:[-/.]\d{1,2})?|\d{1,2}[-/.]\d{1,2}(?:[-/.]\d{2,4})?|\d{1,2}:\d\d(?::\d\d)?(?:[ap]m)?|-{1,2}[a-z][\w-]*"
    r"|[<>~≥≤+$€£¥-]?\d+(?:[.,/-]\d+)*(?:st|nd|rd|th|[ap]m|[kmg]?b|[kmgt]ib|k?m|[cmn]m|k?g|m[lg]|l|ml|k|w|kw|v|a|mah|hz|[kmg]hz|s|ms|min|mins|h|hrs?|d|w|y|yo|yrs?|x|px|pt|rpm|°?[cf]|%|usd|eur|rmb|fps|dpi|bit|bits|p|in|ft|lbs?|oz|mm|kcal|cal|db)?"
    r"|[a-z_][\w.]*\(.*|\$\{?\w+\}?.*|\{\{.*|[<\[{(%].*|.*\.{3}.*|.*[*x]{4,}.*|(?:sha|md|utf|aes|rsa|base|es|hs|rs|ed|crc|ipv|oauth|http|ieee|iso|rfc|sm|p|h|x)-?\d[\w.:/-]*"
    r"|(?:utc|gmt)[+-]?\d.*|1password\d?|(?:your|my|example|changeme|placeholder|xxx+|test|dummy|insert|enter|replace)(?:[-_].*)?",
    re.IGNORECASE | re.DOTALL,
)
_PUBLIC_NAME = re.compile(
    r"(?:i?phone|ipad(?:os)?|ios|macos|mac|win(?:dows)?|debian|ubuntu|fedora|centos|alpine|openwrt|android|wi-?fi|lte|oauth|openid|oidc|jwt|pkce|rsa?|hs|es|aes|sha|md|tls|ssl|argon|bcrypt|scrypt|pbkdf|utf|gbk?|gb|iso|iec|rfc|iec|pep|wcag|soc|pci|gdpr|hipaa|ieee|din|mysql|pg|postgres(?:ql)?|redis|python|java|node|vue|react|vite|django|gpt|claude|gemini|llama|qwen|ps|xbox|usb|hdmi|ddr|pcie|rtx|gtx|cuda|h|x|t|s|m|n|pm|co|gu|cr|aa)-?\d{1,6}[a-z]{0,4}(?:[+/_-](?:[a-z]{2,8}\d{0,5}|\d{1,4}))*"
    r"|(?:ctrl|cmd|alt|shift|strg|win|fn|option|esc|tab)(?:\+[a-z0-9]{1,6})+|[a-z]{2,8}\d?\+[a-z]{2,8}\d{0,3}|\d{1,3}[a-z]{0,3}[-–]\d{1,3}[a-z]{0,3}|0x[0-9a-f]{1,8}",
    re.IGNORECASE,
)
_PUBLIC_NUMBER_LIST = (
    "110 112 119 120 122 911 995 999 000 100 101 102 137 143 200 201 204 301 302 304 400 401 403 404 409 "
    "418 422 429 500 502 503 504"
)
_PUBLIC_NUMBERS = frozenset(_PUBLIC_NUMBER_LIST.split())
_MONTHS = re.compile(r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*-?\d{1,4}", re.IGNORECASE)
_MASKED = re.compile(r"\W{0,4}\[[\w.-]+\]")
_NO_GROUPS = re.compile(r"(?:19|20)\d\d-(?:0?[1-9]|1[0-2])-(?:[0-2]?\d|3[01])$|97[89]-")
_PREFIXED_NUMBER = re.compile(r"[A-Z]-\d{4,8}")
_WORD = re.compile(r"[(\"']{0,2}[A-Z]?[a-z]+(?:['.][a-z]+)*[(),.:;!?\"'\]]{0,3}")
_PATTERN = re.compile(r"\\[dwsb]|\[[\^\w-]+\]|\)\{|\]\{|^\^")
"""What regular expressions and code hold."""
_LOWEST_LETTERS, _LONGEST = 2, 120
_LONG, _HEX = 20, re.compile(r"(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{12,128}")
_MARKS, _MARKS_OF_FORMULAS = frozenset("!@#$%^&*"), frozenset("~+=|?")
_CAMEL = re.compile(r"(?!i[A-Z]|Mc|Mac|[A-Z]\w{0,4}[A-Z]\w{0,4}$)[A-Za-z]?[a-z]{2,}(?:[A-Z][a-z]{2,}){1,4}")
_NAMED_NUMBER = re.compile(r"[A-Za-z]{2,}\d{1,2}[A-Za-z]?")


class Shape(StrEnum):
    """How a value is made. The letters stand in the features of the classifier."""

    SHORT_NUMBER = "d"
    LONG_NUMBER = "n"
    GROUPS = "g"
    SPELT = "w"
    QUOTED = "q"
    CAPITAL_CODE = "c"
    HEXADECIMAL = "h"
    LONG_TOKEN = "t"
    MARKED = "s"
    FORMULA = "f"
    LOW_LINED = "o"
    NAMED_NUMBER = "m"
    MIXED_CASE = "i"
    HYPHENED = "e"
    LETTERS_AND_DIGITS = "l"
    JOINED_WORDS = "k"
    CAPITALS = "u"
    CAMEL = "y"
    PHRASE = "r"
    DICTATED = "x"
    SAID = "v"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A value of a text, by its place."""

    start: int
    end: int
    shape: Shape

    def is_telling(self, text: str) -> bool:
        """Whether ordinary text seldom holds such a value, so that it is looked at wherever it stands."""
        if self.shape in _NUMBERS:
            return self.end - self.start > _SHORTEST_NUMBER and not _YEAR.fullmatch(text, self.start, self.end)
        return self.shape in _TELLING


_NUMBERS = frozenset({Shape.SHORT_NUMBER, Shape.LONG_NUMBER})
_TELLING = frozenset(
    {
        Shape.GROUPS,
        Shape.SPELT,
        Shape.CAPITAL_CODE,
        Shape.HEXADECIMAL,
        Shape.LONG_TOKEN,
        Shape.MARKED,
        Shape.LOW_LINED,
        Shape.NAMED_NUMBER,
        Shape.MIXED_CASE,
        Shape.HYPHENED,
        Shape.LETTERS_AND_DIGITS,
    }
)
_YEAR = re.compile(r"(?:1[89]|20)\d\d")
_SHORTEST_NUMBER = 3


def candidates(text: str) -> Iterator[Candidate]:
    """All that may be values, in order, without overlaps; full-width and traditional forms are to be folded before."""
    for match in _CANDIDATE.finditer(text):
        start, end = match.span()
        match match.lastgroup:
            case "groups" if _NO_GROUPS.match(match.group()):
                continue
            case "groups":
                yield Candidate(start, end, Shape.GROUPS)
            case "keycaps" | "dial":
                yield Candidate(start, end, Shape.GROUPS)
            case "spelt" | "phonetic":
                yield Candidate(start, end, Shape.SPELT)
            case "quoted":
                yield Candidate(start + 1, end - 1, shape_of(text[start + 1 : end - 1]) or Shape.QUOTED)
            case _:
                yield from _of_run(match.group(), start)


def _of_run(run: str, start: int) -> Iterator[Candidate]:
    """The value in a run of ASCII signs: behind the last `=` or `:`, without the marks of the sentence."""
    if (
        _WORD.fullmatch(run)
        or (run.isalpha() and not run.isupper() and not _CAMEL.fullmatch(run))
        or _MASKED.match(run)
    ):
        return
    first = assigned.end() if (assigned := _ASSIGNED.match(run)) and "://" not in run else 0
    value = run[first:].lstrip(_OPENING)
    first = len(run) - len(value)
    value = value.rstrip(_CLOSING)
    shape = shape_of(value)
    if shape is not None:
        yield Candidate(start + first, start + first + len(value), shape)


def shape_of(value: str) -> Shape | None:
    """How a run of ASCII signs is made; None for words, addresses, paths, dates, versions, quantities, placeholders."""
    if value.isdecimal() or (value[:-1].isdecimal() and value[-1] in "#*"):
        return None if value in _PUBLIC_NUMBERS else _of_number(len(value.rstrip("#*")))
    letters = sum(map(str.isalpha, value))
    if _PREFIXED_NUMBER.fullmatch(value):
        return Shape.SHORT_NUMBER
    if (
        len(value) < 4
        or letters < _LOWEST_LETTERS
        or any(each.fullmatch(value) for each in (_NO_VALUE, _PUBLIC_NAME, _MONTHS))
    ):
        return None
    if any(map(str.isdecimal, value)):
        return _with_digits(value)
    marked = any(each in _MARKS or each == "_" for each in value[1:-1])
    if marked or "-" in value[1:-1]:
        return Shape.JOINED_WORDS if value.count("-") + marked < 6 else None
    if _CAMEL.fullmatch(value):
        return Shape.CAMEL
    return Shape.CAPITALS if value.isupper() and value.isalpha() and len(value) >= 5 else None


def _of_number(length: int) -> Shape | None:
    if length < 3 or length > 10:
        return None
    return Shape.SHORT_NUMBER if length <= 6 else Shape.LONG_NUMBER


def _with_digits(value: str) -> Shape | None:
    if len(value) > _LONGEST or "," in value or _PATTERN.search(value):
        return None
    if _HEX.fullmatch(value):
        return Shape.HEXADECIMAL
    if len(value) >= _LONG and value.upper() != value and " " not in value:
        return Shape.LONG_TOKEN
    if any(each in _MARKS_OF_FORMULAS for each in value[:-1]):
        return Shape.FORMULA
    if any(each in _MARKS for each in value[:-1]):
        return Shape.MARKED
    if "_" in value:
        return Shape.LOW_LINED
    if _NAMED_NUMBER.fullmatch(value):
        return Shape.NAMED_NUMBER
    if value.isupper():
        return Shape.CAPITAL_CODE
    if value.lower() != value:
        return Shape.MIXED_CASE
    return Shape.LETTERS_AND_DIGITS if value.isalnum() else Shape.HYPHENED
