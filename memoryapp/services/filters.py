"""The small filter language of search: AND, OR, NOT over known fields. Unknown names are refused, never ignored."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC

from django.db.models import Q
from django.utils.dateparse import parse_datetime

from memoryapp.domain.errors import DomainError

FIELDS = frozenset(
    {"kind", "scope", "subject", "importance", "confidence", "pinned", "speaker", "agent_id", "origin", "sensitivity"}
    | {"created_at", "updated_at", "said_at"}
)
TIMES = frozenset({"created_at", "updated_at", "said_at"})
OPERATORS = {
    "gt": "__gt",
    "gte": "__gte",
    "lt": "__lt",
    "lte": "__lte",
    "contains": "__icontains",
    "in": "__in",
    "eq": "",
}
DEEPEST = 5


def condition_of(filters: object) -> Q:
    """A filter as a condition; raises `unknown_filter` or `invalid` naming the part."""
    try:
        return compiled(filters)
    except (ValueError, OverflowError) as error:
        raise DomainError("invalid", "A time in `filters` does not exist.") from error


def compiled(filters: object, depth: int = 0) -> Q:
    if not isinstance(filters, Mapping) or depth > DEEPEST:
        raise DomainError("invalid", "`filters` is an object, nested at most five deep.")
    condition = Q()
    for name, value in filters.items():
        condition &= _joined(name, value, depth) if name in ("AND", "OR", "NOT") else _field(str(name), value)
    return condition


def _joined(name: str, value: object, depth: int) -> Q:
    parts = value if isinstance(value, list) else [value]
    inner = [compiled(part, depth + 1) for part in parts]
    if name == "NOT":
        return ~_all(inner)
    if name == "AND":
        return _all(inner)
    either = Q()
    for part in inner:
        either |= part
    return either


def _all(parts: list[Q]) -> Q:
    both = Q()
    for part in parts:
        both &= part
    return both


def _field(name: str, value: object) -> Q:
    if name not in FIELDS:
        raise DomainError("unknown_filter", f"Unknown filter “{name}”. Known: {', '.join(sorted(FIELDS))}.")
    if not isinstance(value, Mapping):
        return Q(**{name: _operand(name, value)})
    condition = Q()
    for operator, operand in value.items():
        condition &= _compared(name, str(operator), _operand(name, operand))
    return condition


def _operand(name: str, value: object) -> object:
    """A time needs its offset, or it would mean another instant on another server."""
    if name in TIMES:
        for one in value if isinstance(value, list) else [value]:
            moment = parse_datetime(one) if isinstance(one, str) else None
            if moment is None or moment.tzinfo is None:
                raise DomainError("invalid", f"“{name}” is a time with its offset, e.g. 2026-03-15T09:00:00+08:00.")
            moment.astimezone(UTC)
    return value


def _compared(name: str, operator: str, operand: object) -> Q:
    if operator == "ne":
        return ~Q(**{name: operand})
    if operator == "nin":
        return ~Q(**{f"{name}__in": operand})
    if operator not in OPERATORS:
        raise DomainError("unknown_filter", f"Unknown operator “{operator}” of “{name}”.")
    return Q(**{f"{name}{OPERATORS[operator]}": operand})
