"""The tenant of a transaction: the one place where row-level security is opened."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from uuid import UUID

from django.db import connection, transaction

from accounts.actor import Actor

_OPEN = "SELECT set_config('app.tenant', %s, true)"
_OPEN_FOR_READING = f"{_OPEN}, set_config('synchronous_commit', 'off', true)"

_present: ContextVar[UUID | None] = ContextVar("tenant", default=None)


@contextmanager
def tenant_scope(actor: Actor, *, durable_read: bool = True) -> Iterator[None]:
    """A short transaction in which the actor's tenant, and nothing else, exists.

    A scope inside a scope of the same tenant joins it; another tenant raises RuntimeError. Nothing lazy may leave it.
    `durable_read=False` lets the commit of a read's audit event return before it is on disk.
    """
    if _present.get() is not None:
        if _present.get() != actor.tenant_id:
            raise RuntimeError("a tenant scope of another tenant is open")
        yield
        return
    token = _present.set(actor.tenant_id)
    try:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute(_OPEN if durable_read else _OPEN_FOR_READING, [str(actor.tenant_id)])
            yield
    finally:
        _present.reset(token)
