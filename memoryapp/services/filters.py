"""The small filter language of search: AND, OR, NOT over known fields. Unknown names are refused, never ignored."""

from __future__ import annotations

from collections.abc import Mapping

from django.db.models import Q

from memoryapp.domain.errors import DomainError

FIELDS = frozenset(
    {"kind", "scope", "subject", "importance", "confidence", "pinned", "speaker", "agent_id", "origin", "sensitivity"}
    | {"created_at", "updated_at", "said_at"}
)
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
        return Q(**{name: value})
    condition = Q()
    for operator, operand in value.items():
        condition &= _compared(name, str(operator), operand)
    return condition


def _compared(name: str, operator: str, operand: object) -> Q:
    if operator == "ne":
        return ~Q(**{name: operand})
    if operator == "nin":
        return ~Q(**{f"{name}__in": operand})
    if operator not in OPERATORS:
        raise DomainError("unknown_filter", f"Unknown operator “{operator}” of “{name}”.")
    return Q(**{f"{name}{OPERATORS[operator]}": operand})
