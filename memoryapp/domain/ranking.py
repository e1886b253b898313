"""Scores that mean the same in every query: each part is 0–1; which of them know of other rows is said in its place."""

from __future__ import annotations

import math
from collections.abc import Container, Hashable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import NamedTuple, TypeVar

T = TypeVar("T", bound=Hashable)

WORDS_ALONE = 0.85
"""Relevance of a row that holds every word of the question but has no vector of the asking model."""
EXACT_IDENTIFIER = 0.95
RELEVANCE_WEIGHT = 0.8
IMPORTANCE_WEIGHT = 0.2
LARGEST_ADJUSTMENT = 0.05
"""How far recency and confidence together may move a score, in either direction; feedback has the same bound."""
RRF_K = 60
COPY_FACTOR = 0.25
"""What is left of the score of a row that says the same as one above it: it stands behind what is a little related."""
COMMON_SHARE = 0.02
SMALL_LIBRARY = 200
LEAST_WEIGHT = 0.05
ONE_BREATH = 600.0
"""Two rows further apart than this were not said one after the other."""


class Fusion(StrEnum):
    """How words and meaning become one order: by weights, or by reciprocal ranks."""

    WEIGHTED = "weighted"
    RRF = "rrf"


@dataclass(frozen=True, slots=True)
class Weights:
    """Chosen on half of the questions of five sets and measured on the other half (docs/evaluation.md).

    `date` is what a row gains for being of the day or month that the question names; `episode` is how much of a rank
    comes from what was said in the same moment, `beside` how much a row is drawn up by a better one next to it, `answer`
    the same for a row that follows a question. `advice` is what a taste gains that bears wholly on the advice asked for,
    `speaker` what a row gains that names the person who speaks in the question (“Bart: …”). `question` and `brief` are
    the shares that a row loses which only asks, or says next to nothing.
    """

    meaning: float = 0.68
    words: float = 0.32
    date: float = 0.16
    episode: float = 1 / 3
    beside: float = 0.3
    answer: float = 0.7
    advice: float = 0.4
    speaker: float = 0.05
    question: float = 0.4
    brief: float = 0.5
    fusion: Fusion = Fusion.WEIGHTED


WEIGHTS = Weights()


class Evidence(NamedTuple):
    """What is known of one row and one question. `meaning` is None when the row has no vector of the asking model.

    `words` weighs terms by how rare they are in the library, `plain_words` does not: the first ranks, the second is
    what the reported relevance is made of. `bearing` is how much the row bears on the advice asked for
    (`domain/advice.py`), `asked` how much of it asks and `brevity` how far it is from saying anything
    (`domain/asking.py`), each 0–1; `leads` says that it ends as a question, `of_speaker` that it names the person who
    asks.
    """

    words: float
    meaning: float | None
    exact_identifier: bool = False
    identical: bool = False
    on_date: bool = False
    plain_words: float | None = None
    bearing: float = 0.0
    asked: float = 0.0
    brevity: float = 0.0
    leads: bool = False
    of_speaker: bool = False


class Standing(NamedTuple):
    """What is known of a row without the question; all 0–1. `feedback` 0.5 is neutral."""

    importance: float
    recency: float = 0.5
    confidence: float = 0.5
    feedback: float = 0.5


@dataclass(frozen=True, slots=True)
class Ranked:
    """Why a row stands where it stands; every part and the score are 0–1."""

    score: float
    relevance: float
    parts: Mapping[str, float | None]


def reciprocal_rank_fusion(rankings: Sequence[Sequence[T]], k: int = RRF_K) -> dict[T, float]:
    """Sum of 1 / (k + rank) over the rankings, rank from 1 (Cormack, Clarke and Büttcher, SIGIR 2009).

    A row that a ranking names twice counts there once, at its better rank. The result is in falling order.
    """
    fused: dict[T, float] = {}
    for ranking in rankings:
        for rank, row in enumerate(dict.fromkeys(ranking), start=1):
            fused[row] = fused.get(row, 0.0) + 1.0 / (k + rank)
    return dict(sorted(fused.items(), key=lambda pair: -pair[1]))


def term_weight(rows_with_term: int, rows: int) -> float:
    """How much a term of the question tells, 0.05–1, from how many of the library's rows hold it.

    An inverse document frequency (Spärck Jones, 1972) with a ceiling: 1 up to 2 % of the rows, falling with the
    logarithm to 0.05. Libraries below 200 rows count as 200, so that a few more rows do not move a score.
    """
    share = rows_with_term / max(rows, SMALL_LIBRARY)
    if share <= COMMON_SHARE:
        return 1.0
    return max(math.log(min(share, 1.0)) / math.log(COMMON_SHARE), LEAST_WEIGHT)


def word_coverage(query: frozenset[str], document: frozenset[str], weights: Mapping[str, float] | None = None) -> float:
    """Share of the question's terms that the document holds, each by its weight (1 where none is given)."""
    known = weights or {}
    total = sum(known.get(term, 1.0) for term in query)
    return sum(known.get(term, 1.0) for term in query & document) / total if total else 0.0


def relevance(
    words: float,
    meaning: float | None,
    exact_identifier: bool,
    identical: bool = False,
    weights: Weights | None = None,
) -> float:
    """How well a row answers the question, 0–1, from `words` (coverage) and `meaning` (calibrated cosine).

    0.68 meaning + 0.32 words; without a vector 0.85 words. An exact identifier is worth at least 0.95 and an
    identical text 1.
    """
    if identical:
        return 1.0
    share = weights or WEIGHTS
    words = _unit(words)
    found = WORDS_ALONE * words if meaning is None else share.words * words + share.meaning * _unit(meaning)
    return _unit(max(found, EXACT_IDENTIFIER) if exact_identifier else found)


def closeness(evidence: Evidence, weights: Weights | None = None) -> float:
    """What a row is ranked by before its standing: relevance by weighed words, lifted when its date is asked for, when
    it names who asks, and when it is a taste that bears on the advice asked for.
    """
    return _closeness(evidence, evidence.words, weights or WEIGHTS)


def _closeness(evidence: Evidence, words: float, share: Weights) -> float:
    found = relevance(words, evidence.meaning, evidence.exact_identifier, evidence.identical, share)
    if evidence.identical:
        return found
    lift = share.advice * evidence.bearing
    if evidence.on_date:
        lift += share.date
    if evidence.of_speaker:
        lift += share.speaker
    return _unit(found + lift) if lift else found


def closenesses(rows: Mapping[T, Evidence], weights: Weights) -> dict[T, float]:
    """The closeness of every row. By reciprocal ranks it depends on the other rows and 1 is the best possible."""
    if weights.fusion is Fusion.WEIGHTED:
        return {row: _closeness(evidence, evidence.words, weights) for row, evidence in rows.items()}
    by_words = sorted((r for r, e in rows.items() if e.words > 0), key=lambda r: -rows[r].words)
    by_meaning = sorted((r for r, e in rows.items() if e.meaning is not None), key=lambda r: -(rows[r].meaning or 0.0))
    fused = reciprocal_rank_fusion([by_words, by_meaning])
    best = 2 / (RRF_K + 1)
    return {r: 1.0 if e.identical else min(fused.get(r, 0.0) / best, 1.0) for r, e in rows.items()}


def with_episodes(near: Mapping[T, float], moments: Mapping[T, Hashable], share: float) -> dict[T, float]:
    """Rows said in one moment lend each other rank: each leans by `share` towards the mean of the moment's best two.

    A fact is often only found through the sentence beside it. A row alone in its moment keeps what it has.
    """
    by_moment: dict[Hashable, list[float]] = {}
    for row, value in near.items():
        by_moment.setdefault(moments[row], []).append(value)
    best = {moment: sum(sorted(values)[-2:]) / min(len(values), 2) for moment, values in by_moment.items()}
    return {row: value + share * (best[moments[row]] - value) for row, value in near.items()}


def with_neighbours(
    near: Mapping[T, float],
    learnt: Sequence[tuple[T, float]],
    share: float,
    leads: Container[T] = (),
    answer: float = 0.0,
) -> dict[T, float]:
    """Rows rise by `share` of the distance to the better one of those learnt right before and right after them, and by
    `answer` of it when the one before is one of `leads`, which end as a question.

    `learnt` holds rows in the order in which they were learnt, with the time at which each was said, in seconds. A turn that answers
    or explains another is often only found through it (the second half of an adjacency pair: Schegloff and Sacks,
    “Opening up closings”, 1973). No row sinks; rows said more than ten minutes apart are strangers.
    """
    rise = dict.fromkeys(near, 0.0)
    for (before, then), (after, later) in pairwise(learnt):
        if abs(later - then) <= ONE_BREATH:
            onward = answer if before in leads else share
            rise[before] = max(rise[before], share * (near[after] - near[before]))
            rise[after] = max(rise[after], onward * (near[before] - near[after]))
    return {row: value + rise[row] for row, value in near.items()}


def with_less_said(near: Mapping[T, float], rows: Mapping[T, Evidence], weights: Weights) -> dict[T, float]:
    """Rows that only ask, or say next to nothing, lose a share of their closeness.

    To an embedder a question is near to every question, and a greeting to whatever is short; neither is what a person
    wants to be told. They are weighed after their neighbours, so that a question still leads to its answer. A row that
    is the question itself or holds its identifiers loses nothing, and a short one less the more of the question's words
    it holds.
    """
    return {row: value * _told(rows[row], weights) for row, value in near.items()}


def _told(evidence: Evidence, weights: Weights) -> float:
    if evidence.identical or evidence.exact_identifier:
        return 1.0
    empty = evidence.brevity * (1.0 - _unit(evidence.words))
    return (1.0 - weights.question * evidence.asked) * (1.0 - weights.brief * empty)


def ranked(
    evidence: Evidence, standing: Standing, leaned: float | None = None, weights: Weights | None = None
) -> Ranked:
    """Score and parts of one row; `leaned` is its closeness after `with_neighbours`, `with_less_said` and
    `with_episodes`.
    """
    near = closeness(evidence, weights) if leaned is None else leaned
    told = relevant(evidence, weights or WEIGHTS)
    parts = {
        "words": evidence.words,
        "meaning": evidence.meaning,
        "date": 1.0 if evidence.on_date else 0.0,
        "advice": evidence.bearing,
        "speaker": 1.0 if evidence.of_speaker else 0.0,
        "asked": evidence.asked,
        "brevity": evidence.brevity,
        "closeness": near,
        "relevance": told,
        "importance": standing.importance,
        "recency": standing.recency,
        "confidence": standing.confidence,
        "feedback": standing.feedback,
    }
    return Ranked(total(evidence, standing, near), told, parts)


def total(evidence: Evidence, standing: Standing, near: float) -> float:
    """The score of a row whose closeness is `near`; the very text that was asked for has 1."""
    return 1.0 if evidence.identical else score(near, standing)


def relevant(evidence: Evidence, weights: Weights) -> float:
    """The reported relevance: made of the row and the question alone, so by words that are not weighed."""
    plain = evidence.words if evidence.plain_words is None else evidence.plain_words
    return _closeness(evidence, plain, weights)


def as_copy(row: Ranked) -> Ranked:
    """A row that says the same as a better one keeps a quarter of its score."""
    return Ranked(row.score * COPY_FACTOR, row.relevance, {**row.parts, "copy": COPY_FACTOR})


def score(near: float, standing: Standing) -> float:
    """0.8 closeness + 0.2 importance, moved by at most 0.05 for recency and confidence and 0.05 for feedback.

    The adjustments shrink with the closeness, so that what is not relevant cannot be lifted by being new or liked.
    """
    near = _unit(near)
    importance, recent, confidence, feedback = map(_unit, standing)
    base = RELEVANCE_WEIGHT * near + IMPORTANCE_WEIGHT * importance
    lean = (recent - 0.5) + (confidence - 0.5) + 2 * (feedback - 0.5)
    return _unit(base + LARGEST_ADJUSTMENT * lean * near)


def recency(age_days: float, half_life_days: float = 90.0) -> float:
    """1 for now, 0.5 after one half-life, towards 0; a future date counts as now."""
    return float(0.5 ** (max(age_days, 0.0) / half_life_days))


def feedback_level(useful: int, useless: int) -> float:
    """0–1 from votes, 0.5 for none: (useful + 1) / (votes + 2), Laplace's rule of succession."""
    return (useful + 1) / (useful + useless + 2)


def estimate_tokens(text: str) -> int:
    """Estimate of the tokens of a text in common tokenizers: one per wide character (Chinese, kana, Hangul,
    emoji and anything else outside ASCII), one per four ASCII characters, rounded up, and one per line break.
    """
    ascii_count = sum(1 for character in text if character.isascii())
    return len(text) - ascii_count + math.ceil(ascii_count / 4) + text.count("\n")


def _unit(value: float) -> float:
    if 0.0 <= value <= 1.0:
        return value
    return 1.0 if value > 1.0 else 0.0
