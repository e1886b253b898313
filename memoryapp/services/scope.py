"""The tenant of a transaction: the one place where row-level security is opened."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import cast
from uuid import UUID

from django.db import connection, transaction

from accounts.actor import Actor
from accounts.lookup import ROW_OF_KEY, KeyEnded, give
from memoryapp.postgres.base import DatabaseWrapper

_OPEN = "SELECT set_config('app.tenant', '{tenant}', true)"
_NOT_DURABLE = ", set_config('synchronous_commit', 'off', true)"
_PLANNED_ONCE = ", set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true)"

_present: ContextVar[UUID | None] = ContextVar("tenant", default=None)


@contextmanager
def tenant_scope(actor: Actor, *, durable_read: bool = True, planned_once: bool = False) -> Iterator[None]:
    """A short transaction in which the actor's tenant, and nothing else, exists.

    A scope inside a scope of the same tenant joins it; another tenant raises RuntimeError. Nothing lazy may leave it.
    `durable_read=False` lets the commit of a read's audit event return before it is on disk. `planned_once` is for
    statements whose best plan goes by index whatever their values: a connection plans them once and not at every call.
    Raises `unauthenticated` when the actor's key is no longer what it was (`actor_of_key`, `proves_later`).
    """
    if _present.get() is not None:
        if _present.get() != actor.tenant_id:
            raise RuntimeError("a tenant scope of another tenant is open")
        yield
        return
    token = _present.set(actor.tenant_id)
    opening = _OPEN.format(tenant=UUID(int=actor.tenant_id.int))
    opening += ("" if durable_read else _NOT_DURABLE) + (_PLANNED_ONCE if planned_once else "")
    outermost = not connection.in_atomic_block
    try:
        with transaction.atomic():
            _open(actor, opening, outermost)
            yield
    finally:
        _present.reset(token)


def _open(actor: Actor, statement: str, outermost: bool) -> None:
    """The message that opens a transaction also proves the actor's key, where that was left to it."""
    proof = actor.proof if actor.proof is not None and not actor.proof.given else None
    asked = ROW_OF_KEY.format(public_id=proof.public_id) if proof else ""
    row = _answer(f"{statement}; {asked}" if asked else statement, outermost)
    if proof and not give(proof, row):
        raise KeyEnded


def _answer(statements: str, outermost: bool) -> str | None:
    """The first value of the last of some statements. Inside a test's transaction each goes alone."""
    if outermost:
        return cast(DatabaseWrapper, connection).begin(statements)
    value = None
    with connection.cursor() as cursor:
        for statement in statements.split("; "):
            cursor.execute(statement)
            row = cursor.fetchone()
            value = str(row[0]) if row else None
    return value
