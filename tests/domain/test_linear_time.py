"""Hostile texts: twice the text may cost about twice the time, never four times. The guard reads up to 100 KB."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from memoryapp.domain.admission import is_durable
from memoryapp.domain.advice import bearing, sought
from memoryapp.domain.asking import share_asked
from memoryapp.domain.cues import find_cues
from memoryapp.domain.edits import edit_asked
from memoryapp.domain.guards import inspect
from memoryapp.domain.offers import accepts_saving, declines_saving
from memoryapp.domain.parting import parted, untouched
from memoryapp.domain.policy import DEFAULT_POLICY
from memoryapp.domain.provenance import instructs
from memoryapp.domain.silence import heard
from memoryapp.domain.types import Door, Role, Turn
from memoryapp.domain.write_plan import explicit_operations

OFFER = "需要我记住吗？"
ENTRIES: dict[str, tuple[int, Callable[[str], object]]] = {
    "guard": (100_000, lambda text: inspect(text, DEFAULT_POLICY)),
    "cues": (16_000, find_cues),
    "admission": (16_000, is_durable),
    "provenance": (16_000, instructs),
    "questions": (40_000, share_asked),
    "advice": (40_000, lambda text: bearing(sought(text), text)),
    "silence": (8_000, heard),
    "yes": (40, lambda text: accepts_saving(OFFER, f"{text[:39]}#")),
    "no": (40, lambda text: declines_saving(OFFER, f"{text[:39]}#")),
    "edits": (300, edit_asked),
    "blanks": (
        4_000,
        lambda text: explicit_operations((Turn(Role.USER, f"Please forget{text}my birthday"),), (), Door.CUE),
    ),
    "parts": (2_000, lambda text: (parted(text[:200], text), untouched("I live in Rome", "now", text))),
    "requests": (4_000, lambda text: explicit_operations((Turn(Role.USER, text),), (), Door.CUE)),
}
"""Characters to try, twice what a user's message may have except for the guard, and what reads them."""
HOSTILE = [
    "a", "1 ", "12 ", "1-", "密码是", "sk-", "eyJ", "http://a:", "ignore all ", "忽略所有", "路1号", "A1 ", '{"a":', "\n", "<",
    "::", "“", "'", "以后都", "always use ", "我，", "ghp_ a", "Ａ", "<!--", "《", "the user ", "mm是", "note to self ", "请你",
    "帮我说", "点儿", "嗯", "不是我，", "you to ", "你也记", "把这存到", "以后用", "要都也", "save this to ", "my my ", "what you my ",
    "wait no ", "王姐：我\n", "之前说，是", "现在已经又", "i told you, it's ",
    "层 1/7 \n", "用户同意", "the user has ", "recovery code: ", "one two ", "b-l-", "1gn0r3 ",
    "I like tea, work and ", "，喜欢吃面、", "Tom and Anna and ", "likes a, b or ", "我妈生日3月，",
    "那个", "对了", "something ", "记住这个。", "1. 记住这个：\n", "记住：\n1. 我爱吃面。\n", "记住我爱吃面。", "以后都这个。", "remember this. ", "never keep, ", "别记，",
    "save to memory ", "谢谢", "下来", "不了", "okay ", "，", "要的", "that works, ", " ", "\t", "change my a to ", "but don't store my ", "，工资不用记（", "please, set the ", "把我的a改成", "当用户问", "验证码，", "key: 1\n", "![](http://a?b) ",
]  # fmt: skip
SMALL = 0.03
"""CPU seconds below which a ratio says nothing."""


def spent(entry: Callable[[str], object], text: str) -> float:
    started = time.process_time()
    entry(text)
    return time.process_time() - started


@pytest.mark.parametrize("seed", HOSTILE)
@pytest.mark.parametrize("name", ENTRIES)
def test_twice_the_text_costs_about_twice_the_time(name: str, seed: str) -> None:
    size, entry = ENTRIES[name]
    times = max(1, size // len(seed) // 2)  # whole seeds: what a cut leaves over may be read in another way
    for _ in range(4):  # another process may be in the way; what costs four times as much does so each time
        half, full = spent(entry, seed * times), spent(entry, seed * 2 * times)
        if full <= 3 * max(half, SMALL):
            return
    pytest.fail(f"{half:.3f} s for half, {full:.3f} s for the whole")
