"""Advice and facts asked for, and what a person's tastes have to do with it; in both languages."""

from __future__ import annotations

import pytest

from memoryapp.domain.advice import bearing, sought


@pytest.mark.parametrize(
    ("question", "area"),
    [
        ("Can you suggest a nice place for dinner in Lisbon?", "food"),
        ("What car would you recommend for a family of four?", "motoring"),
        ("I need a new jacket for autumn, any ideas?", "clothes"),
        ("Make me a playlist for the long drive.", "music"),
        ("今晚请客户吃饭，推荐个馆子吧", "food"),
        ("天气干了，换什么面霜？", "beauty"),
        ("周末带孩子去哪玩比较好？", "travel"),
        ("帮我在广州找个酒店", "lodging"),
    ],
)
def test_a_wish_for_advice_names_its_area_of_life(question: str, area: str) -> None:
    assert area in {each.name for each in sought(question)}


@pytest.mark.parametrize(
    "question",
    [
        "What do I drink in the morning?",
        "Which restaurant did you recommend to me last week?",
        "What have you suggested for my knee?",
        "In which order should you answer me about food?",
        "你应该按什么顺序回答我？",
        "What dish does Dave recommend in Tokyo?",
        "你曾经给我推荐过哪些画家？",
        "我早餐一般吃什么？",
        "我怎么去学校？",
        "猫叫什么名字？",
        "What should I wear? I am so looking forward to that evening, it is going to be very special for all of us!",
        "",
    ],
)
def test_a_fact_a_memory_of_advice_and_a_tale_are_no_wish_for_advice(question: str) -> None:
    assert sought(question) == ()
    assert bearing(sought(question), "I can't stand seafood") == 0


@pytest.mark.parametrize(
    ("question", "taste", "fact", "other_taste"),
    [
        (
            "Can you suggest a place for dinner?",
            "I can’t stand seafood",
            "Dinner yesterday was soup",
            "I prefer trains to planes",
        ),
        ("Recommend a film for tonight", "I avoid horror movies", "The cinema opened in 1904", "I hate wet socks"),
        ("推荐个馆子吧，想吃饭", "我受不了羊肉", "我昨天吃的是盖浇饭", "我不看恐怖片"),
        ("想换手机，有什么建议？", "我不用苹果的产品", "我手机还有两期没还完", "我喜欢下雨天"),
    ],
)
def test_a_taste_bears_on_advice_in_its_area_and_nothing_else_does(
    question: str, taste: str, fact: str, other_taste: str
) -> None:
    wanted = sought(question)
    assert bearing(wanted, taste) > 0
    assert bearing(wanted, fact) == bearing(wanted, other_taste) == 0
