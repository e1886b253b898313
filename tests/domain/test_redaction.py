"""Taking texts out of summaries, task states and labels: what repeats them goes, what only shares words is undecided."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memoryapp.domain.redaction import labels_without, may_tell, sought, state_without, tells, without
from memoryapp.domain.working_memory import StateValue
from memoryapp.providers.script_folding import to_simplified

AT = datetime(2026, 3, 1, tzinfo=UTC)
BEES = sought(["I keep bees in Quillfeather Lane", "我对花生过敏"], to_simplified)


def value(one: object, *earlier: StateValue, reason: str = "") -> StateValue:
    return StateValue(one, reason, AT, earlier)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Sold the boat. I keep bees in Quillfeather Lane. Next: tea.", "Sold the boat. Next: tea."),
        ("I KEEP  bees, in Quillfeather Lane!\nNext: tea.", "Next: tea."),
        ("ＩＫＥＥＰ bees in Quillfeather Lane", ""),
        ("買了船。我對花生過敏。下一步：喝茶。", "買了船。下一步：喝茶。"),
        ("He said I keep bees. In Quillfeather Lane. Next: tea.", "Next: tea."),
        ("Two: I keep bees in Quillfeather Lane. Again I keep bees in Quillfeather Lane. End.", "End."),
        ("I keep bees. I keep bees in Quillfeather Lane. In Quillfeather Lane. End.", "End."),
        ("I keep bees.\n\nIn Quillfeather\nLane.\nEnd.", "End."),
        ("Nothing of the kind.  Two blanks stay.", "Nothing of the kind.  Two blanks stay."),
        ("", ""),
    ],
)
def test_sentences_that_repeat_a_text_go_and_the_others_stay(before: str, after: str) -> None:
    assert without(before, BEES, to_simplified) == after
    assert not tells(after, BEES, to_simplified)


def test_figures_of_two_sentences_stay_two_figures() -> None:
    what = sought(["Room 512 is free"], to_simplified)
    assert without("Room 5. 12 is free. End.", what, to_simplified) == "Room 5. 12 is free. End."
    assert without("Room 512. Is free. End.", what, to_simplified) == "End."


def test_an_identifier_across_two_sentences_goes_with_both() -> None:
    what = sought(["Run `Deploy Now! Or Never` at noon"], to_simplified)
    before = "Tea. Run `Deploy Now! Or Never` at noon. End."
    assert without(before, what, to_simplified) == "Tea. End."


@pytest.mark.parametrize("repeated", ["我对花生过敏。", "I keep bees. In Quillfeather Lane. ", "Tea. "])
def test_every_character_is_normalised_a_few_times_however_long_the_text_is(repeated: str) -> None:
    read = 0

    def counting(text: str) -> str:
        nonlocal read
        read += len(text)
        return to_simplified(text)

    text = repeated * 800 + "我对花生过敏。 End."
    left = without(text, BEES, counting)
    assert left == (("Tea. " * 800 if "Tea" in repeated else "") + "End.").strip()
    assert read <= 4 * len(text)


def test_entries_whose_value_reason_or_name_repeats_a_text_go() -> None:
    state = {
        "hobby": value("I keep bees in Quillfeather Lane"),
        "note": value("call", reason="because 我对花生过敏"),
        "我对花生过敏": value(True),
        "deep": value({"list": ["x", {"say": "i keep bees in quillfeather lane"}]}),
        "split": value(["I keep bees", "in Quillfeather Lane"]),
        "budget": value(800, value(500)),
    }
    assert set(state_without(state, BEES, to_simplified)) == {"budget"}
    assert state_without({"budget": state["budget"]}, BEES, to_simplified) == {"budget": state["budget"]}


def test_an_earlier_value_that_repeats_a_text_goes_and_the_present_one_stays() -> None:
    state = {"food": value("rice", value("我对花生过敏！"), value("soup"))}
    assert state_without(state, BEES, to_simplified) == {"food": value("rice", value("soup"))}


def test_labels_that_repeat_a_text_go() -> None:
    assert labels_without(["trip", "我對花生過敏"], BEES, to_simplified) == ["trip"]


def test_other_words_for_the_same_are_undecided_and_not_taken_out() -> None:
    said = "She told us that in Quillfeather Lane bees are what I keep."
    assert without(said, BEES, to_simplified) == said
    assert may_tell(said, BEES, to_simplified)
    assert not may_tell("Bees are insects.", BEES, to_simplified)
    assert not may_tell("", BEES, to_simplified)


@pytest.mark.parametrize("short", ["", "ok", "yes", "好", "。。。"])
def test_a_text_too_short_to_mean_anything_takes_nothing_out(short: str) -> None:
    what = sought([short], to_simplified)
    assert without("ok, yes, 好。", what, to_simplified) == "ok, yes, 好。"


def test_two_chinese_characters_are_a_text() -> None:
    assert without("他爱喝红茶。别的。", sought(["红茶"], to_simplified), to_simplified) == "别的。"
