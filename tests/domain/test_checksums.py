"""Check digits of the numbers of persons, by the examples that their issuers and the articles about them print."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memoryapp.domain import checksums

PRINTED: list[tuple[Callable[[str], bool], str]] = [
    (checksums.taiwan_id, "A123456789"),
    (checksums.taiwan_id, "A800000014"),
    (checksums.hong_kong_id, "A1234563"),
    (checksums.hong_kong_id, "CA1823611"),
    (checksums.singapore_id, "S1234567D"),
    (checksums.singapore_id, "M1234567K"),
    (checksums.japanese_id, "621498320257"),
    (checksums.brazilian_id, "52998224725"),
    (checksums.mexican_id, "BOXW310820HNERXN09"),
    (checksums.french_id, "295109912611193"),
    (checksums.french_id, "253072B07300470"),
    (checksums.spanish_id, "54362315K"),
    (checksums.spanish_id, "X5253868R"),
    (checksums.italian_id, "RCCMNL83S18D969H"),
    (checksums.dutch_id, "111222333"),
    (checksums.polish_id, "44051401359"),
    (checksums.german_tax_id, "36574261809"),
    (checksums.australian_tax_id, "123456782"),
    (checksums.australian_medicare, "2123456701"),
    (checksums.british_health_id, "9434765919"),
    (checksums.verhoeff, "234123412346"),
    (checksums.luhn, "4012888888881881"),
    (checksums.iban, "FR1420041010050500013M02606"),
    (checksums.resident_id, "110105" + "19491231002X"),
]


@pytest.mark.parametrize(("check", "number"), PRINTED)
def test_a_printed_number_holds_its_check(check: Callable[[str], bool], number: str) -> None:
    assert check(number)


@pytest.mark.parametrize(("check", "number"), PRINTED)
def test_a_number_with_a_wrong_digit_does_not(check: Callable[[str], bool], number: str) -> None:
    place = max(place for place, each in enumerate(number[:-1]) if each.isdecimal() and each != "9")
    assert not check(number[:place] + str(int(number[place]) + 1) + number[place + 1 :])
