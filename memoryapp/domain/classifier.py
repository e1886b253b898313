"""A linear text classifier, the second look at what no list of rules foresees.

It weighs what a text is made of, each feature once: words and neighbouring words, Chinese characters and pairs of
them, or the shapes of its characters. The weights are learnt from labelled texts (`benchmarks/classifiers/train.py`,
logistic regression) and kept as JSON beside this file, so that a decision is a sum that anybody can add up.
"""

from __future__ import annotations

import json
import math
import re
import string
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from operator import add
from pathlib import Path

from memoryapp.domain.silence_words import ideas
from memoryapp.domain.value_features import around_value, beside_value

FOLDER = Path(__file__).with_name("classifiers")
LONGEST = {"dump": 900}
MOST = 2_400
"""Characters that are looked at (fewer where `LONGEST` says so), the first two thirds and the last third of them: what
fills a text is seen there.
"""

LEAST_KNOWN = 0.3
"""Share of the features seen at a glance that must be known before a classifier has an opinion."""

_WORD = re.compile(r"[a-z]+")
_NOT_CHINESE = re.compile(r"[^\u3400-\u9fff]+")
_SHAPE = re.compile(r"[A-Z]+|[a-z]+|[0-9]+|[\u3400-\u9fff]+|\n *| +|[^\w\s]")
_PUNCTUATION = {ord(sign): " " for sign in string.punctuation + string.digits}
_MARK = re.compile(r"[?!:\[@]")
Features = Callable[[str], set[str]]


def words_in(text: str) -> list[str]:
    """The Latin words of a lower-case text, in order, without apostrophes."""
    return text.translate(_PUNCTUATION).split() if text.isascii() else _WORD.findall(text)


def words_and_characters(text: str) -> set[str]:
    """The Latin words and the Chinese characters of a lower-case text."""
    found = set(words_in(text))
    if not text.isascii():
        found.update(_NOT_CHINESE.sub("", text))
    return found


def neighbours(text: str) -> set[str]:
    """Pairs of neighbouring words and of neighbouring Chinese characters; "|" stands for what is between Chinese."""
    words = words_in(text)
    found = set(map(" ".join, zip(words, words[1:], strict=False)))
    if not text.isascii():
        chinese = _NOT_CHINESE.sub("|", f"|{text}|")
        found.update(map(add, chinese, chinese[1:]))
    return found


def shape_pairs(text: str) -> set[str]:
    """Pairs of the shapes of a text's tokens: A upper, a lower case, 0 digits, 中 Chinese, marks as they are. The
    words themselves do not count, so "level=info" and "taille=petit" are the same.
    """
    return set(map(add, shapes := _shapes(text), shapes[1:]))


def shape_triples(text: str) -> set[str]:
    shapes = _shapes(text)
    return {a + b + c for a, b, c in zip(shapes, shapes[1:], shapes[2:], strict=False)}


def _shapes(text: str) -> list[str]:
    return ["\n", *map(_shape, _SHAPE.findall(text)), "\n"]


def _shape(token: str) -> str:
    first = token[0]
    if first == "\n":
        return "\n>" if len(token) > 1 else "\n"
    if first == " ":
        return "  " if len(token) > 1 else " "
    if first.isdigit():
        return "0"
    if first >= "\u3400":
        return "中" if first <= "\u9fff" else first
    return "A" if "A" <= first <= "Z" else "a" if "a" <= first <= "z" else first


def with_stems(text: str) -> set[str]:
    """As `neighbours`, and the beginnings of longer words, which their endings share."""
    return neighbours(text) | {word[:5] + "~" for word in words_in(text) if len(word) > 5}


def with_fragments(text: str) -> set[str]:
    """As `neighbours`, and four letters or three Chinese characters in a row, and some marks: for short texts."""
    fragments = {edged[n : n + 4] for word in words_in(text) if (edged := f"<{word}>") for n in range(len(edged) - 3)}
    chinese = _NOT_CHINESE.sub("|", f"|{text}|")
    fragments.update(a + b + c for a, b, c in zip(chinese, chinese[1:], chinese[2:], strict=False))
    return neighbours(text) | fragments | set(_MARK.findall(text))


def with_words(text: str) -> set[str]:
    """As `shape_triples`, and the words, so that a machine's own vocabulary counts."""
    return shape_triples(text) | {f"={word}" for word in words_and_characters(text.lower())}


def with_edges(text: str) -> set[str]:
    """As `neighbours`, and how a text begins and ends: requests stand there."""
    words = words_in(text)
    found = {f"^{' '.join(words[:n])}" for n in (1, 2, 3)} | {f"{' '.join(words[-2:])}$"}
    if not text.isascii():
        chinese = _NOT_CHINESE.sub("", text)
        found.update(f"^{chinese[:n]}" for n in (1, 2, 3, 4))
        found.update(f"{chinese[-n:]}$" for n in (1, 2, 3))
    return found | neighbours(text)


def with_ideas(text: str) -> set[str]:
    """As `with_edges`, and the ideas that a wish not to store is put together from."""
    return with_edges(text) | ideas(text)


FEATURES: Mapping[str, tuple[Features, Features]] = {
    "injection": (words_and_characters, with_stems),
    "noise": (words_and_characters, with_fragments),
    "dump": (shape_pairs, with_words),
    "ask": (words_and_characters, with_edges),
    "forget": (words_and_characters, with_edges),
    "silence": (words_and_characters, with_ideas),
    "credential": (around_value, beside_value),
    "lasting": (words_and_characters, with_edges),
}
"""What each classifier looks at, at a glance and closely. For the guard: attacks, small talk, machine output. For
admission: what asks something of memory, to forget, not to be stored, and what tells something that may last.
"""


@dataclass(frozen=True, slots=True)
class Classifier:
    """`weights` of features and a `bias`. A text belongs to the class from the score `threshold` on, and surely does
    not below `floor`; below `glance` of the first features alone nothing else is looked at.
    """

    features: tuple[Features, Features]
    weights: Mapping[str, float]
    bias: float
    threshold: float
    glance: float
    floor: float
    longest: int = MOST

    def accepts(self, text: str) -> bool:
        """Whether the text belongs to the class."""
        score = self.score(text)
        return score is not None and score >= self.threshold

    def rejects(self, text: str) -> bool:
        """Whether the text surely does not belong to the class; many texts are neither accepted nor rejected."""
        score = self.score(text)
        return score is not None and score < self.floor

    def score(self, text: str) -> float | None:
        """The log-odds of the class; None for a text of which too little is known, in another language perhaps."""
        seen = excerpt(text, self.longest)
        first = self.features[0](seen)
        if len(self.weights.keys() & first) < LEAST_KNOWN * len(first) or not first:
            return None
        glance = self._weighed(first, 2 * len(first))
        if glance < self.glance:
            return glance
        both = first | self.features[1](seen)
        return self._weighed(both, len(both))

    def _weighed(self, found: set[str], length: int) -> float:
        """The features form a vector of length one (each 1 / √length), so that long texts weigh no more than short."""
        return self.bias + math.fsum(map(self.weights.__getitem__, self.weights.keys() & found)) / math.sqrt(
            length or 1
        )


def excerpt(text: str, longest: int = MOST) -> str:
    """The text itself, or what is looked at of a longer one."""
    if len(text) <= longest:
        return text
    return f"{text[: longest * 2 // 3]}\n{text[-longest // 3 :]}"


@cache
def classifier(name: str) -> Classifier:
    """The classifier of a class of `FEATURES`, read once."""
    learnt = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return Classifier(features=FEATURES[name], longest=LONGEST.get(name, MOST), **learnt)


def warm() -> None:
    """Read all classifiers, so that no request waits for them."""
    for name in FEATURES:
        classifier(name)
