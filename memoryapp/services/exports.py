"""Exports of everything kept about a person: asked for, written by a worker, downloaded, ended.

They hold what an erasure of the person would remove, chosen by the same selector (`person_deletion.rows_of`), without what
waits in the trash. The row is the queue of record: claimed by conditional update, kept by a lease, fenced by the attempt.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import IO
from uuid import UUID

from django.db import connection
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from accounts.actor import Actor, system_actor
from accounts.models import new_id
from memoryapp import audit
from memoryapp.domain.errors import DomainError, NotFound
from memoryapp.domain.exporting import SECTIONS, SUFFIXES, ExportFormat, ExportState, Manifest, Memory, Record
from memoryapp.domain.public_ids import public
from memoryapp.domain.redaction import sought
from memoryapp.domain.types import SpaceKind
from memoryapp.failpoints import failpoint
from memoryapp.models import MemoryExport, MemoryItem
from memoryapp.providers.script_folding import to_simplified
from memoryapp.services import export_files, export_records, person_deletion
from memoryapp.services.erasure_steps import chunks
from memoryapp.services.export_records import Selection
from memoryapp.services.export_writers import writer_of
from memoryapp.services.leases import FenceLost
from memoryapp.services.pages import newest
from memoryapp.services.scope import tenant_scope
from memoryapp.services.spaces import active_policy, check_person, find_space, lock
from memoryapp.services.vectors import wake

ATTEMPTS = 8
LEASE = timedelta(minutes=3)
FILES = "memories-"
"""How the names of the files begin; parts of an unfinished one have a dot before."""
OVER: Mapping[str, tuple[str, str]] = {
    ExportState.WITHDRAWN: (
        "export_withdrawn",
        "Something in this export was forgotten or erased since. Ask for a new one.",
    ),
    ExportState.EXPIRED: ("export_expired", "The time of this export is over. Ask for a new one."),
}
"""States in which there is no file any more: code and detail."""


@dataclass(frozen=True, slots=True)
class ExportView:
    """An export as its reader sees it. `counts` are records by section and `in_trash`, known when it has finished."""

    id: UUID
    person: str
    format: str
    state: str
    records_done: int
    records_total: int
    counts: Mapping[str, int]
    error_code: str
    created_at: datetime
    finished_at: datetime | None
    expires_at: datetime | None


def start(actor: Actor, person: str, form: str) -> UUID:
    """Ask for an export of what is kept about a person. Raises `invalid` for another format, NotFound for somebody unknown."""
    whose = _allowed(actor, person)
    if form not in set(ExportFormat):
        raise DomainError("invalid", f"`format` is one of {', '.join(ExportFormat)}.")
    with tenant_scope(actor):
        space = find_space(actor, SpaceKind.PERSON, whose)
        if space is None:
            raise NotFound
        job = MemoryExport.objects.create(
            id=new_id(), tenant_id=actor.tenant_id, space=space, requested_by=actor.ref, format=form
        )
        audit.record(actor, "export.requested", audit.Target("export", (job.pk,)), person=whose)
        wake("memoryapp.export_memories", actor.tenant_id, job.pk)
        return job.pk


def _allowed(actor: Actor, person: str) -> str:
    whose = check_person(actor, person)
    if not actor.may("memory:read"):
        raise DomainError("scope_missing", "An export needs the scope memory:read.")
    return whose


def export(actor: Actor, export_id: UUID) -> ExportView:
    """One export. NotFound for another tenant's, and another person's when the actor is bound."""
    with tenant_scope(actor):
        return _view(_visible(actor, export_id))


def list_exports(
    actor: Actor, person: str = "", *, limit: int = 50, cursor: str | None = None
) -> tuple[tuple[ExportView, ...], str | None, int]:
    """One page, newest first, the cursor of the next, and how many there are."""
    whose = check_person(actor, person) if person or actor.user_key else ""
    with tenant_scope(actor):
        rows = MemoryExport.objects.for_actor(actor).select_related("space")
        rows = rows.filter(space__key=whose) if whose else rows
        page = newest(rows, limit, cursor)
        return tuple(_view(row) for row in page.rows), page.cursor, page.total


def file_of(actor: Actor, export_id: UUID) -> IO[bytes]:
    """The finished file, open: who has it reads on, whatever ends the export meanwhile.

    Raises `export_withdrawn` and `export_expired` when it is over, `invalid_transition` before.
    """
    with tenant_scope(actor):
        row = _visible(actor, export_id)
        state = ExportState.EXPIRED if _is_over(row) else row.state
        if state in OVER:
            raise DomainError(*OVER[state])
        if state != ExportState.SUCCEEDED:
            raise DomainError("invalid_transition", "This export is not finished.")
        audit.record(actor, "export.downloaded", audit.Target("export", (row.pk,)), person=row.space.key)
        found = export_files.opened(actor.tenant_id, row.file_name)
        if found is None:
            row.refresh_from_db(fields=["state"])
            raise DomainError(*OVER.get(row.state, OVER[ExportState.EXPIRED]))
        return found


def _is_over(row: MemoryExport) -> bool:
    return row.state == ExportState.SUCCEEDED and row.expires_at is not None and row.expires_at <= timezone.now()


def _visible(actor: Actor, export_id: UUID) -> MemoryExport:
    row = MemoryExport.objects.for_actor(actor).filter(pk=export_id).select_related("space").first()
    if row is None:
        raise NotFound
    return row


def _view(row: MemoryExport) -> ExportView:
    return ExportView(
        id=row.pk,
        person=row.space.key,
        format=row.format,
        state=ExportState.EXPIRED if _is_over(row) else row.state,
        records_done=row.records_done,
        records_total=row.records_total,
        counts=row.counts,
        error_code=row.error_code,
        created_at=row.created_at,
        finished_at=row.finished_at,
        expires_at=row.expires_at,
    )


@dataclass(frozen=True, slots=True)
class _Work:
    """An export that this worker has claimed."""

    actor: Actor
    row: MemoryExport
    chosen: Selection
    path: Path

    def fence(self, records: int = 0) -> None:
        """Keep the lease and count the records; raises FenceLost. Call it in every transaction."""
        mine = self.running()
        if not mine.update(lease_until=timezone.now() + LEASE, records_done=F("records_done") + records):
            raise FenceLost

    def running(self) -> QuerySet[MemoryExport]:
        rows = MemoryExport.objects.for_actor(self.actor)
        return rows.filter(pk=self.row.pk, attempt=self.row.attempt, state=ExportState.RUNNING)


def run(tenant_id: UUID, export_id: UUID) -> None:
    """Write one export, if it is due and nobody else has it. A vanished row is fine."""
    actor = system_actor(tenant_id, "exporter")
    if _given_up(actor, export_id):
        export_files.remove(tenant_id, [export_id])
        return
    work = _claimed(actor, export_id)
    if work is None:
        return
    try:
        counts = _written(work)
        failpoint("export.written")
        _finish(work, counts)
    except FenceLost:
        export_files.remove(tenant_id, [export_id], attempt=work.row.attempt)
    except OSError:
        _put_back(work)
        raise


def _given_up(actor: Actor, export_id: UUID) -> bool:
    """Whatever ended the worker of the last attempt too, the export fails instead of being due for ever."""
    with tenant_scope(actor):
        lost = Q(state=ExportState.RUNNING, lease_until__lt=timezone.now(), attempt__gte=ATTEMPTS)
        rows = MemoryExport.objects.for_actor(actor).filter(lost, pk=export_id)
        return bool(rows.update(state=ExportState.FAILED, error_code="worker_lost", lease_until=None))


def _claimed(actor: Actor, export_id: UUID) -> _Work | None:
    """Claim and choose in one transaction: from its commit on, whoever forgets one of the chosen finds this export."""
    now = timezone.now()
    with tenant_scope(actor):
        free = Q(state=ExportState.PENDING) | Q(state=ExportState.RUNNING, lease_until__lt=now)
        rows = MemoryExport.objects.for_actor(actor).filter(pk=export_id)
        if not rows.filter(free).update(state=ExportState.RUNNING, attempt=F("attempt") + 1, lease_until=now + LEASE):
            return None
        row = rows.select_related("space").get()
        chosen = export_records.selection(actor, row.space, person_deletion.rows_of(row.space))
        total = sum(map(len, chosen.ids.values()))
        rows.update(item_ids=list(chosen.ids["memories"]), records_total=total, records_done=0)
    name = f"{FILES}{export_id.hex}-{row.attempt}.{SUFFIXES[ExportFormat(row.format)]}"
    return _Work(actor, row, chosen, export_files.folder(actor.tenant_id) / name)


def _written(work: _Work) -> dict[str, int]:
    """Write the file and answer its counts. Every chunk is read in a transaction of its own and written after it."""
    export_files.remove(work.actor.tenant_id, [work.row.pk])
    counts = Counter[str]()
    with writer_of(ExportFormat(work.row.format), work.path) as writer:
        for section, read in _readers(work.actor, work.chosen).items():
            for ids in chunks(work.chosen.ids[section]):
                with tenant_scope(work.actor):
                    work.fence(len(ids))
                    records = tuple(read(ids))
                for record in records:
                    writer.write(section, record)
                counts.update({section: len(records)})
                counts.update(f"memories.{r.status}" for r in records if isinstance(r, Memory))
            failpoint(f"export.{section}")
        with tenant_scope(work.actor):
            manifest = _manifest(work, counts)
        writer.close(manifest)
    return {**manifest.counts, "in_trash": manifest.in_trash}


def _readers(actor: Actor, chosen: Selection) -> Mapping[str, Callable[[Sequence[UUID]], Iterable[Record]]]:
    """In the order of SECTIONS."""
    what = sought(chosen.hidden, to_simplified)
    return {
        "memories": lambda ids: export_records.memories(actor, ids),
        "evidence": lambda ids: export_records.evidence(actor, ids),
        "sessions": lambda ids: export_records.conversations(actor, ids, what),
        "messages": lambda ids: export_records.utterances(actor, ids, chosen),
        "events": lambda ids: export_records.events(actor, ids),
    }


def _manifest(work: _Work, counts: Mapping[str, int]) -> Manifest:
    whole = {section: counts.get(section, 0) for section in SECTIONS}
    return Manifest(
        export_id=public("exp", work.row.pk),
        user_id=work.row.space.key,
        format=work.row.format,
        requested_at=work.row.created_at,
        created_at=timezone.now(),
        counts={**whole, **{name: n for name, n in sorted(counts.items()) if name not in whole}},
        in_trash=work.chosen.in_trash,
        account=export_records.account(work.actor, work.row.space.key),
    )


def _finish(work: _Work, counts: Mapping[str, int]) -> None:
    """Under the locks of the spaces, so that no forgetting is half done: what was chosen must still be there."""
    ids = work.chosen.ids["memories"]
    with tenant_scope(work.actor):
        items = MemoryItem.objects.for_actor(work.actor).filter(pk__in=ids)
        spaces = items.order_by().values_list("space_id", flat=True).distinct()
        for space_id in sorted({*spaces, work.row.space_id}):
            lock(space_id)
        work.fence()
        whole = items.visible().count() == len(ids)
        if not whole:
            work.running().update(state=ExportState.PENDING, lease_until=None)
        else:
            _succeed(work, counts)
    if not whole:
        raise FenceLost


def _succeed(work: _Work, counts: Mapping[str, int]) -> None:
    now = timezone.now()
    kept = timedelta(days=active_policy(work.actor).export_days)
    work.running().update(
        state=ExportState.SUCCEEDED,
        file_name=work.path.name,
        counts=counts,
        finished_at=now,
        expires_at=now + kept,
        lease_until=None,
        error_code="",
    )
    target = audit.Target("export", (work.row.pk,))
    audit.record(work.actor, "export.finished", target, person=work.row.space.key)


def _put_back(work: _Work) -> None:
    """The disk refused: tried again when the lease ends, at the end failed."""
    export_files.remove(work.actor.tenant_id, [work.row.pk])
    with tenant_scope(work.actor):
        if work.row.attempt >= ATTEMPTS:
            work.running().update(state=ExportState.FAILED, error_code="storage", lease_until=None)


def end_lapsed(tenant_id: UUID) -> int:
    """Expire what is over, and remove every file that no living export has; answers how many went."""
    actor = system_actor(tenant_id, "housekeeping")
    found = export_files.listed(tenant_id, FILES)
    with tenant_scope(actor):
        rows = MemoryExport.objects.for_actor(actor)
        lapsed = rows.filter(state=ExportState.SUCCEEDED, expires_at__lte=timezone.now())
        ids = tuple(lapsed.values_list("pk", flat=True))
        if ids:
            audit.record(actor, "export.expired", audit.Target("export", ids))
            rows.filter(pk__in=ids).update(state=ExportState.EXPIRED, file_name="", item_ids=[])
        alive = rows.filter(state__in=[ExportState.RUNNING, ExportState.SUCCEEDED])
        living = {one.hex for one in alive.values_list("pk", flat=True)}
    return export_files.unlink(path for path in found if not any(one in path.name for one in living))


def dispatch_due(most: int = 100) -> int:
    """Wake workers for exports that are due or whose lease ended; answers how many."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM door.due_memory_exports(%s, %s)", [timezone.now(), most])
        found = cursor.fetchall()
    for tenant_id, export_id in found:
        wake("memoryapp.export_memories", tenant_id, export_id)
    return len(found)
