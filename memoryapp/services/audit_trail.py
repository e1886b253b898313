"""Reading the audit trail and exporting it. It holds no text of a memory, and neither does an export."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import IO
from uuid import UUID

from django.db.models import F, Q, QuerySet, UUIDField, Value
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from accounts.actor import Actor, system_actor
from accounts.models import new_id
from memoryapp import audit
from memoryapp.domain.errors import DomainError, NotFound
from memoryapp.models import AuditEvent, AuditExport
from memoryapp.services import export_files
from memoryapp.services.actor_names import names_of, refs_named
from memoryapp.services.leases import FenceLost
from memoryapp.services.pages import newest
from memoryapp.services.results import AuditFilter, AuditRow
from memoryapp.services.scope import tenant_scope
from memoryapp.services.spaces import refuse_secret_names
from memoryapp.services.vectors import wake

COLUMNS: tuple[str, ...] = (
    "id",
    "occurred_at",
    "actor_kind",
    "actor",
    "on_behalf_of",
    "action",
    "target_kind",
    "target_ids",
)
COLUMNS += ("outcome", "reason", "changed_fields", "request_id")
CHUNK = 500
LEASE = timedelta(minutes=5)
LOOKS = 100
"""Exports of which one statement asks whom they name."""


@dataclass(frozen=True, slots=True)
class ExportView:
    id: UUID
    state: str
    events_done: int
    events_total: int
    file_name: str
    error_code: str
    created_at: datetime


def _allow(actor: Actor) -> None:
    if not actor.may("audit:read"):
        raise DomainError("scope_missing", "This needs the scope audit:read.")


def _matching(actor: Actor, wanted: AuditFilter) -> QuerySet[AuditEvent]:
    rows = AuditEvent.objects.filter(tenant_id=actor.tenant_id).select_related("actor", "on_behalf_of")
    if wanted.since:
        rows = rows.filter(occurred_at__gte=wanted.since)
    if wanted.until:
        rows = rows.filter(occurred_at__lt=wanted.until)
    if wanted.actor:
        named = refs_named(actor.tenant_id, wanted.actor)
        rows = rows.filter(named | Q(actor__name__icontains=wanted.actor.removeprefix("mk_")))
    if wanted.person:
        rows = rows.filter(on_behalf_of__name=wanted.person)
    if wanted.action:
        rows = rows.filter(action__startswith=wanted.action)
    return rows.order_by("-id")


def _row(event: AuditEvent) -> AuditRow:
    return AuditRow(
        id=event.pk,
        occurred_at=event.occurred_at,
        actor_kind=event.actor_kind,
        actor=event.actor.name if event.actor else "",
        on_behalf_of=event.on_behalf_of.name if event.on_behalf_of else "",
        action=event.action,
        target_kind=event.target_kind,
        target_ids=tuple(event.target_ids),
        outcome=event.outcome,
        reason=event.reason,
        changed_fields=tuple(event.changed_fields),
        request_id=event.request_id,
    )


def search(
    actor: Actor, wanted: AuditFilter, *, limit: int = 50, cursor: str | None = None
) -> tuple[tuple[AuditRow, ...], str | None, int]:
    """One page of events, newest first, the cursor of the next, and how many match."""
    _allow(actor)
    with tenant_scope(actor):
        rows = _matching(actor, wanted)
        page = newest(rows, limit, cursor)
        shown = tuple(_row(event) for event in page.rows)
        names = names_of(actor.tenant_id, shown)
        named = tuple(replace(r, actor_name=names.get((r.actor_kind, r.actor), "")) for r in shown)
        return named, page.cursor, page.total


def start_export(actor: Actor, wanted: AuditFilter) -> UUID:
    """Begin an export; a worker writes it and its progress can be watched."""
    _allow(actor)
    refuse_secret_names(actor=wanted.actor, user_id=wanted.person, action=wanted.action)
    filters = {k: v.isoformat() if isinstance(v, datetime) else v for k, v in asdict(wanted).items()}
    with tenant_scope(actor):
        job = AuditExport.objects.create(
            id=new_id(), tenant_id=actor.tenant_id, requested_by=actor.ref, filters=filters
        )
        audit.record(actor, "audit.export_requested", audit.Target("audit_export", (job.pk,)))
        wake("memoryapp.export_audit", actor.tenant_id, job.pk)
        return job.pk


def _export_view(job: AuditExport) -> ExportView:
    return ExportView(
        job.pk, job.state, job.events_done, job.events_total, job.file_name, job.error_code, job.created_at
    )


def export_status(actor: Actor, export_id: UUID) -> ExportView:
    _allow(actor)
    with tenant_scope(actor):
        return _export_view(_one(actor, export_id))


def _one(actor: Actor, export_id: UUID) -> AuditExport:
    job = AuditExport.objects.for_actor(actor).filter(pk=export_id).first()
    if job is None:
        raise NotFound
    return job


def list_exports(actor: Actor) -> tuple[ExportView, ...]:
    _allow(actor)
    with tenant_scope(actor):
        rows = AuditExport.objects.for_actor(actor).order_by("-id")[:20]
        return tuple(_export_view(job) for job in rows)


def exports_page(
    actor: Actor, *, limit: int = 50, cursor: str | None = None
) -> tuple[tuple[ExportView, ...], str | None, int]:
    """One page of exports, newest first, the cursor of the next, and how many there are."""
    _allow(actor)
    with tenant_scope(actor):
        page = newest(AuditExport.objects.for_actor(actor), limit, cursor)
        return tuple(_export_view(job) for job in page.rows), page.cursor, page.total


def export_file(actor: Actor, export_id: UUID) -> IO[bytes]:
    """The finished ZIP, open; NotFound until it is finished. Raises `export_withdrawn` when it names somebody erased."""
    _allow(actor)
    with tenant_scope(actor):
        job = _one(actor, export_id)
        if job.state != "withdrawn":
            found = export_files.opened(actor.tenant_id, job.file_name) if job.state == "succeeded" else None
            if found is not None:
                audit.record(actor, "audit.export_downloaded", audit.Target("audit_export", (export_id,)))
                return found
            job.refresh_from_db(fields=["state"])
        if job.state == "withdrawn":
            raise DomainError("export_withdrawn", "It names somebody whose data was erased since. Ask for a new one.")
        raise NotFound


def withdraw_naming(actor: Actor, person: str, logins: Sequence[str]) -> int:
    """End the exports whose table names a person or their logins, before these names are replaced; answers how many.

    The events stay. One that is at work begins anew and will find the pseudonyms.
    """
    named = Q(on_behalf_of__name=person) | Q(actor__name__in=logins)
    rows = AuditExport.objects.for_actor(actor)
    found = _naming(actor, list(rows.filter(state__in=["running", "succeeded"])), named)
    naming = rows.filter(pk__in=found)
    naming.filter(state="running").update(state="pending", lease_until=None)
    return naming.filter(state="succeeded").update(state="withdrawn", error_code="person_erased")


def _naming(actor: Actor, jobs: Sequence[AuditExport], named: Q) -> set[UUID]:
    """Which of these exports hold such an event: one statement for a hundred of them."""
    found: set[UUID] = set()
    for start in range(0, len(jobs), LOOKS):
        looks = [_look(actor, job, named) for job in jobs[start : start + LOOKS]]
        found.update(looks[0].union(*looks[1:], all=True))
    return found


def _look(actor: Actor, job: AuditExport, named: Q) -> QuerySet[AuditEvent, UUID]:
    """The export's own id when it holds such an event, else nothing."""
    itself = Value(job.pk, output_field=UUIDField())
    return (
        _until_asked(actor, job).filter(named).order_by().annotate(export=itself).values_list("export", flat=True)[:1]
    )


def _until_asked(actor: Actor, job: AuditExport) -> QuerySet[AuditEvent]:
    wanted = _filter(job.filters)
    return _matching(actor, replace(wanted, until=min(wanted.until or job.created_at, job.created_at)))


def run_export(tenant_id: UUID, export_id: UUID) -> None:
    """Write one export, chunk by chunk. Claimed by conditional update; a dead worker's lease ends."""
    actor = system_actor(tenant_id, "exporter")
    job = _claimed(actor, export_id)
    if job is None:
        return
    try:
        _finish(actor, job, _written(actor, job))
    except FenceLost:
        export_files.remove(tenant_id, [export_id], attempt=job.attempt)


def _claimed(actor: Actor, export_id: UUID) -> AuditExport | None:
    now = timezone.now()
    with tenant_scope(actor):
        due = Q(state="pending") | Q(state="running", lease_until__lt=now)
        rows = AuditExport.objects.for_actor(actor).filter(pk=export_id)
        if not rows.filter(due).update(state="running", attempt=F("attempt") + 1, lease_until=now + LEASE):
            return None
        job = rows.get()
        rows.update(events_total=_until_asked(actor, job).count(), events_done=0)
        return job


def _finish(actor: Actor, job: AuditExport, name: str) -> None:
    with tenant_scope(actor):
        _fenced(actor, job, state="succeeded", file_name=name, finished_at=timezone.now(), lease_until=None)
        audit.record(actor, "audit.exported", audit.Target("audit_export", (job.pk,)))


def _fenced(actor: Actor, job: AuditExport, **values: object) -> None:
    """Change the row as long as this attempt has it; raises FenceLost."""
    rows = AuditExport.objects.for_actor(actor).filter(pk=job.pk, attempt=job.attempt, state="running")
    if not rows.update(**values):
        raise FenceLost


def _filter(stored: dict[str, object]) -> AuditFilter:
    times = {name: parse_datetime(str(stored[name])) if stored.get(name) else None for name in ("since", "until")}
    return AuditFilter(
        times["since"], times["until"], *(str(stored.get(n) or "") for n in ("actor", "person", "action"))
    )


def _written(actor: Actor, job: AuditExport) -> str:
    folder = export_files.folder(actor.tenant_id)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    export_files.remove(actor.tenant_id, [job.pk])
    lines, table = io.StringIO(), io.StringIO()
    writer = csv.writer(table)
    writer.writerow(COLUMNS)
    cursor: str | None = None
    done = 0
    while True:
        with tenant_scope(actor):
            rows = _until_asked(actor, job)
            found = list((rows.filter(pk__lt=UUID(cursor)) if cursor else rows)[:CHUNK])
            for event in found:
                lines.write(bytes(event.body).decode() + "\n")
                writer.writerow([formula_safe(v) for v in _cells(_row(event))])
            done += len(found)
            _fenced(actor, job, events_done=done, lease_until=timezone.now() + LEASE)
        if len(found) < CHUNK:
            break
        cursor = found[-1].pk.hex
    name = f"audit-{job.pk.hex}-{job.attempt}.zip"
    draft = folder / f".{name}"
    with zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("events.jsonl", lines.getvalue())
        archive.writestr("events.csv", "\ufeff" + table.getvalue())
        archive.writestr("manifest.json", json.dumps({"events": done, "signed": False}))
    draft.rename(folder / name)
    return name


def _cells(row: AuditRow) -> list[str]:
    values = [getattr(row, column) for column in COLUMNS]
    return [" ".join(map(str, v)) if isinstance(v, tuple) else str(v) for v in values]


def formula_safe(cell: str) -> str:
    """A cell that a spreadsheet will not run: a leading = + - @ tab or return is quoted (OWASP, CSV injection)."""
    return f"'{cell}" if cell[:1] in ("=", "+", "-", "@", "\t", "\r") else cell
