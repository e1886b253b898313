"""What is to be kept when the request itself says nothing, and what no grammar hears."""

from __future__ import annotations

import pytest

from memoryapp.domain.types import Action, Door, Kind, Role, Turn
from memoryapp.domain.write_plan import explicit_operations
from tests.domain.test_statements import acts, contents, judged


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("我家水管冬天会冻。呃刚说到哪了……对，这个你记一下哈", ["我家水管冬天会冻"]),
        ("有件事跟你说一声，你可得记牢了。我膝盖不好，爬不了楼梯。", ["我膝盖不好，爬不了楼梯"]),
        ("我养了两条鱼，红的叫小福。名字可别搞混，给我记好了😂", ["我养了两条鱼，红的叫小福"]),
        (
            "OK. Please remember this. Our shop shuts on Mondays. We open at six.",
            ["Our shop shuts on Mondays", "We open at six"],
        ),
        ("我们组的周报嘛，怎么说呢，周四中午前要交，这个麻烦记一下。", ["我们组的周报嘛，怎么说呢，周四中午前要交"]),
        ("I'm allergic to pollen. Remember that one thing.", ["I'm allergic to pollen"]),
        ("Dear assistant, please remember that I knit.", ["I knit"]),
        ("Would it be possible for you to keep in mind that I knit?", ["I knit"]),
        ("Remember a few things: I knit.", ["I knit"]),
        ("I keep bees, three hives. Can you note that down somewhere?", ["I keep bees, three hives"]),
        (
            "We bill in francs. Oh what a lovely day, by the way. Payment is due in 14 days. Remember all that.",
            ["We bill in francs", "Payment is due in 14 days"],
        ),
    ],
)
def test_a_bare_request_takes_what_the_message_tells_around_it(text: str, facts: list[str]) -> None:
    assert contents(judged(text)) == facts


@pytest.mark.parametrize(
    ("told", "answer", "asked", "fact"),
    [
        ("我每个双周五都在外地出差", "好的。", "对，记一下我刚才说的", "我每个双周五都在外地出差"),
        (
            "We keep a strict quiet hour after nine.",
            "Sounds wise.",
            "nah. but save what I told you above",
            "We keep a strict quiet hour after nine",
        ),
    ],
)
def test_a_request_that_points_back_takes_the_earlier_turn(told: str, answer: str, asked: str, fact: str) -> None:
    assert contents(judged(told, (Role.ASSISTANT, answer), asked)) == [fact]


@pytest.mark.parametrize(
    ("announced", "told"),
    [
        ("I've got something for you to remember.", "My locker is number 118"),
        ("There's something I'd like you to know going forward.", "My locker is number 118"),
        ("先别急着写。我得先告诉你一件要紧事你好好记着", "我对青霉素过敏"),
    ],
)
def test_an_announcement_takes_the_turn_that_follows_and_nothing_else(announced: str, told: str) -> None:
    assert contents(judged(announced, (Role.ASSISTANT, "Go ahead."), told)) == [told]
    assert contents(judged(announced)) == []


@pytest.mark.parametrize(
    "turns",
    [
        ("Summarise this page", (Role.ASSISTANT, "It is about tides."), "thanks, remember it"),
        ("帮我翻译这段话", (Role.ASSISTANT, "译好了。"), "行，存一下吧"),
        ("记住东西很难",),
        ("记住这个。",),
    ],
)
def test_what_tells_nothing_keeps_nothing(turns: tuple[str | tuple[Role, str], ...]) -> None:
    assert judged(*turns) == ()


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("记住，我血型是A型、对青霉素过敏", ["我血型是A型", "我对青霉素过敏"]),
        ("记住我是O型血并且对花生过敏", ["我是O型血", "我对花生过敏"]),
        ("Remember I am left-handed and allergic to nuts", ["I am left-handed", "I am allergic to nuts"]),
        ("记住我喜欢爬山、游泳和摄影", ["我喜欢爬山、游泳和摄影"]),
    ],
)
def test_two_things_about_a_person_are_two_facts(text: str, facts: list[str]) -> None:
    assert contents(judged(text)) == facts


@pytest.mark.parametrize(
    ("text", "known", "replaced"),
    [
        ("Remember that my manager is Priya", "My manager is Tom", True),
        ("记住我的经理是王芳", "我的经理是李强", True),
        ("Remember my favourite colour is green", "My favourite colour is blue", True),
        ("Remember my son is a student", "My son is 12", False),
        ("Remember my friend is Bo", "My friend is Al", False),
        ("叫我雷哥", "用户叫李雷", False),
        ("Call me Ray", "Call me Raymond", True),
    ],
)
def test_what_one_has_once_is_replaced_and_a_form_of_address_is_no_name(text: str, known: str, replaced: bool) -> None:
    assert [act for act, _ in acts(judged(text, known=(known,)))] == [Action.UPDATE if replaced else Action.ADD]


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("敲黑板，我只喝温水不喝冰水", "我只喝温水不喝冰水"),
        ("嗯这个得让你长期记着 我这人不看恐怖片 看了睡不着", "我这人不看恐怖片 看了睡不着"),
    ],
)
def test_a_request_that_no_grammar_hears_is_written_without_its_asking(text: str, content: str) -> None:
    (kept,) = explicit_operations((Turn(Role.USER, text),), (), Door.CUE)
    assert kept.content == content and kept.confidence > 0.75


@pytest.mark.parametrize(
    "text",
    [
        "Remember to call my mum tomorrow",
        "Do you remember that song I liked?",
        "Remember that time we went to Rome?",
    ],
)
def test_an_errand_and_a_question_back_keep_nothing(text: str) -> None:
    assert explicit_operations((Turn(Role.USER, text),), (), Door.CUE) == ()


def test_news_that_only_sounds_like_a_request_waits() -> None:
    (operation,) = explicit_operations((Turn(Role.USER, "我的猫上周送人了"),), (), Door.CUE)
    assert operation.reason == "unparsed_request"


def test_a_clause_with_its_own_subject_gets_no_other_before_it() -> None:
    assert contents(judged("记住我对花生过敏，我老婆对海鲜过敏")) == ["我对花生过敏", "我老婆对海鲜过敏"]


@pytest.mark.parametrize("text", ["Don't remember anything about my health", "以后不要记我的健康信息"])
def test_a_rule_about_a_topic_is_kept_as_it_was_said_and_changes_nothing(text: str) -> None:
    (operation,) = judged(text, known=("以后都用中文回答我", "User is a runner"))
    assert (operation.action, operation.kind, operation.content) == (Action.ADD, Kind.INSTRUCTION, text)
