"""Taking texts out of what people and programs wrote themselves: summaries, task states, labels. Pure.

Compared are normal forms (`hashing.normal_form`), so that punctuation, blanks, case, width and script make no
difference. What says the same in other words cannot be decided here; `may_tell` counts it as undecided.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from memoryapp.domain.hashing import keyed_words, normal_form
from memoryapp.domain.storable import texts_in
from memoryapp.domain.tombstones import FEWEST_WORDS
from memoryapp.domain.working_memory import StateValue

SHORTEST = 4
"""Characters of a normal form from which a text is looked for; a text of Chinese characters alone from 2."""
LIKE = 0.6
"""Share of a text's words in another text from which that one may tell the same."""

Fold = Callable[[str], str]
_PIECE = re.compile(r"[^。！？!?\n]+?(?:[。！？!?]+|\.(?=\s|$)|\n+|$)|\n+")


@dataclass(frozen=True, slots=True)
class Sought:
    """The texts that may not be told any more, as normal forms, with the words of each."""

    forms: tuple[str, ...] = ()
    words: tuple[frozenset[bytes], ...] = ()


def sought(texts: Iterable[str], fold: Fold) -> Sought:
    """What to look for; texts too short to mean anything by themselves are left out."""
    found = dict.fromkeys(t for t in texts if _means_something(normal_form(t, fold)))
    words = (keyed_words(b"", t, fold) for t in found)
    return Sought(
        tuple(dict.fromkeys(normal_form(t, fold) for t in found)),
        tuple(w for w in dict.fromkeys(words) if len(w) >= FEWEST_WORDS),
    )


def _means_something(form: str) -> bool:
    return len(form) >= SHORTEST or (len(form) >= 2 and all("\u3400" <= c <= "\u9fff" for c in form))


def tells(text: str, what: Sought, fold: Fold) -> bool:
    """One of the texts stands in this one."""
    form = normal_form(text, fold) if what.forms and text else ""
    return bool(form) and any(one in form for one in what.forms)


def may_tell(text: str, what: Sought, fold: Fold) -> bool:
    """This text has most words of one of the texts: whether it says the same, nobody can decide by rule."""
    words = keyed_words(b"", text, fold) if what.words and text else frozenset()
    return any(len(one & words) >= LIKE * len(one) for one in what.words)


def without(text: str, what: Sought, fold: Fold) -> str:
    """The text without the sentences that tell; neighbours that tell only together go together.

    One pass from left to right over pieces that are normalised once. An identifier across two sentences keeps its case
    in the whole but not in the pieces: what still tells is gone over again without regard to case.
    """
    if not tells(text, what, fold):
        return text
    pieces = [(piece, normal_form(piece, fold)) for piece in _PIECE.findall(text)]
    for same in (str, str.casefold):
        pieces = _without_telling([(piece, same(form)) for piece, form in pieces], tuple(map(same, what.forms)))
        left = "".join(piece for piece, _ in pieces).strip()
        if not tells(left, what, fold):
            return left
    return ""


def _without_telling(pieces: Iterable[tuple[str, str]], forms: Sequence[str]) -> list[tuple[str, str]]:
    """Pieces with their normal forms, less the shortest runs that tell.

    What was kept does not tell, so that a text found after the next piece ends in that piece: only the end of the whole
    normal form is looked at, as far back as a text is long. A mark ends a piece, so figures on its two sides stay apart.
    """
    kept: list[tuple[str, str]] = []
    starts: list[int] = []
    whole = ""
    for piece, form in pieces:
        kept.append((piece, form))
        starts.append(len(whole))
        apart = whole[-1:].isdigit() and form[:1].isdigit()
        whole += f" {form}" if apart else form
        found = max((whole.rfind(one, max(0, starts[-1] - len(one))) for one in forms), default=-1)
        if found >= 0:
            first = bisect_right(starts, found) - 1
            whole = whole[: starts[first]]
            del kept[first:], starts[first:]
    return kept


def labels_without(labels: Collection[str], what: Sought, fold: Fold) -> list[str]:
    return [label for label in labels if not tells(label, what, fold)]


def state_without(state: Mapping[str, StateValue], what: Sought, fold: Fold) -> dict[str, StateValue]:
    """The task state without the entries, and the earlier values of others, that tell.

    An entry whose present value tells goes with its whole past, since the past would otherwise become the present.
    """
    kept = {k: v for k, v in state.items() if not _entry_tells(k, v, what, fold)}
    return {
        k: replace(v, earlier=tuple(e for e in v.earlier if not _entry_tells("", e, what, fold)))
        for k, v in kept.items()
    }


def _entry_tells(key: str, entry: StateValue, what: Sought, fold: Fold) -> bool:
    return any(tells(text, what, fold) for text in (key, entry.reason, *texts_of(entry.value)))


def texts_of(value: object) -> tuple[str, ...]:
    """Every text inside a JSON value, and the value as a whole as one text."""
    leaves = tuple(texts_in(value))
    return (*leaves, " ".join(leaves)) if len(leaves) > 1 else leaves
