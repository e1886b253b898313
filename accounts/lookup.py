"""The narrow doors that are open before a tenant is known: a key's row, a login's memberships.

They call SECURITY DEFINER functions of the schema `door`; row-level security hides the tables themselves.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import OperationalError, connection

from accounts.actor import ROLE_SCOPES, Actor, ActorKind, Proof
from accounts.keys import KeyParts, parse_key
from memoryapp.domain.errors import DomainError


class KeyEnded(DomainError):
    """A key that was known is none any more. Only calls of the API have keys, so no page has words for it."""

    def __init__(self) -> None:
        super().__init__("unauthenticated", NO_KEY)


@dataclass(frozen=True, slots=True)
class Seat:
    """One membership of a login: the tenant, the role in it and the person whose memories are shown."""

    membership_id: UUID
    tenant_id: UUID
    tenant_name: str
    role: str
    user_key: str


ROW_OF_KEY = "SELECT k::text FROM door.api_key('{public_id}') k"
"""A key's row as one text; `public_id` is one that `parse_key` has passed."""
NO_KEY = "Send a valid key: Authorization: Bearer mk_…"
MOST_KEYS = 10_000
"""Keys that a process remembers; when there are more it begins anew."""


@dataclass(frozen=True, slots=True)
class _KeyRow:
    """A key as it stands in the database, and the same row as one text."""

    tenant_id: UUID
    secret_hash: bytes
    scopes: list[str]
    user_key: str
    agent_id: str
    expires_at: datetime | None
    revoked_at: datetime | None
    text: str

    def opens(self, parts: KeyParts, now: datetime) -> bool:
        alive = self.revoked_at is None and (self.expires_at is None or self.expires_at > now)
        return hmac.compare_digest(bytes(self.secret_hash), parts.secret_hash) and alive

    def actor(self, public_id: str, request_id: str, proof: Proof | None = None) -> Actor:
        scopes = tuple(self.scopes)
        return Actor(
            self.tenant_id, ActorKind.KEY, public_id, scopes, self.user_key, self.agent_id, request_id, proof=proof
        )


_known: dict[str, _KeyRow] = {}


def actor_of_key(text: str, now: datetime, request_id: str = "", *, proves_later: bool = False) -> Actor | None:
    """The actor of a live API key; None for malformed, unknown, wrong, expired and revoked keys alike.

    With `proves_later` a key that this process knows is not looked up: its actor carries what is to be proven by the
    first transaction, or by `proven`, before anything is answered.
    """
    parts = parse_key(text)
    if parts is None:
        return None
    known = _known.get(parts.public_id) if proves_later else None
    if known is not None and known.opens(parts, now):
        return known.actor(parts.public_id, request_id, Proof(parts.public_id, known.text))
    row = _key_row(parts.public_id)
    if row is None or not row.opens(parts, now):
        _known.pop(parts.public_id, None)
        return None
    if len(_known) >= MOST_KEYS:
        _known.clear()
    _known[parts.public_id] = row
    return row.actor(parts.public_id, request_id)


def _key_row(public_id: str) -> _KeyRow | None:
    """Asked once more when the connection broke: it is the first of a request, and the server may have ended it."""
    try:
        row = _asked(public_id)
    except OperationalError:
        if connection.in_atomic_block:
            raise
        connection.close()
        row = _asked(public_id)
    return _KeyRow(*row) if row is not None and row[0] is not None else None


def _asked(public_id: str) -> tuple[Any, ...] | None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT k.*, k::text FROM door.api_key(%s) k", [public_id])
        row: tuple[Any, ...] | None = cursor.fetchone()
        return row


def give(proof: Proof, row: str | None) -> bool:
    """Whether the row that the database shows now is the one that was checked; if not, the key is looked up next time."""
    proof.given = row == proof.row
    if not proof.given:
        _known.pop(proof.public_id, None)
    return proof.given


def proven(actor: Actor) -> bool:
    """Whether the actor's key still is what it was, asked now if no transaction asked for it."""
    if actor.proof is None or actor.proof.given:
        return True
    with connection.cursor() as cursor:
        cursor.execute(ROW_OF_KEY.format(public_id=actor.proof.public_id))
        row = cursor.fetchone()
    return give(actor.proof, row[0] if row else None)


def prove(actor: Actor) -> None:
    """Raises `unauthenticated` when the actor's key is no longer what it was."""
    if not proven(actor):
        raise KeyEnded


def seats_of(user_id: UUID) -> tuple[Seat, ...]:
    """The memberships of a login, oldest first."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM door.seats(%s)", [user_id])
        return tuple(Seat(*row) for row in cursor.fetchall())


def actor_of_seat(seat: Seat, user_id: UUID, request_id: str = "") -> Actor:
    """The actor that a logged-in person is in one tenant."""
    scopes = ROLE_SCOPES[seat.role]
    if not seat.user_key:
        scopes = tuple(scope for scope in scopes if not scope.startswith("memory:"))
    return Actor(
        seat.tenant_id, ActorKind.PERSON, str(user_id), scopes, seat.user_key, request_id=request_id, role=seat.role
    )
