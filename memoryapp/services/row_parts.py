"""Rows as parts of one statement: what belongs together is written in one round trip.

PostgreSQL runs the parts of a `WITH` on one snapshot and in no fixed order. A part that must come after the item's own
selects from the part named `item` (`RETURNING`), which makes it wait for each row.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from typing import Any
from uuid import UUID

import orjson
from django.db import connection, models


@dataclass(frozen=True, slots=True)
class Part:
    """One INSERT, UPDATE or DELETE with its values; `name` is unique in its statement."""

    name: str
    sql: str
    values: Sequence[Any]


def together(parts: Sequence[Part]) -> None:
    """Run all parts as one statement."""
    inner = ",\n".join(f"{part.name} AS ({part.sql})" for part in parts)
    with connection.cursor() as cursor:
        cursor.execute(f"WITH {inner} SELECT 1", [value for part in parts for value in part.values])


@cache
def columns(model: type[models.Model]) -> tuple[tuple[str, str], ...]:
    """The stored columns of a model with the names of their attributes."""
    return tuple((str(field.column), field.attname) for field in model._meta.concrete_fields)


@cache
def _insert(model: type[models.Model]) -> str:
    names = [column for column, _ in columns(model)]
    places = ", ".join("%s" for _ in names)
    return f"INSERT INTO {model._meta.db_table} ({', '.join(names)}) VALUES ({places}) RETURNING id"


@cache
def _update(model: type[models.Model]) -> str:
    changed = ", ".join(f"{column} = %s" for column, _ in columns(model) if column not in ("id", "tenant_id"))
    return f"UPDATE {model._meta.db_table} SET {changed} WHERE tenant_id = %s AND id = %s RETURNING id"


def insert(name: str, row: models.Model) -> Part:
    """A new row, whole. What the database fills in by itself stands in the row already."""
    return insert_values(name, type(row), row)


def insert_values(name: str, model: type[models.Model], row: object) -> Part:
    """The same of anything that has the attributes of a row."""
    return Part(name, _insert(model), [_stored(getattr(row, attribute)) for _, attribute in columns(model)])


def insert_many(model: type[models.Model], rows: Sequence[object]) -> None:
    """New rows of one model, or what has their attributes, each whole, in one statement whose only value is all of them
    as JSON.
    """
    if not rows:
        return
    names = [column for column, _ in columns(model)]
    values_of = attrgetter(*(attribute for _, attribute in columns(model)))
    told = [dict(zip(names, values_of(row), strict=True)) for row in rows]
    listed = ", ".join(names)
    table = model._meta.db_table
    statement = f"INSERT INTO {table} ({listed}) SELECT {listed} FROM json_populate_recordset(NULL::{table}, %s::json)"
    with connection.cursor() as cursor:
        cursor.execute(statement, [orjson.dumps(told, default=_bytes_told).decode()])


def _bytes_told(value: Any) -> str:
    """Bytes as the database reads them in JSON; everything else orjson writes as the database reads it."""
    if isinstance(value, bytes | memoryview):
        return f"\\x{value.hex()}"
    raise TypeError(f"{type(value).__name__} has no form in JSON")


def update(name: str, row: models.Model) -> Part:
    """Every column of a row that is there already."""
    names = [(column, attribute) for column, attribute in columns(type(row)) if column not in ("id", "tenant_id")]
    values = [_stored(getattr(row, attribute)) for _, attribute in names]
    return Part(name, _update(type(row)), [*values, *_keys(row)])


def _keys(row: models.Model) -> tuple[UUID, UUID]:
    tenant: UUID = row.tenant_id  # type: ignore[attr-defined]
    return tenant, row.pk


def _stored(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, dict) else value
