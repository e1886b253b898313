"""Wishes not to store: how far they reach, and what only sounds like one."""

from __future__ import annotations

import pytest

from memoryapp.domain.guards import inspect
from memoryapp.domain.policy import DEFAULT_POLICY
from memoryapp.domain.silence import Wish, heard, silence
from memoryapp.domain.topic_rules import topic_rules
from memoryapp.domain.types import Role, Turn


def reached(*texts: str) -> list[int]:
    return sorted(silence([Turn(Role.USER, text) for text in texts]).sure)


@pytest.mark.parametrize(
    ("wish", "places"),
    [
        ("Don't save this conversation", [0, 1, 2]),
        ("don't keep anything I say here", [0, 1, 2]),
        ("这次聊天什么都别记", [0, 1, 2]),
        ("以上所有内容都别存", [0, 1, 2]),
        ("Please don't save any of my card numbers", [2]),
        ("别记任何密码", [2]),
        ("Don't save that.", [1, 2]),
        ("这个别记", [1, 2]),
        ("别记住这个：我在找新工作", [2]),
    ],
)
def test_a_wish_reaches_what_it_is_about(wish: str, places: list[int]) -> None:
    assert reached("I keep bees", "I live in Rome 我住在罗马", wish) == places


@pytest.mark.parametrize(
    "remark",
    [
        "Don't save that draft yet, I want to edit",
        "Please don't save this file yet",
        "Don't keep that tab open",
        "Don't save it as a PDF",
        "这张发票先别存",
        "别把这个存到网盘",
    ],
)
def test_a_remark_about_a_file_takes_no_memory_back(remark: str) -> None:
    assert 0 not in reached("Remember that I own a cat", remark)


@pytest.mark.parametrize(
    "text",
    [
        "Remember that I like tea but don't store my employer, Acme Corp",
        "记住我喜欢茶，公司名不要记，我在字节跳动",
    ],
)
def test_a_request_that_leaves_something_out_waits(text: str) -> None:
    assert heard(text).wish is Wish.LIKELY


@pytest.mark.parametrize("text", ["记住：以后不要把密码写进配置", "我在哈尔滨看过冰灯", "Remember that I like tea"])
def test_what_leaves_nothing_out_does_not(text: str) -> None:
    assert heard(text).wish is Wish.NONE


@pytest.mark.parametrize(
    "text",
    [
        "Never keep my dog on a leash indoors",
        "Never store my insulin in the freezer",
        "Stop tracking my runs in miles, use km",
        "From now on, do not hold on to my kids' hands",
        "Don't save my seat at the gym",
        "不要把会议放在我健身的时间",
    ],
)
def test_where_things_are_kept_is_no_rule_about_a_topic(text: str) -> None:
    assert topic_rules(text) == topic_rules(text, standing=True) == ()


@pytest.mark.parametrize(
    "secret",
    [
        "I use Tr0ub4dor&3 everywhere",
        "my phone unlocks with 135790",
        "the passphrase for my backup is 'the quick otter eats lemons'",
    ],
)
@pytest.mark.parametrize("asking", ["", "Remember that ", "Please note that "])
def test_a_secret_is_one_in_a_request_as_well(asking: str, secret: str) -> None:
    verdict = inspect(f"{asking}{secret}", DEFAULT_POLICY)
    assert verdict.masked and secret.split()[-1].strip("'") not in verdict.text
