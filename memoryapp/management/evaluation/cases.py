"""Case files of `evaluate write`: one JSON object a line, about the write path or about the guard alone.

`{+}` splits look-alikes of secrets in the files and is taken out on loading. A write case has `messages`, a guard case
has `text` and `label`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from memoryapp.domain.types import Kind, Role

STAGES = ("write", "candidate", "drop", "block")
"""write: a cue starts extraction; candidate: the judge is asked; drop: nobody is asked; block: a guard stops it."""
LABELS = ("secret", "pii", "machine_dump", "injection", "noise", "ok")
ACTIONS = frozenset({"ADD", "UPDATE", "DELETE", "NONE", "REVIEW"})
KINDS: Mapping[str, Kind] = {
    **{kind.value: kind for kind in Kind},
    "constraint": Kind.INSTRUCTION,
    "relationship": Kind.PROFILE,
    "goal": Kind.PROJECT,
    "fact": Kind.NOTE,
}


class CaseError(Exception):
    """A line that is no case. The text names file and line."""


@dataclass(frozen=True, slots=True)
class Existing:
    """A memory that is there before the conversation."""

    id: str
    kind: Kind
    text: str


@dataclass(frozen=True, slots=True)
class Expected:
    """What is right. `must_contain` holds groups of alternatives; `targets` are existing ids, "*" for all, or none.

    `must_keep` are strings that some active memory must hold afterwards, whatever else the conversation changes.
    """

    action: str
    accept: frozenset[str]
    must_contain: tuple[tuple[str, ...], ...]
    must_not_contain: tuple[str, ...]
    targets: frozenset[str]
    stage: str
    guard: str
    evidence_turn: int | None
    must_keep: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WriteCase:
    """One conversation over existing memories, as (role, text) turns."""

    id: str
    language: str
    category: str
    existing: tuple[Existing, ...]
    turns: tuple[tuple[Role, str], ...]
    expected: Expected


@dataclass(frozen=True, slots=True)
class GuardCase:
    """One text and the class it belongs to, `ok` when it is harmless."""

    id: str
    language: str
    kind: str
    label: str
    text: str


Case = WriteCase | GuardCase


def read_cases(paths: list[Path]) -> tuple[Case, ...]:
    """All cases of the files, in order. Raises CaseError for the first line that is none."""
    return tuple(case for path in paths for case in _read(path))


def _read(path: Path) -> Iterator[Case]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise CaseError(f"{path}: {error}") from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            yield _case(json.loads(line.replace("{+}", "")))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise CaseError(f"{path}:{number}: {_problem(error)}") from error


def _problem(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"no JSON ({error.msg} at column {error.colno})"
    return f"`{error.args[0]}` is missing" if isinstance(error, KeyError) else str(error)


def _case(row: Mapping[str, object]) -> Case:
    if not isinstance(row, Mapping):
        raise ValueError("a case is a JSON object")
    if "messages" in row:
        return _write_case(row)
    if "label" not in row:
        raise ValueError("a case has `messages`, or `text` and `label`")
    return GuardCase(
        id=str(row["id"]),
        language=str(row.get("lang", "")),
        kind=str(row.get("kind", "")),
        label=_one_of(str(row["label"]), LABELS, "label"),
        text=str(row["text"]),
    )


def _write_case(row: Mapping[str, object]) -> WriteCase:
    return WriteCase(
        id=str(row["id"]),
        language=str(row.get("lang", "")),
        category=str(row.get("category", "")),
        existing=tuple(
            Existing(str(each["id"]), _kind(str(each.get("kind", "note"))), str(each["text"]))
            for each in _objects(row, "existing")
        ),
        turns=tuple((_role(str(each["role"])), str(each["content"])) for each in _objects(row, "messages")),
        expected=_expected(_object(row["expected"], "expected"), _list(row.get("must_keep", []), "must_keep")),
    )


def _expected(row: Mapping[str, object], must_keep: list[object]) -> Expected:
    turn = row.get("evidence_turn")
    action = _one_of(str(row["action"]), tuple(ACTIONS), "action")
    accept = frozenset(map(str, _list(row.get("accept") or [action], "accept")))
    if unknown := accept - ACTIONS:
        raise ValueError(f"`accept` knows no {', '.join(sorted(unknown))}")
    return Expected(
        action=action,
        accept=accept,
        must_contain=tuple(
            tuple(map(str, group if isinstance(group, list) else [group]))
            for group in _list(row.get("must_contain", []), "must_contain")
        ),
        must_not_contain=tuple(map(str, _list(row.get("must_not_contain", []), "must_not_contain"))),
        targets=_targets(row.get("target")),
        stage=_one_of(str(row["rule_stage"]), STAGES, "rule_stage"),
        guard=str(row.get("guard") or ""),
        evidence_turn=turn if isinstance(turn, int) else None,
        must_keep=tuple(map(str, must_keep)),
    )


def _targets(value: object) -> frozenset[str]:
    """One id, a list of them, or nothing."""
    return frozenset(map(str, value)) if isinstance(value, list) else frozenset({str(value or "")} - {""})


def _kind(name: str) -> Kind:
    return KINDS[_one_of(name, tuple(KINDS), "kind")]


def _role(name: str) -> Role:
    return Role(_one_of(name, tuple(Role), "role"))


def _one_of(name: str, known: tuple[str, ...], field: str) -> str:
    if name not in known:
        raise ValueError(f"`{field}` is “{name}”; known: {', '.join(sorted(known))}")
    return name


def _objects(row: Mapping[str, object], field: str) -> list[Mapping[str, object]]:
    return [_object(each, field) for each in _list(row.get(field, []), field)]


def _object(value: object, field: str) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        raise ValueError(f"`{field}` holds something that is no object")
    return value


def _list(value: object, field: str) -> list[object]:
    if not isinstance(value, list):
        raise ValueError(f"`{field}` is no list")
    return value
