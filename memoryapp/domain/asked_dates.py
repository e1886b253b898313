"""Dates and date words of a question, as days that a memory's date may fall into. They only lift, they never exclude.

`在5月2日`, `上周末`, `3月初`, `last spring`, `on May 3rd`, `in August 2023`. A day or month without a year means that
day of any year, since a question about the past seldom names it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta

_MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_MONTH = "|".join([*_MONTHS, *(m[:3] for m in _MONTHS if m != "may"), "sept"])
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12, "春": 3, "夏": 6, "秋": 9, "冬": 12}
_CHINESE_WEEKDAYS = "一二三四五六日"
_NUMBERS = {
    "一": 1,
    "二": 2,
    "三": 3,
    "四": 4,
    "五": 5,
    "六": 6,
    "七": 7,
    "八": 8,
    "九": 9,
    "十": 10,
    "十一": 11,
    "十二": 12,
}


@dataclass(frozen=True, slots=True)
class Span:
    """Days from `first` to `last`, both inside. With `any_year` only month and day count."""

    first: date
    last: date
    any_year: bool = False

    def holds(self, day: date) -> bool:
        if not self.any_year:
            return self.first <= day <= self.last
        return (self.first.month, self.first.day) <= (day.month, day.day) <= (self.last.month, self.last.day)


@dataclass(frozen=True, slots=True)
class Asked:
    """The spans a question names, and the question without their words (numbers of dates find nothing by words)."""

    spans: tuple[Span, ...]
    rest: str

    def holds(self, day: date) -> bool:
        return any(span.holds(day) for span in self.spans)


def asked_dates(question: str, today: date) -> Asked:
    """Every date of a question, read on `today` of the person. Impossible dates are left as words."""
    spans: list[Span] = []
    rest = question
    for pattern, read in _FORMS:
        for match in pattern.finditer(rest):
            span = read(match, today)
            if span is not None:
                spans.append(span)
                rest = rest[: match.start()] + " " * len(match.group()) + rest[match.end() :]
    return Asked(tuple(spans), rest if spans else question)


def _whole_month(year: int, month: int, any_year: bool = False) -> Span:
    following = date(year + month // 12, month % 12 + 1, 1)
    return Span(date(year, month, 1), following - timedelta(days=1), any_year)


def _day(year: str | None, month: int, day: str) -> Span | None:
    try:
        found = date(int(year) if year else 2024, month, int(day))
    except ValueError:
        return None
    return Span(found, found, any_year=year is None)


def _month_of(year: str | None, month: int) -> Span | None:
    if not 1 <= month <= 12 or (year is not None and not 1900 <= int(year) <= 9000):
        return None
    return _whole_month(int(year) if year else 2024, month, any_year=year is None)


def _chinese_day(match: re.Match[str], today: date) -> Span | None:
    month = int(match["month"])
    return _day(_chinese_year(match["year"], today), month, match["day"]) if 1 <= month <= 12 else None


def _chinese_month(match: re.Match[str], today: date) -> Span | None:
    name = match["month"]
    month = _NUMBERS.get(name) or (int(name) if name.isdigit() else 0)
    whole = _month_of(_chinese_year(match["year"], today), month)
    if whole is None or not match["part"]:
        return whole
    return _part_of_month(whole, match["part"])


def _part_of_month(whole: Span, part: str) -> Span:
    first, last = whole.first, whole.last
    if part in ("初", "上旬", "early", "beginning of"):
        return Span(first, first.replace(day=10), whole.any_year)
    if part in ("中", "中旬", "mid", "mid-"):
        return Span(first.replace(day=10), first.replace(day=20), whole.any_year)
    return Span(first.replace(day=20), last, whole.any_year)


def _chinese_year(name: str | None, today: date) -> str | None:
    if not name:
        return None
    relative = {"今": 0, "去": -1, "前": -2, "明": 1}.get(name)
    return str(today.year + relative) if relative is not None else name


def _iso(match: re.Match[str], today: date) -> Span | None:
    month = int(match["month"])
    return _day(match["year"], month, match["day"]) if 1 <= month <= 12 else None


def _english_day(match: re.Match[str], today: date) -> Span | None:
    return _day(match["year"], _month_number(match["month"]), match["day"])


def _english_month(match: re.Match[str], today: date) -> Span | None:
    """`may` alone is a verb: it needs a preposition or a year."""
    if match["month"].lower() in ("may", "march") and not match["before"] and not match["year"]:
        return None
    whole = _month_of(match["year"], _month_number(match["month"]))
    part = re.match(r"(?i)(early|mid-?|late|beginning of|end of)", match["before"].split("in ")[-1].strip())
    return _part_of_month(whole, part.group().lower()) if whole and part else whole


def _month_number(name: str) -> int:
    return next(n for n, month in enumerate(_MONTHS, start=1) if month.startswith(name.lower()[:3]))


def _chinese_relative_day(match: re.Match[str], today: date) -> Span:
    day = today + timedelta(days={"大前天": -3, "前天": -2, "昨": -1, "今": 0, "明": 1}[match["which"]])
    return Span(day, day)


def _english_relative_day(match: re.Match[str], today: date) -> Span:
    day = today - timedelta(days=0 if match.group().lower() in ("today", "tonight") else 1)
    return Span(day, day)


def _week(today: date, weeks: int) -> Span:
    monday = today - timedelta(days=today.weekday()) + timedelta(weeks=weeks)
    return Span(monday, monday + timedelta(days=6))


def _in_week(week: Span, name: str) -> Span:
    """The weekend, one weekday, or the whole week."""
    if name in ("末", "weekend"):
        return Span(week.first + timedelta(days=5), week.last)
    position = _CHINESE_WEEKDAYS.find(name.replace("天", "日")) if name else -1
    if name.lower() in _WEEKDAYS:
        position = _WEEKDAYS.index(name.lower())
    if position < 0:
        return week
    day = week.first + timedelta(days=position)
    return Span(day, day)


def _chinese_week(match: re.Match[str], today: date) -> Span:
    weeks = {"上上": -2, "上": -1, "这": 0, "本": 0, "下": 1}[match["which"]]
    return _in_week(_week(today, weeks), match["day"] or "")


def _english_week(match: re.Match[str], today: date) -> Span:
    name = match["what"].lower()
    which = match["which"].lower()
    if name in _WEEKDAYS:
        back = (today.weekday() - _WEEKDAYS.index(name)) % 7 or 7
        day = today - timedelta(days=back if which == "last" else back % 7)
        return Span(day, day)
    return _in_week(_week(today, -1 if which == "last" else 0), name)


def _relative_month(match: re.Match[str], today: date) -> Span:
    back = {"上个月": 1, "上月": 1, "这个月": 0, "本月": 0, "last month": 1, "this month": 0}[match.group().lower()]
    month = today.month - back
    return _whole_month(today.year, month) if month else _whole_month(today.year - 1, 12)


def _relative_year(match: re.Match[str], today: date) -> Span:
    year = today.year - {"去年": 1, "前年": 2, "今年": 0, "last year": 1, "this year": 0}[match.group().lower()]
    return Span(date(year, 1, 1), date(year, 12, 31))


def _season(match: re.Match[str], today: date) -> Span:
    """Three months from the season's first; `last` means the latest that has begun before this one."""
    start = _SEASONS[match["season"].lower()]
    which = (match["which"] or "").lower()
    year = today.year - 1 if which in ("last", "去年") or start > today.month else today.year
    if which == "last" and start + 2 < today.month:
        year = today.year
    end = _whole_month(year + (start + 1) // 12, (start + 1) % 12 + 1).last
    return Span(date(year, start, 1), end)


def _days_ago(match: re.Match[str], today: date) -> Span:
    """`3天前`, `two weeks ago`: the day, give or take one; weeks and months more loosely."""
    count = match["n"].lower()
    words = {"a": 1, "one": 1, "two": 2, "three": 3, "four": 4, "五": 5, "两": 2, **_NUMBERS}
    number = int(count) if count.isdigit() else words.get(count, 1)
    unit = match["unit"].lower()
    days, slack = next(
        (d, s) for names, d, s in ((("天", "day"), 1, 1), (("周", "星期", "week"), 7, 4), (("月", "month"), 30, 16))
        if any(n in unit for n in names)
    )  # fmt: skip
    middle = today - timedelta(days=min(number, 2000) * days)
    return Span(middle - timedelta(days=slack), middle + timedelta(days=slack))


Form = tuple[re.Pattern[str], Callable[[re.Match[str], date], Span | None]]


def _forms() -> Iterator[Form]:
    number = "[零一二三四五六七八九十两]{1,2}|\\d{1,3}"
    yield re.compile(r"(?<!\d)(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})(?!\d)"), _iso
    yield (
        re.compile(r"(?:(?P<year>\d{4}|[今去前明])年)?(?P<month>\d{1,2})月(?:份)?(?P<day>\d{1,2})[日号號]?"),
        _chinese_day,
    )
    yield (
        re.compile(
            r"(?:(?P<year>\d{4}|[今去前明])年)?(?P<month>\d{1,2}|十[一二]?|[一二三四五六七八九])月(?:份)?"
            r"(?P<part>初|上旬|中旬|下旬|底|末)?(?!经)"
        ),
        _chinese_month,
    )
    yield (
        re.compile(rf"(?i)\b(?P<month>{_MONTH})\.?\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s+(?P<year>\d{{4}}))?"),
        _english_day,
    )
    yield (
        re.compile(
            rf"(?i)\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<month>{_MONTH})\b(?:,?\s+(?P<year>\d{{4}}))?"
        ),
        _english_day,
    )
    yield (
        re.compile(
            rf"(?i)(?P<before>\b(?:in|of|during|since|around|by)\s+(?:early |mid-?|late )?|\b(?:early|mid-?|late|end of|beginning of)\s*|)"
            rf"\b(?P<month>{_MONTH})\b\.?(?:,?\s+(?P<year>\d{{4}}))?"
        ),
        _english_month,
    )
    yield re.compile(r"(?P<which>大前天|前天|昨|今|明)(?:天|日|晚|早)?(?<![今明昨])"), _chinese_relative_day
    yield re.compile(r"(?i)\b(?:yesterday|today|tonight|last night)\b"), _english_relative_day
    yield re.compile(r"(?P<which>上上|上|这|本|下)(?:个)?(?:周|星期|礼拜)(?P<day>[一二三四五六日天末])?"), _chinese_week
    yield (
        re.compile(rf"(?i)\b(?P<which>last|this|on)\s+(?P<what>week(?:end)?|{'|'.join(_WEEKDAYS)})\b"),
        _english_week,
    )
    yield re.compile(r"(?i)上个月|上月|这个月|本月|\b(?:last|this) month\b"), _relative_month
    yield re.compile(r"(?i)\b(?P<which>last|this)\s+(?P<season>spring|summer|autumn|fall|winter)\b"), _season
    yield re.compile(r"(?P<which>去年|今年)?(?P<season>[春夏秋冬])[天季]"), _season
    yield re.compile(r"(?i)去年|前年|今年|\b(?:last|this) year\b"), _relative_year
    yield re.compile(rf"(?P<n>{number})个?(?P<unit>天|周|星期|月)之?前"), _days_ago
    yield re.compile(r"(?i)\b(?P<n>a|one|two|three|four|\d{1,3})\s+(?P<unit>days?|weeks?|months?)\s+ago\b"), _days_ago


_FORMS = tuple(_forms())
