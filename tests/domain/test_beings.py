"""Who and what a text names: a wish about one is no wish about another."""

from __future__ import annotations

import pytest

from memoryapp.domain.beings import are_apart, begin_apart
from memoryapp.domain.unwanted import names_another


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("my father lives in York", "my mother lives in Leeds"),
        ("my younger sister is a pilot", "my older sister is a nurse"),
        ("My bathroom is green", "my kitchen is yellow"),
        ("Forget my dog's name", "My cat is called Rex"),
        ("我弟弟住在北京", "我姐姐住在上海"),
        ("我大姐在北京", "我二姐在上海"),
        ("我大舅住杭州", "我小舅住宁波"),
        ("我妈妈在医院工作", "我爸爸在银行工作"),
        ("忘掉我家狗叫旺财", "我家猫叫咪咪"),
        ("我老板姓周", "我房东姓吴"),
    ],
)
def test_different_people_animals_and_rooms_are_apart(text: str, known: str) -> None:
    assert are_apart(text, known)


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("my sister lives in York", "my sister lives in Leeds"),
        ("我大姐在北京", "大姐搬到天津了"),
        ("我姐在北京", "我二姐在上海"),
        ("not my sister, my brother is vegan", "my sister is vegan"),
        ("forget my kids", "My daughter Mia is 5"),
        ("忘掉我父母的住址", "我妈妈住在苏州"),
        ("I moved to Lisbon", "My wife is Ann"),
        ("forget about Ann", "My wife is Ann"),
    ],
)
def test_the_same_a_wider_word_and_no_word_are_not(text: str, known: str) -> None:
    assert not are_apart(text, known)


@pytest.mark.parametrize(
    ("wanted", "known", "another"),
    [
        ("I am allergic to shellfish", "I am allergic to peanuts", True),
        ("I am allergic to peanuts", "I am allergic to peanuts", False),
        ("我对海鲜过敏", "我对花生过敏", True),
        ("我喜欢喝咖啡", "我喜欢喝茶", True),
        ("my allergy", "I am allergic to peanuts", False),
        ("我的过敏", "我对花生过敏", False),
    ],
)
def test_another_value_of_the_same_is_another_thing(wanted: str, known: str, another: bool) -> None:
    assert names_another(wanted, known) is another


@pytest.mark.parametrize(
    ("text", "known", "apart"),
    [
        ("My mother-in-law lives in Bath", "My mother lives in Bath", True),
        ("My older sister knows my brother", "My brother knows my older sister", True),
        ("My aunt is a nurse", "我姑妈是护士", False),
        ("My partner is a nurse", "My husband is a nurse", False),
        ("My kids swim", "My daughter swims", True),
        ("My wife's sister is a nurse", "My wife is a nurse", True),
        ("My mum's friend is a nurse", "My dad's friend is a nurse", True),
        ("我妈妈的朋友是护士", "我爸爸的朋友是护士", True),
        ("我妈妈的朋友是护士", "我母亲的朋友是护士", False),
        ("My sister's dog is old", "My older sister's dog is old", False),
        ("I swim", "My daughter swims", False),
    ],
)
def test_a_text_is_about_whom_it_names_first(text: str, known: str, apart: bool) -> None:
    assert begin_apart(text, known) is apart
