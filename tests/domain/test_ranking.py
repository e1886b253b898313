"""Scores: parts between 0 and 1, and rules that a person would expect of an order."""

from __future__ import annotations

import pytest

from memoryapp.domain.ranking import (
    LARGEST_ADJUSTMENT,
    Evidence,
    Fusion,
    Standing,
    Weights,
    as_copy,
    closeness,
    closenesses,
    estimate_tokens,
    feedback_level,
    ranked,
    recency,
    reciprocal_rank_fusion,
    relevance,
    score,
    term_weight,
    with_episodes,
    with_less_said,
    with_neighbours,
    word_coverage,
)

NEUTRAL = Standing(importance=0.5)


def test_what_two_rankings_agree_on_comes_first() -> None:
    fused = reciprocal_rank_fusion([["a", "b", "c"], ["b", "d"]])
    assert list(fused) == ["b", "a", "d", "c"]
    assert fused["b"] == pytest.approx(1 / 62 + 1 / 61)


def test_a_row_named_twice_by_one_ranking_counts_once() -> None:
    assert reciprocal_rank_fusion([["a", "a", "b"]]) == {"a": 1 / 61, "b": 1 / 62}
    assert reciprocal_rank_fusion([]) == {}


def test_words_alone_may_win_and_meaning_alone_too() -> None:
    assert relevance(1.0, 0.3, False) > relevance(0.0, 0.7, False)
    assert relevance(0.0, 1.0, False) > relevance(0.5, 0.3, False)
    assert relevance(1.0, None, False) == pytest.approx(0.85)
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
    for near in wild:
        for a in wild:
            for b in wild:
                assert 0 <= score(near, Standing(a, b, a, b)) <= 1
                assert 0 <= ranked(Evidence(near, a), Standing(b)).score <= 1


def test_being_new_or_sure_or_liked_moves_a_score_a_little() -> None:
    best, worst = Standing(0.5, 1, 1, 1), Standing(0.5, 0, 0, 0)
    assert 0 < score(0.6, best) - score(0.6, NEUTRAL) <= 2 * LARGEST_ADJUSTMENT
    assert score(0.9, worst) > score(0.6, best)
    assert score(0.0, best) == score(0.0, NEUTRAL)


def test_votes_move_from_the_middle_and_never_reach_the_ends() -> None:
    assert feedback_level(0, 0) == 0.5
    assert 0.5 < feedback_level(1, 0) < feedback_level(9, 0) < 1
    assert 0 < feedback_level(0, 9) < feedback_level(0, 1) < 0.5


def test_a_row_of_the_asked_day_is_lifted_and_an_identical_text_needs_no_lift() -> None:
    row = Evidence(0.3, 0.4)
    assert closeness(row._replace(on_date=True)) == pytest.approx(closeness(row) + Weights().date)
    assert closeness(row._replace(on_date=True, identical=True)) == 1


def test_a_rare_word_tells_more_than_a_common_one() -> None:
    weights = [term_weight(rows, 1000) for rows in (1, 20, 50, 200, 600, 1000)]
    assert weights == sorted(weights, reverse=True)
    assert weights[0] == weights[1] == 1
    assert weights[-1] == 0.05


def test_a_few_more_rows_do_not_change_what_a_word_tells() -> None:
    assert {term_weight(rows, size) for rows in (1, 2, 4) for size in (4, 50, 200)} == {1.0}


def test_coverage_is_the_share_of_the_question_by_weight() -> None:
    query = frozenset({"watchdog", "db"})
    assert word_coverage(query, frozenset({"watchdog"})) == 0.5
    assert word_coverage(query, frozenset({"watchdog"}), {"db": 0.25}) == pytest.approx(0.8)
    assert word_coverage(query, query) == 1
    assert word_coverage(frozenset(), query) == 0


def test_a_fact_is_lifted_by_what_was_said_with_it() -> None:
    near = {"asked": 0.7, "beside": 0.2, "elsewhere": 0.25}
    leaned = with_episodes(near, {"asked": 1, "beside": 1, "elsewhere": 2}, 1 / 3)
    assert leaned["asked"] == max(leaned.values())
    assert leaned["elsewhere"] == 0.25
    assert leaned["beside"] > leaned["elsewhere"]


def test_a_row_is_drawn_up_by_a_better_one_said_right_beside_it_and_none_sinks() -> None:
    noon, minutes, days = 1_793_534_400.0, 60.0, 86_400.0
    near = {"before": 0.2, "asked": 0.8, "after": 0.4, "later": 0.1}
    said = [("before", noon), ("asked", noon), ("after", noon + 9 * minutes), ("later", noon + days)]
    lifted = with_neighbours(near, said, 0.5)
    assert lifted == {"before": 0.5, "asked": 0.8, "after": pytest.approx(0.6), "later": 0.1}
    assert with_neighbours(near, [], 0.5) == near


def test_what_follows_a_question_is_drawn_up_more_and_nothing_is_drawn_back_to_it() -> None:
    noon = 1_793_534_400.0
    near = {"question": 0.8, "answer": 0.1, "thanks": 0.1}
    said = [(row, noon) for row in near]
    plain = with_neighbours(near, said, 0.3)
    led = with_neighbours(near, said, 0.3, {"question"}, 0.7)
    assert led["answer"] == pytest.approx(0.1 + 0.7 * 0.7)
    assert plain["answer"] == pytest.approx(0.1 + 0.3 * 0.7)
    assert (led["question"], led["thanks"]) == (plain["question"], plain["thanks"]) == (0.8, 0.1)


def test_what_only_asks_or_says_nothing_stands_behind_what_tells() -> None:
    rows = {
        "told": Evidence(0.2, 0.5),
        "asked": Evidence(0.2, 0.5, asked=1.0),
        "greeting": Evidence(0.0, 0.5, brevity=0.9),
        "short and asked for": Evidence(1.0, 0.5, brevity=0.9),
        "same": Evidence(1.0, 1.0, asked=1.0, identical=True),
        "identifier": Evidence(0.5, 0.5, brevity=0.9, exact_identifier=True),
    }
    kept = with_less_said(dict.fromkeys(rows, 0.8), rows, Weights())
    assert kept["asked"] == pytest.approx(0.8 * (1 - Weights().question))
    assert kept["greeting"] == pytest.approx(0.8 * (1 - 0.9 * Weights().brief))
    assert kept["told"] == kept["short and asked for"] == kept["same"] == kept["identifier"] == 0.8


def test_a_taste_that_bears_on_the_advice_and_a_row_of_the_speaker_are_lifted_and_the_parts_say_so() -> None:
    row = Evidence(0.1, 0.2)
    taste, own = row._replace(bearing=0.5), row._replace(of_speaker=True)
    assert closeness(taste) == pytest.approx(closeness(row) + 0.5 * Weights().advice)
    assert closeness(own) == pytest.approx(closeness(row) + Weights().speaker)
    assert closeness(taste._replace(identical=True)) == 1
    assert closeness(taste, Weights(advice=0)) == closeness(row)
    assert ranked(taste, NEUTRAL).parts["advice"] == 0.5
    assert ranked(own, NEUTRAL).parts["speaker"] == 1


def test_relevance_does_not_know_how_rare_a_word_is_here_nor_what_was_said_beside() -> None:
    common = ranked(Evidence(words=0.2, meaning=0.5, plain_words=0.6), NEUTRAL, leaned=0.9)
    alone = ranked(Evidence(words=0.6, meaning=0.5, plain_words=0.6), NEUTRAL)
    assert common.relevance == alone.relevance
    assert common.score != alone.score


def test_reciprocal_ranks_can_be_chosen_instead() -> None:
    rows = {"both": Evidence(0.5, 0.5), "words": Evidence(0.9, 0.1), "none": Evidence(0.0, None)}
    near = closenesses(rows, Weights(fusion=Fusion.RRF))
    assert near["none"] == 0
    assert all(0 < near[row] <= 1 for row in ("both", "words"))
    assert closenesses({"same": Evidence(0, 0, identical=True)}, Weights(fusion=Fusion.RRF)) == {"same": 1}


def test_a_restatement_counts_less_and_says_so() -> None:
    row = ranked(Evidence(0.8, 0.8), NEUTRAL)
    assert as_copy(row).score < row.score / 2
    assert as_copy(row).parts["copy"]
    assert as_copy(row).relevance == row.relevance


def test_recency_halves_with_each_half_life() -> None:
    assert recency(0) == 1
    assert recency(90) == 0.5
    assert recency(-5) == 1


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("用户住在北京", 6), ("four", 1), ("fours", 2), ("我用vim", 3), ("a\nb", 2), ("😀", 1)],
)
def test_tokens_are_estimated_for_both_scripts(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens
