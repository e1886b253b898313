"""Strict reading of a judge's answer: text in any of the shapes of CONTRACT §2 → operations, or `InvalidAnswer`.

Strict means that nothing is guessed: what cannot be read as a whole is an error, and what can be read as a whole but
holds malformed entries keeps the good entries and counts the bad ones.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Final

from memoryapp.domain.errors import InvalidAnswer
from memoryapp.domain.types import Action, Answer, Kind, Operation, SpaceKind

MALFORMED = "malformed_operation"
UNKNOWN_ID = "unknown_id"
DEFAULT_CONFIDENCE = 0.8

_KIND_ALIASES: Mapping[str, Kind] = {
    "constraint": Kind.INSTRUCTION,
    "rule": Kind.INSTRUCTION,
    "relationship": Kind.PROFILE,
    "goal": Kind.PROJECT,
    "fact": Kind.NOTE,
}
_CONTAINERS = ("operations", "memory", "memories")
_ABSENT: Final = object()


def parse_answer(text: str) -> Answer:
    """Read a judge's answer. Raises `InvalidAnswer` for an empty, truncated or unreadable one, never an empty"
    " success."""
    if not text.strip():
        raise InvalidAnswer("The answer is empty.")
    visible = _without_thoughts(text)
    recognised = [entries for entries in map(_entries, _documents(visible)) if entries is not None]
    if recognised:
        return _answer(next((entries for entries in recognised if entries), recognised[0]))
    if _says_nothing(visible):
        return Answer()
    raise InvalidAnswer("The answer holds no JSON object with operations.")


# --- from text to JSON documents ---

_CLOSED_THOUGHT = re.compile(r"<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_THOUGHT_END = re.compile(r"^.*</(?:think|thinking|reasoning)>", re.DOTALL | re.IGNORECASE)
_THOUGHT_START = re.compile(r"<(?:think|thinking|reasoning)>", re.IGNORECASE)


def _without_thoughts(text: str) -> str:
    visible = _THOUGHT_END.sub("", _CLOSED_THOUGHT.sub("", text)).strip()
    if _THOUGHT_START.match(visible):
        raise InvalidAnswer("The answer ends inside its own reasoning.")
    return visible


def _documents(text: str) -> Iterator[object]:
    """Every JSON value in the text: the whole of it, or each balanced span outside the others."""
    whole = _loads(text)
    if whole is not _ABSENT:
        yield _unwrapped(whole)
        return
    for span in _spans(text):
        value = _loads(span)
        if value is not _ABSENT:
            yield _unwrapped(value)


def _unwrapped(value: object) -> object:
    """A JSON string that holds JSON is read once more."""
    if isinstance(value, str):
        inner = _loads(value)
        return value if inner is _ABSENT else inner
    return value


_MOST_SPANS = 200
"""Brackets looked at in one answer; prose with more of them is no answer."""


def _spans(text: str) -> Iterator[str]:
    position = 0
    for _ in range(_MOST_SPANS):
        if (start := _next_opening(text, position)) < 0:
            return
        end = _balanced_end(text, start)
        if end < 0 and _looks_like_json(text, start):
            raise InvalidAnswer("The answer is cut off before its JSON ends.")
        if end < 0:
            position = start + 1
            continue
        yield text[start:end]
        position = end


def _next_opening(text: str, position: int) -> int:
    found = re.compile(r"[\[{]").search(text, position)
    return found.start() if found else -1


def _looks_like_json(text: str, start: int) -> bool:
    return bool(re.match(r'[\[{]\s*(?:["\[{]|$)', text[start:]))


def _balanced_end(text: str, start: int) -> int:
    """Offset after the bracket that closes the one at `start`, or -1. Brackets inside strings do not count."""
    depth = 0
    for token in re.finditer(r'"(?:[^"\\]|\\.)*"|[\[\]{}]', text[start:], re.DOTALL):
        if token.group() in ("[", "{"):
            depth += 1
        elif token.group() in ("]", "}"):
            depth -= 1
        if depth == 0:
            return start + token.end()
    return -1


def _loads(text: str) -> object:
    for candidate in (text, _repaired(text)):
        try:
            return json.loads(candidate, strict=False)
        except (ValueError, RecursionError):
            continue
    return _ABSENT


_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_BAD_UNICODE_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*)\\u(?![0-9a-fA-F]{4})[0-9A-Za-z]{0,4}")
_BAD_ESCAPE = re.compile(r'(?<!\\)((?:\\\\)*)\\([^"\\/bfnrtu])')


def _repaired(text: str) -> str:
    """The text with broken escapes taken out of its strings and trailing commas out of the rest."""
    pieces: list[str] = []
    position = 0
    for string in _STRING.finditer(text):
        pieces += [text[position : string.start()], _mended_string(string.group())]
        position = string.end()
    pieces.append(text[position:])
    outside = [re.sub(r"^\s*,(?=\s*[\]}])", "", piece) for piece in pieces[0::2]]
    pieces[0::2] = [re.sub(r",(?=\s*[\]}])", "", piece) for piece in outside]
    return "".join(pieces)


def _mended_string(string: str) -> str:
    return _BAD_ESCAPE.sub(r"\1\2", _BAD_UNICODE_ESCAPE.sub(r"\1", string))


_NOTHING = re.compile(
    r"(没有|无|暂无|未发现)[^。，,.]{0,8}(需要|值得|可以?|应|要|必要|新的?)?[^。，,.]{0,8}(记忆|记住|记录|保存"
    r"|存储|记的|操作)"
    r"|(无需|不需要|不必|没必要|不用)[^。，,.]{0,4}(记忆|记住|记录|保存|存储)"
    r"|\bnothing\b[^.]{0,40}\b(store|remember|save|add|keep|record|memor\w+|durable|update)\b"
    r"|\bno\b[^.]{0,30}\b(memories|memory|operations?|durable|updates?|facts?|changes)\b",
    re.IGNORECASE,
)
_BUT = re.compile(r"但|除了|不过|\bbut\b|\bexcept\b|\bhowever\b|\bother than\b", re.IGNORECASE)


def _says_nothing(text: str) -> bool:
    if re.fullmatch(r"\W*(none|null|nothing|empty|无|没有|空)\W*", text, re.IGNORECASE):
        return True
    return len(text) <= 200 and bool(_NOTHING.search(text)) and not _BUT.search(text)


# --- from JSON documents to entries ---


def _entries(document: object) -> list[object] | None:
    """The entries of a recognised shape, with legacy adds made explicit; None when the shape is not one of ours."""
    if document is None or document == {}:
        return []
    if isinstance(document, list):
        return document if not document or any(isinstance(entry, Mapping) for entry in document) else None
    if not isinstance(document, Mapping):
        return None
    for name in _CONTAINERS:
        if name in document and not (name == "memory" and isinstance(document[name], str)):
            return _contained(document[name], adds=name != "operations")
    return [document] if _first(document, "action", "op", "event") is not None else None


def _contained(value: object, *, adds: bool) -> list[object] | None:
    if value is None:
        return []
    if isinstance(value, Mapping):
        value = [value] if value else []
    if not isinstance(value, list):
        return None
    return [_as_add(entry) for entry in value] if adds else value


def _as_add(entry: object) -> object:
    if isinstance(entry, str):
        return {"action": "ADD", "content": entry}
    if isinstance(entry, Mapping) and _first(entry, "action", "op", "event") is None:
        return {**entry, "action": "ADD"}
    return entry


# --- from entries to operations ---


def _answer(entries: list[object]) -> Answer:
    read = [_operation(entry) for entry in entries]
    return Answer(
        operations=tuple(one for one in read if isinstance(one, Operation)),
        rejected=tuple(one for one in read if isinstance(one, str)),
    )


def _operation(entry: object) -> Operation | str:
    """One entry as an operation, or the reason code for which it was left out."""
    if not isinstance(entry, Mapping):
        return MALFORMED
    action = _action(_first(entry, "action", "op", "event"))
    content = _text(_first(entry, "content", "text", "memory"))
    if action is None or (action in (Action.ADD, Action.UPDATE) and not content):
        return MALFORMED
    target = _target(_first(entry, "target_id", "id", "target"))
    if action in (Action.UPDATE, Action.DELETE) and not isinstance(target, int):
        return UNKNOWN_ID if target is _ABSENT else MALFORMED
    return Operation(
        action=action,
        content=content,
        target=target if isinstance(target, int) and action is not Action.ADD else None,
        kind=_kind(entry.get("kind", entry.get("type"))),
        confidence=_confidence(entry.get("confidence")),
        importance=_share(entry.get("importance")),
        space=_space(entry.get("space")),
        **{name: _text(entry.get(name)) for name in _TEXT_FIELDS},
    )


_TEXT_FIELDS = ("quote", "reason", "subject", "predicate", "object", "scope", "valid_from")


def _first(entry: Mapping[str, object], *names: str) -> object:
    return next((entry[name] for name in names if entry.get(name) is not None), None)


def _action(value: object) -> Action | None:
    name = value.strip().upper() if isinstance(value, str) else ""
    return Action(name) if name in Action.__members__ else None


def _text(value: object) -> str:
    """A string fit for storage: no NUL, no lone surrogates, trimmed; anything but a string is empty."""
    if not isinstance(value, str):
        return ""
    return value.replace("\x00", "").encode("utf-8", "ignore").decode("utf-8").strip()


def _target(value: object) -> object:
    """An int, None when there is no target, or `_ABSENT` when what is there cannot be a number."""
    if value is None or value == "":
        return None
    if isinstance(value, bool):
        return _ABSENT
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, int):
        return value
    matched = re.fullmatch(r"\s*\[?\s*#?(-?\d{1,9})\s*\]?\s*", value) if isinstance(value, str) else None
    return int(matched.group(1)) if matched else _ABSENT


def _kind(value: object) -> Kind | None:
    name = value.strip().lower() if isinstance(value, str) else ""
    return Kind(name) if name in {kind.value for kind in Kind} else _KIND_ALIASES.get(name)


def _space(value: object) -> SpaceKind | None:
    name = value.strip().lower() if isinstance(value, str) else ""
    return SpaceKind(name) if name in {space.value for space in SpaceKind} else None


def _confidence(value: object) -> float:
    share = _share(value)
    return DEFAULT_CONFIDENCE if share is None else share


def _share(value: object) -> float | None:
    """A number clamped to 0–1; None when there is none."""
    if isinstance(value, str):
        matched = re.fullmatch(r"\s*(-?\d+(?:\.\d+)?)\s*(%?)\s*", value)
        value = float(matched.group(1)) / (100 if matched.group(2) else 1) if matched else None
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        return None
    return min(1.0, max(0.0, float(value)))
