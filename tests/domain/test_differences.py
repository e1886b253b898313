"""Differences between two versions of a text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryapp.domain.differences import Mark, differences


@pytest.mark.parametrize(
    ("old", "new", "gone", "fresh"),
    [
        ("Drinks green tea daily.", "Drinks black tea daily.", ["green"], ["black"]),
        ("喜欢喝绿茶", "喜欢喝红茶", ["绿"], ["红"]),
        ("Same.", "Same.", [], []),
    ],
)
def test_only_the_changed_word_is_marked(old: str, new: str, gone: list[str], fresh: list[str]) -> None:
    pieces = differences(old, new)
    assert [p.text for p in pieces if p.mark is Mark.GONE] == gone
    assert [p.text for p in pieces if p.mark is Mark.NEW] == fresh


@given(st.text(max_size=60), st.text(max_size=60))
def test_both_texts_can_be_read_off_the_pieces(old: str, new: str) -> None:
    pieces = differences(old, new)
    assert "".join(p.text for p in pieces if p.mark is not Mark.NEW) == old
    assert "".join(p.text for p in pieces if p.mark is not Mark.GONE) == new
