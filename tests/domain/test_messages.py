"""Text out of any message shape, and our own block never coming back."""

from __future__ import annotations

import pytest

from memoryapp.domain.errors import DomainError
from memoryapp.domain.messages import INJECTION_END, INJECTION_START, clean_text, fold_width, text_of, without_injected


def test_invisible_characters_go_and_line_breaks_stay() -> None:
    assert clean_text(" a\u200bb\u202e\U000e0041\r\nc\u00ad ") == "ab\nc"


def test_composed_and_decomposed_letters_become_one() -> None:
    assert clean_text("cafe\u0301") == "café"


def test_a_joined_emoji_stays_whole() -> None:
    family = "👨\u200d👩\u200d👧"
    assert clean_text(f"我家 {family}") == f"我家 {family}"


def test_text_parts_are_joined_and_the_rest_is_ignored() -> None:
    parts = [
        {"type": "text", "text": "first"},
        {"type": "image_url", "image_url": {"url": "https://x.test/a.png"}},
        {"type": "input_text", "text": "second"},
        {"type": "tool_use", "text": "not this"},
        {"text": "third"},
        "fourth",
        {"type": "output_text", "text": "第五"},
        {"type": "text", "text": None},
    ]
    assert text_of(parts) == "first\nsecond\nthird\nfourth\n第五"


def test_a_message_of_pictures_has_no_text() -> None:
    assert text_of([{"type": "image_url", "image_url": {}}]) == ""


@pytest.mark.parametrize("content", [None, 7, {"image": "x"}, {"text": 3}, b"bytes", [3], [None]])
def test_a_wrong_shape_is_refused_with_its_code(content: object) -> None:
    with pytest.raises(DomainError) as caught:
        text_of(content)
    assert caught.value.code == "invalid_message"


BLOCK = f"{INJECTION_START}\n- [preference] likes tea\n{INJECTION_END}"


@pytest.mark.parametrize(
    "block",
    [
        BLOCK,
        BLOCK.upper(),
        BLOCK.replace("<", "＜").replace(">", "＞"),
        "   " + BLOCK.replace("\n", "\n   "),
        "> " + BLOCK.replace("\n", "\n> "),
        BLOCK.replace("\n", " "),
        BLOCK.replace("<memoryapp-context>", "< memoryapp-context version=2 >"),
    ],
)
def test_our_block_is_taken_out_however_it_is_written(block: str) -> None:
    assert without_injected(f"{block}\n今天吃什么？") == "今天吃什么？"


def test_a_block_without_its_end_reaches_to_the_end() -> None:
    assert without_injected(f"hello\n{INJECTION_START}\n- likes tea") == "hello"


def test_a_quoted_block_without_its_end_reaches_to_the_end_of_the_quotation() -> None:
    assert without_injected(f"> {INJECTION_START}\n> - likes tea\nand now?") == "and now?"


def test_two_blocks_go_and_what_stands_between_them_stays() -> None:
    assert without_injected(f"{BLOCK}\nkeep me\n{BLOCK}") == "keep me"


def test_a_text_without_our_block_is_untouched() -> None:
    assert without_injected("Ｗｉｄｅ text about memoryapp context") == "Ｗｉｄｅ text about memoryapp context"


def test_folding_remembers_where_each_character_stood() -> None:
    folded = fold_width("密钥ＡＢ１")
    assert folded.text == "密钥AB1"
    assert folded.source_span(2, 5) == (2, 5)
