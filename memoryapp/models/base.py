"""What every table of a tenant has: a UUIDv7 and the tenant, which row-level security compares."""

from __future__ import annotations

from django.db import models

from accounts.models import Tenant, new_id


class TenantRow(models.Model):
    """A row of one tenant. References between such rows carry the tenant too (composite foreign keys)."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="+")

    class Meta:
        abstract = True


def reference(to: str, *, null: bool = False, related_name: str = "+") -> models.ForeignKey:  # type: ignore[type-arg]
    """A reference inside the tenant: the database holds it as (tenant_id, id), written by the migration."""
    return models.ForeignKey(
        to, on_delete=models.DO_NOTHING, db_constraint=False, null=null, blank=null, related_name=related_name
    )
