"""Chinese, English or neither, by what the words are and not by what the identifiers are."""

from __future__ import annotations

import pytest

from memoryapp.domain.language import language_of, same_language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("用户住在苏州", "zh"),
        ("左撇子", "zh"),
        ("deploy 到 staging 前先跑 migrate_db.sh", "zh"),
        ("我用 VS Code 写 TypeScript 和 React", "zh"),
        ("把 review 的 comment 都用 English 写", "zh"),
        ("喜欢 jazz", "zh"),
        ("Likes jazz.", "en"),
        ("My friend 李木子 likes hiking in the mountains", "en"),
        ("User prefers 年糕", "en"),
        ("The team uses `部署脚本` on Fridays", "en"),
        ("INC-2031/07-114", "other"),
        ("migrate_db.sh", "other"),
        ("42", "other"),
        ("", "other"),
        ("猫が好きです。東京に住んでいます", "other"),
        ("Привет, я живу в Москве", "other"),
    ],
)
def test_the_language_of_a_text(text: str, language: str) -> None:
    assert language_of(text) == language


def test_a_text_that_cannot_be_judged_agrees_with_any() -> None:
    assert same_language("uq_memory_hash", "用户住在苏州")
    assert same_language("Likes tea", "INC-7")


def test_chinese_and_english_do_not_agree() -> None:
    assert not same_language("用户喜欢猫", "The user likes cats")
    assert same_language("用户喜欢猫", "我喜欢用 VS Code")
