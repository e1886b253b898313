"""Approximate indexes of big spaces: which there are, and which of them a search may use.

One partial HNSW index holds one space's vectors of one model, so that neither other people's rows nor row-level
security take places in its answer. Operators make them (`manage.py vector_index`); nothing is looked up before a search
has met a library above the policy's `exact_up_to`.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection

from memoryapp.kept_briefly import KeptBriefly

PREFIX = "entry_hnsw_"
SECONDS = 60.0
"""How long a process goes by what it read of the catalogue: so late a new or dropped index is noticed."""
MOST_KNOWN = 10_000

_CATALOGUE = """
SELECT c.relname, i.indisvalid, c.reltuples, obj_description(c.oid, 'pg_class') FROM pg_index i
JOIN pg_class c ON c.oid = i.indexrelid
WHERE i.indrelid = 'memoryapp_retrievalentry'::regclass AND starts_with(c.relname, %s)
"""


@dataclass(frozen=True, slots=True)
class VectorIndex:
    """An index of one space. `items` is the planner's estimate; not `usable` while it is built or left half-made."""

    tenant_id: UUID
    space_id: UUID
    model: str
    dimensions: int
    items: int
    usable: bool

    @property
    def name(self) -> str:
        return name_of(self.space_id)


def name_of(space_id: UUID) -> str:
    return f"{PREFIX}{space_id.hex}"


def described(tenant_id: UUID, model: str, dimensions: int) -> str:
    """The index's comment, from which it is known again."""
    return json.dumps({"tenant": str(tenant_id), "model": model, "dimensions": dimensions})


def read_catalogue() -> tuple[VectorIndex, ...]:
    """All of them. One without its comment was left half-made: its model is empty and it is not usable."""
    with connection.cursor() as cursor:
        cursor.execute(_CATALOGUE, [PREFIX])
        return tuple(_index(*row) for row in cursor.fetchall())


_NOTHING = {"tenant": str(UUID(int=0)), "model": "", "dimensions": 0}


def _index(name: str, valid: bool, items: float, comment: str | None) -> VectorIndex:
    said: dict[str, Any] = json.loads(comment) if comment else _NOTHING
    space = UUID(name.removeprefix(PREFIX))
    usable = valid and bool(comment)
    return VectorIndex(UUID(said["tenant"]), space, said["model"], said["dimensions"], max(int(items), 0), usable)


_lock = threading.Lock()
_large: dict[tuple[UUID, ...], int] = {}
_catalogue = KeptBriefly[str, tuple[VectorIndex, ...]](1)


def note_size(spaces: Sequence[UUID], items: int, exact_up_to: int) -> None:
    """Remember libraries above the bound; a search counts them anyway."""
    key = tuple(spaces)
    with _lock:
        if items > exact_up_to and len(_large) < MOST_KNOWN:
            _large[key] = items
        else:
            _large.pop(key, None)


def usable_for(spaces: Sequence[UUID], model: str, dimensions: int, exact_up_to: int) -> tuple[VectorIndex, ...]:
    """Indexes of those of the spaces that hold more than `exact_up_to` items of this model."""
    if tuple(spaces) not in _large:
        return ()
    wanted = set(spaces)
    return tuple(
        one
        for one in _catalogue.value(PREFIX, SECONDS, lambda _: read_catalogue())
        if one.usable
        and one.space_id in wanted
        and (one.model, one.dimensions) == (model, dimensions)
        and one.items > exact_up_to
    )


def look_again() -> None:
    """Look at the catalogue again, and wait for a large library again."""
    with _lock:
        _large.clear()
    _catalogue.drop()
