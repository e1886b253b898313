"""The only writer of audit events. Called inside the transaction of what it tells; never given the text of a memory."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any, NamedTuple
from uuid import UUID

import orjson
from django.db import connection

from accounts.actor import Actor
from accounts.models import new_id
from memoryapp.models import AuditSubject
from memoryapp.models.base import array_text


@dataclass(frozen=True, slots=True)
class Subjects:
    """The pseudonymous references of who acts and for whom, as far as they are known already."""

    actor: UUID | None = None
    person: UUID | None = None


UNKNOWN = Subjects()


@dataclass(frozen=True, slots=True)
class Target:
    """What an action was about: a kind and the ids, all of them in one event for a bulk action."""

    kind: str
    ids: tuple[UUID, ...] = ()


class Event(NamedTuple):
    """A row of `AuditEvent` to be. A tuple: every call makes one, and a model takes ten times as long."""

    id: UUID
    tenant_id: UUID
    occurred_at: datetime
    actor_kind: str
    actor_id: UUID
    on_behalf_of_id: UUID | None
    action: str
    target_kind: str
    target_ids: Sequence[UUID]
    outcome: str
    reason: str
    changed_fields: list[str]
    policy_version: int | None
    request_id: str
    system_identifier: str
    body: bytes = b""
    leaf_hash: bytes = b""


def record(
    actor: Actor,
    action: str,
    target: Target,
    *,
    person: str = "",
    outcome: str = "ok",
    reason: str = "",
    changed_fields: Sequence[str] = (),
    policy_version: int | None = None,
    known: Subjects = UNKNOWN,
) -> Event:
    """Write one event in the present transaction. `person` is the external `user_id` it was done on behalf of.

    `known` saves the look-up of references that the same transaction has read.
    """
    event = event_of(
        actor,
        action,
        target,
        person=person,
        outcome=outcome,
        reason=reason,
        changed_fields=changed_fields,
        policy_version=policy_version,
        known=known,
    )
    write(event)
    return event


def write(event: Event) -> None:
    """Write an event that `event_of` made, in the present transaction."""
    with connection.cursor() as cursor:
        cursor.execute(*insertion(event))


def event_of(
    actor: Actor,
    action: str,
    target: Target,
    *,
    person: str = "",
    outcome: str = "ok",
    reason: str = "",
    changed_fields: Sequence[str] = (),
    policy_version: int | None = None,
    known: Subjects = UNKNOWN,
) -> Event:
    """The event of `record`, unwritten: whoever asks for it writes its `insertion` beside what it tells."""
    by, behalf = _references(actor, person, known)
    event = Event(
        new_id(),
        actor.tenant_id,
        datetime.now(UTC),
        str(actor.kind),
        by,
        behalf,
        action,
        target.kind,
        target.ids,
        outcome,
        reason,
        list(changed_fields),
        policy_version,
        actor.request_id,
        _system_identifier(),
    )
    body = _canonical(event)
    return event._replace(body=body, leaf_hash=hashlib.sha256(b"\x00" + body).digest())


_COLUMNS = Event._fields
_IDS = _COLUMNS.index("target_ids")
_INSERT = f"""
INSERT INTO memoryapp_auditevent ({", ".join(_COLUMNS)}, transaction_id)
VALUES ({", ".join("%s::uuid[]" if name == "target_ids" else "%s" for name in _COLUMNS)},
        pg_current_xact_id()::text::bigint)
"""
"""The database fills in its transaction as the row is written: it is no part of the signed body."""


def insertion(event: Event) -> tuple[str, list[Any]]:
    """One plain statement with its values: every read pays for it too."""
    values: list[Any] = list(event)
    values[_IDS] = array_text(event.target_ids)
    return _INSERT, values


_NAMED_INSERT = f"""
INSERT INTO memoryapp_auditevent ({", ".join(_COLUMNS)}, transaction_id)
VALUES ({", ".join(f"%(event_{n})s::uuid[]" if n == "target_ids" else f"%(event_{n})s" for n in _COLUMNS)},
        pg_current_xact_id()::text::bigint)
"""


def named_insertion(event: Event) -> tuple[str, dict[str, Any]]:
    """`insertion` for a part of a statement that names its values; the names begin with `event_`."""
    values = dict(zip((f"event_{name}" for name in _COLUMNS), insertion(event)[1], strict=True))
    return _NAMED_INSERT, values


_SUBJECTS = """
SELECT kind, name, id FROM memoryapp_auditsubject
WHERE tenant_id = %s AND ((kind = %s AND name = %s) OR (kind = 'user_id' AND name = %s))
"""


def _references(actor: Actor, person: str, known: Subjects) -> tuple[UUID, UUID | None]:
    """The references of who acts and for whom, made when they are new."""
    if known.actor and (known.person or not person):
        return known.actor, known.person if person else None
    by, behalf = (str(actor.kind), actor.ref), ("user_id", person)
    with connection.cursor() as cursor:
        cursor.execute(_SUBJECTS, [actor.tenant_id, *by, person])
        found: dict[tuple[str, str], UUID] = {(kind, name): id_ for kind, name, id_ in cursor.fetchall()}
    return (
        found.get(by) or _new_subject(actor.tenant_id, *by),
        (found.get(behalf) or _new_subject(actor.tenant_id, *behalf)) if person else None,
    )


def _new_subject(tenant_id: UUID, kind: str, name: str) -> UUID:
    AuditSubject.objects.bulk_create([AuditSubject(tenant_id=tenant_id, kind=kind, name=name)], ignore_conflicts=True)
    return AuditSubject.objects.filter(tenant_id=tenant_id, kind=kind, name=name).values_list("id", flat=True).get()


@cache
def _system_identifier() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT system_identifier::text FROM pg_control_system()")
        return str(cursor.fetchone()[0])


def _canonical(event: Event) -> bytes:
    """RFC 8785 JSON of the event: the bytes a later signature covers. Transaction ids are no part of it.

    Every value is text, an id, a list of those, a small whole number or null and every name is ASCII. For those the
    sorted compact form of orjson is the canonical one, at a fraction of the price.
    """
    return orjson.dumps(
        {
            "id": event.id,
            "tenant": event.tenant_id,
            "time": event.occurred_at.isoformat(),
            "actor": {"kind": event.actor_kind, "ref": event.actor_id},
            "on_behalf_of": event.on_behalf_of_id,
            "action": event.action,
            "target": {"kind": event.target_kind, "ids": event.target_ids},
            "outcome": event.outcome,
            "reason": event.reason,
            "changed_fields": event.changed_fields,
            "policy_version": event.policy_version,
            "request_id": event.request_id,
        },
        option=orjson.OPT_SORT_KEYS,
    )
