"""Requests that change what is kept by naming it: which item they mean, and what it says then."""

from __future__ import annotations

from uuid import UUID

import pytest

from memoryapp.domain.edits import edit_asked, edited
from memoryapp.domain.types import Action, Door, Kind, Operation, Role, Shown, Turn
from memoryapp.domain.write_plan import explicit_operations


def shown(*texts: str) -> tuple[Shown, ...]:
    return tuple(Shown(n, UUID(int=n + 1), text, Kind.NOTE) for n, text in enumerate(texts))


def asked(text: str, *known: str) -> list[Operation]:
    turns = (Turn(Role.USER, text, cue=True),)
    return list(explicit_operations(turns, shown(*known), Door.CUE))


@pytest.mark.parametrize(
    ("text", "known", "content"),
    [
        ("Update my shoe size to 43 please, the 42s were tight.", "User's shoe size is EU 42", "User's shoe size is 43"),
        ("Please set my home airport to LHR", "User's home airport is JFK", "User's home airport is LHR"),
        ("Change the word limit you keep for me from 100 to 250.", "Answers under 100 words", "Answers under 250 words"),
        ("Change my rent day to the 5th", "User's rent day is the 1st, paid by card", "User's rent day is the 5th, paid by card"),
        ("Can you change my dog's vet to Dr Wu?", "User's dog's vet is Dr Li", "User's dog's vet is Dr Wu"),
        ("Update my shoe size to 43", "User's shoe size is 42 and jacket size is L", "User's shoe size is 43 and jacket size is L"),
        ("Update my shoe size to 43 and my jacket size to M", "User's shoe size is 42 and my jacket size is L", "User's shoe size is 43 and my jacket size is M"),
        ("把我的鞋码改成43", "用户的鞋码是42", "用户的鞋码是43"),
        ("把默认语言从中文改成英文吧", "默认语言是中文", "默认语言是英文"),
        ("更新一下我的体重：65公斤", "用户体重70公斤", "我的体重是65公斤"),
        ("把你记的吉他课时间改一下，换到周五晚上", "用户的吉他课是周三晚上", "我的吉他课时间是周五晚上"),
    ],
)  # fmt: skip
def test_the_item_that_is_named_gets_the_new_value(text: str, known: str, content: str) -> None:
    operations = asked(text, "User likes tea", known, "用户住在杭州")
    assert [(one.action, one.target, one.content) for one in operations] == [(Action.UPDATE, 1, content)]


@pytest.mark.parametrize(
    "text",
    [
        "Change my flight to Monday",
        "Change the title to Summer",
        "Set my alarm to 7",
        "把标题改成夏天",
        "把会议改到周五",
        "Change the variable name to total",
        "I want to change my life to be happier every day of the year",
        "How do I change my shoe size to 43?",
    ],
)
def test_a_thing_of_the_task_changes_no_item(text: str) -> None:
    known = (
        "User's flight is SQ12",
        "The title is Winter",
        "User's alarm is 6:30",
        "标题是冬天",
        "会议是周四",
        "The variable name is count",
        "User's life is quiet",
        "User's shoe size is 42",
    )
    edit = edit_asked(text)
    assert edit is None or edited(edit, shown(*known)) is None


@pytest.mark.parametrize(
    "text",
    [
        "Change my order to two pizzas",
        "Change my name to Bob in the letter",
        "Change my profile picture to the sunset one",
        "Change my car to a Tesla in the photo",
        "Lower my voice to a whisper in the story",
        "把我的订单改成两份",
        "把我的头像换成猫",
        "把我说的改成一首诗",
    ],
)
def test_a_thing_of_the_task_is_not_kept_either(text: str) -> None:
    assert asked(text) == []


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("Change our plan to 3 days", "Our plan is to move to Canada in 2027"),
        ("Change my birthday to May 3", "User's birthday party is planned at Luigi's"),
        ("Change my car to a Tesla", "User had a car accident in 2019"),
        ("Change my car to red", "User's car is insured at Allianz until 2027"),
        ("Update my gym to FitX", "User goes to the gym on Mondays with Tom"),
        ("Update my shoe size to 43", "Tom's shoe size is 44"),
        ("Change my email to be more polite", "User's email is a@b.com"),
        ("Update my shoe size to what I told you", "User's shoe size is 42"),
        ("Update my shoe size to 43 and my weight to 65 kg", "User's shoe size is 42"),
        ("If they don't fit, change my shoe size to 43", "User's shoe size is 42"),
        ("Change my morning drink from tea to coffee", "User prefers tea over coffee"),
        ("把我的生日改成5月3日", "用户的生日聚会在海底捞"),
        ("把我的鞋码改成43", "李明的鞋码是44"),
        ("如果太小，就把我的鞋码改成43", "用户的鞋码是42"),
        ("你把我的鞋码改成43了", "用户的鞋码是42"),
        ("把我的鞋码改成了43", "用户的鞋码是42"),
        ("把我的鞋码改成43，把我的体重改成65公斤", "用户的鞋码是42"),
    ],
)
def test_what_is_about_more_or_something_else_is_not_rewritten(text: str, known: str) -> None:
    edit = edit_asked(text)
    assert edit is None or edited(edit, shown(known)) is None


def test_a_unit_that_stands_in_the_item_is_not_said_twice() -> None:
    (operation,) = asked("Change my spending limit from 10 to 20 dollars", "User's spending limit is 10 dollars")
    assert operation.content == "User's spending limit is 20 dollars"


def test_two_that_hold_the_name_and_another_owner_are_left_alone() -> None:
    both = asked("Change my shoe size to 43", "User's running shoe size is 42", "User's dress shoe size is 41")
    hers = asked("Change my shoe size to 43", "User's wife's shoe size is 38")
    for operations in (both, hers):
        assert [(one.action, one.content) for one in operations] == [(Action.ADD, "My shoe size is 43")]


def test_an_old_value_that_stands_twice_names_no_item() -> None:
    edit = edit_asked("Change my limit from 5 to 6")
    assert edit is not None and edited(edit, shown("User's limit is 5 of 5")) is None


@pytest.mark.parametrize(
    ("text", "known", "content"),
    [
        ("I moved to Munich, delete the old address", "User lives in Berlin", "I moved to Munich"),
        ("我搬到苏州了，旧的删掉", "用户住在上海", "我搬到苏州了"),
    ],
)
def test_the_old_one_is_replaced_by_what_is_said_beside_it(text: str, known: str, content: str) -> None:
    operations = asked(text, "User likes tea", known)
    assert [(one.action, one.target, one.content) for one in operations] == [(Action.UPDATE, 1, content)]


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("我之前说喜欢王家卫，那条作废，别留了。", "用户喜欢王家卫的电影"),
        ("I'd like my birthday taken out of your records, thanks.", "User's birthday is April 9"),
        ("Please delete my home address from your memory.", "User lives at 12 Elm Street"),
        ("別再記得我的薪水了，請刪除。", "用戶月薪五萬"),
    ],
)
def test_what_is_to_go_is_found_by_its_name(text: str, known: str) -> None:
    operations = asked(text, "User plays chess", known)
    deletions = [(one.target, one.reason) for one in operations if one.action is Action.DELETE]
    assert deletions == [(1, "explicit_forget")]
