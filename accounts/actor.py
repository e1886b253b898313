"""Who acts. The first argument of every service."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from uuid import UUID

ALL_SCOPES = ("memory:read", "memory:write", "memory:delete", "audit:read", "admin")
ROLE_SCOPES = {
    "member": ("memory:read", "memory:write", "memory:delete"),
    "compliance": ("audit:read",),
    "operator": ("admin",),
    "owner": ("memory:read", "memory:write", "memory:delete", "admin"),
}


class ActorKind(StrEnum):
    KEY = "key"
    PERSON = "person"
    SYSTEM = "system"


@dataclass(slots=True)
class Proof:
    """What is still to be shown of an actor whose key was known already: that its row reads as it did then.

    The first transaction asks for the row in the message that opens it. Until `given`, nothing may be answered.
    """

    public_id: str
    row: str
    given: bool = False


@dataclass(frozen=True, slots=True)
class Actor:
    """A key, a logged-in person or the system itself, inside one tenant.

    `user_key` is the only person (the tenant's own `user_id`) the actor may see; empty means any person, which only
    keys and the system can have. `ref` names the actor inside the audit trail and is no secret.
    """

    tenant_id: UUID
    kind: ActorKind
    ref: str
    scopes: tuple[str, ...]
    user_key: str = ""
    agent_id: str = ""
    request_id: str = ""
    role: str = ""
    proof: Proof | None = field(default=None, compare=False, repr=False)

    def may(self, scope: str) -> bool:
        return scope in self.scopes

    @property
    def is_person(self) -> bool:
        return self.kind is ActorKind.PERSON


def system_actor(tenant_id: UUID, ref: str = "system") -> Actor:
    """The service itself at work for a tenant: workers, commands, housekeeping."""
    return Actor(tenant_id=tenant_id, kind=ActorKind.SYSTEM, ref=ref, scopes=ALL_SCOPES)
