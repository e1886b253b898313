"""The narrow doors that are open before a tenant is known: a key's row, a login's memberships.

They call SECURITY DEFINER functions of the schema `door`; row-level security hides the tables themselves.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import connection

from accounts.actor import ROLE_SCOPES, Actor, ActorKind
from accounts.keys import parse_key


@dataclass(frozen=True, slots=True)
class Seat:
    """One membership of a login: the tenant, the role in it and the person whose memories are shown."""

    membership_id: UUID
    tenant_id: UUID
    tenant_name: str
    role: str
    user_key: str


def actor_of_key(text: str, now: datetime, request_id: str = "") -> Actor | None:
    """The actor of a live API key; None for malformed, unknown, wrong, expired and revoked keys alike."""
    parts = parse_key(text)
    if parts is None:
        return None
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM door.api_key(%s)", [parts.public_id])
        row = cursor.fetchone()
    if row is None or row[0] is None:
        return None
    tenant_id, secret_hash, scopes, user_key, agent_id, expires_at, revoked_at = row
    if not hmac.compare_digest(bytes(secret_hash), parts.secret_hash):
        return None
    if revoked_at is not None or (expires_at is not None and expires_at <= now):
        return None
    return Actor(tenant_id, ActorKind.KEY, parts.public_id, tuple(scopes), user_key, agent_id, request_id)


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
