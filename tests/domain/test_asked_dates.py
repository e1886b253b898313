"""Which days a question means, in Chinese and English."""

from __future__ import annotations

from datetime import date

import pytest

from memoryapp.domain.asked_dates import asked_dates

TODAY = date(2026, 3, 18)  # a Wednesday


@pytest.mark.parametrize(
    ("question", "inside", "outside"),
    [
        ("我在6月12日说过什么？", date(2025, 6, 12), date(2025, 6, 13)),
        ("我在6月12号去了哪里", date(2024, 6, 12), date(2024, 7, 12)),
        ("2025年6月12日的会", date(2025, 6, 12), date(2024, 6, 12)),
        ("去年十月我在忙什么", date(2025, 10, 5), date(2024, 10, 5)),
        ("3月初去哪了", date(2026, 3, 7), date(2026, 3, 20)),
        ("十二月底的安排", date(2025, 12, 28), date(2025, 12, 2)),
        ("昨天聊了什么", date(2026, 3, 17), date(2026, 3, 18)),
        ("前天晚上吃了什么", date(2026, 3, 16), date(2026, 3, 17)),
        ("上周末去爬了哪座山", date(2026, 3, 14), date(2026, 3, 16)),
        ("上周三开的什么会", date(2026, 3, 11), date(2026, 3, 18)),
        ("这周有什么安排", date(2026, 3, 20), date(2026, 3, 15)),
        ("上个月买了什么", date(2026, 2, 10), date(2026, 3, 1)),
        ("去年夏天去了哪儿", date(2025, 7, 3), date(2025, 11, 3)),
        ("三天前我提到谁", date(2026, 3, 15), date(2026, 3, 10)),
        ("2026-03-05 发布了什么", date(2026, 3, 5), date(2026, 3, 6)),
        ("What did I do on June 12th?", date(2025, 6, 12), date(2025, 6, 13)),
        ("Where was I on 12 June 2025?", date(2025, 6, 12), date(2024, 6, 12)),
        ("What happened in August 2025?", date(2025, 8, 30), date(2024, 8, 30)),
        ("What did I plan in early May?", date(2025, 5, 3), date(2025, 5, 28)),
        ("What did we eat yesterday?", date(2026, 3, 17), date(2026, 3, 18)),
        ("Where did I hike last weekend?", date(2026, 3, 15), date(2026, 3, 18)),
        ("Who called last Monday?", date(2026, 3, 16), date(2026, 3, 9)),
        ("What did I buy last month?", date(2026, 2, 28), date(2026, 3, 2)),
        ("Where did I travel last spring?", date(2025, 4, 9), date(2025, 9, 1)),
        ("What did I mention two weeks ago?", date(2026, 3, 4), date(2026, 3, 17)),
    ],
)
def test_a_date_of_the_question_means_these_days(question: str, inside: date, outside: date) -> None:
    asked = asked_dates(question, TODAY)
    assert asked.holds(inside)
    assert not asked.holds(outside)


@pytest.mark.parametrize(
    "question",
    ["我喜欢什么茶", "May I ask what I like?", "We march on, what next?", "版本 1.2.3 改了什么", "13月40日",
     "What is INC-2026/07-114?", "每月预算多少", "Which model is v5?"],
)  # fmt: skip
def test_what_is_no_date_stays_a_word(question: str) -> None:
    asked = asked_dates(question, TODAY)
    assert asked.spans == ()
    assert asked.rest == question


def test_the_words_of_a_date_are_taken_out_of_the_question() -> None:
    assert "6" not in asked_dates("我在6月12日说过什么？", TODAY).rest
    assert "说过什么" in asked_dates("我在6月12日说过什么？", TODAY).rest
