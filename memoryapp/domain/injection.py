"""Which memories an agent is given (FEATURES D4, D5; SOURCES §1). How they read is in `block`."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from memoryapp.domain.block import Format, Layout, safe_line
from memoryapp.domain.messages import OUR_LINE
from memoryapp.domain.paraphrase import ALIKE, MOST_EXTRA, Gist, bare_words, digits_of, gist, line_key, near, same_fact
from memoryapp.domain.policy import Policy
from memoryapp.domain.ranking import word_coverage
from memoryapp.domain.tokens import Measure, measure
from memoryapp.domain.types import Kind, SpaceKind


class Tier(StrEnum):
    """Why an item is in, in the order of precedence."""

    PINNED = "pinned"
    PROFILE = "profile"
    PREFERENCE = "preference"
    MATCHED = "matched"
    RECENT = "recent"


class LeftOut(StrEnum):
    """Why an item is not in."""

    SUSPECTED_NOISE = "suspected_noise"
    VISIBLE = "visible"
    GIVEN_BEFORE = "given_before"
    DUPLICATE = "duplicate"
    OVERRIDDEN = "overridden"
    QUOTA = "quota"
    OVER_LIMIT = "over_limit"
    BUDGET = "budget"


@dataclass(frozen=True, slots=True)
class Reading:
    """What is looked at in a text, whatever is asked: its key, bare words and digits (`paraphrase`), and one safe line
    with what that costs.
    """

    key: str
    words: frozenset[str]
    digits: str
    line: str
    cost: Measure

    @classmethod
    def of(cls, content: str) -> Reading:
        line = safe_line(content)
        return cls(line_key(content), bare_words(content), digits_of(content), line, measure(line))


class Injectable(NamedTuple):
    """A recallable item as injection sees it. `terms` are its search terms (those the question shares are enough);
    importance, confidence and relevance are 0–1. `space` is the kind of its space. `suspected` says that the guard
    flags it as noise and nobody said otherwise, `given` that this conversation got it lately. `reading` is that of its
    content, when it was made before.
    """

    id: str
    content: str
    kind: Kind
    pinned: bool = False
    importance: float = 0.5
    confidence: float = 0.8
    said_at: datetime | None = None
    updated_at: datetime | None = None
    scope: str = ""
    terms: frozenset[str] = frozenset()
    relevance: float | None = None
    subject: str = ""
    space: SpaceKind = SpaceKind.PERSON
    suspected: bool = False
    given: bool = False
    reading: Reading | None = None

    @property
    def read(self) -> Reading:
        return self.reading or Reading.of(self.content)

    @property
    def line(self) -> str:
        return self.read.line

    @property
    def cost(self) -> Measure:
        return self.read.cost

    @property
    def label(self) -> str:
        return self.kind.value

    @property
    def moment(self) -> float:
        """When it was said, else changed, in seconds since 1970; 0 when neither is known."""
        known = self.said_at or self.updated_at
        return known.timestamp() if known else 0.0


@dataclass(frozen=True, slots=True)
class Excluded:
    item: Injectable
    reason: LeftOut


LIST_LAYOUT = Layout()


@dataclass(frozen=True, slots=True)
class Selection:
    """What goes in, in the order of the block, and the rest with its reasons. `tokens` bounds the whole block."""

    items: tuple[Injectable, ...] = ()
    excluded: tuple[Excluded, ...] = ()
    tokens: int = 0
    tiers: Mapping[str, Tier] = field(default_factory=dict)
    """Tier of each item by its id."""
    partial: bool = False
    """Whether memories that belong here were left out for want of room; the block says so."""
    lines: tuple[str, ...] = ()
    """The items as lines of the layout."""
    layout: Layout = LIST_LAYOUT


ALWAYS = {Kind.PROFILE: Tier.PROFILE, Kind.PREFERENCE: Tier.PREFERENCE}
BY_MATCH = frozenset({Kind.INSTRUCTION, Kind.DECISION})
WANT_OF_ROOM = frozenset({LeftOut.QUOTA, LeftOut.OVER_LIMIT, LeftOut.BUDGET})


def select(
    items: Sequence[Injectable],
    query_terms: frozenset[str],
    policy: Policy,
    token_budget: int,
    visible: Sequence[str],
    form: Format = Format.LIST,
    language: str = "en",
    scope: str = "",
    distinct: bool = False,
) -> Selection:
    """Choose what goes into the block.

    Pinned, profile and preference always; instruction and decision by words shared with the question; any kind by the
    relevance that recall gave it; the rest by recency. While everything fits into the limit nothing is held to a
    quota. `visible` are the texts already in the conversation, our own earlier blocks included; what stands there is
    not said again. What is suspected to be noise never goes in. `token_budget` bounds the whole block as rendered in `form` and `language`, header, markers and the
    line about what is missing included. `scope` is the label asked for: its items override general ones.
    `distinct` says that no two items say the same (`are_distinct`).
    """
    tiers = {item.id: tier_of(item, query_terms) for item in items if not item.suspected}
    ordered = _in_order([item for item in items if not item.suspected], query_terms, tiers)
    noise = [Excluded(item, LeftOut.SUSPECTED_NOISE) for item in items if item.suspected]
    present, overridden = _without_overridden(ordered, scope)
    fresh, repeated = _without_repeats(present, visible, distinct)
    limited, over = _within_limits(fresh, len(items), tiers, policy)
    layout = Layout(Format(form), language)
    kept, too_long, tokens = _within_budget(limited, token_budget, layout, bool(over))
    return Selection(
        items=tuple(item for item, _ in kept),
        excluded=(*noise, *overridden, *repeated, *over, *too_long),
        tokens=tokens,
        tiers={item.id: tiers[item.id] for item, _ in kept},
        partial=bool(kept) and any(left.reason in WANT_OF_ROOM for left in (*over, *too_long)),
        lines=tuple(line for _, line in kept),
        layout=layout,
    )


def render(selection: Selection) -> str:
    """The block for a prompt, between our markers; empty when nothing was selected.

    Contents are flattened to one line and can neither close the block nor open another.
    """
    return selection.layout.block(selection.lines, selection.partial)


def tier_of(item: Injectable, query_terms: frozenset[str]) -> Tier:
    """The first tier that has room for the item by its nature."""
    if item.pinned:
        return Tier.PINNED
    if item.kind in ALWAYS:
        return ALWAYS[item.kind]
    matched = item.relevance or (item.kind in BY_MATCH and match(item, query_terms) > 0)
    return Tier.MATCHED if matched else Tier.RECENT


def match(item: Injectable, query_terms: frozenset[str]) -> float:
    """How well an item meets the question: the relevance of recall when there is one, else the shared words, 0–1."""
    shared = word_coverage(query_terms, item.terms) if item.terms and query_terms else 0.0
    return max(item.relevance or 0.0, shared)


_PLACES = {tier: place for place, tier in enumerate(Tier)}
_BY_IMPORTANCE = frozenset({Tier.PINNED, Tier.PROFILE, Tier.PREFERENCE})


def _in_order(items: Sequence[Injectable], query_terms: frozenset[str], tiers: Mapping[str, Tier]) -> list[Injectable]:
    """By tier; inside the matched tier by match, elsewhere by importance and match; newer first, id last."""

    def place(item: Injectable) -> tuple[int, float, float, str]:
        tier = tiers[item.id]
        worth = 0.0 if tier is Tier.RECENT else match(item, query_terms)
        if tier in _BY_IMPORTANCE:
            worth += item.importance
        return _PLACES[tier], -worth, -item.moment, item.id

    return sorted(items, key=place)


_WHOSE = {SpaceKind.ORGANISATION: 0, SpaceKind.PERSON: 1, SpaceKind.PROJECT: 2}
_NO_SUBJECT = frozenset({"", "user", "the user", "users", "用户", "我", "i", "me", "本人"})
"""Subjects that say only whose memory it is."""


def _without_overridden(items: Sequence[Injectable], scope: str) -> tuple[list[Injectable], list[Excluded]]:
    """The narrower item wins where two speak of one subject: project before person before organisation, and inside a
    space the label that was asked for before none. Items of another label stay: nobody asked for a choice among them.
    """

    def rank(item: Injectable) -> tuple[int, bool]:
        return _WHOSE[item.space], bool(scope) and item.scope == scope

    subjects = [_subject(item) for item in items]
    narrowest: dict[str, tuple[int, bool]] = {}
    for item, subject in zip(items, subjects, strict=True):
        if subject and (not item.scope or item.scope == scope):
            narrowest[subject] = max(narrowest.get(subject, (0, False)), rank(item))
    if not narrowest:
        return list(items), []
    kept = [
        item
        for item, subject in zip(items, subjects, strict=True)
        if item.scope not in ("", scope) or rank(item) >= narrowest.get(subject, (0, False))
    ]
    staying = {item.id for item in kept}
    return kept, [Excluded(item, LeftOut.OVERRIDDEN) for item in items if item.id not in staying]


def _subject(item: Injectable) -> str:
    if not item.subject:
        return ""
    subject = " ".join(item.subject.casefold().split())
    return "" if subject in _NO_SUBJECT else subject


def are_distinct(items: Iterable[Injectable]) -> bool:
    """Whether no item says what another one says, in whatever order they come."""
    said = _Said()
    return all(said.takes(item.content, item.read) for item in items)


def _without_repeats(
    items: Sequence[Injectable], visible: Sequence[str], distinct: bool
) -> tuple[list[Injectable], list[Excluded]]:
    """Drop what the conversation already shows or was given, and of lines that say the same all but the first. What
    is pinned is always given.
    """
    if distinct and not visible and not any(item.given for item in items):
        return list(items), []
    shown = Shown.of([text for text in visible if text])
    kept: list[Injectable] = []
    left: list[Excluded] = []
    said = _Said()
    for item in items:
        read = item.read
        if shown.holds(item.content, read):
            left.append(Excluded(item, LeftOut.VISIBLE))
        elif not distinct and not said.takes(item.content, read):
            left.append(Excluded(item, LeftOut.DUPLICATE))
        elif item.given and not item.pinned:
            left.append(Excluded(item, LeftOut.GIVEN_BEFORE))
        else:
            kept.append(item)
    return kept, left


@dataclass(slots=True)
class _Lines:
    """Lines to be asked whether one of them says a thing already. Few share words with it, and only those are taken
    apart: the price of a line does not grow with the number of lines.
    """

    contents: list[str] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    by_word: dict[str, defaultdict[str, list[int]]] = field(default_factory=dict)
    """Numbers of lines by their digits and by each of their words: lines with other digits are other facts."""
    fresh: dict[str, list[tuple[int, frozenset[str]]]] = field(default_factory=dict)
    """Lines that are not among them yet: most have digits that nobody asks for again."""
    gists: dict[int, Gist] = field(default_factory=dict)

    def add(self, content: str, read: Reading) -> None:
        self.fresh.setdefault(read.digits, []).append((len(self.contents), read.words))
        self.contents.append(content)
        self.sizes.append(len(read.words))

    def say(self, content: str, read: Reading) -> bool:
        drawer = self._drawer(read.digits)
        if drawer is None:
            return False
        words = read.words
        shared: dict[int, int] = {}
        for word in words:
            for number in drawer.get(word, ()):
                shared[number] = shared.get(number, 0) + 1
        close = [number for number, count in shared.items() if count >= ALIKE * min(len(words), self.sizes[number])]
        if not close:
            return False
        meaning = gist(content)
        return any(same_fact(meaning, self._gist(number)) for number in close)

    def _drawer(self, digits: str) -> Mapping[str, list[int]] | None:
        for number, words in self.fresh.pop(digits, ()):
            drawer = self.by_word.setdefault(digits, defaultdict(list))
            for word in words:
                drawer[word].append(number)
        return self.by_word.get(digits)

    def _gist(self, number: int) -> Gist:
        if number not in self.gists:
            self.gists[number] = gist(self.contents[number])
        return self.gists[number]


_SENTENCE_END = re.compile(r"(?<=[。！？!?；;\n])|(?<=[.])\s")
_QUESTION = re.compile(r"[?？]\s*$|[吗呢么][。.!！~～]?\s*$")
_WHO = re.compile(r"^(?:用户|本人|我|theuser|user|i(?=[a-z]{4}))+")
_DENIAL = re.compile(r"(?:[不没未别勿无非]|not|never|n['’]?t|dont|doesnt|isnt|no)$")


@dataclass(frozen=True, slots=True)
class Shown:
    """What a conversation already shows: its statements as keys, and the lines of our own blocks in it.

    A question does not state what it asks about, so “还记得我对花生过敏吗” shows nothing.
    """

    texts: tuple[str, ...]
    lines: frozenset[str]
    own: _Lines

    @classmethod
    def of(cls, visible: Sequence[str]) -> Shown:
        contents = [m["content"] for text in visible for line in text.splitlines() if (m := OUR_LINE.match(line))]
        stated = ["".join(s for s in _SENTENCE_END.split(text) if s and not _QUESTION.search(s)) for text in visible]
        whole = [line_key(text) for text in stated]
        own = _Lines()
        for content in contents:
            own.add(content, Reading.of(content))
        return cls(
            tuple(key for key in whole if key),
            frozenset([*(line_key(content) for content in contents), *whole]),
            own,
        )

    def holds(self, content: str, read: Reading) -> bool:
        """Whether a memory stands there word for word, or in other words in a block of ours. Short keys must be a whole
        message or line, since “go” also stands in “google”.
        """
        if not self.texts and not self.lines:
            return False
        key = read.key
        if not key or key in self.lines:
            return bool(key)
        if self.own.contents and self.own.say(content, read):
            return True
        bare = _WHO.sub("", key)
        return len(bare) >= SHORTEST_QUOTE and any(_states(text, bare) for text in self.texts)


SHORTEST_QUOTE = 5


def _states(text: str, key: str) -> bool:
    position = text.find(key)
    return position >= 0 and not _DENIAL.search(text[:position])


@dataclass(slots=True)
class _Said:
    """The lines that are in, by what they say."""

    keys: dict[int, list[str]] = field(default_factory=dict)
    """Line keys by their length."""
    lines: _Lines = field(default_factory=_Lines)

    def takes(self, content: str, read: Reading) -> bool:
        """Take a line in, unless one that says the same is there."""
        if not read.key or self._near(read.key) or self.lines.say(content, read):
            return False
        self.keys.setdefault(len(read.key), []).append(read.key)
        self.lines.add(content, read)
        return True

    def _near(self, key: str) -> bool:
        for length in range(len(key) - MOST_EXTRA, len(key) + MOST_EXTRA + 1):
            for other in self.keys.get(length, ()):
                if (key in other or other in key) and near(key, other):
                    return True
        return False


def _within_limits(
    items: list[Injectable], library: int, tiers: Mapping[str, Tier], policy: Policy
) -> tuple[list[Injectable], list[Excluded]]:
    """All of a library that fits; of a larger one as many of each tier as its quota, up to the limit in all.

    Pinned items have no quota of their own and count towards the limit. `library` counts the items before any was
    left out.
    """
    admitted: list[Injectable] = []
    left: list[Excluded] = []
    room = _Room(policy.injection_limit, policy.quotas if library > policy.injection_limit else None)
    for item in items:
        if (reason := room.refuses(tiers[item.id])) is not None:
            left.append(Excluded(item, reason))
        else:
            admitted.append(item)
    return admitted, left


@dataclass(slots=True)
class _Room:
    """Places that are left, in all and, with quotas, in each tier."""

    limit: int
    quotas: Mapping[str, int] | None
    used: dict[Tier, int] = field(default_factory=dict)
    admitted: int = 0

    def refuses(self, tier: Tier) -> LeftOut | None:
        """Take a place, or say why there is none."""
        if self.admitted >= self.limit:
            return LeftOut.OVER_LIMIT
        taken = self.used.get(tier, 0)
        if self.quotas is not None and tier is not Tier.PINNED and taken >= self.quotas.get(tier.value, 0):
            return LeftOut.QUOTA
        self.used[tier] = taken + 1
        self.admitted += 1
        return None


def _within_budget(
    items: list[Injectable], budget: int, layout: Layout, partial: bool
) -> tuple[list[tuple[Injectable, str]], list[Excluded], int]:
    """As many items as fit, in order, each with its line, and the bound of the block; one that is too long does not
    keep a shorter one behind it out. Room for the line that says something is missing is kept from the start unless
    all fits.
    """
    lines = [layout.line(item) for item in items]
    costs = [layout.cost(item, line) for item, line in zip(items, lines, strict=True)]
    whole = layout.bound(costs, partial)
    if whole <= budget:
        return list(zip(items, lines, strict=True)), [], whole
    kept: list[tuple[Injectable, str]] = []
    left: list[Excluded] = []
    spent = layout.frame_cost + layout.more_cost
    for item, line, cost in zip(items, lines, costs, strict=True):
        if spent + cost.bound + 1 <= budget:
            kept.append((item, line))
            spent += cost.bound + 1
        else:
            left.append(Excluded(item, LeftOut.BUDGET))
    return kept, left, spent if kept else 0
