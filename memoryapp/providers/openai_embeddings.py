"""An embedder over any API that speaks OpenAI's `/embeddings`."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence

from memoryapp.domain.errors import ProviderError
from memoryapp.providers.endpoint import Address, Endpoint, JsonObject, OptionRefused

Vector = list[float]


class OpenAICompatibleEmbedder:
    """Embeds over HTTP in batches of at most `batch` texts; each call takes at most the address's timeout.

    `dimensions` is what the operator demands, or None to learn it from the first answer. Vectors come back with
    length 1, in the order of the texts. A wrong number of them, unequal ones, a zero vector or a number that is not
    finite is `embedding_invalid` (transient: the provider hiccuped); other dimensions than demanded or learnt before
    are `embedding_dimensions` (permanent: another model answers there).
    """

    def __init__(self, address: Address, dimensions: int | None = None, batch: int = 64) -> None:
        self.model = address.model
        self._endpoint = Endpoint(address)
        self._dimensions = dimensions
        self._asks_for = dimensions
        self._batch = batch
        self._lock = threading.Lock()

    @property
    def dimensions(self) -> int:
        """Length of each vector; asks the provider when it is not known yet."""
        if self._dimensions is None:
            return len(self.embed_query("dimensions"))
        return self._dimensions

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """Vectors of texts that are stored; an empty list for no texts."""
        vectors: list[Vector] = []
        for start in range(0, len(texts), self._batch):
            vectors += self._embed(texts[start : start + self._batch])
        return vectors

    def embed_query(self, text: str) -> Vector:
        """The vector of a question."""
        return self._embed([text])[0]

    def calibrate(self, cosine: float) -> float:
        """Cosine → 0–1. Models behind this API spread unrelated texts around 0, so the positive half is kept as is."""
        return min(max(cosine, 0.0), 1.0)

    def close(self) -> None:
        self._endpoint.close()

    def _embed(self, texts: Sequence[str]) -> list[Vector]:
        answer = self._ask([text if text.strip() else "-" for text in texts])
        vectors = _vectors(answer, len(texts))
        self._check_length(vectors)
        return vectors

    def _ask(self, texts: list[str]) -> JsonObject:
        """Not every model takes `dimensions`; one that refuses it is asked without, and its vectors are checked."""
        body: JsonObject = {"model": self.model, "input": texts}
        if self._asks_for is None:
            return self._endpoint.post("embeddings", body)
        try:
            return self._endpoint.post("embeddings", body | {"dimensions": self._asks_for})
        except OptionRefused as refusal:
            if not refusal.names("dimensions", "dimension", "matryoshka"):
                raise
        self._asks_for = None
        return self._endpoint.post("embeddings", body)

    def _check_length(self, vectors: list[Vector]) -> None:
        with self._lock:
            self._dimensions = self._dimensions or len(vectors[0])
            expected = self._dimensions
        if any(len(vector) != expected for vector in vectors):
            found = ", ".join(sorted({str(len(vector)) for vector in vectors}))
            detail = f"The embedding provider sent vectors of {found} dimensions where {expected} are in use."
            raise ProviderError("embedding_dimensions", detail, transient=False)


def _vectors(answer: JsonObject, count: int) -> list[Vector]:
    rows = answer.get("data")
    if not isinstance(rows, list) or len(rows) != count:
        raise _invalid("another number of vectors than texts")
    ordered = sorted(enumerate(rows), key=lambda pair: _index(pair[1], pair[0]))
    vectors = [_vector(row) for _, row in ordered]
    if len({len(vector) for vector in vectors}) > 1:
        raise _invalid("vectors of different lengths")
    return vectors


def _index(row: object, position: int) -> int:
    index = row.get("index") if isinstance(row, dict) else None
    return index if isinstance(index, int) else position


def _vector(row: object) -> Vector:
    numbers = row.get("embedding") if isinstance(row, dict) else None
    if not isinstance(numbers, list) or not numbers or not all(type(n) in (int, float) for n in numbers):
        raise _invalid("something that is not a vector")
    vector = [float(number) for number in numbers]
    norm = math.hypot(*vector)
    if not math.isfinite(norm) or norm == 0:
        raise _invalid("a vector that has no direction")
    return [number / norm for number in vector]


def _invalid(what: str) -> ProviderError:
    return ProviderError("embedding_invalid", f"The embedding provider sent {what}.", transient=True)
