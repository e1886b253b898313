"""What every table of a tenant has: a UUIDv7 and the tenant, which row-level security compares."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.db import models

from accounts.models import Tenant, new_id


class TenantRow(models.Model):
    """A row of one tenant. References between such rows carry the tenant too (composite foreign keys).

    The tenant has no index of its own: (tenant, id) is unique, and every write pays for every index.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="+", db_index=False)

    class Meta:
        abstract = True


def array_text(ids: Iterable[UUID]) -> str:
    """Ids as the database reads an array: one text is sent a hundred times faster than a thousand values."""
    return f"{{{','.join([one.hex for one in ids])}}}"


@models.UUIDField.register_lookup
@models.ForeignKey.register_lookup
class AnyOf(models.Lookup):
    """`pk__any_of=ids`: the ids as one value, however many they are; `__in` sends and plans one for each."""

    lookup_name = "any_of"
    prepare_rhs = False

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, tuple[Any, ...]]:
        column, values = self.process_lhs(compiler, connection)
        return f"{column} = ANY (%s::uuid[])", (*values, array_text(self.rhs))


@ArrayField.register_lookup
class OverlapsIds(models.Lookup):
    """`member_ids__overlaps_ids=ids`: like `overlap`, with the ids as one value."""

    lookup_name = "overlaps_ids"
    prepare_rhs = False

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, tuple[Any, ...]]:
        column, values = self.process_lhs(compiler, connection)
        return f"{column} && %s::uuid[]", (*values, array_text(self.rhs))


def reference(to: str, *, null: bool = False, related_name: str = "+", indexed: bool = True) -> models.ForeignKey:  # type: ignore[type-arg]
    """A reference inside the tenant: the database holds it as (tenant_id, id), written by the migration.

    `indexed=False` where an index of the model begins with it already.
    """
    return models.ForeignKey(
        to,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        null=null,
        blank=null,
        related_name=related_name,
        db_index=indexed,
    )
