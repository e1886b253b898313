from __future__ import annotations

import pytest

from memoryapp.domain.ranking import (
    estimate_tokens,
    recency,
    reciprocal_rank_fusion,
    relevance,
    score,
    score_parts,
    word_coverage,
)


def test_what_two_rankings_agree_on_comes_first() -> None:
    fused = reciprocal_rank_fusion([["a", "b", "c"], ["b", "d"]])
    assert list(fused) == ["b", "a", "d", "c"]
    assert fused["b"] == pytest.approx(1 / 62 + 1 / 61)


def test_a_row_named_twice_by_one_ranking_counts_once() -> None:
    assert reciprocal_rank_fusion([["a", "a", "b"]]) == {"a": 1 / 61, "b": 1 / 62}
    assert reciprocal_rank_fusion([]) == {}


def test_words_alone_may_win_and_meaning_alone_too() -> None:
    assert relevance(1.0, 0.0, False) > 0.8
    assert relevance(0.0, 1.0, False) == pytest.approx(0.7)
    assert relevance(1.0, None, False) == relevance(1.0, 0.0, False)
    assert relevance(0.0, None, False) == 0


def test_an_exact_identifier_and_an_identical_text_rank_first() -> None:
    assert relevance(0.2, 0.1, True) >= 0.95
    assert relevance(0.0, None, False, identical=True) == 1
    assert relevance(1.0, 1.0, False) == 1


def test_relevance_rises_with_each_of_its_parts() -> None:
    grid = [n / 10 for n in range(11)]
    for fixed in grid:
        by_words = [relevance(w, fixed, False) for w in grid]
        by_meaning = [relevance(fixed, m, False) for m in grid]
        assert by_words == sorted(by_words)
        assert by_meaning == sorted(by_meaning)


def test_scores_stay_between_zero_and_one_whatever_comes_in() -> None:
    wild = [-3.0, 0.0, 0.5, 1.0, 9.0, float("nan")]
    assert all(0 <= score(r, i, t, c) <= 1 for r in wild for i in wild for t in wild for c in wild)


def test_being_new_or_sure_moves_a_score_a_little() -> None:
    assert score(0.6, 0.5, recency=1, confidence=1) - score(0.6, 0.5) == pytest.approx(0.03)
    assert score(0.8, 0.5, recency=0, confidence=0) > score(0.6, 0.5, recency=1, confidence=1)
    assert score(0.0, 0.5, recency=1, confidence=1) == score(0.0, 0.5)


def test_parts_carry_the_score_that_follows_from_them() -> None:
    parts = score_parts(1.0, None, 0.85, 0.5, 0.5, 0.5)
    assert parts.score == pytest.approx(0.8 * 0.85 + 0.2 * 0.5)


def test_recency_halves_with_each_half_life() -> None:
    assert recency(0) == 1
    assert recency(90) == 0.5
    assert recency(-5) == 1


def test_coverage_weighs_long_terms_more() -> None:
    query = frozenset({"watchdog", "db"})
    assert word_coverage(query, frozenset({"watchdog"})) > 0.6 > word_coverage(query, frozenset({"db"}))
    assert word_coverage(query, query) == 1
    assert word_coverage(frozenset(), query) == 0


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("用户住在北京", 6), ("four", 1), ("fours", 2), ("我用vim", 3), ("a\nb", 2), ("😀", 1)],
)
def test_tokens_are_estimated_for_both_scripts(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens
