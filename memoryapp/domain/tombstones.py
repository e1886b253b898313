"""What was forgotten stays forgotten: the one decision that every write asks for. Pure.

Three tiers, all without content: the words of the source may not be read again (`Mask`), the same text may not be
written again (fingerprint), the same subject–predicate–object may not be written again (triple). A near repeat (Jaccard
of the keyed words at least 0.8) is not refused but waits for the person. A newer explicit statement of the person
passes all of them and lifts the stones that it met.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from memoryapp.domain.hashing import fingerprint, keyed_words, message_hash, span_hash, triple_fingerprint
from memoryapp.domain.messages import clean_text

NEAR = 0.8
"""Jaccard similarity from which two texts count as near repeats (issue “forgetting”, tombstones)."""
FEWEST_WORDS = 3
"""Fewer words than this are compared literally only."""
BLANK = "▒"
"""Stands for each character of a span that may not be read, so that the offsets of other spans stay true."""


@dataclass(frozen=True, slots=True)
class Stone:
    """A tombstone. Statements said up to `horizon` stay dead; `words` are keyed, so that they tell nothing."""

    id: UUID
    item_id: UUID
    fingerprint: bytes
    horizon: datetime
    triple: bytes | None = None
    words: frozenset[bytes] = frozenset()


@dataclass(frozen=True, slots=True)
class Mask:
    """A span of a source message, by keyed hashes. `length` 0 covers the whole message; offsets count characters of
    the message with its blanks evened."""

    text_hash: bytes
    start: int
    length: int
    span_hash: bytes
    horizon: datetime


@dataclass(frozen=True, slots=True)
class Plot:
    """Stones and masks under one key. A person who was erased and came back has an older plot beside the present one."""

    key: bytes = field(repr=False)
    stones: tuple[Stone, ...] = ()
    masks: tuple[Mask, ...] = ()


@dataclass(frozen=True, slots=True)
class Wording:
    content: str
    subject: str = ""
    predicate: str = ""
    object: str = ""


class Standing(StrEnum):
    FREE = "free"
    BLOCKED = "tombstoned"
    SIMILAR = "similar_to_deleted"


@dataclass(frozen=True, slots=True)
class Ruling:
    """Whether a text may be written, and the stones that it lifts."""

    standing: Standing = Standing.FREE
    lifts: tuple[UUID, ...] = ()


@dataclass(frozen=True, slots=True)
class Graveyard:
    """Everything that was forgotten in one space."""

    plots: tuple[Plot, ...] = ()

    def rule(self, wording: Wording, said_at: datetime, explicit: bool, fold: Callable[[str], str]) -> Ruling:
        """`explicit`: the person said it with a cue in a user turn, or wrote it on their own page."""
        if BLANK in wording.content:
            return Ruling(Standing.BLOCKED)
        same = [s for plot in self.plots for s in _same(plot, wording, fold)]
        dead = [s for s in same if not (explicit and said_at > s.horizon)]
        if dead:
            return Ruling(Standing.BLOCKED)
        if same or explicit:
            return Ruling(Standing.FREE, tuple(s.id for s in same))
        if any(_near(plot, wording.content, fold) for plot in self.plots):
            return Ruling(Standing.SIMILAR)
        return Ruling()

    def readable(self, role: str, text: str, text_hash: bytes, said_at: datetime, cue: bool) -> str:
        """The text with the spans blanked that may not be read again; empty when nothing is left."""
        for plot in self.plots:
            known = {text_hash, message_hash(plot.key, role, text)}
            masks = [m for m in plot.masks if m.text_hash in known and not (cue and said_at > m.horizon)]
            text = _blanked(text, masks, plot.key) if masks else text
        return text if re.sub(rf"[{BLANK}\W_]", "", text) else ""

    def covers(self, text_hash: bytes) -> bool:
        """Something of this message was forgotten."""
        return any(m.text_hash == text_hash for plot in self.plots for m in plot.masks)


def mask_of(key: bytes, text: str, quote: str, text_hash: bytes, horizon: datetime) -> Mask:
    """The mask of a quote in its message; the whole message when the quote does not stand in it word for word."""
    evened, span = evened_blanks(text), evened_blanks(quote)
    start = evened.find(span) if span else -1
    if start < 0 or len(span) == len(evened):
        return Mask(text_hash, 0, 0, b"", horizon)
    return Mask(text_hash, start, len(span), span_hash(key, span), horizon)


def evened_blanks(text: str) -> str:
    return " ".join(clean_text(text).split())


def blank_quotes(text: str, quotes: Iterable[str]) -> str:
    """A stored message without the quotes of what was erased; empty when a quote cannot be found in it."""
    evened = evened_blanks(text)
    for quote in sorted({evened_blanks(q) for q in quotes}, key=len, reverse=True):
        if quote not in evened and BLANK not in evened:
            return ""
        evened = evened.replace(quote, BLANK * len(quote)) if quote else ""
    return evened if re.sub(rf"[{BLANK}\W_]", "", evened) else ""


def _blanked(text: str, masks: list[Mask], key: bytes) -> str:
    evened = evened_blanks(text)
    for mask in sorted(masks, key=lambda m: m.start, reverse=True):
        span = evened[mask.start : mask.start + mask.length]
        if not mask.length or (BLANK not in span and span_hash(key, span) != mask.span_hash):
            return ""
        evened = evened[: mask.start] + BLANK * mask.length + evened[mask.start + mask.length :]
    return evened


def _same(plot: Plot, wording: Wording, fold: Callable[[str], str]) -> list[Stone]:
    if not plot.stones:
        return []
    text = fingerprint(plot.key, wording.content, fold)
    triple = triple_fingerprint(plot.key, wording.subject, wording.predicate, wording.object, fold)
    return [s for s in plot.stones if s.fingerprint == text or (triple is not None and s.triple == triple)]


def _near(plot: Plot, content: str, fold: Callable[[str], str]) -> bool:
    if not any(s.words for s in plot.stones):
        return False
    words = keyed_words(plot.key, content, fold)
    return len(words) >= FEWEST_WORDS and any(jaccard(words, s.words) >= NEAR for s in plot.stones)


def jaccard(one: frozenset[bytes], other: frozenset[bytes]) -> float:
    """|A ∩ B| / |A ∪ B| in 0–1; two empty sets share nothing."""
    return len(one & other) / len(one | other) if one or other else 0.0
