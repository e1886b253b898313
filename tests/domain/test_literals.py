"""The tests that come before a pattern may say "perhaps" too often, never "no" too often."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from memoryapp.domain.literals import Literals
from memoryapp.domain.shapes import has_run, has_singles, letters_of, signs_of

NEEDLES = ("pin", "key", "pass", "do not", "no longer bound", "密", "密码", "以后都", "ağ", "_v1_")
WORDS = (*NEEDLES, "pas", "s", " ", "\n", "码", "long", "er", "bound", "以后", "都", "x" * 7)


@given(st.lists(st.sampled_from(WORDS), max_size=30).map("".join))
def test_the_literals_of_a_text_are_those_that_a_search_for_each_finds(text: str) -> None:
    assert Literals(NEEDLES).within(text) == {each for each in NEEDLES if each in text}


@given(st.text(), st.integers(1, 20))
def test_a_run_is_found_where_as_many_signs_stand_together(text: str, length: int) -> None:
    assert has_run(signs_of(text), length) == bool(re.search(f"[!-~]{{{length}}}", text))


def test_letters_set_apart_are_seen_in_both_scripts() -> None:
    assert has_singles("it reads G r 4 n i t e") and has_singles("密 码 是 X k") and not has_singles("a word or two")
    assert b" h h h" in letters_of("把 忽 略 所 有") and b" a a a a" in letters_of("so i-g-n-o-r-e")
    assert b"la" in letters_of("pr3vious") and b"la" not in letters_of("step 3 of it")
