"""Arithmetic of calendar spans: weeks from Monday, months with their parts, seasons, years. All ends are inclusive."""

from __future__ import annotations

import calendar
from dataclasses import dataclass
from datetime import date, timedelta


@dataclass(frozen=True, slots=True)
class Days:
    """What date words mean. `certain` is false where they can be read in two ways, `approximate` where "about" fits."""

    start: date
    end: date
    certain: bool = True
    approximate: bool = False
    relative: bool = True


def a_day(day: date, *, certain: bool = True, approximate: bool = False) -> Days:
    return Days(day, day, certain, approximate)


def week(today: date, ahead: int) -> Days:
    """The week from Monday to Sunday that lies `ahead` weeks from today's."""
    monday = today - timedelta(days=today.weekday()) + timedelta(weeks=ahead)
    return Days(monday, monday + timedelta(days=6))


def weekend(today: date, ahead: int) -> Days:
    sunday = week(today, ahead).end
    return Days(sunday - timedelta(days=1), sunday)


def weekday(today: date, ahead: int, day: int, *, certain: bool = True) -> Days:
    return a_day(week(today, ahead).start + timedelta(days=day), certain=certain)


PARTS = {
    "": (1, 31),
    "初": (1, 10),
    "上旬": (1, 10),
    "中": (11, 20),
    "中旬": (11, 20),
    "下旬": (21, 31),
    "底": (25, 31),
    "末": (25, 31),
    "beginning": (1, 10),
    "start": (1, 10),
    "early": (1, 10),
    "middle": (11, 20),
    "mid": (11, 20),
    "late": (21, 31),
    "end": (25, 31),
}
"""Parts of a month as days of it, cut at the month's own last day."""


def month(year: int, number: int, part: str = "") -> Days | None:
    """A month or a part of it; `number` may run outside 1–12 and then carries into the year."""
    year, number = year + (number - 1) // 12, (number - 1) % 12 + 1
    if not 1 <= year <= 9998:
        return None
    first, last = PARTS[part]
    ends = calendar.monthrange(year, number)[1]
    return Days(date(year, number, first), date(year, number, min(last, ends)))


def day_of_month(year: int, number: int, day: int) -> Days | None:
    whole = month(year, number)
    if whole is None or not 1 <= day <= whole.end.day:
        return None
    return a_day(whole.start.replace(day=day))


def full_year(year: int, first: int = 1, last: int = 12) -> Days | None:
    """A year, or the months `first` to `last` of it."""
    start, end = month(year, first), month(year, last)
    return Days(start.start, end.end) if start and end else None


_SEASONS = {"春": (3, 5), "夏": (6, 8), "秋": (9, 11), "冬": (12, 14)}
_ENGLISH_SEASONS = {"spring": "春", "summer": "夏", "autumn": "秋", "fall": "秋", "winter": "冬"}


def season(year: int, name: str) -> Days | None:
    """A season of the northern half by whole months; the winter of a year begins in its December."""
    first, last = _SEASONS[_ENGLISH_SEASONS.get(name.lower(), name)]
    return full_year(year, first, last)


def nearest_year(today: date, number: int) -> int:
    """The year in which the month lies nearest to today."""
    ahead = (number - today.month + 6) % 12 - 6
    return today.year + (today.month - 1 + ahead) // 12


def near(today: date, days: Days | None, most: int = 150) -> bool:
    """Whether words without a year can only mean this span: it lies at most `most` days away."""
    return days is not None and min(abs((days.start - today).days), abs((days.end - today).days)) <= most
