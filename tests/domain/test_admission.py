"""What is put before a judge: anything that may last; what is only the task at hand is not."""

from __future__ import annotations

import pytest

from memoryapp.domain.admission import is_durable, worth_judging
from memoryapp.domain.types import Role, Turn

LASTING = [
    "我在急诊上夜班，几点吃饭合适？",
    "我们班一直用纸质作业，怎么批改快一点",
    "我家老人听力不好，买什么手机",
    "女儿叫小满",
    "The ward has 28 beds.",
    "As a beekeeper who travels a lot, which van should I buy?",
    "I can't eat dairy so what dessert do you suggest?",
    "My students are mostly beginners.",
    "以后都用公制",
    "上个周末去了趟青岛",
    "服务监听改到 5177 端口了",
    "刚搬进新房子",
    "昨天拿到录用通知了",
    "I just adopted a kitten",
    "Priya's dentist is Dr. Okafor",
    "Ｉ ｌｉｋｅ ｓｗｉｍｍｉｎｇ",
]
PASSING = [
    "帮我把标题加粗",
    "我在排队，快点说",
    "这次用英文",
    "今天好困",
    "2 failed, 30 passed",
    "假如我住在月球上会怎样",
    "呵呵，我最喜欢排队了",
    "他问我“以后都这样吗”",
    "What is the boiling point of water?",
    "Just this once, add a joke.",
    "I'm cooking, be quick",
    "the build broke again",
    "If I lived on a boat, would I need a licence?",
    "I like this one.",
]


@pytest.mark.parametrize("text", LASTING)
def test_what_may_last_is_judged(text: str) -> None:
    assert is_durable(text)


@pytest.mark.parametrize("text", PASSING)
def test_what_is_only_for_now_is_not(text: str) -> None:
    assert not is_durable(text)


def test_one_lasting_turn_takes_the_run_along_and_only_the_user_counts() -> None:
    task, fact = Turn(Role.USER, "帮我把标题加粗"), Turn(Role.USER, "我对花生过敏")
    assert worth_judging((task, fact))
    assert not worth_judging((task, Turn(Role.ASSISTANT, "您对花生过敏。"), Turn(Role.WEB, "I live in Rome.")))
