"""Working memory, pure: the task state keeps what it was, the summary keeps whole sentences."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memoryapp.domain.types import Role, Turn
from memoryapp.domain.working_memory import (
    EARLIER_VALUES_KEPT,
    changed_state,
    extractive_summary,
    labels_of,
    state_from_json,
    state_to_json,
)

NOW = datetime(2026, 5, 4, 9, tzinfo=UTC)


def user(*texts: str) -> list[Turn]:
    return [Turn(Role.USER, text) for text in texts]


def test_a_raised_budget_leaves_one_state_with_its_former_value_and_reason() -> None:
    first = changed_state({}, {"budget": 500}, {"budget": "第一次报价"}, NOW)
    second = changed_state(first, {"budget": 800}, {"budget": "加了机票"}, NOW + timedelta(hours=1))
    assert set(second) == {"budget"}
    assert (second["budget"].value, second["budget"].reason) == (800, "加了机票")
    assert [(e.value, e.reason) for e in second["budget"].earlier] == [(500, "第一次报价")]


def test_the_same_value_again_changes_nothing_and_null_removes() -> None:
    first = changed_state({}, {"city": "京都"}, {}, NOW)
    assert changed_state(first, {"city": "京都"}, {"city": "again"}, NOW + timedelta(days=1)) == first
    assert changed_state(first, {"city": None}, {}, NOW) == {}


def test_earlier_values_are_bounded_and_survive_storage() -> None:
    state = {}
    for step in range(30):
        state = changed_state(state, {"step": step}, {}, NOW + timedelta(minutes=step))
    assert len(state["step"].earlier) == EARLIER_VALUES_KEPT
    assert state_from_json(state_to_json(state)) == state  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("texts", "kept"),
    [
        (["想订个五月去大阪的行程。", "我不喜欢早起，但黑门市场那天可以七点出门。"], "但黑门市场那天可以七点出门"),
        (["Help me plan a move.", "No early starts, except for the day the van comes."], "except for the day the van"),
    ],
)
def test_a_summary_keeps_conditions_whole(texts: list[str], kept: str) -> None:
    assert kept in extractive_summary(user(*texts))


def test_a_long_talk_keeps_its_goal_its_decisions_and_its_end_within_bounds() -> None:
    chatter = [f"这里随便聊第{n}句，没有什么要紧的内容可以记录下来呢。" for n in range(60)]
    summary = extractive_summary(user("目标是把登录页面改成单点登录。", *chatter, "决定用方案乙。", "还没写测试。"))
    assert len(summary) <= 600
    for sentence in ("目标是把登录页面改成单点登录。", "决定用方案乙。", "还没写测试。"):
        assert sentence in summary


def test_only_what_the_user_said_is_summarised() -> None:
    assert extractive_summary([Turn(Role.ASSISTANT, "I have finished the work."), Turn(Role.TOOL, "exit code 1")]) == ""


def test_labels_are_frequent_terms_without_repeating_parts() -> None:
    assert labels_of(["登录", "单点登录", "登录", "login", "login", "7"]) == ("login", "登录")
