"""Exports end with what is erased: withdrawn in the request's transaction, their files removed by the job, with proof.

Forgetting withdraws them too, by a trigger (migration `memory_exports`); its files go with the next housekeeping.
"""

from __future__ import annotations

from django.db.models import Case, Q, QuerySet, Value, When

from memoryapp.domain.exporting import ExportState
from memoryapp.domain.receipts import ErasureKind
from memoryapp.failpoints import failpoint
from memoryapp.models import AuditExport, MemoryExport, Space
from memoryapp.services import export_files
from memoryapp.services.erasure_steps import Job, Proven
from memoryapp.services.scope import tenant_scope

PERSON_ERASED = "person_erased"
SOURCE_ERASED = "source_erased"
ENDED = (ExportState.FAILED, ExportState.WITHDRAWN, ExportState.EXPIRED)
"""States that no worker leaves, in which there is no file any more."""


def withdraw(space: Space, kind: ErasureKind) -> None:
    """In the transaction of an erasure. Whose person is gone gets nothing; after a purge, what runs begins anew."""
    if kind is ErasureKind.PERSON:
        waiting = Q(state__in=[ExportState.PENDING, ExportState.RUNNING, ExportState.SUCCEEDED])
        rows = MemoryExport.objects.filter(waiting, tenant_id=space.tenant_id, space=space)
        rows.update(state=ExportState.WITHDRAWN, error_code=PERSON_ERASED, lease_until=None)
    if kind is ErasureKind.SOURCE:
        _begin_anew(MemoryExport.objects.filter(tenant_id=space.tenant_id, space=space))


def _begin_anew(rows: QuerySet[MemoryExport]) -> None:
    alive = rows.filter(state__in=[ExportState.RUNNING, ExportState.SUCCEEDED])
    running = When(state=ExportState.RUNNING, then=Value(str(ExportState.PENDING)))
    alive.update(
        state=Case(running, default=Value(str(ExportState.WITHDRAWN))),
        error_code=Case(When(state=ExportState.RUNNING, then=Value("")), default=Value(SOURCE_ERASED)),
        lease_until=None,
    )


def finished_exports(job: Job) -> Proven:
    """The step of the job: no export that holds any of it can be downloaded, and no file of one is left.

    What holds an erased memory begins anew; a purge looks at every export of the person, since one that was made
    meanwhile may hold its conversations. Files are removed of all exports of the person that have ended or wait: the
    request withdrew those whose messages told it. Whoever claims an export while this step looks has chosen without
    what is erased: only ended rows are emptied, and only files up to the attempt that was seen waiting are removed.
    """
    with tenant_scope(job.actor):
        job.fence(0)
        _begin_anew(_held(job, whole=job.kind in (ErasureKind.PERSON, ErasureKind.SOURCE)))
        theirs = _held(job, whole=True)
        ids = tuple(theirs.filter(state__in=ENDED).values_list("pk", flat=True))
        anew = dict(theirs.filter(state=ExportState.PENDING).values_list("pk", "attempt"))
    export_files.remove(job.actor.tenant_id, ids)
    export_files.remove_until(job.actor.tenant_id, anew)
    failpoint("erasure.exports")
    files = len(export_files.files_of(job.actor.tenant_id, ids))
    files += len(export_files.files_until(job.actor.tenant_id, anew))
    with tenant_scope(job.actor):
        rows = MemoryExport.objects.for_actor(job.actor)
        holding = Q(pk__in=ids) | Q(item_ids__overlaps_ids=job.item_ids)
        alive = rows.filter(holding, state=ExportState.SUCCEEDED).count()
        rows.filter(pk__in=ids, state__in=ENDED).update(file_name="", item_ids=[])
    return Proven("withdrawn with the request, files removed and looked for again", {"exports": alive, "files": files})


def _held(job: Job, *, whole: bool) -> QuerySet[MemoryExport]:
    """Exports that hold one of the memories, or all of the person."""
    theirs = Q(item_ids__overlaps_ids=job.item_ids) | (Q(space_id=job.space_id) if whole else Q())
    return MemoryExport.objects.for_actor(job.actor).filter(theirs)


def audit_exports(job: Job) -> Proven:
    """The step of the job: files of exports of the trail that name the person. The events themselves stay."""
    with tenant_scope(job.actor):
        job.fence(0)
        rows = AuditExport.objects.for_actor(job.actor).filter(state="withdrawn")
        ids = tuple(rows.exclude(file_name="").values_list("pk", flat=True))
    export_files.remove(job.actor.tenant_id, ids)
    failpoint("erasure.audit_exports")
    left = len(export_files.files_of(job.actor.tenant_id, ids))
    with tenant_scope(job.actor):
        rows.filter(pk__in=ids).update(file_name="")
    return Proven("withdrawn with the request, files removed and looked for again", {"files": left})
