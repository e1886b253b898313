"""The same creating request twice makes one thing. Records keep ids and codes, never a body or a text.

A first request claims its key in a short transaction of its own, so that a parallel one sees it at once. What it makes
and the record of it are committed together: after a crash either both are there or neither, and the lease of the claim
ends by itself. One who lost the lease meanwhile is fenced and makes nothing.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.utils import timezone

from accounts.actor import Actor
from accounts.models import new_id
from memoryapp.domain.errors import DomainError
from memoryapp.models import IdempotencyRecord
from memoryapp.services.scope import tenant_scope

KEPT = timedelta(hours=24)
LEASE = timedelta(seconds=60)
LONGEST_KEY = 255


@dataclass(frozen=True, slots=True)
class Call:
    """A request as it is recognised again: keyed hashes of its Idempotency-Key and of method, path and body."""

    key: str
    fingerprint: bytes


@dataclass(frozen=True, slots=True)
class Made:
    """What a creating call made: kind and id (of the row, or of the audit event of a bulk action), HTTP status, codes.

    `notes` are counts, ids and codes that a replay tells again. `replayed` is true when an earlier request made it.
    """

    kind: str
    id: UUID
    status: int
    notes: Mapping[str, object] = field(default_factory=dict)
    replayed: bool = False


def call_of(key: str, method: str, path: str, body: object) -> Call:
    """Raises `invalid` for a key that is empty, over 255 characters or not printable ASCII."""
    if not key.strip() or len(key) > LONGEST_KEY or not (key.isascii() and key.isprintable()):
        raise DomainError("invalid", f"`Idempotency-Key` is 1 to {LONGEST_KEY} printable ASCII characters.")
    canonical = json.dumps(body, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return Call(_keyed(key).hex(), _keyed(f"{method}\n{path}\n{canonical}"))


def _keyed(text: str) -> bytes:
    return hmac.digest(f"idempotency:{settings.SECRET_KEY}".encode(), text.encode(), "sha256")


def once(actor: Actor, call: Call | None, make: Callable[[], Made]) -> Made:
    """Run `make` at most once per key in 24 hours, in one transaction with its record.

    Raises `idempotency_mismatch` when the key came with another request, and `idempotency_running` (with `retry_after`,
    seconds) while the first one works. A refusal of `make` frees the key. Without a call, `make` just runs.
    """
    if call is None:
        return make()
    claimed = _claimed(actor, call)
    if isinstance(claimed, Made):
        return claimed
    kept = False
    try:
        with tenant_scope(actor):
            made = make()
            _keep(actor, call, claimed, made)
        kept = True
    finally:
        if not kept:
            _release(actor, call, claimed)
    return made


def _rows(actor: Actor, call: Call) -> dict[str, object]:
    return {"tenant_id": actor.tenant_id, "actor_ref": actor.ref, "key": call.key}


def _claimed(actor: Actor, call: Call) -> UUID | Made:
    """The token of our claim, or what the first request made."""
    now, claim = timezone.now(), new_id()
    with tenant_scope(actor):
        rows = IdempotencyRecord.objects.filter(**_rows(actor, call))
        rows.filter(created_at__lt=now - KEPT).delete()
        fresh = IdempotencyRecord(
            fingerprint=call.fingerprint,
            state="running",
            claim=claim,
            lease_until=now + LEASE,
            created_at=now,
            **_rows(actor, call),
        )
        IdempotencyRecord.objects.bulk_create([fresh], ignore_conflicts=True)
        found = rows.first()
        if found is None:  # the first request failed and freed the key between these two statements
            raise DomainError("idempotency_running", "The first request has just failed.", {"retry_after": 1})
        if not hmac.compare_digest(bytes(found.fingerprint), call.fingerprint):
            raise DomainError("idempotency_mismatch", "This `Idempotency-Key` was used for another request.")
        if found.state == "done" and found.result_id is not None:
            return Made(found.result_kind, found.result_id, found.status, found.notes, replayed=True)
        lost = rows.filter(state="running", lease_until__lt=now).update(claim=claim, lease_until=now + LEASE)
        if found.claim == claim or lost:
            return claim
        wait = max(1, round((found.lease_until - now).total_seconds())) if found.lease_until else 1
    detail = "The first request with this `Idempotency-Key` is still at work."
    raise DomainError("idempotency_running", detail, {"retry_after": min(wait, 2)})


def _keep(actor: Actor, call: Call, claim: UUID, made: Made) -> None:
    done = IdempotencyRecord.objects.filter(**_rows(actor, call), claim=claim, state="running").update(
        state="done",
        status=made.status,
        result_kind=made.kind,
        result_id=made.id,
        notes=dict(made.notes),
        lease_until=None,
    )
    if not done:
        detail = "Another request with this `Idempotency-Key` took over, because this one worked too long."
        raise DomainError("idempotency_running", detail, {"retry_after": 1})


def _release(actor: Actor, call: Call, claim: UUID) -> None:
    with tenant_scope(actor):
        IdempotencyRecord.objects.filter(**_rows(actor, call), claim=claim, state="running").delete()
