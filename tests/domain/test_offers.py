"""An offer to remember: what takes it up, what turns it down, and what is neither."""

from __future__ import annotations

import pytest

from memoryapp.domain.offers import accepts_saving, declines_saving
from memoryapp.domain.silence import silence
from memoryapp.domain.types import Role, Turn

ZH, EN = "听起来不好受。需要我记下来吗？", "That sounds rough. Do you want me to remember that?"


@pytest.mark.parametrize(
    ("offer", "answer"),
    [
        (ZH, "别，不用记。"),
        (ZH, "不用了"),
        (ZH, "算了，谢谢"),
        (ZH, "没必要"),
        (EN, "No thanks."),
        (EN, "nah, don't"),
        (EN, "No need, just venting"),
        (EN, "I'd rather you didn't"),
    ],
)
def test_a_no_keeps_what_was_said_before_the_offer_out(offer: str, answer: str) -> None:
    assert declines_saving(offer, answer) and not accepts_saving(offer, answer)
    turns = [
        Turn(Role.USER, "我昨天和老婆吵架了 We argued again"),
        Turn(Role.ASSISTANT, offer),
        Turn(Role.USER, answer),
    ]
    assert silence(turns).sure == {0, 2}


@pytest.mark.parametrize(
    ("offer", "answer"),
    [
        (ZH, "要的"),
        (ZH, "不是，我住在北京"),
        (EN, "Yes please"),
        (EN, "no, I live in Rome"),
        ("需要我把文件存下来吗？", "不用了"),
        ("Shall we go on?", "No thanks."),
    ],
)
def test_a_yes_a_correction_and_a_no_to_something_else_keep_nothing_out(offer: str, answer: str) -> None:
    assert not declines_saving(offer, answer)
