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
        (EN, "absolutely not"),
        (EN, "No, that's private"),
        (EN, "of course not"),
        (ZH, "不行"),
        (ZH, "不用麻烦了"),
        (ZH, "拒绝"),
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
        (ZH, "要，存上。"),
        (ZH, "嗯嗯，帮我记下来吧"),
        (ZH, "当然要啦，谢谢"),
        ("记下了您的口味，要不要我存一下？", "存吧"),
        ("我可以帮您记住这一点，需要吗？", "可以"),
        ("我先记下来，好吗？", "好呀"),
        (EN, "yep pls do"),
        (EN, "that would be great, thanks"),
        ("Good to know! Do you want that saved?", "Sure, go ahead."),
        ("Got it. Should I save that?", "why not, save it"),
        ("Nice. Save that for next time?", "Yes please!"),
        ("Okay if I remember that?", "fine by me"),
        ("I can note that for you if you'd like.", "I'd like that"),
        ("Should I remember that you're allergic to nuts?", "yes, certainly"),
        ("Shall I add that to your memory? 🙂", "👍"),
        ("需要我把您的口味记下来吗？", "好嘞"),
    ],
)
def test_a_yes_in_other_words_takes_an_offer_up(offer: str, answer: str) -> None:
    assert accepts_saving(offer, answer) and not declines_saving(offer, answer)


@pytest.mark.parametrize(
    ("offer", "answer"),
    [
        (ZH, "要是下雨呢"),
        (ZH, "了"),
        (ZH, "好，我明天去北京"),
        (EN, "it"),
        (EN, "sure, but not the name"),
        ("你保存文件了吗？", "存了"),
        ("你记得放哪儿了吗？", "对"),
        ("我记得你喜欢喝茶，对吗？", "对"),
        ("Did you save that?", "Yes"),
        ("Do you remember that?", "Yes"),
        ("Do you want the file saved?", "Yes please"),
        ("Congrats! Should I keep it short?", "yes"),
        ("Want me to write this in German?", "yes"),
        ("Want me to log this bug?", "yes"),
        ("Should I keep going?", "yes"),
        ("Should I save it to your desktop?", "yes"),
        ("恭喜！需要我记账吗？", "好的"),
        ("写好了。要我保存吗？", "好的"),
        ("要不要把它存到桌面？", "好的"),
        ("需要我记录这个bug吗？", "好的"),
        (ZH, "好了好了"),
        (ZH, "行了"),
    ],
)
def test_something_else_takes_no_offer_up(offer: str, answer: str) -> None:
    assert not accepts_saving(offer, answer)


@pytest.mark.parametrize(
    ("offer", "answer"),
    [
        (ZH, "要的"),
        (ZH, "不是，我住在北京"),
        (EN, "Yes please"),
        (EN, "no, I live in Rome"),
        ("需要我把文件存下来吗？", "不用了"),
        ("Shall we go on?", "No thanks."),
        ("Noted. Should I keep it short?", "no thanks"),
        ("Want me to write this in German?", "no"),
        ("好的。需要我记账吗？", "不用了"),
    ],
)
def test_a_yes_a_correction_and_a_no_to_something_else_keep_nothing_out(offer: str, answer: str) -> None:
    assert not declines_saving(offer, answer)
