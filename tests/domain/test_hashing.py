"""Literal duplicates: what is the same text, and what must never be taken for it."""

from __future__ import annotations

import pytest

from memoryapp.domain.hashing import fingerprint, message_hash, norm_hash, normal_form, triple_fingerprint


def simplify(text: str) -> str:
    return text.translate(str.maketrans("愛貓開發", "爱猫开发"))


SAME = [
    ("Likes jazz", "likes jazz."),
    ("Likes jazz", "  LIKES\tJAZZ!! "),
    ("Likes jazz", "Ｌｉｋｅｓ　ｊａｚｚ"),
    ("Likes jazz", "lIKES jAZZ"),
    ("用户喜欢猫", "用户喜欢猫。"),
    ("用户喜欢猫", "用户 喜欢 猫！"),
    ("用户愛貓", "用户爱猫"),
    ("最喜欢：猫", "最喜欢猫"),
    ("预算 1,500 元", "预算 1500 元"),
    ("温度 −5 度", "温度 -5 度"),
    ("It's fine", "It’s fine"),
    ("喜欢“猫”", "喜欢猫"),
    ("zero\u200bwidth", "zerowidth"),
]
DIFFERENT = [
    ("1.5万", "15万"),
    ("C++", "C"),
    ("C#", "C"),
    ("v1.12", "v11.2"),
    ("−5", "5"),
    ("50%", "50"),
    ("10²", "102"),
    ("1、5", "15"),
    ("1/2", "12"),
    ("12:30", "1230"),
    ("a-b", "ab"),
    ("blood type A+", "blood type A-"),
    ("user_Name", "user_name"),
    ("use getUser", "use getuser"),
    ("see README.md", "see readme.md"),
    ("flag -v", "flag -V"),
    ("x<y", "x>y"),
    ("costs $5", "costs €5"),
    ("好👍", "好👎"),
    ("喜欢猫", "不喜欢猫"),
]


@pytest.mark.parametrize(("first", "second"), SAME)
def test_width_case_script_blanks_and_sentence_marks_make_no_difference(first: str, second: str) -> None:
    assert norm_hash(first, simplify) == norm_hash(second, simplify)


@pytest.mark.parametrize(("first", "second"), DIFFERENT)
def test_figures_signs_and_names_of_things_make_a_difference(first: str, second: str) -> None:
    assert normal_form(first, simplify) != normal_form(second, simplify)


def test_a_fingerprint_depends_on_its_key_and_not_on_punctuation() -> None:
    assert fingerprint(b"k", "爱猫。", simplify) == fingerprint(b"k", "愛貓", simplify)
    assert fingerprint(b"k", "爱猫", simplify) != fingerprint(b"other", "爱猫", simplify)
    assert len(fingerprint(b"k", "爱猫", simplify)) == 32


def test_a_triple_needs_all_three_parts() -> None:
    assert triple_fingerprint(b"k", "user", "likes", "", simplify) is None
    assert triple_fingerprint(b"k", "user", "likes", "。", simplify) is None
    assert triple_fingerprint(b"k", "User", "likes", "jazz", simplify) == triple_fingerprint(
        b"k", "user", "Likes", "jazz.", simplify
    )


def test_the_parts_of_a_triple_do_not_run_together() -> None:
    assert triple_fingerprint(b"k", "ab", "c", "d", simplify) != triple_fingerprint(b"k", "a", "bc", "d", simplify)


def test_a_message_is_known_by_role_and_words() -> None:
    assert message_hash(b"k", "user", "hi  there\r\n") == message_hash(b"k", "user", "hi there")
    assert message_hash(b"k", "user", "hi") != message_hash(b"k", "assistant", "hi")
