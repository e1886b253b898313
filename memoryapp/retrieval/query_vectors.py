"""Vectors of questions, kept for minutes under a hash of the text; the text itself is kept nowhere."""

from __future__ import annotations

import hashlib
import threading
import time
from collections import OrderedDict

from memoryapp.domain.errors import ProviderError
from memoryapp.providers.base import Embedder

SECONDS = 300.0
MOST = 1_000

Vector = tuple[float, ...]

_kept: OrderedDict[bytes, tuple[float, Vector]] = OrderedDict()
_lock = threading.Lock()


def vector_of(question: str, embedder: Embedder) -> Vector | None:
    """The vector of a question by this embedder; None while its provider is away."""
    key = hashlib.sha256(f"{embedder.model}\0{question}".encode("utf-8", "replace")).digest()
    known = _fresh(key)
    if known is not None:
        return known
    made = _embedded(embedder, question)
    if made is not None:
        _keep(key, made)
    return made


def look_again() -> None:
    with _lock:
        _kept.clear()


def _embedded(embedder: Embedder, question: str) -> Vector | None:
    try:
        return tuple(embedder.embed_query(question))
    except ProviderError:
        return None


def _fresh(key: bytes) -> Vector | None:
    with _lock:
        found = _kept.get(key)
        if found is None or found[0] < time.monotonic():
            return None
        _kept.move_to_end(key)
        return found[1]


def _keep(key: bytes, vector: Vector) -> None:
    with _lock:
        _kept[key] = (time.monotonic() + SECONDS, vector)
        while len(_kept) > MOST:
            _kept.popitem(last=False)
