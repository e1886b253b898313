"""Tenants: all of them, or one by its name."""

from __future__ import annotations

from uuid import UUID

from django.db import connection

from accounts.actor import system_actor
from accounts.models import Tenant
from memoryapp.domain.errors import DomainError
from memoryapp.services.scope import tenant_scope


def tenant_ids() -> list[UUID]:
    """Every tenant, through the narrow door: ids only."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM door.tenants()")
        return [row[0] for row in cursor.fetchall()]


def tenant_named(name: str) -> Tenant:
    """The tenant of that name. Looks into one tenant at a time, as row-level security asks."""
    for tenant_id in tenant_ids():
        with tenant_scope(system_actor(tenant_id)):
            found = Tenant.objects.filter(pk=tenant_id, name=name).first()
        if found is not None:
            return found
    raise DomainError("not_found", f"There is no tenant “{name}”.")
