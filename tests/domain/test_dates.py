"""Dates in both languages: what they mean on a day, what is left as said, what was invented."""

from __future__ import annotations

import time
from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from memoryapp.domain.dates import find_dates, invented_dates, resolved_dates, with_dates

CHINA = timezone(timedelta(hours=8))
SUNDAY = datetime(2026, 5, 17, 21, 0, tzinfo=CHINA)
MONDAY = datetime(2026, 5, 18, 8, 0, tzinfo=CHINA)


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("上周末去爬了黄山", "上周末（2026-05-09/10）去爬了黄山"),
        ("这周末要加班", "这周末（2026-05-16/17）要加班"),
        ("下周二交报告", "下周二（2026-05-19）交报告"),
        ("下下周一放假", "下下周一（2026-05-25）放假"),
        ("上星期天搬的家", "上星期天（2026-05-10）搬的家"),
        ("大后天动身", "大后天（2026-05-20）动身"),
        ("大前天晚上停电", "大前天（2026-05-14）晚上停电"),
        ("三天前丢了伞", "三天前（2026-05-14）丢了伞"),
        ("两个星期前开始健身", "两个星期前（约 2026-05-03）开始健身"),
        ("两个月后毕业", "两个月后（2026-07）毕业"),
        ("月底发奖金", "月底（2026-05-25/31）发奖金"),
        ("六月中旬去体检", "六月中旬（2026-06-11/20）去体检"),
        ("上个月换了手机", "上个月（2026-04）换了手机"),
        ("下个月8号答辩", "下个月8号（2026-06-08）答辩"),
        ("去年冬天学的滑雪", "去年冬天（2025-12/2026-02）学的滑雪"),
        ("明年九月入学", "明年九月（2027-09）入学"),
        ("前年买的房", "前年（2024）买的房"),
        ("年底前结项", "年底（2026-12）前结项"),
        ("I moved last Tuesday", "I moved last Tuesday (2026-05-12)"),
        ("The review is next Thursday", "The review is next Thursday (2026-05-21)"),
        ("We hiked last weekend", "We hiked last weekend (2026-05-09/10)"),
        ("The day after tomorrow I fly", "The day after tomorrow (2026-05-19) I fly"),
        ("I sold it two weeks ago", "I sold it two weeks ago (around 2026-05-03)"),
        ("I will be back in 10 days", "I will be back in 10 days (2026-05-27)"),
        ("Rent is due at the end of the month", "Rent is due at the end of the month (2026-05-25/31)"),
        ("The audit is in early June", "The audit is in early June (2026-06-01/10)"),
        ("The wedding is on 4 July", "The wedding is on 4 July (2026-07-04)"),
        ("I learnt to dive last winter", "I learnt to dive last winter (2025-12/2026-02)"),
        ("I quit smoking three years ago", "I quit smoking three years ago (2023)"),
    ],
)
def test_a_relative_date_gets_its_calendar_date_beside_it(said: str, kept: str) -> None:
    assert with_dates(said, SUNDAY) == kept


@pytest.mark.parametrize(
    "said",
    [
        "我周末一般去钓鱼",
        "周四去理发",
        "每个月底都要盘点",
        "以前天天熬夜",
        "他是个聪明天真的孩子",
        "我的生日是6月2日",
        "出院两周后复查",
        "5月去过一次",
        "I finished the book in 3 days",
        "I train on Fridays",
        "My birthday is June 2",
        "next Monday",
        "next autumn maybe",
        "The release is on 2026-06-02",
        "发布日定在2026年6月2日",
    ],
)
def test_what_can_be_read_in_two_ways_or_needs_nothing_is_left_as_said(said: str) -> None:
    assert with_dates(said, SUNDAY) == said


@pytest.mark.parametrize("said", ["上周末去爬了黄山", "I moved last Tuesday", "月底发奖金"])
def test_without_a_time_no_date_is_invented(said: str) -> None:
    assert with_dates(said, None) == said
    assert find_dates(said, None) == ()
    assert resolved_dates(said, None) == ()


@pytest.mark.parametrize("said", ["下周二（2026-05-19）交报告", "The review is next Thursday, 2026-05-21"])
def test_a_date_that_stands_there_already_is_not_written_twice(said: str) -> None:
    assert with_dates(said, SUNDAY) == said


@pytest.mark.parametrize(("said", "sunday", "monday"), [("下周一", (5, 18), (5, 25)), ("上周日", (5, 10), (5, 17))])
def test_the_week_turns_on_monday(said: str, sunday: tuple[int, int], monday: tuple[int, int]) -> None:
    for now, (month, day) in ((SUNDAY, sunday), (MONDAY, monday)):
        (span,) = find_dates(said, now)
        assert span.start == span.end == date(2026, month, day)


def test_the_day_is_that_of_the_speaker() -> None:
    late = datetime(2026, 5, 17, 17, 0, tzinfo=UTC)
    assert find_dates("明天", late)[0].start == date(2026, 5, 18)
    assert find_dates("明天", late, timedelta(hours=8))[0].start == date(2026, 5, 19)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("2026-05-09/10", date(2026, 5, 9), date(2026, 5, 10)),
        ("2026-05-30/06-02", date(2026, 5, 30), date(2026, 6, 2)),
        ("2025-12/2026-02", date(2025, 12, 1), date(2026, 2, 28)),
        ("2025-06/08", date(2025, 6, 1), date(2025, 8, 31)),
        ("2026年2月", date(2026, 2, 1), date(2026, 2, 28)),
        ("2026/5/9", date(2026, 5, 9), date(2026, 5, 9)),
        ("9th of May, 2026", date(2026, 5, 9), date(2026, 5, 9)),
        ("二月", date(2026, 2, 1), date(2026, 2, 28)),
        ("early May", date(2026, 5, 1), date(2026, 5, 10)),
        ("in 2019", date(2019, 1, 1), date(2019, 12, 31)),
    ],
)
def test_spans_can_be_compared(text: str, start: date, end: date) -> None:
    (span,) = find_dates(text, SUNDAY)
    assert (span.start, span.end) == (start, end)


def test_a_question_about_early_may_meets_a_trip_of_a_weekend_in_it() -> None:
    kept = with_dates("上周末去爬了黄山", SUNDAY)
    asked = find_dates("5月初去哪了", SUNDAY)[0]
    assert any(asked.overlaps(span) for span in find_dates(kept, None))


@pytest.mark.parametrize(
    ("content", "evidence", "bad"),
    [
        ("用户 2026-05-09 去爬了黄山", "上周末去爬了黄山", ()),
        ("用户 2026年5月 去爬了黄山", "上周末去爬了黄山", ()),
        ("用户 2026-05-02 去爬了黄山", "上周末去爬了黄山", ("2026-05-02",)),
        ("User hikes on 2026-05-20", "I like hiking", ("2026-05-20",)),
        ("User moved on May 12, 2026", "I moved last Tuesday", ()),
        ("User moved around 2026-05-05", "I moved two weeks ago", ()),
        ("用户2019年毕业", "我2019年毕业的", ()),
    ],
)
def test_a_date_that_nothing_said_can_mean_is_invented(content: str, evidence: str, bad: tuple[str, ...]) -> None:
    assert tuple(span.text for span in invented_dates(content, evidence, SUNDAY)) == bad


def test_without_a_time_every_date_of_a_judge_is_invented() -> None:
    assert invented_dates("用户 2026-05-09 去爬了黄山", "上周末去爬了黄山", None)


@pytest.mark.parametrize(
    "text", ["9999年12月31日", "in 99 years from now", "2026-13-45", "0000-00-00", "十十十月", "上上上周" * 50]
)
def test_odd_figures_are_no_dates_and_no_errors(text: str) -> None:
    with_dates(text, SUNDAY)
    with_dates(text, datetime(9990, 12, 31, tzinfo=UTC))
    with_dates(text, datetime(1, 1, 1, tzinfo=UTC))


@pytest.mark.parametrize("piece", ["3月", "1 day ", "上", "2026-", "May ", "in a "])
def test_long_text_takes_linear_time(piece: str) -> None:
    def seconds(size: int) -> float:
        text = piece * (size // len(piece))
        return min(_timed(text) for _ in range(3))

    assert seconds(40_000) < 20 * seconds(4_000) + 0.05


def _timed(text: str) -> float:
    start = time.process_time()
    find_dates(text, SUNDAY)
    return time.process_time() - start
