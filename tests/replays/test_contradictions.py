"""Replays of a statement that takes back an earlier one: none is lost, and they never stand side by side as current."""

from __future__ import annotations

import pytest

from tests.llm_stub import LLMStub
from tests.replays.door import Door, add

CHANGES = [
    ("I teach at the Elm Street school", "I moved to the harbour school last month", "Teaches at the harbour school", "Which school do I teach at?"),
    ("I am a vegan", "I had cheese and liked it, I am no vegan any more", "Is no vegan any more", "Am I a vegan?"),
    ("I live in Lyon", "I moved to Porto last week", "I live in Porto", "Where do I live?"),
    ("I drive a van", "I sold the van, I ride a cargo bike now", "I ride a cargo bike", "What do I drive?"),
    ("I love strong coffee", "I hate coffee by now", "Hates coffee by now", "Do I love coffee?"),
    ("我在临江书店上班", "我上个月换到山下的咖啡馆上班了", "在山下的咖啡馆上班", "我在哪上班？"),
    ("我不喝酒", "我现在开始喝酒了", "现在会喝酒", "我喝酒吗？"),
    ("用户喜欢吃湘菜", "我现在讨厌湘菜了", "用户讨厌湘菜", "我喜欢吃湘菜吗？"),
    ("我在青石科技上班", "我上个月跳槽到白鹭传媒了", "我在白鹭传媒上班", "我在哪家公司上班？"),
    ("我住在烟台", "我上周搬到威海住了", "我住在威海", "我住在哪里？"),
]  # fmt: skip


def current(door: Door, old: str) -> str:
    """The one memory that is current; the old text is kept as history, and is in no block."""
    (now,) = door.rows("mia")
    history = [v["content"] for v in door.good("GET", f"memories/{now['id']}/history")["results"]]
    assert old in history + door.listed("mia", "&status=superseded")
    return str(now["content"])


@pytest.mark.parametrize(("old", "said", "new", "question"), CHANGES)
def test_of_two_statements_that_contradict_one_is_current_and_one_is_history(
    door: Door, judge: LLMStub, old: str, said: str, new: str, question: str
) -> None:  # 17
    judge.answer([add(old)])
    door.told("mia", f"{'记住：' if old[0] > 'z' else 'Remember: '}{old}", session_id="then")
    judge.answer([{**add(new, said), "action": "UPDATE", "target_id": 0}])
    event = door.told("mia", said, session_id="now")
    assert event["status"] == "succeeded"
    assert current(door, old) == new
    assert door.found("mia", question)[:1] == [new]
    assert old not in door.context("mia", question)


@pytest.mark.parametrize(("old", "said", "new", "question"), CHANGES)
@pytest.mark.parametrize("order", [1, -1])
def test_a_judge_that_deletes_and_adds_replaces(
    door: Door, judge: LLMStub, old: str, said: str, new: str, question: str, order: int
) -> None:  # 15
    door.keep("mia", old)
    judge.answer([{"action": "DELETE", "target_id": 0, "confidence": 0.9, "quote": said}, add(new, said)][::order])
    door.told("mia", said)
    assert current(door, old) == new
    assert door.listed("mia", "&status=superseded") == [old]


@pytest.mark.parametrize(("old", "said", "new", "question"), CHANGES)
def test_a_judge_that_only_deletes_loses_nothing(
    door: Door, judge: LLMStub, old: str, said: str, new: str, question: str
) -> None:  # 15
    door.keep("mia", old)
    judge.answer([{"action": "DELETE", "target_id": 0, "confidence": 0.9, "quote": said}])
    door.told("mia", said)
    assert current(door, old) in said
    assert old not in door.context("mia", question)
    assert door.found("mia", question) != []


@pytest.mark.xfail(strict=True, reason="rice wine is not known to be wine, so the deletion waits and both are current")
@pytest.mark.parametrize("adds", [[], [add("现在会喝一点黄酒", "我昨天喝了黄酒，以后会喝一点")]])
def test_a_thing_of_its_kind_takes_a_refusal_back(
    door: Door, judge: LLMStub, adds: list[dict[str, object]]
) -> None:  # 15
    said = "我昨天喝了黄酒，以后会喝一点"
    door.keep("mia", "我不喝酒")
    judge.answer([{"action": "DELETE", "target_id": 0, "confidence": 0.9, "quote": said}, *adds])
    door.told("mia", said)
    assert current(door, "我不喝酒") != "我不喝酒"
