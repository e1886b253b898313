"""`Idempotency-Key` on calls that create: the same call twice makes one thing. Records keep ids, never bodies."""

from __future__ import annotations

import hmac
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.utils import timezone
from rest_framework.request import Request

from accounts.actor import Actor
from accounts.models import new_id
from memoryapp.api.authentication import actor_of
from memoryapp.domain.errors import DomainError
from memoryapp.models import IdempotencyRecord
from memoryapp.services.scope import tenant_scope

KEPT = timedelta(hours=24)
ABANDONED = timedelta(minutes=2)
LONGEST_KEY = 255


@dataclass(frozen=True, slots=True)
class Made:
    """What a creating call made. `document` is the answer's body of the first call; a replay has none."""

    kind: str
    id: UUID
    status: int
    document: dict[str, object] = field(default_factory=dict)
    replayed: bool = False


def once(request: Request, make: Callable[[], Made]) -> Made:
    """Run `make` at most once per key; raises `idempotency_running` and `idempotency_mismatch`."""
    key = request.headers.get("Idempotency-Key", "")
    if not key:
        return make()
    if len(key) > LONGEST_KEY:
        raise DomainError("invalid", f"`Idempotency-Key` may have {LONGEST_KEY} characters.")
    record = _claimed(actor_of(request), key, _fingerprint(request))
    return record if isinstance(record, Made) else _kept(actor_of(request), record, make)


def _fingerprint(request: Request) -> bytes:
    body = json.dumps(request.data, sort_keys=True, ensure_ascii=True)
    text = f"{request.method} {request.path}\n{body}"
    return hmac.digest(settings.SECRET_KEY.encode(), text.encode(), "sha256")


def _claimed(actor: Actor, key: str, fingerprint: bytes) -> Made | UUID:
    """The id of our claim, or what the first call made."""
    now, mine = timezone.now(), new_id()
    names = {"tenant_id": actor.tenant_id, "actor_ref": actor.ref, "key": key}
    with tenant_scope(actor):
        rows = IdempotencyRecord.objects.filter(**names)
        rows.filter(created_at__lt=now - KEPT).delete()
        rows.filter(state="running", created_at__lt=now - ABANDONED).delete()
        claim = IdempotencyRecord(id=mine, fingerprint=fingerprint, state="running", created_at=now, **names)
        IdempotencyRecord.objects.bulk_create([claim], ignore_conflicts=True)
        found = rows.get()
        return mine if found.pk == mine else _replay(found, fingerprint)


def _replay(found: IdempotencyRecord, fingerprint: bytes) -> Made:
    if not hmac.compare_digest(bytes(found.fingerprint), fingerprint):
        raise DomainError("idempotency_mismatch", "This `Idempotency-Key` was used for another request.")
    if found.state == "running" or found.result_id is None:
        raise DomainError(
            "idempotency_running", "The first request with this key is still at work.", {"retry_after": 1}
        )
    return Made(found.result_kind, found.result_id, found.status, replayed=True)


def _kept(actor: Actor, record_id: UUID, make: Callable[[], Made]) -> Made:
    done = False
    try:
        made = make()
        done = True
    finally:
        if not done:
            with tenant_scope(actor):
                IdempotencyRecord.objects.filter(pk=record_id).delete()
    with tenant_scope(actor):
        IdempotencyRecord.objects.filter(pk=record_id).update(
            state="done", status=made.status, result_kind=made.kind, result_id=made.id
        )
    return made
