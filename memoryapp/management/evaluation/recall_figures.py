"""Figures over ranked answers: recall at k, MRR, nDCG@10, with intervals, by category; stale and noisy hits; tokens."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from statistics import fmean
from uuid import UUID

DEPTHS = (1, 5, 10, 20)
RESAMPLES = 1_000


@dataclass(frozen=True, slots=True)
class Ranking:
    """What one question got. `tokens` is the size of the context for it, None when none was asked for."""

    query_id: str
    category: str
    gold: frozenset[UUID]
    stale: frozenset[UUID]
    noise: frozenset[UUID]
    hits: tuple[UUID, ...]
    context: tuple[UUID, ...] = ()
    tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean with its 95 % interval from resampling the questions."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.4f} [{self.low:.3f}, {self.high:.3f}]"


def recall_at(k: int) -> Callable[[Ranking], float]:
    return lambda r: len(r.gold & set(r.hits[:k])) / len(r.gold) if r.gold else 0.0


def reciprocal_rank(ranking: Ranking) -> float:
    return next((1 / place for place, hit in enumerate(ranking.hits, start=1) if hit in ranking.gold), 0.0)


def ndcg(ranking: Ranking, k: int = 10) -> float:
    """Normalised discounted cumulative gain with gains of 1 (Järvelin and Kekäläinen, 2002)."""
    gain = sum(1 / math.log2(place + 2) for place, hit in enumerate(ranking.hits[:k]) if hit in ranking.gold)
    best = sum(1 / math.log2(place + 2) for place in range(min(k, len(ranking.gold))))
    return gain / best if best else 0.0


def stale_first(ranking: Ranking) -> float:
    """1 when what is no longer true stands above all that is."""
    for hit in ranking.hits:
        if hit in ranking.gold:
            return 0.0
        if hit in ranking.stale:
            return 1.0
    return 0.0


MEASURES: dict[str, Callable[[Ranking], float]] = {
    **{f"recall@{k}": recall_at(k) for k in DEPTHS},
    "MRR": reciprocal_rank,
    "nDCG@10": ndcg,
}


def figure(values: Sequence[float], seed: int = 7) -> Figure:
    """Mean and percentile interval; an empty sample is 0."""
    if not values:
        return Figure(0.0, 0.0, 0.0)
    chance = random.Random(seed)
    means = sorted(fmean(chance.choices(values, k=len(values))) for _ in range(RESAMPLES))
    return Figure(fmean(values), means[int(RESAMPLES * 0.025)], means[int(RESAMPLES * 0.975)])


def quality(rankings: Collection[Ranking]) -> dict[str, Figure]:
    return {name: figure([measure(r) for r in rankings]) for name, measure in MEASURES.items()}


def by_category(rankings: Collection[Ranking]) -> dict[str, tuple[int, float]]:
    """Category → questions and nDCG@10."""
    names = sorted({r.category for r in rankings})
    return {
        name: (len(chosen), fmean(map(ndcg, chosen)))
        for name in names
        if (chosen := [r for r in rankings if r.category == name])
    }


def use(rankings: Collection[Ranking]) -> dict[str, float]:
    """Stale hits above the answer, noise among what a context holds, context that misses the answer, tokens a call.

    Each is left out when nothing of the set lets it be measured.
    """
    told: dict[str, float] = {}
    if stale := [stale_first(r) for r in rankings if r.stale]:
        told["stale above the answer"] = fmean(stale)
    asked = [r for r in rankings if r.tokens is not None]
    if asked:
        told["tokens a context"] = fmean(r.tokens or 0 for r in asked)
        told["answer in the context"] = fmean(
            len(r.gold & set(r.context)) / len(r.gold) if r.gold else 0 for r in asked
        )
        told["stale in the context"] = fmean(bool(r.stale & set(r.context)) for r in asked)
    if noisy := [r for r in asked if r.noise]:
        told["noise in the context"] = fmean(len(r.noise & set(r.context)) / max(len(r.context), 1) for r in noisy)
    return told


def difference(one: Sequence[Ranking], other: Sequence[Ranking]) -> Figure:
    """nDCG@10 of the second minus the first, question by question."""
    return figure([ndcg(b) - ndcg(a) for a, b in zip(one, other, strict=True)])
