"""What a direct change needs before it writes: one statement takes the lock, the next reads what the lock protects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from accounts.actor import Actor
from memoryapp import audit
from memoryapp.domain.errors import NotFound
from memoryapp.domain.planned import PlannedText
from memoryapp.domain.policy import Policy
from memoryapp.domain.tombstones import Graveyard
from memoryapp.domain.types import SpaceKind
from memoryapp.keyring import pseudonym
from memoryapp.models import MemoryItem, Space
from memoryapp.models.memory import LIVE
from memoryapp.services.item_rows import EVIDENCE_COUNT, NOISE, item_values, rows_of
from memoryapp.services.row_parts import columns
from memoryapp.services.spaces import SPACE_LOCK, ensure_space
from memoryapp.services.standing import policy_of
from memoryapp.services.tombstones import STONE_COLUMNS, graveyard_of

_LOCK = SPACE_LOCK.format(space="s.id")

_ABOUT = """
LEFT JOIN LATERAL (
    SELECT version, settings FROM memoryapp_policyversion WHERE tenant_id = %(tenant)s ORDER BY version DESC LIMIT 1
) p ON true
LEFT JOIN memoryapp_auditsubject a ON a.tenant_id = %(tenant)s AND a.kind = %(actor_kind)s AND a.name = %(actor)s
"""
_OF_PERSON = "LEFT JOIN memoryapp_auditsubject b ON b.tenant_id = %(tenant)s AND b.kind = 'user_id' AND b.name = "
_SPACE = ("id", "tenant_id", "kind", "key")
_HOME = ", ".join(f"s.{name}" for name in _SPACE)

_BY_NAME = f"""
SELECT {_HOME}, p.version, p.settings, a.id, b.id, {_LOCK}
FROM memoryapp_space s {_ABOUT} {_OF_PERSON} %(person)s
WHERE s.tenant_id = %(tenant)s AND s.kind = %(kind)s AND s.key = %(key)s
"""
_BY_ITEM = f"""
SELECT {_HOME}, p.version, p.settings, a.id, b.id, {_LOCK}
FROM memoryapp_memoryitem i JOIN memoryapp_space s ON s.tenant_id = i.tenant_id AND s.id = i.space_id
{_ABOUT} {_OF_PERSON} s.key AND s.kind = 'person'
WHERE i.tenant_id = %(tenant)s AND i.id = %(item)s AND (%(own)s = '' OR (s.kind = 'person' AND s.key = %(own)s))
"""


@dataclass(frozen=True, slots=True)
class Footing:
    """A locked space with the policy in force and the audit's names. The lock ends with the transaction."""

    space: Space
    policy: Policy
    subjects: audit.Subjects

    @property
    def person(self) -> str:
        return str(self.space.key) if self.space.kind == SpaceKind.PERSON else ""


def footing(actor: Actor, kind: str, key: str, person: str) -> Footing:
    """Where a write into a space stands; the space is made when it is new."""
    values = {"kind": kind, "key": key, "person": person}
    found = _found(actor, _BY_NAME, values)
    if found is None:
        ensure_space(actor, kind, key)
        found = _found(actor, _BY_NAME, values)
    if found is None:
        raise RuntimeError("a space that was just made is not there")
    return found


def footing_of_item(actor: Actor, item_id: UUID) -> Footing:
    """Where a change of an item stands, or NotFound when it is not the actor's. The item is to be read afterwards."""
    found = _found(actor, _BY_ITEM, {"item": item_id, "own": actor.user_key})
    if found is None:
        raise NotFound
    return found


def _found(actor: Actor, statement: str, values: Mapping[str, Any]) -> Footing | None:
    about = {"tenant": actor.tenant_id, "actor_kind": str(actor.kind), "actor": actor.ref}
    rows = rows_of(statement, {**about, **values})
    if not rows:
        return None
    version, stored, by, behalf = rows[0][len(_SPACE) : len(_SPACE) + 4]
    space = Space.from_db("default", _SPACE, rows[0][: len(_SPACE)])
    return Footing(space, policy_of(version, stored), audit.Subjects(by, behalf))


_ITEM = columns(MemoryItem)
_VISIBLE = "i.status <> 'forgotten'"
_RECOVERABLE = "(i.status <> 'forgotten' OR i.undo_until IS NOT NULL)"
_ROW = f"""
SELECT {", ".join(f"i.{column}" for column, _ in _ITEM)}, {EVIDENCE_COUNT}, {NOISE},
    EXISTS (SELECT FROM memoryapp_evidence e
            WHERE e.tenant_id = i.tenant_id AND e.item_id = i.id AND e.message_id IS NOT NULL)
FROM memoryapp_memoryitem i
WHERE i.tenant_id = %(tenant)s AND i.id = %(item)s AND i.space_id = %(space)s AND """


@dataclass(frozen=True, slots=True)
class Held:
    """An item under its space's lock, with the parts of its view that other tables hold."""

    row: MemoryItem
    evidence_count: int
    noise: tuple[str, ...]
    heard: bool
    """Whether a message stands behind it."""


def held(at: Footing, item_id: UUID, *, forgotten: bool = False) -> Held:
    """The item, read after the lock was taken; NotFound when it is gone, or forgotten unless `forgotten`."""
    values = {"tenant": at.space.tenant_id, "item": item_id, "space": at.space.pk}
    found = rows_of(_ROW + (_RECOVERABLE if forgotten else _VISIBLE), values)
    if not found:
        raise NotFound
    *stored, count, noise, heard = found[0]
    row = MemoryItem.from_db("default", [attribute for _, attribute in _ITEM], item_values(stored, _ITEM))
    row.space = at.space
    return Held(row, count, tuple(noise), heard)


@dataclass(frozen=True, slots=True)
class Ground:
    """What a new text meets in its space: the live item that says the same, and all that was forgotten there."""

    twin: UUID | None
    twin_reason: str
    graves: Graveyard


_LIVE = ", ".join(f"'{status}'" for status in LIVE)
_GROUND = f"""
SELECT w.id, w.pending_reason, home.id, {", ".join(f"t.{name}" for name in STONE_COLUMNS)}
FROM (VALUES (1)) one
LEFT JOIN LATERAL (
    SELECT id, pending_reason FROM memoryapp_memoryitem
    WHERE tenant_id = %(tenant)s AND space_id = %(space)s AND scope = %(scope)s AND norm_hash = %(norm_hash)s
      AND status IN ({_LIVE}) LIMIT 1
) w ON true
LEFT JOIN (
    SELECT %(space)s::uuid AS id
    UNION SELECT id FROM memoryapp_space WHERE tenant_id = %(tenant)s AND kind = %(kind)s
      AND key >= %(erased)s AND key < %(erased)s || 'z' AND starts_with(key, %(erased)s)
) home ON true
LEFT JOIN LATERAL (
    SELECT * FROM memoryapp_tombstone stone
    WHERE stone.tenant_id = %(tenant)s AND stone.space_id = home.id AND stone.lifted_at IS NULL OFFSET 0
) t ON true
"""
"""The spaces of the same person that were erased are found by index: `starts_with` is exact, the bounds before it
hold in every collation. The stones of each space are looked up by themselves, since a join would read everybody's. What
is live is written out: only so does a plan that knows no values see that the index of what is live will do."""


def ground(space: Space, text: PlannedText) -> Ground:
    """What stands in a text's way; to be read under the space's lock. Masks are not read: a direct write has no source."""
    values: dict[str, Any] = {
        "tenant": space.tenant_id,
        "space": space.pk,
        "kind": space.kind,
        "erased": pseudonym(space.tenant_id, space.kind, space.key),
        "scope": text.scope,
        "norm_hash": text.norm_hash,
    }
    rows = rows_of(_GROUND, values)
    graves = graveyard_of(space.tenant_id, [(row[2], row[3:]) for row in rows])
    return Ground(rows[0][0], rows[0][1] or "", graves)
