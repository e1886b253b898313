"""One page of a list, newest first: the rule of every cursor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar
from uuid import UUID

from django.db.models import Model, QuerySet

from memoryapp.domain.errors import DomainError

M = TypeVar("M", bound=Model)


@dataclass(frozen=True, slots=True)
class PageOfRows(Generic[M]):
    """`cursor` continues the list, None at its end; `total` counts all rows, not this page's."""

    rows: tuple[M, ...]
    cursor: str | None
    total: int


def newest(rows: QuerySet[M], limit: int, cursor: str | None) -> PageOfRows[M]:
    """The `limit` newest rows by id, which rises with time, after those of the pages before."""
    total = rows.count()
    rest = rows.filter(pk__lt=cursor_id(cursor)) if cursor else rows
    found = list(rest.order_by("-id")[: limit + 1])
    page = tuple(found[:limit])
    return PageOfRows(page, page[-1].pk.hex if len(found) > limit else None, total)


def cursor_id(text: str) -> UUID:
    """The last id of the page before, as a list gave it."""
    try:
        return UUID(text)
    except ValueError as error:
        raise DomainError("invalid", "`cursor` is not one that a list gave.") from error
