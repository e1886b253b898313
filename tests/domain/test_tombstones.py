"""The decision whether something forgotten may come back, as a function of values."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from memoryapp.domain.hashing import fingerprint, keyed_words, message_hash, triple_fingerprint
from memoryapp.domain.tombstones import BLANK, Graveyard, Plot, Standing, Stone, Wording, blank_quotes, mask_of

KEY, DELETED = b"k" * 32, datetime(2026, 5, 1, 12, tzinfo=UTC)
LATER = DELETED + timedelta(days=3)


def fold(text: str) -> str:
    return text.translate(str.maketrans("貓愛歡", "猫爱欢"))


def stone(content: str, subject: str = "", predicate: str = "", object: str = "") -> Stone:
    return Stone(
        UUID(int=1),
        UUID(int=2),
        fingerprint(KEY, content, fold),
        DELETED,
        triple_fingerprint(KEY, subject, predicate, object, fold),
        keyed_words(KEY, content, fold),
    )


def yard(*stones: Stone) -> Graveyard:
    return Graveyard((Plot(KEY, stones),))


@pytest.mark.parametrize(
    ("deleted", "again"),
    [
        ("喜欢白猫", "喜欢白猫"),
        ("喜欢白猫", "喜欢 白猫。"),
        ("喜欢白猫", "喜歡白貓"),
        ("Keeps three ducks", "KEEPS  three ducks!"),
        ("Keeps three ducks", "Ｋｅｅｐｓ three ducks"),
    ],
)
def test_the_same_text_stays_dead_however_it_is_written(deleted: str, again: str) -> None:
    for explicit, at in ((False, LATER), (True, DELETED), (False, DELETED - timedelta(days=9))):
        assert yard(stone(deleted)).rule(Wording(again), at, explicit, fold).standing is Standing.BLOCKED


def test_a_newer_explicit_statement_passes_and_lifts_the_stone() -> None:
    ruling = yard(stone("喜欢白猫")).rule(Wording("喜欢白猫"), LATER, True, fold)
    assert (ruling.standing, ruling.lifts) == (Standing.FREE, (UUID(int=1),))


def test_the_same_fact_in_other_words_is_known_by_its_triple() -> None:
    buried = yard(stone("Works for the harbour office", "user", "employer", "harbour office"))
    same = Wording("Is employed at the harbour office", "User", "employer", "Harbour Office")
    assert buried.rule(same, LATER, False, fold).standing is Standing.BLOCKED
    other = replace(same, object="museum")
    assert buried.rule(other, LATER, False, fold).standing is Standing.FREE


def test_a_near_repeat_waits_for_the_person_and_an_explicit_one_does_not() -> None:
    buried = yard(stone("The night train to Riga leaves from platform nine at ten"))
    near = Wording("The night train to Riga leaves from platform nine at eleven")
    assert buried.rule(near, LATER, False, fold).standing is Standing.SIMILAR
    assert buried.rule(near, LATER, True, fold).standing is Standing.FREE
    far = Wording("The night train to Oslo is often late in winter")
    assert buried.rule(far, LATER, False, fold).standing is Standing.FREE


@pytest.mark.parametrize(
    ("text", "quote"), [("我养猫，也养了两只鸭子", "我养猫"), ("I row. I also  sing bass.", "I row.")]
)
def test_a_source_is_read_without_the_span_that_was_forgotten(text: str, quote: str) -> None:
    known = message_hash(KEY, "user", text)
    buried = Graveyard((Plot(KEY, (), (mask_of(KEY, text, quote, known, DELETED),)),))
    read = buried.readable("user", text, known, DELETED, False)
    assert quote not in read
    assert read.endswith(text[-4:])
    assert buried.readable("user", text, b"other", DELETED, False) == read
    assert buried.readable("user", text, known, LATER, True) == text
    assert buried.readable("user", "something else", b"", DELETED, False) == "something else"


def test_a_source_that_said_nothing_else_is_not_read_at_all() -> None:
    known = message_hash(KEY, "user", "I row.")
    buried = Graveyard((Plot(KEY, (), (mask_of(KEY, "I row.", "I row.", known, DELETED),)),))
    assert buried.readable("user", "I row.", known, DELETED, False) == ""


def test_the_blank_itself_is_never_stored() -> None:
    assert Graveyard().rule(Wording(f"likes {BLANK}"), LATER, True, fold).standing is Standing.BLOCKED


def test_a_quote_that_is_not_found_word_for_word_takes_the_whole_message() -> None:
    assert blank_quotes("I keep  bees and ducks", ["keep bees"]) == f"I {BLANK * 9} and ducks"
    assert blank_quotes("I keep bees", ["I keep bees"]) == ""
    assert blank_quotes("I keep bees", ["I have bees"]) == ""


def test_keyed_words_tell_nothing_without_the_key() -> None:
    words = keyed_words(KEY, "我喜欢 green tea", fold)
    assert len(words) == 4
    assert words.isdisjoint(keyed_words(b"x" * 32, "我喜欢 green tea", fold))
    assert all(len(w) == 12 for w in words)
