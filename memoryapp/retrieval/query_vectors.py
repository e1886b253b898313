"""Vectors of questions, kept for minutes under a hash of the text; the text itself is kept nowhere."""

from __future__ import annotations

import hashlib

from memoryapp.domain.errors import ProviderError
from memoryapp.kept_briefly import KeptBriefly
from memoryapp.providers.base import Embedder

SECONDS = 300.0
MOST = 1_000

Vector = tuple[float, ...]

_kept = KeptBriefly[bytes, Vector](MOST)


def vector_of(question: str, embedder: Embedder) -> Vector | None:
    """The vector of a question by this embedder; None while its provider is away."""
    key = hashlib.sha256(f"{embedder.model}\0{question}".encode("utf-8", "replace")).digest()
    try:
        return _kept.value(key, SECONDS, lambda _: tuple(embedder.embed_query(question)))
    except ProviderError:
        return None


def look_again() -> None:
    """Embed every question anew."""
    _kept.drop()
