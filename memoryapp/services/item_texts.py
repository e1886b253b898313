"""Every text that memories have or had, and every quote that they stand on."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet

from accounts.actor import Actor
from memoryapp.models import Evidence, MemoryItem, MemoryVersion


def texts_of_items(actor: Actor, items: QuerySet[MemoryItem]) -> tuple[QuerySet[Any, str], QuerySet[Any, str]]:
    """Texts of all versions, and quotes, as two queries that can be united or subtracted in the database."""
    of = items.order_by().values("pk")
    versions = MemoryVersion.objects.filter(tenant_id=actor.tenant_id, item__in=of).order_by()
    quotes = Evidence.objects.filter(tenant_id=actor.tenant_id, item__in=of).exclude(quote="").order_by()
    return versions.values_list("content", flat=True), quotes.values_list("quote", flat=True)
