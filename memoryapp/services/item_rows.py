"""Rows of items as values, read by one statement: for lists, search results and the tiers of a context."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import connection

from memoryapp.services.results import ItemView

EVIDENCE_COUNT = "(SELECT count(*) FROM memoryapp_evidence e WHERE e.tenant_id = i.tenant_id AND e.item_id = i.id)"
NOISE = """
    coalesce((SELECT n.reasons::text[] FROM memoryapp_noiseflag n
              WHERE n.tenant_id = i.tenant_id AND n.item_id = i.id AND n.dismissed_at IS NULL), '{}')
"""
COLUMNS = f"""
    i.id, i.content, i.kind, i.status, i.scope, s.kind AS space_kind, i.importance, i.confidence, i.sensitivity,
    i.pinned, i.origin, i.version,
    {EVIDENCE_COUNT},
    i.metadata, i.subject, i.speaker, i.pending_reason,
    {NOISE},
    i.superseded_by_id, i.said_at, i.created_at, i.updated_at, i.expires_at, i.review_after, i.undo_until
"""
"""The columns of `ItemView` in its order, from an item `i` and its space `s`."""
WIDTH = 25

LIVE = """i.status = 'active' AND (i.expires_at IS NULL OR i.expires_at > %(now)s) AND i.sensitivity <> 'restricted'"""
"""What may be given to an agent."""


def rows_of(statement: str, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        found: list[tuple[Any, ...]] = cursor.fetchall()
        return found


def item_values(stored: Sequence[Any], names: Sequence[tuple[str, str]]) -> list[Any]:
    """The values of a stored item row, `metadata` read; `names` are the columns with their attributes."""
    return [
        json.loads(value) if attribute == "metadata" and isinstance(value, str | bytes) else value
        for (_, attribute), value in zip(names, stored, strict=True)
    ]


def item_of(row: tuple[Any, ...]) -> ItemView:
    """The view of a row that begins with COLUMNS."""
    values = list(row[:WIDTH])
    metadata = values[_METADATA]
    if isinstance(metadata, str | bytes):
        values[_METADATA] = json.loads(metadata) if metadata != "{}" else {}
    values[_NOISE] = tuple(values[_NOISE])
    return ItemView._make(values)


_METADATA, _NOISE = ItemView._fields.index("metadata"), ItemView._fields.index("noise")
