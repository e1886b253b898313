"""A second opinion on the order, by a rerank endpoint or the language model; off by default. Late or broken, it is skipped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memoryapp.domain.errors import ProviderError
from memoryapp.providers import reranker
from memoryapp.services.results import Hit

DEPTH = 30
"""Hits that are shown to the reranker; what is returned is cut from them."""
SKIPPED = "rerank_skipped"


def is_on() -> bool:
    return reranker.configured()


def reranked(query: str, hits: Sequence[Hit]) -> tuple[tuple[Hit, ...], bool]:
    """The hits in the reranker's order, and whether it was skipped: then they are as they came.

    Scores keep their places in falling order, so that the first hit still has the highest; the reranker's own number
    is the part `rerank`.
    """
    if len(hits) < 2:
        return tuple(hits), False
    try:
        opinion = reranker.scores(query, [hit.item.content for hit in hits])
    except ProviderError:
        return tuple(hits), True
    order = sorted(range(len(hits)), key=lambda n: -opinion[n])
    falling = sorted((hit.score for hit in hits), reverse=True)
    return tuple(
        replace(hits[n], score=score, parts={**hits[n].parts, "rerank": opinion[n]})
        for n, score in zip(order, falling, strict=True)
    ), False
