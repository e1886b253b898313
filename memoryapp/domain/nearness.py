"""How near known items are by meaning to what somebody wants changed or forgotten, where words alone do not tell.

The vectors are made outside (`memoryapp.services.nearness`); here it is said which texts are worth measuring and when
an item is surely the one that is meant. Likeness decides only where the person asked for a change or a deletion.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import mean
from uuid import UUID

from memoryapp.domain.cues import find_cues, unheard
from memoryapp.domain.naming import bare_name
from memoryapp.domain.types import Cue, CueKind, Role, Shown, Turn

LEAST_CHANGED, LEAST_FORGOTTEN, LEAST_FAINT, LEAST_HINT = 0.28, 0.26, 0.24, 0.1
"""Nearness (0–1, calibrated by the embedder) from which an item may be the one that is meant.

Measured on our cases: of 84 wishes to forget with several items 72 find theirs and 2 another one; over twelve items of
other people about 6 in 148 find one that they do not name."""
LEAST_JUDGED = 0.45
"""Nearness from which a judge's change of an item is believed although they share no word."""
MARGIN = 0.1
"""By how much it must be nearer than any other."""
_WITHIN = 0.15
"""How far behind the nearest one others of a group may be."""
MOST_TEXTS = 12
LONGEST = 400
"""Characters of a text that is measured; what is longer says too many things at once."""

Hint = Callable[[Shown], float]


def no_hint(item: Shown) -> float:
    return 0.0


@dataclass(frozen=True, slots=True)
class Nearness:
    """Text → item → nearness between 0 and 1. Empty where nobody measured: then nothing is found by meaning."""

    measured: Mapping[str, Mapping[UUID, float]] = field(default_factory=dict)

    def meant(
        self,
        texts: Iterable[str],
        shown: Sequence[Shown],
        least: float,
        hint: Hint = no_hint,
        on_the_whole: bool = False,
    ) -> Shown | None:
        """The item that the texts surely mean: near enough, and nearer than any other by the margin.

        The best text counts, or `on_the_whole` their mean. `hint` adds what words say for an item.
        """
        ranked = self._ranked(tuple(texts), shown, hint, mean if on_the_whole else max)
        if not ranked or ranked[0][0] < least or (len(ranked) > 1 and ranked[0][0] - ranked[1][0] < MARGIN):
            return None
        return ranked[0][1]

    def group(self, texts: Iterable[str], shown: Sequence[Shown], least: float, hint: Hint = no_hint) -> list[Shown]:
        """The items that the texts mean when they speak of several: the nearest one and those that are about as near."""
        ranked = self._ranked(tuple(texts), shown, hint)
        return [item for share, item in ranked if share >= max(least, ranked[0][0] - _WITHIN)]

    def is_near(self, item: Shown, least: float) -> bool:
        """Whether anything that was measured is so near to the item."""
        return any(near.get(item.id, 0.0) >= least for near in self.measured.values())

    def _ranked(
        self, texts: Sequence[str], shown: Sequence[Shown], hint: Hint, summed: Callable[[list[float]], float] = max
    ) -> list[tuple[float, Shown]]:
        near = [self.measured[text] for text in texts if text in self.measured]
        scored = ((summed([each.get(item.id, 0.0) for each in near]) + hint(item), item) for item in shown if near)
        return sorted(scored, key=lambda pair: -pair[0])


NOT_MEASURED = Nearness()


def worth_measuring(turns: Sequence[Turn]) -> tuple[str, ...]:
    """The texts whose meaning may have to say which item is meant: requests to change or forget, with their message."""
    texts = [text for turn in turns if turn.role is Role.USER for text in _of_message(turn.text)]
    return tuple(dict.fromkeys(texts))[-MOST_TEXTS:]


def _of_message(message: str) -> Iterator[str]:
    cues = [cue for cue in find_cues(message) if cue.kind is not CueKind.DO_NOT_STORE]
    yield from (text for cue in cues for text in (*said_of(cue, message), *parts_of(cue.body)))
    kind = unheard(message) if not cues else None
    if kind is not None:
        yield from whole(message)
    if kind is CueKind.FORGET:
        yield bare_name(message)[:LONGEST]


def whole(message: str) -> tuple[str, ...]:
    """A message without what is to stay, as it is measured when no request can be cut out of it."""
    text = _STAYS.sub("", message).strip()
    return (text, *_topic(text)) if 0 < len(text) <= LONGEST else ()


_FIRST_CLAUSE = re.compile(r"[，,：:。.!！?？]\s*")
_SHORTEST_TOPIC = 6


def _topic(text: str) -> tuple[str, ...]:
    """The first clause of several: it often names what changes, and the others what to (把学历改一下，硕士毕业了)."""
    first = _FIRST_CLAUSE.split(text, maxsplit=1)[0].strip()
    return (first,) if _SHORTEST_TOPIC <= len(first) < len(text) - 1 else ()


def said_of(cue: Cue, message: str) -> tuple[str, ...]:
    """What a request is about, the request and its message, without what is to stay; long ones say too many things."""
    named = (bare_name(cue.body),) if cue.kind is CueKind.FORGET else ()
    texts = (_STAYS.sub("", text).strip() for text in (*named, cue.body, cue.clause, message, *_topic(cue.clause)))
    return tuple(dict.fromkeys(text for text in texts if 0 < len(text) <= LONGEST))


_STAYS = re.compile(
    r"[，,；;。.][^，,；;。.]{1,24}?(?:不动|不变|照旧|不用[改删动]|别[改删动]|留着|保留)[^，,；;。.]{0,4}"
    r"|[,;.][^,;.]{1,40}\b(?:is|are) still\b[^,;.]{0,20}"
    r"|[,;.][^,;.]{1,40}\b(?:stays?|remains?|can stay|is unchanged|as it is|the same)\b[^,;.]{0,12}",
    re.IGNORECASE,
)
_AND = re.compile(r"[、和跟与]|以及|还有|\band\b|,", re.IGNORECASE)


def parts_of(body: str) -> tuple[str, ...]:
    """The things that a request names one after another (体重和血压); none when it names one."""
    parts = [part.strip() for part in _AND.split(body)]
    return tuple(part for part in parts if len(part) > 1) if len(parts) > 1 and len(body) <= LONGEST else ()
