"""The HTTP embedder against a real server."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest

from memoryapp.domain.errors import ProviderError
from memoryapp.providers.endpoint import Address, close_breakers
from memoryapp.providers.openai_embeddings import OpenAICompatibleEmbedder
from tests.llm_stub import Literal, LLMStub, vector

OPENED: list[OpenAICompatibleEmbedder] = []


@pytest.fixture
def stub() -> Iterator[LLMStub]:
    close_breakers()
    with LLMStub(dimensions=12) as server:
        yield server
    while OPENED:
        OPENED.pop().close()


def embedder_at(stub: LLMStub, dimensions: int | None = None, batch: int = 64) -> OpenAICompatibleEmbedder:
    OPENED.append(OpenAICompatibleEmbedder(Address("embedding", stub.base_url, "e-1", 5.0), dimensions, batch))
    return OPENED[-1]


def rows(*vectors: list[float]) -> Literal:
    return Literal({"data": [{"index": i, "embedding": v} for i, v in enumerate(vectors)]})


def code(embedder: OpenAICompatibleEmbedder, *texts: str) -> tuple[str, bool]:
    with pytest.raises(ProviderError) as caught:
        embedder.embed_passages(texts)
    return caught.value.code, caught.value.transient


def test_texts_are_embedded_in_batches_and_in_order(stub: LLMStub) -> None:
    texts = ["苏堤的柳树", "a red kayak", "第三条", "four", "五"]
    vectors = embedder_at(stub, batch=2).embed_passages(texts)
    assert [len(body["input"]) for body in stub.embedding_requests] == [2, 2, 1]
    assert vectors[3] == pytest.approx(vector("four", 12))
    assert len(vectors) == 5


def test_no_texts_cost_no_call(stub: LLMStub) -> None:
    assert embedder_at(stub).embed_passages([]) == []
    assert stub.embedding_requests == []


def test_dimensions_are_learnt_from_the_provider(stub: LLMStub) -> None:
    embedder = embedder_at(stub)
    assert embedder.dimensions == 12
    embedder.embed_query("桥")
    assert embedder.dimensions == 12


def test_rows_are_ordered_by_their_index(stub: LLMStub) -> None:
    first, second = [1.0, 0.0], [0.0, 1.0]
    swapped = [{"index": 1, "embedding": second}, {"index": 0, "embedding": first}]
    stub.embedding_failures.append(Literal({"data": swapped}))
    assert embedder_at(stub).embed_passages(["a", "b"]) == [first, second]


def test_vectors_have_length_one(stub: LLMStub) -> None:
    stub.embedding_failures.append(rows([3, 4]))
    assert embedder_at(stub).embed_query("a") == pytest.approx([0.6, 0.8])
    assert math.hypot(*embedder_at(stub).embed_query("长")) == pytest.approx(1)


@pytest.mark.parametrize(
    "bad",
    [
        rows([1.0, 0.0]),
        rows([1.0, 0.0], [1.0]),
        rows([1.0, 0.0], [0.0, 0.0]),
        rows([1.0, 0.0], [float("nan"), 0.0]),
        rows([1.0, 0.0], ["1", 2]),  # type: ignore[list-item]
        Literal({"data": None}),
        Literal({}),
    ],
)
def test_a_malformed_answer_is_an_error_and_never_a_vector(stub: LLMStub, bad: Literal) -> None:
    stub.embedding_failures.append(bad)
    assert code(embedder_at(stub), "a", "b") == ("embedding_invalid", True)


def test_another_dimension_than_before_is_permanent(stub: LLMStub) -> None:
    embedder = embedder_at(stub)
    embedder.embed_query("a")
    stub.dimensions = 16
    assert code(embedder, "b") == ("embedding_dimensions", False)


def test_demanded_dimensions_are_asked_for(stub: LLMStub) -> None:
    assert len(embedder_at(stub, dimensions=6).embed_query("a")) == 6
    assert stub.embedding_requests[0]["dimensions"] == 6


def test_a_model_that_cannot_shorten_is_asked_without_and_checked(stub: LLMStub) -> None:
    stub.accepts_dimensions = False
    assert len(embedder_at(stub, dimensions=12).embed_query("a")) == 12
    assert code(embedder_at(stub, dimensions=6), "a") == ("embedding_dimensions", False)


def test_a_failing_text_fails_its_call(stub: LLMStub) -> None:
    stub.failing_texts.add("毒")
    assert code(embedder_at(stub), "好", "有毒") == ("embedding_unavailable", True)


@pytest.mark.parametrize(
    ("status", "expected"), [(401, ("embedding_auth", False)), (429, ("embedding_rate_limited", True))]
)
def test_refusals_carry_the_embedding_codes(stub: LLMStub, status: int, expected: tuple[str, bool]) -> None:
    stub.embedding_failures.append(status)
    assert code(embedder_at(stub), "a") == expected


def test_an_empty_text_is_sent_as_something_a_provider_accepts(stub: LLMStub) -> None:
    embedder_at(stub).embed_passages(["", " "])
    assert all(text.strip() for text in stub.embedding_requests[0]["input"])


def test_calibration_keeps_the_positive_half(stub: LLMStub) -> None:
    calibrate = embedder_at(stub).calibrate
    assert [calibrate(c) for c in (-0.5, 0.0, 0.4, 1.0, 1.0000001)] == [0.0, 0.0, 0.4, 1.0, 1.0]
