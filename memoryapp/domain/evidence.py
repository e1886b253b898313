"""What may found a fact: which user turn, whose voice, and what the user wants forgotten."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from memoryapp.domain.clauses import FILLER, blanked, sentences
from memoryapp.domain.cues import find_cues, unheard
from memoryapp.domain.language import same_language
from memoryapp.domain.naming import named_share
from memoryapp.domain.terms import terms_of
from memoryapp.domain.types import CueKind, Operation, Role, Shown, Turn

UNTRUSTED = frozenset({Role.TOOL, Role.WEB, Role.DOCUMENT})
_LEAST_SHARED, _LEAST_SHARED_WITH_QUOTE = 0.3, 0.5


def evidence_turn(operation: Operation, turns: Sequence[Turn]) -> int | None:
    """The user turn that holds the quote; for a quote in nobody's words, the turn that shares most with the content.

    A quote of somebody else's turn is that turn's, however much the user's words resemble it.
    """
    users = [(i, t) for i, t in enumerate(turns) if t.role is Role.USER]
    exact = _quoting(operation.quote, users)
    if exact is not None:
        return exact
    if _quoting(operation.quote, list(enumerate(turns))) is not None:
        return None
    words = grams(operation.content)
    scored = [(len(words & grams(t.text)) / max(1, len(words)), i) for i, t in users]
    best = max(scored, default=(0.0, -1))
    return best[1] if best[0] >= (_LEAST_SHARED_WITH_QUOTE if operation.quote else _LEAST_SHARED) else None


def untrusted_turn(operation: Operation, turns: Sequence[Turn]) -> int | None:
    """The tool, web or document turn that an operation really stands on."""
    return _quoting(operation.quote or operation.content, [(i, t) for i, t in enumerate(turns) if t.role in UNTRUSTED])


def _quoting(quote: str, turns: Sequence[tuple[int, Turn]]) -> int | None:
    wanted = _squeezed(quote)
    found = [i for i, t in turns if wanted and wanted in _squeezed(t.text)]
    return found[-1] if found else None


def in_another_language(operations: Iterable[Operation], turns: Sequence[Turn]) -> bool:
    """Whether any operation answers in another language than the turn that it stands on."""
    for operation in operations:
        index = evidence_turn(operation, turns) if operation.content else None
        if index is not None and not same_language(operation.content, turns[index].text):
            return True
    return False


def own_sentence(quote: str, text: str) -> str:
    """The user's own sentences around a quote, from the first to the last that does not ask; the whole text when the
    quote does not stand in it.
    """
    if not quote or quote not in text:
        return text
    start = text.index(quote)
    inside = [s for s in sentences(text) if s.end > start and s.start < start + len(quote)]
    told = [s for s in inside if not all(clause.asks for clause in s.clauses)] or inside
    return text[told[0].start : told[-1].end].strip() if told else quote


_MOSTLY = 0.5


def is_reported(quote: str, text: str) -> bool:
    """Whether a statement is mostly somebody else's words: quoted, pasted, told of others, or played."""
    own = blanked(text)
    start = text.find(quote) if quote else 0
    piece = own[start : start + len(quote)] if start >= 0 and quote else own
    return piece.count(FILLER) >= _MOSTLY * max(1, len(piece))


def may_forget(operation: Operation, target: Shown, turns: Sequence[Turn], *, alone: bool) -> bool:
    """Whether the user asked for this item to be forgotten.

    The request must name it, or everything; a single deletion that quotes the request is believed as well, because
    what a request means may share no word with the item (我前任的事).
    """
    requests = [c for t in turns if t.role is Role.USER for c in find_cues(t.text) if c.kind is CueKind.FORGET]
    quoted = any(_squeezed(operation.quote) in _squeezed(c.clause) or c.clause in operation.quote for c in requests)
    if requests and alone and (quoted or not operation.quote):
        return True
    if alone and any(t.role is Role.USER and _asks_by_wording(operation.quote, t.text) for t in turns):
        return True
    return any(_names(c.body, target) or _ALL.search(c.clause) for c in requests)


def _asks_by_wording(quote: str, text: str) -> bool:
    """Whether a message that the grammar does not hear is worded as a wish to forget, and holds the quote."""
    return unheard(text) is CueKind.FORGET and _squeezed(quote) in _squeezed(text)


_ALL = re.compile(r"所有|全部|一切|全都|清空|\b(?:everything|all|anything|every)\b", re.IGNORECASE)
_NAMED = 0.3


def _names(body: str, target: Shown) -> bool:
    return named_share(body, target.content) >= _NAMED or bool(terms_of(body) & terms_of(target.content))


def voices(turns: Iterable[Turn], known: Iterable[Shown], person: str) -> frozenset[str]:
    """Who speaks here as a user, when there is more than one: then each named speaker is somebody of their own.

    One named speaker alone is the person whose memory this is, under whatever name the client gives them.
    """
    spoken = {_voice(t.speaker, person) for t in turns if t.role is Role.USER}
    named = spoken | {_voice(item.speaker, person) for item in known if item.speaker.strip()}
    return frozenset(named) if len(named) > 1 else frozenset()


def voice_of(speaker: str, person: str, several: frozenset[str]) -> str:
    """The speaker as somebody of their own; empty for the person whose memory this is."""
    voice = _voice(speaker, person)
    return voice if voice in several else ""


def _voice(speaker: str, person: str) -> str:
    plain = speaker.strip().casefold()
    return "" if plain == person.strip().casefold() else plain


def grams(text: str) -> frozenset[str]:
    """Latin words and Chinese character pairs, lower case: a cheap measure of shared wording."""
    lowered = text.lower()
    latin = re.findall(r"[a-z0-9][a-z0-9_.+#-]*", lowered)
    runs = re.findall(r"[\u3400-\u9fff]+", lowered)
    return frozenset(latin) | {run[i : i + 2] for run in runs for i in range(len(run) - 1)}


def _squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text).lower()
