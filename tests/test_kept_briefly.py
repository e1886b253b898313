"""What a process has read and goes by for some seconds."""

from __future__ import annotations

from memoryapp.kept_briefly import KeptBriefly


def test_a_value_is_read_once_until_somebody_has_it_looked_at_again() -> None:
    kept, seen = KeptBriefly[str, int](10), list[int | None]()

    def read(last: int | None) -> int:
        seen.append(last)
        return (last or 0) + 1

    assert [kept.value("a", 60.0, read) for _ in range(3)] == [1, 1, 1]
    kept.look_again("a")
    assert [kept.value("a", 60.0, read) for _ in range(2)] == [2, 2]
    assert seen == [None, 1]
    assert kept.value("a", 0.0, read) == 3


def test_what_was_read_before_a_change_is_not_kept_after_it() -> None:
    kept = KeptBriefly[str, str](10)

    def overtaken(last: str | None) -> str:
        kept.look_again("a")
        return "before"

    assert kept.value("a", 60.0, overtaken) == "before"
    assert kept.value("a", 60.0, lambda last: "after") == "after"
    assert kept.value("a", 60.0, lambda last: "later still") == "after"


def test_the_key_that_was_not_asked_for_the_longest_goes_first() -> None:
    kept = KeptBriefly[str, str](2)
    for key in ("a", "b", "a", "c"):
        kept.value(key, 60.0, lambda last: "first")
    assert {key: kept.value(key, 60.0, lambda last: "anew") for key in ("a", "c", "b")} == {
        "a": "first",
        "c": "first",
        "b": "anew",
    }
