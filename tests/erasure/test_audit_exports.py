"""Exports of the audit trail that name somebody end when that person is erased; the events and the other exports stay."""

from __future__ import annotations

import zipfile
from datetime import timedelta
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memoryapp.domain.errors import DomainError
from memoryapp.models import AuditExport
from memoryapp.services import access, audit_trail, changes, export_files, person_deletion
from memoryapp.services.leases import FenceLost
from memoryapp.services.results import AuditFilter
from memoryapp.services.scope import tenant_scope
from tests.cast import Cast, make_cast
from tests.erasure.steps import carried_out, said

pytestmark = pytest.mark.django_db


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


def exported(cast: Cast, wanted: AuditFilter) -> UUID:
    job = audit_trail.start_export(cast.agent, wanted)
    audit_trail.run_export(cast.agent.tenant_id, job)
    return job


def told(cast: Cast, job: UUID) -> str:
    with audit_trail.export_file(cast.agent, job) as file, zipfile.ZipFile(file) as archive:
        return "".join(archive.read(n).decode() for n in archive.namelist())


def test_a_finished_export_that_names_the_erased_is_removed_with_proof_and_can_be_made_anew(cast: Cast) -> None:
    said(cast, "Remember that I like jazz.")
    said(cast, "Remember that I keep bees.", person="bob")
    naming, others = exported(cast, AuditFilter()), exported(cast, AuditFilter(person="bob"))
    assert "alice" in told(cast, naming) and "alice" not in told(cast, others)
    job = person_deletion.erase_person(cast.agent, "alice", "erase alice")
    with pytest.raises(DomainError, match="export_withdrawn"):
        audit_trail.export_file(cast.agent, naming)
    view = carried_out(cast.agent, job)
    (step,) = [s for s in view.steps if s.name == "audit_exports"]
    assert (step.state, step.evidence) == ("done", {"left": {"files": 0}})
    assert export_files.files_of(cast.agent.tenant_id, [naming]) == []
    assert (audit_trail.export_status(cast.agent, naming).state, "bob" in told(cast, others)) == ("withdrawn", True)
    anew = told(cast, exported(cast, AuditFilter()))
    assert "alice" not in anew and "erased-" in anew and "memory.added" in anew


def test_an_export_that_names_only_their_login_goes_too(cast: Cast) -> None:
    user = access.add_person(cast.agent, "alice@example.org", "member", "alice", password="not-used-here")
    me = changes.replace(cast.person("alice"), ref=str(user.pk))
    changes.add(me, "alice", changes.NewItem("Likes jazz."))
    job = exported(cast, AuditFilter(actor=str(user.pk)))
    assert str(user.pk) in told(cast, job)
    person_deletion.erase_person(cast.agent, "alice", "erase alice")
    assert audit_trail.export_status(cast.agent, job).state == "withdrawn"


def test_an_export_at_work_is_written_anew_with_the_pseudonym(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    said(cast, "Remember that I like jazz.")
    job = audit_trail.start_export(cast.agent, AuditFilter())
    written = audit_trail._written

    def erase_meanwhile(*args: object) -> str:
        name = written(*args)  # type: ignore[arg-type]
        person_deletion.erase_person(cast.agent, "alice", "erase alice")
        return name

    monkeypatch.setattr(audit_trail, "_written", erase_meanwhile)
    audit_trail.run_export(cast.agent.tenant_id, job)
    monkeypatch.setattr(audit_trail, "_written", written)
    assert audit_trail.export_status(cast.agent, job).state == "pending"
    assert export_files.files_of(cast.agent.tenant_id, [job]) == []
    audit_trail.run_export(cast.agent.tenant_id, job)
    assert "alice" not in told(cast, job)
    with tenant_scope(cast.agent):
        assert AuditExport.objects.get(pk=job).attempt == 2


def statements(cast: Cast) -> int:
    with tenant_scope(cast.agent), CaptureQueriesContext(connection) as seen:
        assert audit_trail.withdraw_naming(cast.agent, "nobody", ["no login"]) == 0
    return len(seen)


def test_looking_for_a_name_costs_as_many_statements_for_many_exports_as_for_few(cast: Cast) -> None:
    said(cast, "Remember that I like jazz.")
    for wanted in (AuditFilter(), AuditFilter(actor="alice"), AuditFilter(action="memory.")):
        exported(cast, wanted)
    few = statements(cast)
    for wanted in (AuditFilter(), AuditFilter(actor="alice"), AuditFilter(action="memory.")) * 2:
        exported(cast, wanted)
    assert statements(cast) == few


def test_a_worker_that_lost_its_claim_writes_no_progress_over_that_of_the_next_one(cast: Cast) -> None:
    said(cast, "Remember that I like jazz.")
    job = audit_trail.start_export(cast.agent, AuditFilter())
    slow = audit_trail._claimed(cast.agent, job)
    assert slow is not None
    with tenant_scope(cast.agent):
        AuditExport.objects.filter(pk=job).update(lease_until=timezone.now() - timedelta(seconds=1))
    assert audit_trail._claimed(cast.agent, job) is not None
    with pytest.raises(FenceLost):
        audit_trail._written(cast.agent, slow)
    assert audit_trail.export_status(cast.agent, job).events_done == 0
