"""What the pipeline needs of a judge and of an embedder. Implementations are chosen by settings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from memoryapp.domain.extraction import JudgeRequest
from memoryapp.domain.types import Judgement


class Extractor(Protocol):
    """Judges what of a conversation becomes memory."""

    @property
    def name(self) -> str:
        """Short name kept with each item as its extractor, e.g. `rules`."""
        ...

    @property
    def model(self) -> str:
        """The model's own name; empty when there is none."""
        ...

    def judge(self, request: JudgeRequest) -> Judgement:
        """Answer one request. Raises `ProviderError` (endpoint) or `InvalidAnswer` (unreadable after repair)."""
        ...


class Embedder(Protocol):
    """Turns texts into unit vectors."""

    @property
    def model(self) -> str:
        """Name stored beside each vector, so that vectors of different models are never compared."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of every vector."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Vectors of texts to be found, one per text, in order. Raises `ProviderError`."""
        ...

    def embed_query(self, text: str) -> list[float]:
        """Vector of a question. Raises `ProviderError`."""
        ...

    def calibrate(self, cosine: float) -> float:
        """Map this model's cosine (−1 to 1) to a relevance between 0 and 1 that means the same for every model."""
        ...
