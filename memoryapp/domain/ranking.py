"""Scores that mean the same in every query: each part is 0–1 and depends on one row and one question only."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T", bound=Hashable)

WORDS_WEIGHT = 0.3
MEANING_WEIGHT = 0.7
WORDS_ALONE = 0.85
"""Relevance of a row that holds every word of the question but whose meaning says nothing."""
EXACT_IDENTIFIER = 0.95
RELEVANCE_WEIGHT = 0.8
IMPORTANCE_WEIGHT = 0.2
LARGEST_ADJUSTMENT = 0.05
"""How far recency and confidence together may move a score, in either direction."""


@dataclass(frozen=True, slots=True)
class ScoreParts:
    """Why a row stands where it stands; every part and the score are 0–1. `meaning` is None without a vector."""

    words: float
    meaning: float | None
    relevance: float
    importance: float
    recency: float
    confidence: float
    score: float


def reciprocal_rank_fusion(rankings: Sequence[Sequence[T]], k: int = 60) -> dict[T, float]:
    """Sum of 1 / (k + rank) over the rankings, rank from 1 (Cormack, Clarke and Büttcher, SIGIR 2009).

    For choosing candidates only: its values depend on the other rows, so they are never shown as a score.
    A row that a ranking names twice counts there once, at its better rank. The result is in falling order.
    """
    fused: dict[T, float] = {}
    for ranking in rankings:
        for rank, row in enumerate(dict.fromkeys(ranking), start=1):
            fused[row] = fused.get(row, 0.0) + 1.0 / (k + rank)
    return dict(sorted(fused.items(), key=lambda pair: -pair[1]))


def word_coverage(query: frozenset[str], document: frozenset[str]) -> float:
    """Share of the question's terms that the document holds, longer terms weighing more; 0 for no terms."""
    total = sum(_weight(term) for term in query)
    return sum(_weight(term) for term in query & document) / total if total else 0.0


def relevance(words: float, meaning: float | None, exact_identifier: bool, identical: bool = False) -> float:
    """How well a row answers the question, 0–1, from `words` (coverage) and `meaning` (calibrated cosine).

    0.3 words + 0.7 meaning, but never below 0.85 words: a row that holds all the words is relevant even when the
    embedder does not see it. An exact identifier is worth at least 0.95 and an identical text 1.
    """
    words = _unit(words)
    if identical:
        return 1.0
    found = WORDS_ALONE * words
    if meaning is not None:
        found = max(found, WORDS_WEIGHT * words + MEANING_WEIGHT * _unit(meaning))
    return _unit(max(found, EXACT_IDENTIFIER) if exact_identifier else found)


def score(relevance: float, importance: float, recency: float = 0.5, confidence: float = 0.5) -> float:
    """0.8 relevance + 0.2 importance, moved by at most 0.05 for recency and confidence (0.5 is neutral); 0–1.

    The adjustment shrinks with the relevance, so that what is not relevant cannot be lifted by being new.
    """
    base = RELEVANCE_WEIGHT * _unit(relevance) + IMPORTANCE_WEIGHT * _unit(importance)
    lean = (_unit(recency) - 0.5) + (_unit(confidence) - 0.5)
    return _unit(base + LARGEST_ADJUSTMENT * lean * _unit(relevance))


def score_parts(
    words: float, meaning: float | None, relevance: float, importance: float, recency: float, confidence: float
) -> ScoreParts:
    """All parts with the score that follows from them."""
    total = score(relevance, importance, recency, confidence)
    return ScoreParts(words, meaning, relevance, importance, recency, confidence, total)


def recency(age_days: float, half_life_days: float = 90.0) -> float:
    """1 for now, 0.5 after one half-life, towards 0; a future date counts as now."""
    return float(0.5 ** (max(age_days, 0.0) / half_life_days))


def estimate_tokens(text: str) -> int:
    """Estimate of the tokens of a text in common tokenizers: one per wide character (Chinese, kana, Hangul,
    emoji and anything else outside ASCII), one per four ASCII characters, rounded up, and one per line break.
    """
    ascii_count = sum(1 for character in text if character.isascii())
    return len(text) - ascii_count + math.ceil(ascii_count / 4) + text.count("\n")


def _weight(term: str) -> float:
    """Long terms say more; a Chinese character says about as much as three letters."""
    return math.sqrt(sum(1.0 if char.isascii() else 3.0 for char in term))


def _unit(value: float) -> float:
    return 0.0 if math.isnan(value) else min(max(value, 0.0), 1.0)
