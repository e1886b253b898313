"""Vectors of questions, kept for minutes under a hash of the text; the text itself is kept nowhere."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import cached_property

from memoryapp.domain.errors import ProviderError
from memoryapp.kept_briefly import KeptBriefly
from memoryapp.providers.base import Embedder

SECONDS = 300.0
MOST = 1_000
LONGEST = 600
"""Characters of a question that are embedded, two thirds of them from its beginning: an embedder reads some hundred
words, and the time it takes grows with every one. Words are looked for in all of it.
"""


class Vector(tuple[float, ...]):
    """The vector of a question, which is asked in several statements and by several people."""

    @cached_property
    def text(self) -> str:
        """As the database reads it."""
        return str(list(self))


_kept = KeptBriefly[bytes, Vector](MOST)


def vector_of(question: str, embedder: Embedder, may_ask: Callable[[], object] = lambda: None) -> Vector | None:
    """The vector of a question by this embedder; None while its provider is away. `may_ask` is called before a question
    that is not known is given to the embedder, and raises where it may not be.
    """
    key = hashlib.sha256(f"{embedder.model}\0{question}".encode("utf-8", "replace")).digest()
    seen = question if len(question) <= LONGEST else f"{question[: LONGEST * 2 // 3]} {question[-LONGEST // 3 :]}"
    try:
        return _kept.value(key, SECONDS, lambda _: _embedded(seen, embedder, may_ask))
    except ProviderError:
        return None


def _embedded(text: str, embedder: Embedder, may_ask: Callable[[], object]) -> Vector:
    may_ask()
    return Vector(embedder.embed_query(text))


def as_text(vector: Sequence[float]) -> str:
    """A vector as the database reads it; that of a question is written once."""
    return vector.text if isinstance(vector, Vector) else str(list(vector))


def look_again() -> None:
    """Embed every question anew."""
    _kept.drop()
