"""Spaces and policies: found or made."""

from __future__ import annotations

import json
from uuid import UUID

from django.db import connection

from accounts.actor import Actor
from memoryapp.domain.errors import DomainError
from memoryapp.domain.guards import holds_secret
from memoryapp.domain.policy import Policy
from memoryapp.domain.types import SpaceKind
from memoryapp.models import PolicyVersion, Space
from memoryapp.services.standing import policy_of, readable_names

SPACE_LOCK = "pg_advisory_xact_lock(hashtextextended({space}::text, 0))"
"""The advisory lock of a space in SQL; `space` stands for the expression of its id."""


def check_person(actor: Actor, person: str) -> str:
    """The person an actor works for; refuses somebody else's before anything is looked up."""
    wanted = person or actor.user_key
    if not wanted:
        raise DomainError("user_required", "Name the person: `user_id` is missing and the key is not bound to one.")
    if actor.user_key and wanted != actor.user_key:
        raise DomainError("user_not_allowed", "This key is bound to another person.")
    refuse_secret_names(user_id=wanted)
    return wanted


def refuse_secrets(metadata: object) -> None:
    """Metadata is stored as it comes, so a secret in it is refused rather than masked."""
    if metadata and holds_secret(json.dumps(metadata, ensure_ascii=False, default=str)):
        raise DomainError("guard_refused", "`metadata` holds a secret.", {"reason": "secret.metadata"})


def refuse_secret_names(**named: str) -> None:
    """Names and ids are stored, audited and compared as they come; neither a secret nor a NUL can be one."""
    for field, value in named.items():
        if "\0" in value:
            raise DomainError("invalid", f"`{field}` holds a NUL character.")
        if value and holds_secret(value):
            raise DomainError("guard_refused", f"`{field}` holds a secret.", {"reason": f"secret.{field}"})


def find_space(actor: Actor, kind: str, key: str) -> Space | None:
    return Space.objects.filter(tenant_id=actor.tenant_id, kind=kind, key=key).first()


def ensure_space(actor: Actor, kind: str, key: str) -> Space:
    space = find_space(actor, kind, key)
    if space is not None:
        return space
    Space.objects.bulk_create([Space(tenant_id=actor.tenant_id, kind=kind, key=key)], ignore_conflicts=True)
    return Space.objects.get(tenant_id=actor.tenant_id, kind=kind, key=key)


def space_key(kind: str, person: str, project_id: str) -> str:
    """The key of the space a write goes to."""
    if kind == SpaceKind.PERSON:
        return person
    if kind == SpaceKind.ORGANISATION:
        return ""
    if kind == SpaceKind.PROJECT and project_id:
        return project_id
    raise DomainError("invalid", "`space` is person, project (with `project_id`) or organisation.")


def readable_spaces(actor: Actor, person: str, project_id: str = "") -> list[Space]:
    """Those of `readable_names` that exist."""
    wanted = readable_names(actor, person, project_id)
    rows = Space.objects.filter(tenant_id=actor.tenant_id, key__in=[key for _, key in wanted])
    return [space for space in rows if (space.kind, space.key) in wanted]


def lock(space_id: UUID) -> int:
    """Take the space's advisory lock for this transaction and read its revision.

    Row locks are taken without the key everywhere: a reference that another transaction checks at its commit must not
    wait for ours, or the two could wait for each other.
    """
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {SPACE_LOCK.format(space='%s')}", [str(space_id)])
    return Space.objects.select_for_update(no_key=True).values_list("revision", flat=True).get(pk=space_id)


def active_policy(actor: Actor) -> Policy:
    """The policy in force for the actor's tenant."""
    newest = PolicyVersion.objects.filter(tenant_id=actor.tenant_id).order_by("-version")
    return policy_of(*(newest.values_list("version", "settings").first() or (None, None)))
