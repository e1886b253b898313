"""Which item an operation of the judge means: what it should have aimed at, and what it has no business with."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from memoryapp.domain.claims import claims_of
from memoryapp.domain.cues import find_cues
from memoryapp.domain.evidence import grams
from memoryapp.domain.likeness import contradicts, speaks_of_change
from memoryapp.domain.naming import topics_of
from memoryapp.domain.terms import terms_of
from memoryapp.domain.types import Action, CueKind, Operation, Shown

UNRELATED = "unrelated_target"
"""Reason of an UPDATE that names an item which its text has nothing to do with."""
_LONGEST_TURN = 200
_COMMON = frozenset("不没一二三两天年月周日大小上下人个家多少第点会能去来说做新老")
_SEATS = frozenset({"works_at", "lives_in"})
"""“Moved to X” may be a job or a home; the judge, which knows what X is, may mean either."""
_CHARACTER = re.compile(r"[\u3400-\u9fff]")


def aimed(
    operations: Sequence[Operation], explicit: Sequence[Operation], shown: Sequence[Shown]
) -> Iterator[Operation]:
    """The judge's operations without the ADDs that say what the rules know to be an UPDATE.

    An ADD that plainly contradicts the item supersedes it by itself, with both dates. Of the others, one that says
    more than the person's clause goes to the item of that UPDATE; what says no more is left to the rules, whose words
    are the person's own.
    """
    known = {item.number: item.content for item in shown}
    taken = {each.target for each in operations if each.target is not None}
    updates = [each for each in explicit if each.action is Action.UPDATE and each.target not in taken]
    for operation in operations:
        meant = next((each for each in updates if operation.action is Action.ADD and _says(operation, each)), None)
        if meant is None or contradicts(operation.content, known.get(meant.target or 0, "")):
            yield operation
        elif terms_of(operation.content) - terms_of(f"{meant.quote} {meant.content}"):
            updates.remove(meant)
            yield replace(operation, action=Action.UPDATE, target=meant.target)


def _says(addition: Operation, update: Operation) -> bool:
    words, said = grams(update.content), grams(addition.content)
    return 2 * len(words & said) >= max(1, len(words)) and bool(terms_of(update.content) & terms_of(addition.content))


def concerns(operation: Operation, content: str, said: str, item: Shown) -> bool:
    """Whether a new text, or the words it was taken from, speak of an item at all.

    A value may change wholly (“I live in Berlin” → “moved to Oslo”): then predicate, family of meaning or topic are
    the same, or the person names the old value.
    """
    if operation.predicate and (operation.subject, operation.predicate) == (item.subject, item.predicate):
        return True
    quote = operation.quote if len(said) > _LONGEST_TURN and operation.quote else said
    known = terms_of(item.content)
    if (terms_of(content) | terms_of(quote)) & known or _characters(content) & _characters(item.content):
        return True
    families = {each.family for each in claims_of(content)}
    known_families = {each.family for each in claims_of(item.content)}
    if families & known_families or (families & _SEATS and known_families & _SEATS):
        return True
    if topics_of(f"{content}\n{quote}") & topics_of(item.content) or contradicts(content, item.content):
        return True
    return may_be_a_change(said) and bool(frames_of(content) & frames_of(item.content))


_FRAMES = (
    (
        "being",
        re.compile(
            r"^(?:那\S{0,8}，)?(?:用户|我|其实我|现在|如今)\S{0,6}?(?:是|在?做|当|任)(?![\d])|\b(?:user|i)\b.{0,12}?(?:\b(?:is|am|works? as)|['’]m) an? ",
            re.IGNORECASE,
        ),
    ),
    ("using", re.compile(r"用(?!户)|\b(?:uses?|using|owns?|drives?|switched|swapped)\b", re.IGNORECASE)),
)


def frames_of(text: str) -> frozenset[str]:
    """What a sentence says of somebody, whatever the value: who they are (`being`), what they use (`using`)."""
    return frozenset(name for name, pattern in _FRAMES if pattern.search(text))


def _characters(text: str) -> frozenset[str]:
    return frozenset(_CHARACTER.findall(" ".join(terms_of(text)))) - _COMMON


def may_be_a_change(said: str) -> bool:
    """Whether the person speaks of something that became different, so that an old item could be meant after all."""
    return speaks_of_change(said) or any(cue.kind is CueKind.CORRECT for cue in find_cues(said))
