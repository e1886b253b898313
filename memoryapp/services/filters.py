"""The small filter language of search: AND, OR, NOT over known fields, each with its type.

Unknown names are refused, never ignored, and so is a value that its field cannot have.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from django.db.models import Q
from django.utils.dateparse import parse_datetime

from memoryapp.domain.errors import DomainError
from memoryapp.domain.types import Door, Kind, Sensitivity

Reader = Callable[[object], object]

OPERATORS = {
    "eq": "",
    "gt": "__gt",
    "gte": "__gte",
    "lt": "__lt",
    "lte": "__lte",
    "in": "__in",
    "contains": "__icontains",
}
LISTS = ("in", "nin")
ORDERED = frozenset({"gt", "gte", "lt", "lte"})
DEEPEST = 5
MOST_VALUES = 200


class _Refused(Exception):
    """A value does not fit; the text says what would."""


def condition_of(filters: object) -> Q:
    """A filter as a condition; raises `unknown_filter` or `invalid` naming the part."""
    return compiled(filters)


def compiled(filters: object, depth: int = 0) -> Q:
    """A filter as a condition; raises `unknown_filter` or `invalid` naming the part."""
    if not isinstance(filters, Mapping) or depth > DEEPEST:
        raise DomainError("invalid", "`filters` is an object, nested at most five deep.")
    condition = Q()
    for name, value in filters.items():
        condition &= _joined(name, value, depth) if name in ("AND", "OR", "NOT") else _field(str(name), value)
    return condition


def _joined(name: str, value: object, depth: int) -> Q:
    parts = value if isinstance(value, list) else [value]
    if not parts:
        raise DomainError("invalid", f"`filters`: {name} needs at least one condition.")
    inner = [compiled(part, depth + 1) for part in parts]
    joined = inner[0]
    for part in inner[1:]:
        joined = joined | part if name == "OR" else joined & part
    return ~joined if name == "NOT" else joined


def _text(value: object) -> object:
    if not isinstance(value, str):
        raise _Refused("a text")
    if "\0" in value:
        raise _Refused("a text without NUL")
    return value


def _number(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        raise _Refused("a number")
    return float(value)


def _yes_or_no(value: object) -> object:
    if not isinstance(value, bool):
        raise _Refused("true or false")
    return value


def _moment(value: object) -> object:
    """A time needs its offset, or it would mean another instant on another server."""
    try:
        moment: datetime | None = parse_datetime(value) if isinstance(value, str) else None
        if moment is None or moment.tzinfo is None:
            raise _Refused("a time with its offset, e.g. 2026-03-15T09:00:00+08:00")
        return moment.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise _Refused("a time that exists") from error


def _one_of(words: type[Kind] | type[Door] | type[Sensitivity]) -> Reader:
    names = [word.value for word in words]

    def read(value: object) -> object:
        if value not in names:
            raise _Refused("one of " + ", ".join(names))
        return value

    return read


READERS: Mapping[str, Reader] = {
    "kind": _one_of(Kind),
    "origin": _one_of(Door),
    "sensitivity": _one_of(Sensitivity),
    "pinned": _yes_or_no,
    "importance": _number,
    "confidence": _number,
    "created_at": _moment,
    "updated_at": _moment,
    "said_at": _moment,
    "expires_at": _moment,
    "scope": _text,
    "subject": _text,
    "speaker": _text,
    "agent_id": _text,
    "session_id": _text,
}
COLUMNS = {"session_id": "evidence__session__name"}
NULLABLE = frozenset({"expires_at"})
FIELDS = frozenset(READERS)


def _field(name: str, value: object) -> Q:
    if name not in READERS:
        raise DomainError("unknown_filter", f"Unknown filter “{name}”. Known: {', '.join(sorted(FIELDS))}.")
    if not isinstance(value, Mapping):
        return _compared(name, "eq", value)
    if not value:
        raise DomainError("invalid", f"`filters`: “{name}” needs an operator.")
    condition = Q()
    for operator, operand in value.items():
        condition &= _compared(name, str(operator), operand)
    return condition


def _compared(name: str, operator: str, operand: object) -> Q:
    if operator not in OPERATORS and operator not in ("ne", "nin"):
        known = ", ".join([*OPERATORS, "ne", "nin"])
        raise DomainError("unknown_filter", f"Unknown operator “{operator}” of “{name}”. Known: {known}.")
    _refuse_unfit(name, operator)
    column = COLUMNS.get(name, name)
    if operand is None:
        return _without(name, operator, column)
    value = _operand(name, operator, operand)
    if operator in ("ne", "nin"):
        return ~Q(**{f"{column}__in" if operator == "nin" else column: value})
    return Q(**{f"{column}{OPERATORS[operator]}": value})


def _refuse_unfit(name: str, operator: str) -> None:
    reader = READERS[name]
    if operator in ORDERED and reader not in (_number, _moment):
        raise DomainError("invalid", f"`filters`: “{name}” has no order; use eq, ne, in or nin.")
    if operator == "contains" and reader is not _text:
        raise DomainError("invalid", f"`filters`: “contains” goes with texts, and “{name}” is none.")


def _without(name: str, operator: str, column: str) -> Q:
    """`null` as an operand: only where a field may lack a value, and only to be equal to or not."""
    if name not in NULLABLE or operator not in ("eq", "ne"):
        raise DomainError("invalid", f"`filters`: “{name}” cannot be null there.")
    return Q(**{f"{column}__isnull": operator == "eq"})


def _operand(name: str, operator: str, operand: object) -> object:
    read = READERS[name]
    try:
        if operator not in LISTS:
            return read(operand)
        if not isinstance(operand, list) or len(operand) > MOST_VALUES:
            raise _Refused(f"a list of at most {MOST_VALUES} values")
        return [read(value) for value in operand]
    except _Refused as refusal:
        raise DomainError("invalid", f"`filters`: “{name}” {operator} needs {refusal}.") from refusal
