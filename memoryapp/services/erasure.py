"""Erasure: gone from every read path at once, then removed by a job that proves each step, and a signed receipt.

The row is the queue of record: claimed by conditional update, kept by a lease, fenced by the attempt number.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

import rfc8785
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.conf import settings
from django.db import DatabaseError, connection
from django.db.models import F, Q
from django.utils import timezone

from accounts.actor import Actor, system_actor
from accounts.models import new_id
from memoryapp import audit, keyring
from memoryapp.domain.errors import DomainError, NotFound
from memoryapp.domain.public_ids import public
from memoryapp.domain.receipts import ErasureKind, Level, LevelState, Step, Subject, level_state, receipt
from memoryapp.domain.types import RunState, Status
from memoryapp.failpoints import failpoint
from memoryapp.models import (
    Erasure,
    ErasureStep,
    MemoryItem,
    Space,
)
from memoryapp.services import (
    erasure_steps,
    export_withdrawal,
    late_arrivals,
    person_identity,
    tombstone_file,
    working_memory_erasure,
)
from memoryapp.services.erasure_steps import LEVELS, Action, Job, Proven
from memoryapp.services.erasure_tables import with_family
from memoryapp.services.hiding import hide
from memoryapp.services.leases import FenceLost
from memoryapp.services.memories import get_row
from memoryapp.services.pages import newest
from memoryapp.services.row_parts import insert_many
from memoryapp.services.scope import tenant_scope
from memoryapp.services.spaces import check_person
from memoryapp.services.vectors import wake
from memoryapp.services.write_door import seal

ATTEMPTS = 8
LEASE = timedelta(minutes=3)
ACTIONS: Mapping[str, Action] = {
    "hidden": erasure_steps.hidden,
    "messages": erasure_steps.messages,
    "working_memory": working_memory_erasure.working_memory,
    "references": erasure_steps.references,
    "rows": erasure_steps.rows,
    "documents": erasure_steps.documents,
    "sessions": erasure_steps.sessions,
    "exports": export_withdrawal.finished_exports,
    "audit_exports": export_withdrawal.audit_exports,
    "identity": person_identity.forget_identity,
}
"""In this order: quotes lead to the messages and texts to their repetitions, so items and evidence go after these."""
SETTLED = (LevelState.DONE, LevelState.NOT_VERIFIED)
"""What a step of the job ends in: proven, or as far as it can be."""
LATER: Mapping[str, tuple[LevelState, str]] = {
    "files": (LevelState.PENDING, "nightly rewrite of the tables, or `manage.py erase --physical`"),
    "backups": (LevelState.NOT_VERIFIED, "not in our reach; gone when the operator's retention has passed"),
}
"""Steps that a job leaves to others."""


@dataclass(frozen=True, slots=True)
class ErasureView:
    """An erasure as its reader sees it. `receipt` is the signed document, `signature` and `public_key` are hex."""

    id: UUID
    kind: str
    state: str
    attempt: int
    error_code: str
    items: int
    items_done: int
    levels: Mapping[str, str]
    steps: tuple[Step, ...]
    receipt: Mapping[str, object] | None
    signature: str
    public_key: str
    created_at: datetime
    finished_at: datetime | None


def erase_item(actor: Actor, item_id: UUID) -> UUID:
    """Erase one item, living or in the trash. NotFound once it is being erased."""
    with tenant_scope(actor):
        row = get_row(actor, item_id, forgotten=True)
        return begin(actor, row.space, ErasureKind.ITEM, with_family([item_id]))


def erase_lapsed(tenant_id: UUID, most: int = 500) -> int:
    """Erase what the trash has kept long enough; answers how many items."""
    actor = system_actor(tenant_id, "trash")
    with tenant_scope(actor):
        lapsed = MemoryItem.objects.filter(status=Status.FORGOTTEN, undo_until__lte=timezone.now())
        by_space: dict[UUID, list[UUID]] = {}
        for item_id, space_id in lapsed.order_by("id").values_list("pk", "space_id")[:most]:
            by_space.setdefault(space_id, []).append(item_id)
    for space_id, ids in by_space.items():
        with tenant_scope(actor):
            begin(actor, Space.objects.get(pk=space_id), ErasureKind.TRASH, with_family(ids))
    return sum(map(len, by_space.values()))


def begin(
    actor: Actor,
    space: Space,
    kind: ErasureKind,
    item_ids: Sequence[UUID],
    *,
    evidence_ids: Sequence[UUID] = (),
    session_ids: Sequence[UUID] = (),
    message_ids: Sequence[UUID] = (),
    locked: Collection[UUID] = (),
    erasure_id: UUID | None = None,
) -> UUID:
    """Hide items, together with the whole family of each, in the present transaction, and queue their erasure. `locked`
    are those whose space the caller has locked before it read them.

    Raises NotFound when nothing is left of a single one.
    """
    now = timezone.now()
    job = Erasure(
        id=erasure_id or new_id(),
        tenant_id=actor.tenant_id,
        space=space,
        kind=kind,
        requested_by=actor.ref,
        evidence_ids=list(evidence_ids),
        session_ids=list(session_ids),
        message_ids=list(message_ids),
        created_at=now,
        due_at=now,
    )
    hidden = hide(actor, job.pk, item_ids, now, locked)
    job.item_ids, job.commitments = hidden.ids, hidden.commitments
    failpoint("erasure.hidden")
    if kind is ErasureKind.ITEM and erasure_id is None and not job.item_ids:
        raise NotFound
    job.counts = {
        "items": len(job.item_ids),
        "versions": hidden.versions,
        "sessions": len(session_ids),
        **({"messages": len(message_ids)} if message_ids else {}),
    }
    insert_many(Erasure, [job])
    export_withdrawal.withdraw(space, kind)
    ErasureStep.objects.bulk_create(_planned(job, len(hidden.ids) - hidden.updated))
    tombstone_file.write_on_commit([tombstone_file.erased(job)])
    seal()
    failpoint("erasure.begin")
    wake("memoryapp.erase", actor.tenant_id, job.pk)
    return job.pk


def _planned(job: Erasure, visible: int) -> list[ErasureStep]:
    """The steps of a job. The logical level is done with the request; the worker looks at it once more."""
    names = [name for name in ACTIONS if _needed(name, job)]
    planned = [(name, LevelState.PENDING, "") for name in names] + [(n, *how) for n, how in LATER.items()]
    steps = {name: _step(job, name, state, method) for name, state, method in planned}
    steps["hidden"].state = LevelState.FAILED if visible else LevelState.DONE
    steps["hidden"].method = "status and index in the transaction of the request"
    steps["hidden"].evidence = {"left": {"visible": visible}}
    steps["hidden"].at = job.created_at
    return list(steps.values())


def _step(job: Erasure, name: str, state: LevelState, method: str) -> ErasureStep:
    return ErasureStep(
        id=new_id(),
        tenant_id=job.tenant_id,
        erasure=job,
        name=name,
        level=LEVELS.get(name, Level.DERIVED),
        state=state,
        method=method,
    )


def _needed(name: str, job: Erasure) -> bool:
    if name == "sessions":
        return bool(job.session_ids)
    if name == "documents":
        return bool(job.message_ids)
    if name == "working_memory":
        return bool(job.item_ids)
    return name not in ("identity", "audit_exports") or job.kind == ErasureKind.PERSON


def run(tenant_id: UUID, erasure_id: UUID) -> None:
    """Carry one erasure out, if it is due and nobody else has it. A vanished row is fine."""
    actor = system_actor(tenant_id, "eraser")
    attempt = _claim(actor, erasure_id)
    if attempt is None:
        return
    try:
        _carry_out(actor, erasure_id, attempt)
    except FenceLost:
        return
    except DatabaseError:
        _put_back(actor, erasure_id, attempt, "database")
        raise


def _claim(actor: Actor, erasure_id: UUID) -> int | None:
    now = timezone.now()
    with tenant_scope(actor), connection.cursor() as cursor:
        cursor.execute(
            "UPDATE memoryapp_erasure SET state = 'running', attempt = attempt + 1, lease_until = %s WHERE id = %s AND "
            "((state = 'pending' AND due_at <= %s) OR (state = 'running' AND lease_until < %s)) RETURNING attempt",
            [_lease(now), erasure_id, now, now],
        )
        row = cursor.fetchone()
    return int(row[0]) if row else None


def _lease(now: datetime) -> datetime:
    return now + LEASE


def _carry_out(actor: Actor, erasure_id: UUID, attempt: int) -> None:
    late_arrivals.gather(actor, erasure_id)
    job = _job(actor, erasure_id, attempt)
    with tenant_scope(actor):
        steps = ErasureStep.objects.filter(erasure_id=erasure_id, name__in=ACTIONS)
        names = set(steps.exclude(state__in=SETTLED).values_list("name", flat=True)) | {"hidden"}
    for name in (n for n in ACTIONS if n in names):
        failpoint(f"erasure.before_{name}")
        proven = ACTIONS[name](job)
        failpoint(f"erasure.after_{name}")
        _note(job, name, proven)
        if not proven.holds:
            _put_back(actor, erasure_id, attempt, "not_proven")
            return
    failpoint("erasure.before_receipt")
    _finish(job)


def _job(actor: Actor, erasure_id: UUID, attempt: int) -> Job:
    def fence(items: int) -> None:
        mine = Erasure.objects.filter(pk=erasure_id, attempt=attempt, state=RunState.RUNNING)
        if not mine.update(lease_until=_lease(timezone.now()), items_done=F("items_done") + items):
            raise FenceLost

    with tenant_scope(actor):
        row = Erasure.objects.get(pk=erasure_id)
        return Job(
            actor,
            row.pk,
            ErasureKind(row.kind),
            row.space_id,
            tuple(row.item_ids),
            tuple(row.evidence_ids),
            tuple(row.session_ids),
            tuple(row.message_ids),
            fence,
        )


def _note(job: Job, name: str, proven: Proven) -> None:
    with tenant_scope(job.actor):
        job.fence(0)
        ErasureStep.objects.filter(erasure_id=job.id, name=name).update(
            state=proven.state,
            method=proven.method,
            evidence=proven.evidence,
            attempts=F("attempts") + 1,
            at=timezone.now(),
        )


def _put_back(actor: Actor, erasure_id: UUID, attempt: int, code: str) -> None:
    """Back to the queue with growing pauses; at the end failed, which the receipt says."""
    pause = timedelta(seconds=min(3600, settings.MEMORYAPP.retry_base_seconds * 2 ** (attempt - 1)))
    state = RunState.FAILED if attempt >= ATTEMPTS else RunState.PENDING
    with tenant_scope(actor):
        mine = Erasure.objects.filter(pk=erasure_id, attempt=attempt, state=RunState.RUNNING)
        mine.update(state=state, error_code=code, lease_until=None, due_at=timezone.now() + pause)
        if state is RunState.FAILED:
            sign(actor, erasure_id)


def _finish(job: Job) -> None:
    with tenant_scope(job.actor):
        job.fence(0)
        Erasure.objects.filter(pk=job.id).update(
            state=RunState.SUCCEEDED,
            error_code="",
            lease_until=None,
            items_done=len(job.item_ids),
            finished_at=timezone.now(),
        )
        sign(job.actor, job.id)
        audit.record(job.actor, "erasure.finished", audit.Target("erasure", (job.id,)), reason=job.kind)


def sign(actor: Actor, erasure_id: UUID) -> None:
    """Write the receipt of the present state, signed. Call it in the transaction that changed the state."""
    row = Erasure.objects.get(pk=erasure_id)
    subject = Subject(
        public("era", row.pk), ErasureKind(row.kind), row.created_at, row.requested_by, row.counts, row.commitments
    )
    until = row.created_at + timedelta(days=settings.MEMORYAPP.backup_retention_days)
    document = rfc8785.dumps(receipt(subject, _steps(row), until, timezone.now()))  # type: ignore[arg-type]
    signature = keyring.receipt_key().sign(document)
    Erasure.objects.filter(pk=erasure_id).update(receipt=document, signature=signature)


def _steps(row: Erasure) -> tuple[Step, ...]:
    order = {name: n for n, name in enumerate([*ACTIONS, *LATER])}
    found = sorted(row.steps.all(), key=lambda s: order.get(s.name, len(order)))
    return tuple(Step(s.name, Level(s.level), LevelState(s.state), s.method, s.evidence, s.at) for s in found)


def public_key() -> str:
    """Hex of the Ed25519 key that receipts verify with."""
    return keyring.receipt_key().public_key().public_bytes(Encoding.Raw, PublicFormat.Raw).hex()


def erasure(actor: Actor, erasure_id: UUID) -> ErasureView:
    """One erasure with its receipt. NotFound for another tenant's, and another person's when the actor is bound."""
    with tenant_scope(actor):
        return _view(_visible(actor, erasure_id))


def _visible(actor: Actor, erasure_id: UUID) -> Erasure:
    row = Erasure.objects.filter(_mine(actor), pk=erasure_id).select_related("space").first()
    if row is None:
        raise NotFound
    return row


def _mine(actor: Actor) -> Q:
    """A bound actor sees the erasures of its person, also after the person's name was replaced by a pseudonym."""
    mine = Q(tenant_id=actor.tenant_id)
    if actor.user_key:
        name = keyring.pseudonym(actor.tenant_id, "person", actor.user_key)
        mine &= Q(space__kind="person") & (Q(space__key=actor.user_key) | Q(space__key__startswith=name))
    return mine


def list_erasures(
    actor: Actor, person: str = "", *, limit: int = 50, cursor: str | None = None
) -> tuple[tuple[ErasureView, ...], str | None, int]:
    """One page, newest first, the cursor of the next, and how many there are."""
    whose = check_person(actor, person) if person or actor.user_key else ""
    with tenant_scope(actor):
        rows = Erasure.objects.filter(_mine(actor)).select_related("space").prefetch_related("steps")
        if whose:
            rows = rows.filter(
                Q(space__key=whose) | Q(space__key__startswith=keyring.pseudonym(actor.tenant_id, "person", whose)),
                space__kind="person",
            )
        page = newest(rows, limit, cursor)
        return tuple(_view(row) for row in page.rows), page.cursor, page.total


def retry(actor: Actor, erasure_id: UUID) -> ErasureView:
    """Start a failed erasure again; one that did not fail is refused."""
    with tenant_scope(actor):
        row = _visible(actor, erasure_id)
        again = Erasure.objects.filter(pk=row.pk, state=RunState.FAILED)
        if not again.update(state=RunState.PENDING, attempt=0, due_at=timezone.now(), error_code=""):
            raise DomainError("invalid_transition", "Only a failed erasure can be tried again.")
        audit.record(actor, "erasure.retried", audit.Target("erasure", (row.pk,)))
        wake("memoryapp.erase", actor.tenant_id, row.pk)
        return _view(_visible(actor, erasure_id))


def _view(row: Erasure) -> ErasureView:
    steps = _steps(row)
    return ErasureView(
        id=row.pk,
        kind=row.kind,
        state=row.state,
        attempt=row.attempt,
        error_code=row.error_code,
        items=len(row.item_ids),
        items_done=row.items_done,
        levels={str(level): str(level_state([s for s in steps if s.level is level])) for level in Level},
        steps=steps,
        receipt=json.loads(bytes(row.receipt)) if row.receipt is not None else None,
        signature=bytes(row.signature).hex() if row.signature is not None else "",
        public_key=public_key(),
        created_at=row.created_at,
        finished_at=row.finished_at,
    )


def _due(most: int) -> list[tuple[UUID, UUID]]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM door.due_erasures(%s, %s)", [timezone.now(), most])
        return [(tenant_id, erasure_id) for tenant_id, erasure_id in cursor.fetchall()]


def dispatch_due(most: int = 100) -> int:
    """Wake workers for erasures that are due or whose lease ended; answers how many."""
    found = _due(most)
    for tenant_id, erasure_id in found:
        wake("memoryapp.erase", tenant_id, erasure_id)
    return len(found)


def run_due(most: int = 1000) -> int:
    """Carry out here what is due; answers how many."""
    found = _due(most)
    for tenant_id, erasure_id in found:
        run(tenant_id, erasure_id)
    return len(found)
