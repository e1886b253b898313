"""Ids as clients see them."""

from __future__ import annotations

from uuid import UUID

import pytest

from memoryapp.domain import public_ids as ids
from memoryapp.domain.errors import NotFound

ONE = UUID("0190d1f2-a3b4-7c5d-8e9f-0a1b2c3d4e5f")


def test_an_id_comes_back_as_it_was_shown() -> None:
    assert ids.public("mem", ONE) == "mem_0190d1f2a3b47c5d8e9f0a1b2c3d4e5f"
    assert ids.parsed("mem", ids.public("mem", ONE)) == ONE


@pytest.mark.parametrize(
    "text",
    [
        "",
        "mem_",
        "mem_1",
        ONE.hex,
        str(ONE),
        f"evt_{ONE.hex}",
        f"mem_{ONE.hex.upper()}",
        f"mem_{ONE.hex}\n",
        "mem_" + "g" * 32,
    ],
)
def test_a_malformed_id_is_not_found_like_an_unknown_one(text: str) -> None:
    with pytest.raises(NotFound):
        ids.parsed("mem", text)
