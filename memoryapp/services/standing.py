"""What every read needs before it looks, in one statement: the policy, the spaces that may be read, the audit's names."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

import orjson
from django.conf import settings
from django.db import connection

from accounts.actor import Actor
from memoryapp import audit
from memoryapp.domain.policy import DEFAULT_POLICY, Policy, from_mapping
from memoryapp.domain.types import SpaceKind
from memoryapp.kept_briefly import KeptBriefly

STANDING = """memoryapp_standing(
    %(tenant)s, %(kinds)s::text[], %(keys)s::text[], %(actor_kind)s, %(actor)s, %(person)s, {revisions}
)"""
"""Where a read stands, as the database says it in one text: with the revisions of its spaces or without."""
_ABOUT = """(VALUES (1)) one
LEFT JOIN LATERAL (
    SELECT version, settings FROM memoryapp_policyversion WHERE tenant_id = %(tenant)s ORDER BY version DESC LIMIT 1
) p ON true
LEFT JOIN memoryapp_auditsubject a ON a.tenant_id = %(tenant)s AND a.kind = %(actor_kind)s AND a.name = %(actor)s
LEFT JOIN memoryapp_auditsubject b ON b.tenant_id = %(tenant)s AND b.kind = 'user_id' AND b.name = %(person)s
"""
MOST_PLACES = 10_000
SECONDS = 300.0
"""Standings that a process remembers, and for how long: names and ids only."""
_SPACES = """
    SELECT s.id, s.kind, s.using_paused
    FROM unnest(%(kinds)s::text[], %(keys)s::text[]) wanted(kind, key)
    JOIN memoryapp_space s ON s.tenant_id = %(tenant)s AND s.kind = wanted.kind AND s.key = wanted.key
"""
_SQL = f"""
SELECT p.version, p.settings, a.id, b.id, {STANDING.format(revisions="false")}, s.id, s.kind, s.using_paused
FROM {_ABOUT} LEFT JOIN ({_SPACES}) s ON true
"""
IN_PASSING = f"""
spaces AS MATERIALIZED ({_SPACES}),
standing AS MATERIALIZED (
    SELECT json_build_array(
        p.version, CASE WHEN p.version IS DISTINCT FROM %(seen)s::int THEN p.settings END, a.id, b.id,
        (SELECT json_agg(json_build_array(s.id, s.kind, s.using_paused)) FROM spaces s)
    )::text AS told FROM {_ABOUT}
)
"""
"""The same as parts of a larger statement: `spaces`, and `standing` with one text that `standing_of` reads. A policy
that was `seen` is not sent again: its row never changes."""


@dataclass(frozen=True, slots=True)
class ReadableSpace:
    """A space that exists and may be read. `using_paused`: lists show it, agents are given nothing of it."""

    id: UUID
    kind: str
    using_paused: bool


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a read stands. Unknown people have no spaces; nothing is created for them."""

    policy: Policy
    spaces: tuple[ReadableSpace, ...]
    subjects: audit.Subjects
    told: str = ""
    """The same as STANDING says it, without revisions, where it was asked for."""

    @property
    def usable(self) -> list[UUID]:
        """The spaces that agents may be given memories of."""
        return [space.id for space in self.spaces if not space.using_paused]

    @property
    def all_spaces(self) -> list[UUID]:
        return [space.id for space in self.spaces]


def standing(actor: Actor, person: str, project_id: str = "") -> Standing:
    """One statement, for the spaces of `readable_names`."""
    with connection.cursor() as cursor:
        cursor.execute(_SQL, values_for(actor, person, project_id))
        rows = cursor.fetchall()
    version, stored, by, behalf, told = rows[0][:5]
    spaces = tuple(ReadableSpace(*row[5:]) for row in rows if row[5] is not None)
    return Standing(policy_of(version, stored), spaces, audit.Subjects(by, behalf), told)


_places = KeptBriefly[tuple[UUID, str, str, str, str, str], Standing](MOST_PLACES)


def remembered(actor: Actor, person: str, project_id: str = "") -> Standing:
    """The standing as this process read it last, for a caller who has STANDING told again and compares before it
    answers; when it differs, `look_again` and ask anew.
    """
    return _places.value(_named(actor, person, project_id), SECONDS, lambda _: standing(actor, person, project_id))


def look_again(actor: Actor, person: str, project_id: str = "") -> None:
    """Read this standing at its next use."""
    _places.look_again(_named(actor, person, project_id))


def _named(actor: Actor, person: str, project_id: str) -> tuple[UUID, str, str, str, str, str]:
    return actor.tenant_id, str(actor.kind), actor.ref, actor.user_key, person, project_id


def values_for(actor: Actor, person: str, project_id: str = "") -> dict[str, Any]:
    """What the statement asks for, IN_PASSING too."""
    wanted = readable_names(actor, person, project_id)
    return {
        "tenant": actor.tenant_id,
        "actor_kind": str(actor.kind),
        "actor": actor.ref,
        "person": person,
        "kinds": [kind for kind, _ in wanted],
        "keys": [key for _, key in wanted],
    }


def standing_of(told: str, seen: SeenPolicy) -> tuple[Standing, SeenPolicy]:
    """The standing that IN_PASSING tells to whoever has seen that policy, and the policy to be seen from now on."""
    version, stored, by, behalf, spaces = orjson.loads(told)
    if version != seen.version:
        seen = SeenPolicy(version, policy_of(version, stored))
    subjects = audit.Subjects(UUID(by) if by else None, UUID(behalf) if behalf else None)
    readable = tuple(ReadableSpace(UUID(i), kind, paused) for i, kind, paused in spaces or ())
    return Standing(seen.policy, readable, subjects), seen


def readable_names(actor: Actor, person: str, project_id: str = "") -> list[tuple[str, str]]:
    """Kind and key of each space that a read covers: the person's, the given project's and the organisation's.

    A key or login that is bound to a person reads that person's space only.
    """
    own = [(SpaceKind.PERSON.value, person)]
    if actor.user_key:
        return own
    project = [(SpaceKind.PROJECT.value, project_id)] if project_id else []
    return [*own, *project, (SpaceKind.ORGANISATION.value, "")]


@dataclass(frozen=True, slots=True)
class SeenPolicy:
    """A tenant's policy as this process saw it last, with the version of its row; None where the tenant has none."""

    version: int | None
    policy: Policy


def policy_of(version: int | None, stored: object) -> Policy:
    """The newest version of a tenant's policy over the defaults; IDLE_SECONDS of the environment wins."""
    values = json.loads(stored) if isinstance(stored, str | bytes) else stored
    policy = from_mapping(version, values) if version is not None and isinstance(values, dict) else DEFAULT_POLICY
    idle = settings.MEMORYAPP.idle_seconds
    return policy if idle is None else replace(policy, idle_seconds=idle)
