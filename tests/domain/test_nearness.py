"""Which item a request means by its sense, given how near each is; which texts are worth measuring at all."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

import pytest

from memoryapp.domain.extraction import JudgeRequest
from memoryapp.domain.nearness import Nearness, worth_measuring
from memoryapp.domain.statements import judge_by_rules
from memoryapp.domain.types import Action, Door, Kind, Role, Shown, Turn


def shown(*texts: str) -> tuple[Shown, ...]:
    return tuple(Shown(n, UUID(int=n + 1), text, Kind.NOTE) for n, text in enumerate(texts))


def acts(said: str, known: tuple[str, ...], near: Mapping[int, float]) -> list[tuple[Action, int | None, str]]:
    """What the rules do when every measured text is so near to the items."""
    turns, items = (Turn(Role.USER, said),), shown(*known)
    measured = {text: {items[n].id: share for n, share in near.items()} for text in worth_measuring(turns)}
    request = JudgeRequest(turns, items, Door.CUE, "en", nearness=Nearness(measured))
    return [(each.action, each.target, each.reason) for each in judge_by_rules(request).operations]


TRAINS = ("User's dentist is on Elm Row", "User rows on Sundays", "User owns a kayak")


def test_a_change_reaches_the_item_that_is_near_and_nearer_than_any_other() -> None:
    said = "Correction: I do my sculling on Saturdays"
    assert acts(said, TRAINS, {0: 0.0, 1: 0.5, 2: 0.3}) == [(Action.UPDATE, 1, "meant_item")]


@pytest.mark.parametrize("near", [{0: 0.0, 1: 0.2, 2: 0.0}, {0: 0.0, 1: 0.5, 2: 0.45}, {}])
def test_a_change_that_means_no_item_surely_is_a_new_one(near: dict[int, float]) -> None:
    said = "Correction: I do my sculling on Saturdays"
    assert [act for act, _, _ in acts(said, TRAINS, near)] == [Action.ADD]


def test_a_change_never_means_somebody_elses_item() -> None:
    known = ("User's brother sings bass", "User collects stamps")
    said = "Correction: I sing tenor"
    assert [act for act, _, _ in acts(said, known, {0: 0.8, 1: 0.0})] == [Action.ADD]


def test_a_rule_that_only_adds_something_replaces_nothing() -> None:
    known = ("Answer the user in short sentences",)
    assert [act for act, _, _ in acts("From now on answer in British English", known, {0: 0.6})] == [Action.ADD]


def test_what_is_to_be_remembered_replaces_nothing_however_near() -> None:
    assert [act for act, _, _ in acts("Remember that I paddle on Mondays", TRAINS, {1: 0.9})] == [Action.ADD]


def test_a_wish_to_forget_reaches_what_it_means() -> None:
    known = ("用户怕打针", "用户的车停在地库")
    assert acts("把我晕针的事忘掉", known, {0: 0.4, 1: 0.1}) == [(Action.DELETE, 0, "explicit_forget")]
    assert acts("把我晕针的事忘掉", known, {0: 0.2, 1: 0.15}) == []


def test_of_several_things_each_is_found_and_one_unknown_forgets_no_guess() -> None:
    known = ("用户身高一米八", "用户体重七十公斤", "用户爱钓鱼")
    both = acts("把身高和体重都从你的记忆里删掉", known, {0: 0.3, 1: 0.3, 2: 0.0})
    assert {target for _, target, _ in both} == {0, 1}


def test_only_requests_to_change_or_forget_are_measured() -> None:
    turns = (
        Turn(Role.USER, "今天好热"),
        Turn(Role.ASSISTANT, "忘掉我的住址"),
        Turn(Role.USER, "更正一下，我的工位在六楼，停车位不变"),
    )
    assert "停车位" not in "".join(worth_measuring(turns)) and "我的工位在六楼" in worth_measuring(turns)


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("I moved to Lisbon", "I am a vegetarian"),
        ("我搬到杭州了", "我开特斯拉"),
        ("我换车了，现在开比亚迪", "我搬到杭州了"),
        ("Correction: my bathroom is green", "my kitchen is yellow"),
        ("以后不要用表情符号", "以后代码用 TypeScript"),
    ],
)
def test_nothing_is_replaced_by_likeness_alone(said: str, known: str) -> None:
    assert [act for act, _, _ in acts(said, (known,), {0: 0.9})] == [Action.ADD]


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("Forget that I am allergic to shellfish", "I am allergic to peanuts"),
        ("Forget my son", "My daughter Mia is 5"),
        ("Forget that I have a car", "I have a dog"),
        ("忘掉我喜欢喝咖啡", "我喜欢喝茶"),
        ("忘掉我弟弟住哪", "我姐姐住在上海"),
        ("Forget my salary", "Never store anything about my salary"),
    ],
)
def test_a_wish_to_forget_one_thing_takes_no_other(said: str, known: str) -> None:
    assert acts(said, (known,), {0: 0.9}) == []
