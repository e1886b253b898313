"""What an item says besides the one thing that is forgotten or changed."""

from __future__ import annotations

import pytest

from memoryapp.domain.parting import is_of_others_too, parted, untouched
from memoryapp.domain.portions import portions


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("Lives in Porto and works as a baker", ("Lives in Porto", "Works as a baker")),
        ("I live in Porto and work as a baker.", ("I live in Porto", "I work as a baker")),
        (
            "My sister Amy lives in Paris and has two cats",
            ("My sister Amy lives in Paris", "My sister Amy has two cats"),
        ),
        ("Mum's birthday is 2 March and dad's is 9 May", ("Mum's birthday is 2 March", "dad's birthday is 9 May")),
        ("我住在上海，是个护士", ("我住在上海", "我是个护士")),
        ("用户的女儿叫小米，今年五岁", ("用户的女儿叫小米", "用户的女儿今年五岁")),
        ("我妈生日3月2日，我爸5月9日", ("我妈生日3月2日", "我爸的生日5月9日")),
    ],
)
def test_each_statement_reads_alone(content: str, said: tuple[str, ...]) -> None:
    assert portions(content) == said


@pytest.mark.parametrize(
    "content",
    [
        "喝咖啡，不加糖",
        "住在上海浦东，租的房子",
        "Prefers short answers, no emojis",
        "Tom and Anna moved to Rome",
        "Lives in Porto, near the river",
        "Likes sushi, pizza and ramen",
    ],
)
def test_an_adjunct_stays_with_its_statement(content: str) -> None:
    assert portions(content) == (content,)


@pytest.mark.parametrize(
    ("wish", "content", "gone", "stays"),
    [
        ("that I like pizza", "Likes sushi, pizza and ramen", "Likes pizza", "Likes sushi and ramen"),
        ("我喜欢披萨", "用户喜欢吃寿司、披萨和拉面", "用户喜欢吃披萨", "用户喜欢吃寿司和拉面"),
        ("我对花生过敏", "用户对花生、虾和芒果过敏", "用户对花生过敏", "用户对虾和芒果过敏"),
        ("my job", "I live in Porto and work as a baker", "I work as a baker", "I live in Porto"),
        (
            "that I speak Dutch",
            "Lives in Ghent and speaks Dutch and French",
            "Speaks Dutch",
            "Lives in Ghent; Speaks French",
        ),
    ],
)
def test_what_is_named_goes_and_the_rest_stays(wish: str, content: str, gone: str, stays: str) -> None:
    assert parted(wish, content) == ((gone,), stays)


@pytest.mark.parametrize(
    ("wish", "content"),
    [
        ("my food preferences", "Likes sushi, pizza and ramen"),
        ("my parents' birthdays", "Mum's birthday is 2 March and dad's is 9 May"),
        ("everything about me", "I live in Porto and work as a baker"),
        ("my shoe size", "I live in Porto and work as a baker"),
    ],
)
def test_a_wish_for_all_of_it_or_for_nothing_of_it_parts_nothing(wish: str, content: str) -> None:
    assert parted(wish, content) is None


def test_only_what_nobody_spoke_of_is_untouched() -> None:
    known = "Lives in Porto, works at Acme and has a cat"
    assert untouched("I work at Beta", "Actually I work at Beta now", known) == ("Lives in Porto", "Has a cat")
    assert untouched("I sold my boat", "I sold my boat", known) == ()
    assert untouched("我喝美式", "我现在喝美式了", "喜欢喝拿铁，每天两杯") == ()


@pytest.mark.parametrize(
    ("wish", "content", "others"),
    [
        ("what I said about Tom", "Tom and Anna moved to Rome", True),
        ("everything about Tom and Anna", "Tom and Anna moved to Rome", False),
        ("小王的事", "小王和小李都住在成都", True),
        ("my birthday", "My birthday is in March and I like tea", False),
    ],
)
def test_who_is_named_beside_another_is_noticed(wish: str, content: str, others: bool) -> None:
    assert is_of_others_too(wish, content) is others
