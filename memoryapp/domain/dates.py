"""Dates in Chinese and English text, and relative ones resolved against the time and zone of what was said.

Nothing is invented: without a time relative words stay as they are, and so do words that can be read in two ways.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone

from memoryapp.domain.date_spans import Days
from memoryapp.domain.date_words import ABSOLUTE, CHINESE, ENGLISH, Resolver


@dataclass(frozen=True, slots=True)
class DateSpan:
    """Days that a text speaks of: `start` to `end`, both included, said by `text` at offset `position`.

    `relative` words needed the day they were said on; those that are not `certain` can be read in two ways;
    `approximate` means a day or so around.
    """

    start: date
    end: date
    text: str
    position: int
    relative: bool = False
    certain: bool = True
    approximate: bool = False

    @property
    def stop(self) -> int:
        return self.position + len(self.text)

    def overlaps(self, other: DateSpan) -> bool:
        return self.start <= other.end and other.start <= self.end


def find_dates(text: str, now: datetime | None, offset: timedelta | None = None) -> tuple[DateSpan, ...]:
    """The dates of a text in order, without overlaps. `now` is when it was said (aware), `offset` its zone.

    Without `offset` the zone of `now` counts; without `now` only dates that name their year are found.
    """
    if now is not None and offset is not None:
        now = now.astimezone(timezone(offset))
    found = list(_all(text, now.date() if now else None))
    return tuple(_without_overlaps(found))


def _all(text: str, today: date | None) -> Iterator[DateSpan]:
    for absolute, meaning in ABSOLUTE:
        for match in absolute.finditer(text):
            yield from _span(match, meaning(match))
    if today is not None:
        for relative, resolve in (*CHINESE, *ENGLISH):
            for match in relative.finditer(text):
                yield from _span(match, _resolved(resolve, match, today))


def _resolved(resolve: Resolver, match: re.Match[str], today: date) -> Days | None:
    """What the words mean; None where that lies outside the calendar."""
    try:
        return resolve(match, today)
    except OverflowError:
        return None


def _span(match: re.Match[str], days: Days | None) -> Iterator[DateSpan]:
    if days is not None:
        yield DateSpan(
            days.start, days.end, match.group(), match.start(), days.relative, days.certain, days.approximate
        )


def _without_overlaps(found: Sequence[DateSpan]) -> Iterator[DateSpan]:
    """Left to right, the longest of those that begin together or cover one another."""
    reached = 0
    for span in sorted(found, key=lambda s: (s.position, -len(s.text))):
        if span.position >= reached:
            reached = span.stop
            yield span


def written(start: date, end: date) -> str:
    """A span in figures: 2026-03-07, 2026-03-07/08, 2026-03-30/04-05, 2026-03, 2025-06/08, 2025."""
    if start == end:
        return start.isoformat()
    if _whole_months(start, end):
        return _written_months(start, end)
    if start.year != end.year:
        return f"{start.isoformat()}/{end.isoformat()}"
    return f"{start.isoformat()}/{end:%d}" if start.month == end.month else f"{start.isoformat()}/{end:%m-%d}"


def _whole_months(start: date, end: date) -> bool:
    return start.day == 1 and (end + timedelta(days=1)).day == 1


def _written_months(start: date, end: date) -> str:
    if (start.month, end.month) == (1, 12) and start.year == end.year:
        return f"{start.year}"
    if (start.year, start.month) == (end.year, end.month):
        return f"{start:%Y-%m}"
    return f"{start:%Y-%m}/{end:%m}" if start.year == end.year else f"{start:%Y-%m}/{end:%Y-%m}"


def with_dates(text: str, said_at: datetime | None, offset: timedelta | None = None) -> str:
    """The text with the calendar date beside each relative date that is certain and not written there already."""
    if said_at is None:
        return text
    found = find_dates(text, said_at, offset)
    absolute = [span for span in found if not span.relative]
    pieces: list[str] = []
    position = 0
    for span in found:
        if span.relative and span.certain and not any(span.overlaps(known) for known in absolute):
            pieces += [text[position : span.stop], _beside(span)]
            position = span.stop
    return "".join([*pieces, text[position:]])


def _beside(span: DateSpan) -> str:
    figures = written(span.start, span.end)
    if re.search(r"[\u4e00-\u9fff]", span.text):
        return f"（约 {figures}）" if span.approximate else f"（{figures}）"
    return f" (around {figures})" if span.approximate else f" ({figures})"


def resolved_dates(text: str, said_at: datetime | None, offset: timedelta | None = None) -> tuple[tuple[str, str], ...]:
    """Pairs of relative words and their calendar date, for a prompt; empty without a time."""
    if said_at is None:
        return ()
    found = find_dates(text, said_at, offset)
    return tuple((s.text, written(s.start, s.end)) for s in found if s.relative and s.certain)


_SLACK = timedelta(days=1)
"""What "about two weeks ago" may differ by."""


def invented_dates(content: str, evidence: str, said_at: datetime | None) -> tuple[DateSpan, ...]:
    """Dates that a text names by their year and that nothing in the evidence, said at that time, can mean."""
    claimed = find_dates(content, None)
    grounds = find_dates(evidence, said_at)
    return tuple(span for span in claimed if not any(_founded(span, ground) for ground in grounds))


def _founded(claimed: DateSpan, ground: DateSpan) -> bool:
    """A claimed date lies within what was said, or says it more broadly (a day said, its month written)."""
    slack = 7 * _SLACK if ground.approximate else timedelta(0)
    within = ground.start - slack <= claimed.start and claimed.end <= ground.end + slack
    return within or (claimed.start <= ground.start and ground.end <= claimed.end)
