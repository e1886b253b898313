"""A tenant's own words (products, people), found in a text before anything is cut.

Not a dictionary of jieba's: a tokenizer of its own would cost each tenant 61 MB, and one for all would mix tenants.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

LONGEST_WORD = 64
MOST_WORDS = 10_000


@dataclass(frozen=True, slots=True)
class OwnWords:
    """Words by the `revision` of their dictionary, in the form of `lowered`. `lengths`: first letter → how long its
    words are, longest first, so that a text is read once however many words there are."""

    revision: int = 0
    words: frozenset[str] = frozenset()
    lengths: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Where own words stand in a lowered text: from the left, the longest first, none inside another one."""
        place = 0
        while place < len(text):
            end = self._end(text, place)
            if end:
                yield place, end
            place = end or place + 1

    def _end(self, text: str, start: int) -> int:
        """The end of the longest word that begins here; 0 for none. A Latin word stands alone: `ion` is not in `lion`."""
        lengths = self.lengths.get(text[start], ())
        if not lengths or (_latin(text[start]) and start and _latin(text[start - 1])):
            return 0
        for length in lengths:
            end = start + length
            whole = not (end < len(text) and _latin(text[end]) and _latin(text[end - 1]))
            if end <= len(text) and whole and text[start:end] in self.words:
                return end
        return 0


NONE = OwnWords()


def own_words(revision: int, words: Iterable[str]) -> OwnWords:
    """Ready to be looked for; `words` are folded and lowered already."""
    kept = frozenset(words)
    lengths: dict[str, set[int]] = {}
    for word in kept:
        lengths.setdefault(word[0], set()).add(len(word))
    return OwnWords(revision, kept, {first: tuple(sorted(found, reverse=True)) for first, found in lengths.items()})


def lowered(text: str) -> str:
    """Lower case letter by letter, so that places stay true: some capitals have two small letters."""
    small = text.lower()
    return small if len(small) == len(text) else "".join(low if len(low := c.lower()) == 1 else c for c in text)


def term_of(word: str) -> str:
    """The search term of an own word: a term holds no blank."""
    return "_".join(word.split())


def _latin(char: str) -> bool:
    return char.isascii() and char.isalnum()
