"""Which tables hold something of an item, a session or a space, read from the models: a new table is covered at once."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any
from uuid import UUID

from django.apps import apps
from django.db import models

from memoryapp.models import (
    AuditEvent,
    AuditExport,
    AuditSubject,
    Dictionary,
    Erasure,
    ErasureStep,
    Evidence,
    MemoryItem,
    MemoryVersion,
    Message,
    Reembedding,
    RetrievalEntry,
    Run,
    Session,
    SourceMask,
    Space,
    Tombstone,
)
from memoryapp.models.base import TenantRow

CONTENT_FREE: tuple[type[TenantRow], ...] = (
    Tombstone,
    SourceMask,
    Erasure,
    ErasureStep,
    AuditEvent,
    AuditExport,
    AuditSubject,
    Reembedding,
    Dictionary,
)
"""Marks, jobs and the trail: they outlive what they are about."""
OWN_STEP: tuple[type[TenantRow], ...] = (Evidence, MemoryVersion)
"""Deleted together with the item, under one audit event."""


def tenant_models() -> Iterator[type[TenantRow]]:
    for model in apps.get_app_config("memoryapp").get_models():
        if issubclass(model, TenantRow) and model not in CONTENT_FREE:
            yield model


def pointing_at_items() -> Iterator[tuple[type[TenantRow], str]]:
    """Tables and columns that name an item, apart from the item's own."""
    yield RetrievalEntry, "id"
    for model in tenant_models():
        if model in OWN_STEP or model is MemoryItem:
            continue
        for column in model._meta.concrete_fields:
            if column.related_model is MemoryItem or column.attname == "item_id":
                yield model, column.attname


def lineages() -> Iterator[models.QuerySet[Any]]:
    """Rows that say which `item` came from which `source`."""
    for model in tenant_models():
        names = {c.attname for c in model._meta.concrete_fields if c.related_model is MemoryItem}
        if names >= {"item_id", "source_id"}:
            yield model._default_manager.all()


def with_family(item_ids: Collection[UUID]) -> tuple[UUID, ...]:
    """The items, everything derived from them, and, where one was merged from others, those others too.

    The originals of a summary stay when only the summary goes.
    """
    found, new = dict.fromkeys(item_ids), set(item_ids)
    while new:
        related: set[UUID] = set()
        for rows in lineages():
            related |= set(rows.filter(source_id__any_of=new).values_list("item_id", flat=True))
            merged = rows.filter(item_id__any_of=new, relation="merged")
            related |= set(merged.values_list("source_id", flat=True))
        new = related - set(found)
        found |= dict.fromkeys(sorted(new))
    return tuple(found)


def pointing_at(target: type[TenantRow]) -> Iterator[tuple[type[TenantRow], str]]:
    """Tables and columns that refer to a session, a run or a space."""
    for model in tenant_models():
        for column in model._meta.concrete_fields:
            if isinstance(column, models.ForeignKey) and column.related_model is target:
                yield model, column.attname


def rewritten_tables() -> tuple[str, ...]:
    """Tables that hold what people said; the physical step rewrites them."""
    told = {MemoryItem, MemoryVersion, Evidence, Message, Run, Session, Space, RetrievalEntry}
    told |= {model for model, _ in pointing_at_items()} | {model for model, _ in pointing_at(Session)}
    return tuple(sorted(model._meta.db_table for model in told))
