"""Numbers and records that belong to a person, found in a text and told by span.

The kinds stand in `pii_numbers` (what offices give out) and `pii_contacts` (where somebody is reached), their check
digits in `checksums`. What is public stays: company codes, filing numbers, hotlines, tracking numbers, versions,
addresses of machines.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from memoryapp.domain.messages import Folded, fold_width, holds_any
from memoryapp.domain.pii_contacts import ACCOUNTS, BIOMETRICS, BIRTHS, PHONES, PLACES, WITHOUT_DIGITS
from memoryapp.domain.pii_kinds import Number, digits_in
from memoryapp.domain.pii_numbers import DOCUMENTS, IDENTITY, MONEY
from memoryapp.domain.scripts import simplified
from memoryapp.domain.types import Effect, Finding

_RESTRICTED = ("cn_id", "bank_card", "bank_account", "passport", "medical_record", "ssn", "national_id")
_CONFIRMED_NAMES = (
    "cn_mobile phone permit plate social_security student_id iban uk_nino email address birth_date id_tail "
    "location account_name driver_license biometric"
)
_CONFIRMED = tuple(_CONFIRMED_NAMES.split())
RESTRICTED = frozenset(f"pii.{name}" for name in _RESTRICTED)
RULES: dict[str, Effect] = {
    **{f"pii.{name}": Effect.REFUSE for name in _RESTRICTED},
    **{f"pii.{name}": Effect.CONFIRM for name in _CONFIRMED},
}
_WITH_DIGITS = (*IDENTITY, *MONEY, *DOCUMENTS, *PHONES, *BIRTHS, *PLACES, *ACCOUNTS, *BIOMETRICS)
_GROUP = re.compile(r"[0-9](?:[ .·()/-]{0,3}[0-9])*")
_NEAR, _FAR = (16, 24), (72, 64)
"""Characters before and after a group of digits in which its letters and units stand, and its label as well."""
_HANZI = "零〇一二三四五六七八九幺壹贰叁肆伍陆柒捌玖貳參陸"
_HANZI_DIGITS = str.maketrans(_HANZI + "，、,", "001234567891123456789236   ")
_SPOKEN = re.compile(f"[{_HANZI}](?:[ ，、,-]?[{_HANZI}0-9]){{6,}}")
_UNEVEN = ("\u3000", "\u00a0", "\u2009", "—", "–", "−", "‐", "‑", "（", "）")
_SEPARATORS = str.maketrans("\u3000\u00a0\u2009—–−‐‑（）", "   -----()")


def find_personal(text: str, plain: Folded | None = None) -> tuple[Finding, ...]:
    """Return personal numbers and records in the text, in order; a span inside a longer one is dropped.

    `plain` is the text in one width and in simplified characters, when that is at hand.
    """
    folded = plain or fold_width(simplified(text))
    found = [
        Finding(f"pii.{kind.name}", RULES[f"pii.{kind.name}"], *folded.source_span(match.start(), match.end()))
        for kind, match in _matches(folded.text)
    ]
    return _outermost(found)


def _matches(text: str) -> Iterator[tuple[Number, re.Match[str]]]:
    for kind in WITHOUT_DIGITS:
        if holds_any(text, kind.needs):
            yield from ((kind, match) for match in kind.pattern.finditer(text) if kind.valid(match))
    text = text if text.isascii() else _in_digits(text)
    groups = [(group.start(), group.end(), digits_in(group.group())) for group in _GROUP.finditer(text)]
    if groups:
        yield from _around(text, groups)


def _around(text: str, groups: list[tuple[int, int, int]]) -> Iterator[tuple[Number, re.Match[str]]]:
    """Matches of the kinds that hold digits: each is tried where there are enough of them and what it needs is near."""
    most = max(digits for _, _, digits in groups)
    near = "\n".join(text[start:end] for start, end in _windows(groups, _FAR)).lower()
    windows: dict[tuple[int, bool], list[tuple[int, int]]] = {}
    for kind in _WITH_DIGITS:
        if kind.least > most or (kind.needs and not holds_any(near, kind.needs)):
            continue
        key = kind.least, kind.near
        if key not in windows:
            windows[key] = _windows([group for group in groups if group[2] >= kind.least], _NEAR if kind.near else _FAR)
        for start, end in windows[key]:
            yield from ((kind, match) for match in kind.pattern.finditer(text, start, end) if kind.valid(match))


def _in_digits(text: str) -> str:
    """The text with wide blanks and dashes made plain and digits in words, seven and more in a row, as digits.

    One character stays one character, so that offsets hold.
    """
    even = text.translate(_SEPARATORS) if holds_any(text, _UNEVEN) else text
    return _SPOKEN.sub(lambda run: run.group().translate(_HANZI_DIGITS), even)


def _windows(groups: list[tuple[int, int, int]], reach: tuple[int, int]) -> list[tuple[int, int]]:
    """Stretches of the text around groups of digits, merged where they meet."""
    merged: list[tuple[int, int]] = []
    for start, end, _ in groups:
        first, last = max(0, start - reach[0]), end + reach[1]
        if merged and first <= merged[-1][1]:
            merged[-1] = merged[-1][0], last
        else:
            merged.append((first, last))
    return merged


def _outermost(found: list[Finding]) -> tuple[Finding, ...]:
    """Restricted findings win over others that overlap them; otherwise the longer one stays."""
    kept: list[Finding] = []
    for finding in sorted(found, key=lambda each: (each.rule not in RESTRICTED, each.start - each.end)):
        place = bisect_right(kept, finding.start, key=lambda each: each.start)
        clear_before = place == 0 or kept[place - 1].end <= finding.start
        if clear_before and (place == len(kept) or kept[place].start >= finding.end):
            kept.insert(place, finding)
    return tuple(kept)
