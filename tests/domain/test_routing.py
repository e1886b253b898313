from __future__ import annotations

import time

import pytest

from memoryapp.domain.routing import decide


@pytest.mark.parametrize(
    ("query", "signal"),
    [
        ("上次说的那家店叫什么", "signal.past"),
        ("What did we settle on last time?", "signal.past"),
        ("还记得我的猫叫什么吗", "signal.recall"),
        ("Do you remember my sister's name?", "signal.recall"),
        ("继续昨天的部署", "signal.continue"),
        ("Let's pick up where we left off", "signal.continue"),
        ("按我的习惯写一份周报", "signal.habit"),
        ("Write it in my usual style", "signal.habit"),
        ("我们的发布流程是什么", "signal.possession"),
    ],
)
def test_words_that_point_to_the_past_or_the_person_ask_for_memory(query: str, signal: str) -> None:
    decision = decide(query, 500, 40)
    assert decision.needed
    assert signal in decision.reasons
    assert decision.search


@pytest.mark.parametrize(
    "query",
    [
        "好的，谢谢！",
        "嗯嗯",
        "收到",
        "辛苦你了",
        "ok",
        "Thanks!",
        "got it, thank you",
        "哈哈哈",
        "好呀~",
        "太棒了",
        "sounds good",
        "Wow, that's awesome!",
    ],
)
@pytest.mark.parametrize("size", [3, 500])
def test_an_acknowledgement_needs_no_memory(query: str, size: int) -> None:
    decision = decide(query, size, 40)
    assert (decision.needed, decision.reasons) == (False, ("acknowledgement",))


@pytest.mark.parametrize(
    "query", ["好的，按我的习惯来", "ok, continue", "好吃的面馆", "Thanks, and where is the note?", "你好", "hi"]
)
def test_an_acknowledgement_with_more_in_it_is_none(query: str) -> None:
    assert decide(query, 500, 40).needed


def test_an_empty_library_is_never_looked_at() -> None:
    assert decide("还记得吗", 0, 40).reasons == ("empty_library",)


@pytest.mark.parametrize("query", ["", "  ", "？？！", "…"])
def test_without_words_what_always_goes_in_is_given_and_nothing_is_searched(query: str) -> None:
    for size in (5, 500):
        decision = decide(query, size, 40)
        assert decision.needed and not decision.search
        assert "empty_query" in decision.reasons


@pytest.mark.parametrize("query", ["晚饭吃什么", "What should I cook?"])
def test_a_small_library_is_taken_whole_and_a_large_one_searched(query: str) -> None:
    assert not decide(query, 40, 40).search
    assert decide(query, 40, 40).reasons == ("small_library",)
    assert decide(query, 41, 40).reasons == ("search",)
    assert decide(query, 41, 40).search


@pytest.mark.parametrize("query", ["那第二个呢？", "它多少钱", "And the second one?", "what about Tuesday"])
def test_a_message_that_leans_on_those_before_it_says_so(query: str) -> None:
    assert "session" in decide(query, 500, 40, earlier=True).reasons
    assert "session" not in decide(query, 500, 40).reasons


@pytest.mark.parametrize(
    "query", ["老规矩", "跟上次一样", "照旧就行", "as always please", "the usual", "same as last time"]
)
def test_asking_for_the_usual_asks_for_memory(query: str) -> None:
    assert any(reason.startswith("signal.") for reason in decide(query, 500, 40).reasons)


def test_long_strange_questions_are_decided_at_once() -> None:
    started = time.monotonic()
    for query in ("哈" * 8000 + "x", "ok " * 3000, "<" * 8000, "my" * 4000):
        decide(query, 500, 40)
    assert time.monotonic() - started < 1
