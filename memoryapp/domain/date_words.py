"""The date words of Chinese and English as rules: a pattern and what its match means on a given day."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta

from memoryapp.domain.date_spans import (
    Days,
    a_day,
    day_of_month,
    full_year,
    month,
    near,
    nearest_year,
    season,
    week,
    weekday,
    weekend,
)

Match = re.Match[str]
Resolver = Callable[[Match, date], Days | None]
Absolute = tuple[re.Pattern[str], Callable[[Match], Days | None]]
Relative = tuple[re.Pattern[str], Resolver]

_DIGITS = {character: value for value, character in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
_ENGLISH_NUMBERS = {
    word: value
    for value, word in enumerate(
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
    )
} | {"a": 1, "an": 1, "a couple of": 2, "couple of": 2}
_MONTHS = {
    name.lower(): number
    for number, names in enumerate(
        (
            ("January", "Jan"),
            ("February", "Feb"),
            ("March", "Mar"),
            ("April", "Apr"),
            ("May",),
            ("June", "Jun"),
            ("July", "Jul"),
            ("August", "Aug"),
            ("September", "Sept", "Sep"),
            ("October", "Oct"),
            ("November", "Nov"),
            ("December", "Dec"),
        ),
        start=1,
    )
    for name in names
}
_WEEKDAYS = {name: number for number, name in enumerate(("mon", "tue", "wed", "thu", "fri", "sat", "sun"))}


def number_of(text: str) -> int | None:
    """A small number in digits, Chinese characters (up to 99) or English words."""
    plain = " ".join(text.lower().split())
    if plain.isdigit():
        return int(plain)
    if plain in _ENGLISH_NUMBERS:
        return _ENGLISH_NUMBERS[plain]
    if not plain or any(character not in _DIGITS and character != "十" for character in plain):
        return None
    tens, ten, ones = plain.rpartition("十")
    if not ten:
        return _DIGITS[plain] if len(plain) == 1 else None
    return (_DIGITS.get(tens, 1) if tens else 1) * 10 + (_DIGITS[ones] if ones else 0)


# --- dates with their year ---

_CN = r"(?:\d{1,2}|[一二三四五六七八九十]{1,3})"
_MONTH_NAME = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?"
    r"|Nov(?:ember)?|Dec(?:ember)?)\b\.?"
)
_NTH = r"(?:st|nd|rd|th)?"


def _fixed(days: Days | None) -> Days | None:
    return replace(days, relative=False) if days else None


def _iso(found: Match) -> Days | None:
    """2026-03-07, and our own ranges 2026-03-07/08, 2026-03-30/04-05, 2026-12-28/2027-01-03."""
    start = day_of_month(int(found["y"]), int(found["m"]), int(found["d"]))
    if start is None or not found["d2"]:
        return _fixed(start)
    end = day_of_month(int(found["y2"] or found["y"]), int(found["m2"] or found["m"]), int(found["d2"]))
    return Days(start.start, end.end, relative=False) if end and end.end >= start.start else _fixed(start)


def _iso_months(found: Match) -> Days | None:
    """2026-03, and our own ranges 2025-06/08 and 2025-12/2026-02."""
    first, last = int(found["m"]), int(found["m2"] or found["m"])
    if not 1 <= first <= 12 or not 1 <= last <= 12:
        return None
    start, end = month(int(found["y"]), first), month(int(found["y2"] or found["y"]), last)
    return Days(start.start, end.end, relative=False) if start and end and start.start <= end.end else None


def _chinese_date(found: Match) -> Days | None:
    number, day = number_of(found["m"]), number_of(found["d"] or "")
    if number is None or not 1 <= number <= 12:
        return None
    if day is not None:
        return _fixed(day_of_month(int(found["y"]), number, day))
    return _fixed(month(int(found["y"]), number, found["part"] or ""))


def _english_date(found: Match) -> Days | None:
    number = _MONTHS[found["m"].rstrip(".").lower()]
    day = found.groupdict().get("d")
    if day:
        return _fixed(day_of_month(int(found["y"]), number, int(day)))
    return _fixed(month(int(found["y"]), number, _part(found)))


def _part(found: Match) -> str:
    return (found.groupdict().get("part") or "").lower()


_YEAR = r"(?P<y>(?:19|20)\d{2})"
_OF = r"(?:(?:[Tt]he )?(?P<part>(?i:beginning|start|middle|end)) of )"
_EARLY = r"(?:(?P<part>(?i:early|mid|late))[ -])"
_BARE_YEAR = re.compile(
    rf"(?<![\d.,$€£¥#/-]){_YEAR}(?= ?年(?!前|后|代|级))|\b(?i:in|since|of|during) {_YEAR.replace('<y>', '<y2>')}(?![\d/-]|[.,]\d)"
)

ABSOLUTE: tuple[Absolute, ...] = (
    (
        re.compile(
            rf"(?<![\d.-]){_YEAR}-(?P<m>\d{{2}})-(?P<d>\d{{2}})"
            r"(?:/(?:(?:(?P<y2>\d{4})-)?(?P<m2>\d{2})-)?(?P<d2>\d{2})(?!\d))?(?![\d])"
        ),
        _iso,
    ),
    (
        re.compile(
            rf"(?<![\d./-]){_YEAR}(?P<s>[/.-])(?P<m>\d{{1,2}})(?P=s)(?P<d>\d{{1,2}})(?P<y2>)(?P<m2>)(?P<d2>)(?![\d])"
        ),
        _iso,
    ),
    (re.compile(rf"(?<![\d-]){_YEAR}-(?P<m>\d{{2}})(?:/(?:(?P<y2>\d{{4}})-)?(?P<m2>\d{{2}}))?(?![\d-])"), _iso_months),
    (
        re.compile(
            rf"(?<!\d){_YEAR} ?年 ?(?P<m>{_CN}) ?月份?的?(?: ?(?P<d>{_CN}) ?[日号]|(?P<part>初|上旬|中旬|下旬|底|末))?"
        ),
        _chinese_date,
    ),
    (re.compile(rf"\b(?P<m>{_MONTH_NAME}) (?P<d>\d{{1,2}}){_NTH},? {_YEAR}\b"), _english_date),
    (re.compile(rf"\b(?P<d>\d{{1,2}}){_NTH} (?:of )?(?P<m>{_MONTH_NAME}),? {_YEAR}\b"), _english_date),
    (re.compile(rf"{_OF}(?P<m>{_MONTH_NAME}),? {_YEAR}\b"), _english_date),
    (re.compile(rf"\b{_EARLY}?(?P<m>{_MONTH_NAME}),? {_YEAR}\b"), _english_date),
    (_BARE_YEAR, lambda found: _fixed(full_year(int(found["y"] or found["y2"])))),
)
"""Dates that need no day to stand on."""

# --- Chinese ---

_AHEAD = {"上上": -2, "上": -1, "这": 0, "本": 0, "下": 1, "下下": 2}
_WHICH = r"(?P<which>上上|下下|上|下|这|本)(?:一?个|一)?"
_WEEK = r"(?:周|星期|礼拜)"
_DAY_NAMES = "一二三四五六日天"
# 上周一直在忙 is last week, not last Monday; 下周天气, 这周日常, 下周三个人 likewise.
_WEEKDAY = r"(?P<day>一(?![直样起共般些个定下路])|[二三四五六](?![个天次位名家条只件项百千万])|日(?![常报程期本子用])|天(?![气天津空]))"
_DAYS = {
    "大前天": -3,
    "前天": -2,
    "前日": -2,
    "昨": -1,
    "今": 0,
    "明": 1,
    "后天": 2,
    "大后天": 3,
}
_DAY_WORD = re.compile(
    r"大前天|大后天|(?<![以之目先从眼午提])前天|(?<![今以之随先最然前背午])后天(?!性|形成|养成|培养|习得|因素|努力)"
    r"|昨[天日晚夜]|(?<![如当现至])今[天日晚早夜]|(?<![聪透说证声发鲜文光])明[天日晚早]"
)
_AGO = re.compile(
    r"(?<![\d.十每第])(?P<n>\d{1,2}|[一二两三四五六七八九十]{1,3}|半)个?(?P<unit>天|周|星期|礼拜|月|年)(?:以|之)?(?P<way>前|后)"
)
_CLAUSE_START = re.compile(r"(?:^|[\s，,。！？!?；;：:、“（(]|[我你他她们在于是约大过再就将会要的了还都也和])$")


def _week_of(found: Match, today: date) -> Days:
    return week(today, _AHEAD[found["which"]])


def _weekend_of(found: Match, today: date) -> Days:
    return weekend(today, _AHEAD[found["which"]])


def _weekday_of(found: Match, today: date) -> Days:
    return weekday(today, _AHEAD[found["which"]], min(_DAY_NAMES.index(found["day"]), 6))


def _day_of(found: Match, today: date) -> Days:
    word = found.group()
    return a_day(today + timedelta(days=_DAYS[word] if word in _DAYS else _DAYS[word[0]]))


def _ago_or_later(found: Match, today: date) -> Days | None:
    """Three days ago; after another event (手术三天后) the words stand on that event and not on today."""
    unit, way = found["unit"], -1 if found["way"] == "前" else 1
    if unit == "月" and "个" not in found.group():
        return None
    if found["n"] == "半":
        return _shifted(today, "月", 6 * way) if unit == "年" else None
    number = number_of(found["n"])
    free = bool(_CLAUSE_START.search(found.string[: found.start()]))
    days = _shifted(today, unit, number * way) if number else None
    return replace(days, certain=free) if days else None


def _shifted(today: date, unit: str, steps: int) -> Days | None:
    """Days are exact, weeks about a day, months a month, years a year."""
    if unit in ("天", "day"):
        return a_day(today + timedelta(days=steps))
    if unit in ("月", "month"):
        return month(today.year, today.month + steps)
    if unit in ("年", "year"):
        return full_year(today.year + steps)
    return a_day(today + timedelta(weeks=steps), approximate=True)


_YEARS_AHEAD = {"大前年": -3, "前年": -2, "去年": -1, "今年": 0, "明年": 1, "后年": 2}
_YEAR_WORD = r"(?P<year>大前年|(?<![以之目提])前年|去年|今年|明年|(?<![以之])后年)"
_MONTH_PART = r"(?P<part>初|上旬|中旬|下旬|底|末|中(?!旬|国|午|间|学|心|秋|文))"


def _of_year(found: Match, today: date) -> Days | None:
    """去年夏天, 明年3月, 今年年底, 去年下半年, 前年."""
    year = today.year + _YEARS_AHEAD[found["year"]]
    if found["season"]:
        return season(year, found["season"])
    if found["m"]:
        return _month_day(year, found)
    if found["half"]:
        return full_year(year, *((1, 6) if found["half"] == "上" else (7, 12)))
    return full_year(year, *_YEAR_PARTS[found["ypart"] or ""])


_YEAR_PARTS = {"": (1, 12), "初": (1, 2), "中": (6, 7), "底": (12, 12), "末": (12, 12), "尾": (12, 12)}


def _month_day(year: int, found: Match) -> Days | None:
    number, day = number_of(found["m"]), number_of(found["d"] or "")
    if number is None or not 1 <= number <= 12:
        return None
    if found["d"]:
        return day_of_month(year, number, day) if day else None
    return month(year, number, found["part"] or "")


def _month_of(found: Match, today: date) -> Days | None:
    """上个月, 下个月5号, 本月底, 月底."""
    ahead = _AHEAD[found["which"]] if found["which"] else 0
    if found["d"]:
        day = number_of(found["d"])
        return day_of_month(today.year, today.month + ahead, day) if day else None
    return month(today.year, today.month + ahead, found["part"] or "")


def _yearless(found: Match, today: date) -> Days | None:
    """3月初, 5月3日: the nearest year, and only when no other could be meant."""
    number = number_of(found["m"])
    if number is None or not 1 <= number <= 12:
        return None
    days = _month_day(nearest_year(today, number), found)
    return _once(days, found, today, bare=not (found["d"] or found["part"]))


_RECURRING = re.compile(
    r"生日|每年|年年|纪念日|每逢|\b(?:birthdays?|anniversary|every|each|annual(?:ly)?)\b", re.IGNORECASE
)


def _once(days: Days | None, found: Match, today: date, *, bare: bool) -> Days | None:
    """Words without a year are certain when they are near, name a part or a day, and mean no yearly date."""
    if days is None:
        return None
    return replace(days, certain=not bare and near(today, days) and not _RECURRING.search(found.string))


CHINESE: tuple[Relative, ...] = (
    (re.compile(rf"{_WHICH}{_WEEK}{_WEEKDAY}"), _weekday_of),
    (re.compile(rf"{_WHICH}周末"), _weekend_of),
    (re.compile(rf"{_WHICH}(?:星期(?!末)|礼拜|周(?![末年报边围刊期转考密到]))"), _week_of),
    (_DAY_WORD, _day_of),
    (_AGO, _ago_or_later),
    (
        re.compile(
            rf"{_YEAR_WORD}的?(?:(?P<season>[春夏秋冬])[天季]?|(?P<m>{_CN})月份?(?:(?P<d>{_CN})[日号]|{_MONTH_PART})?"
            r"|年?(?P<ypart>[初底末尾]|中(?!旬|国|秋))|(?P<half>[上下])半年)?"
        ),
        _of_year,
    ),
    (re.compile(rf"{_WHICH}月份?(?:(?P<d>{_CN})[日号]|{_MONTH_PART})?"), _month_of),
    (re.compile(rf"(?<![每个\d一二三四五六七八九十当半某整])(?P<which>)(?P<d>)月{_MONTH_PART}"), _month_of),
    (
        re.compile(rf"(?<![\d第十年])(?P<m>{_CN})月份?(?:(?P<d>{_CN})[日号]|{_MONTH_PART})?(?![龄子亮])"),
        _yearless,
    ),
    (
        re.compile(r"(?<![每\d去今明前后半])年(?P<ypart>[初底末])"),
        lambda found, today: full_year(today.year, *_YEAR_PARTS[found["ypart"]]),
    ),
)

# --- English ---

_ENGLISH_AHEAD = {"last": -1, "past": -1, "this": 0, "coming": 0, "next": 1}
_ENGLISH_DAYS = {
    "the day before yesterday": -2,
    "yesterday": -1,
    "last night": -1,
    "today": 0,
    "tonight": 0,
    "this morning": 0,
    "this afternoon": 0,
    "this evening": 0,
    "tomorrow": 1,
    "the day after tomorrow": 2,
}
_NUMBER = r"(?P<n>\d{1,2}|a couple of|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_UNIT = r"(?P<unit>day|week|month|year)s?"
_FUTURE = re.compile(
    r"\b(?:will|shall|going to|am|is|are|be|due|leav\w+|start\w*|arriv\w+|mov\w+|fly\w*|begins?|expires?|ends?|have|has"
    r"|need|must|remind|meet\w*)\b|'(?:ll|m|s|re)\b|^\W*$",
    re.IGNORECASE,
)


def _english_day(found: Match, today: date) -> Days:
    words = " ".join(found.group().lower().split())
    return a_day(today + timedelta(days=_ENGLISH_DAYS[words]))


def _english_weekday(found: Match, today: date) -> Days:
    """“Last” is the latest one before today, “next” the one of next week, “this” the one of this week if still ahead."""
    which, day = found["which"].lower(), _WEEKDAYS[found["day"].lower()[:3]]
    if which in ("last", "past"):
        back = (today.weekday() - day - 1) % 7 + 1
        return a_day(today - timedelta(days=back), certain=back > 1)
    if which == "next":
        meant = weekday(today, 1, day)
        return replace(meant, certain=(meant.start - today).days > 1)
    ahead = (day - today.weekday()) % 7
    same_week = today.weekday() <= day
    return a_day(today + timedelta(days=ahead), certain=same_week or which == "coming")


def _english_unit(found: Match, today: date) -> Days | None:
    ahead = _ENGLISH_AHEAD[found["which"].lower()]
    unit = found["unit"].lower()
    if unit == "weekend":
        return weekend(today, ahead)
    if unit == "week":
        return week(today, ahead)
    return month(today.year, today.month + ahead) if unit == "month" else full_year(today.year + ahead)


def _english_ago(found: Match, today: date) -> Days | None:
    number = number_of(found["n"])
    days = _shifted(today, found["unit"].lower(), -number) if number else None
    return replace(days, approximate=True) if days and "couple" in found["n"] else days


def _english_later(found: Match, today: date) -> Days | None:
    """“In three days” looks ahead only in a clause about what is to come; otherwise it tells how long it took."""
    number = number_of(found["n"])
    days = _shifted(today, found["unit"].lower(), number) if number else None
    before = re.split(r"[.!?;\n]", found.string[: found.start()])[-1]
    return replace(days, certain=bool(_FUTURE.search(before))) if days else None


def _english_from_now(found: Match, today: date) -> Days | None:
    number = number_of(found["n"])
    return _shifted(today, found["unit"].lower(), number) if number else None


def _english_part(found: Match, today: date) -> Days | None:
    """End of the month, beginning of next month, end of this year."""
    ahead = _ENGLISH_AHEAD.get((found["which"] or "this").lower(), 0)
    if found["unit"].lower() == "month":
        return month(today.year, today.month + ahead, _part(found))
    first = {"beginning": (1, 2), "start": (1, 2), "middle": (6, 7), "end": (12, 12)}[_part(found)]
    return full_year(today.year + ahead, *first)


def _english_yearless(found: Match, today: date) -> Days | None:
    number = _MONTHS[found["m"].rstrip(".").lower()]
    year, day = nearest_year(today, number), found.groupdict().get("d")
    days = day_of_month(year, number, int(day)) if day else month(year, number, _part(found))
    return _once(days, found, today, bare=not (day or _part(found)))


def _english_named_month(found: Match, today: date) -> Days | None:
    """Last March, next June: the latest that is over, the first to come."""
    number, last = _MONTHS[found["m"].rstrip(".").lower()], found["which"].lower() == "last"
    if last:
        return month(today.year - (number >= today.month), number)
    return month(today.year + (number <= today.month), number)


def _english_season(found: Match, today: date) -> Days | None:
    """Last summer while this year's summer has not begun, next summer once it is over; else two can be meant."""
    which, name = found["which"].lower(), found["season"]
    present = season(today.year, name)
    if present is None or which == "this":
        return present
    if which == "last":
        meant = season(today.year - 1, name)
        return replace(meant, certain=today < present.start) if meant else None
    meant = season(today.year + 1, name)
    return replace(meant, certain=today > present.end) if meant else None


def _english(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


ENGLISH: tuple[Relative, ...] = (
    (_english(r"\b(?:" + "|".join(sorted(_ENGLISH_DAYS, key=len, reverse=True)) + r")\b"), _english_day),
    (
        _english(
            r"\b(?P<which>last|past|this|coming|next) (?P<day>mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\b"
        ),
        _english_weekday,
    ),
    (_english(r"\b(?P<which>last|this|next) (?P<unit>weekend|week|month|year)\b(?!s)"), _english_unit),
    (_english(rf"\b{_NUMBER} {_UNIT} ago\b"), _english_ago),
    (_english(rf"\bin {_NUMBER} {_UNIT}\b(?! (?:a|per|each|old)\b)"), _english_later),
    (_english(rf"\b{_NUMBER} {_UNIT} from now\b"), _english_from_now),
    (
        _english(
            r"\b(?:the )?(?P<part>beginning|start|middle|end) of (?:the|(?P<which>this|last|next)) (?P<unit>month|year)\b"
        ),
        _english_part,
    ),
    (re.compile(rf"{_OF}(?P<m>{_MONTH_NAME})(?! \d)"), _english_yearless),
    (re.compile(rf"\b{_EARLY}(?P<m>{_MONTH_NAME})(?! \d{{4}})"), _english_yearless),
    (re.compile(rf"\b(?P<m>{_MONTH_NAME}) (?P<d>\d{{1,2}}){_NTH}(?!,? \d{{4}}|\d|:)"), _english_yearless),
    (re.compile(rf"\b(?P<d>\d{{1,2}}){_NTH} (?:of )?(?P<m>{_MONTH_NAME})(?!,? \d{{4}})"), _english_yearless),
    (re.compile(rf"\b(?i:in|by|since) (?P<m>{_MONTH_NAME})(?! \d)"), _english_yearless),
    (
        re.compile(rf"\b(?P<which>[Ll]ast|[Nn]ext) (?P<m>{_MONTH_NAME})"),
        _english_named_month,
    ),
    (_english(r"\b(?P<which>last|this|next) (?P<season>spring|summer|autumn|fall|winter)\b"), _english_season),
)
