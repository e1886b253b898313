"""What a text asks, how little it says, and who says it; in both languages."""

from __future__ import annotations

import pytest

from memoryapp.domain.asking import brevity, ends_asking, last_sentence, share_asked, speaker


@pytest.mark.parametrize(
    "text",
    [
        "How long have you been married?",
        "你们结婚多久了？",
        "在吗",
        "你现在在哪里",
        "Really? Since when?",
        "几点",
        "你是谁",
    ],
)
def test_what_only_asks_is_known_with_and_without_a_mark(text: str) -> None:
    assert share_asked(text) == 1
    assert ends_asking(text)


@pytest.mark.parametrize(
    "text",
    ["Five years already!", "五年了", "没什么", "我在学做什么都要耐心的事情，比如说修钟表和刻图章，慢慢来", "", "…"],
)
def test_what_tells_asks_nothing(text: str) -> None:
    assert share_asked(text) == 0
    assert not ends_asking(text)


def test_a_question_at_the_end_of_a_tale_is_a_part_of_it() -> None:
    text = "I've got lots of kids' books, classics and stories from everywhere. What was your favourite?"
    assert 0.2 < share_asked(text) < 0.5
    assert ends_asking(text)
    assert last_sentence(text).strip() == "What was your favourite?"
    assert not ends_asking("怎么了？没事吧？我这边挺好的。")


def test_the_same_length_says_more_in_chinese() -> None:
    assert brevity("") == 1
    assert brevity("brb") > brevity("good night") > brevity("I moved to a flat by the river.") == 0
    assert brevity("早呀") > brevity("我戒烟了") > brevity("我在苏州教小学美术课") == 0


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Bart: what should I wear?", "Bart"),
        ("小林：你到了吗", "小林"),
        ("用户：我喜欢茶", ""),
        ("User: I like tea", ""),
        ("Meeting at 10:30: bring the plan", ""),
        ("https://example.org/a", ""),
        ("what is the port: 8080", ""),
        ("", ""),
    ],
)
def test_who_speaks_stands_before_a_colon_and_a_role_is_nobody(text: str, name: str) -> None:
    assert speaker(text) == name
