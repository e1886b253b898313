from __future__ import annotations

import pytest

from memoryapp.providers.script_folding import to_simplified


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("資料庫在臺灣", "资料库在台湾"),
        ("乾杯與乾隆", "干杯与乾隆"),
        ("皇后在後面", "皇后在后面"),
        ("已经是简体", "已经是简体"),
        ("plain ASCII, v1.2", "plain ASCII, v1.2"),
        ("日本語 café 한국", "日本语 café 한국"),
        ("", ""),
    ],
)
def test_traditional_becomes_simplified_and_the_rest_stays(text: str, folded: str) -> None:
    assert to_simplified(text) == folded


def test_half_a_surrogate_is_no_error() -> None:
    assert to_simplified("資\ud800料") == "资?料"
