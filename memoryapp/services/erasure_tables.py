"""Which tables hold something of an item, a session or a space, read from the models: a new table is covered at once."""

from __future__ import annotations

from collections.abc import Iterator

from django.apps import apps
from django.db import models

from memoryapp.models import (
    AuditEvent,
    AuditExport,
    AuditSubject,
    Erasure,
    ErasureStep,
    Evidence,
    MemoryItem,
    MemoryVersion,
    Message,
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
