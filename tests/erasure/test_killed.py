"""kill -9 anywhere in forgetting and erasing: the end state is one of the two allowed, and the receipt tells the truth."""

from __future__ import annotations

import os
import signal
import warnings
from collections.abc import Callable
from uuid import UUID

import psycopg
import pytest
from django.db import connections

from accounts.actor import Actor
from memoryapp.domain.exporting import SECTIONS
from memoryapp.services import (
    audit_trail,
    changes,
    consolidation,
    erasure,
    export_files,
    exports,
    person_deletion,
    physical_erasure,
    restore_safety,
    source_purge,
    tombstone_file,
    working_memory,
)
from memoryapp.services.ingest import Incoming, accept
from memoryapp.services.recall import search
from memoryapp.services.results import AuditFilter
from memoryapp.services.source_purge import Source, SourceKind
from memoryapp.services.working_memory import Address, SessionChanges
from tests.cast import Cast, make_cast, texts
from tests.erasure.steps import said

pytestmark = pytest.mark.django_db(transaction=True)

WHAT: dict[str, Callable[[Actor, UUID], object]] = {
    "forget": changes.forget,
    "erase": erasure.erase_item,
    "consolidate": lambda actor, one: consolidation.consolidate(actor.tenant_id, one),
    "export": lambda actor, one: exports.run(actor.tenant_id, one),
    "run": lambda actor, one: erasure.run(actor.tenant_id, one),
    "rewrite": lambda actor, one: physical_erasure.rewrite(lock_seconds=20),
}


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast()


def killed_at(point: str, what: str, cast: Cast, one: UUID) -> None:
    """Make one call in a process of its own that dies at a failpoint."""
    connections.close_all()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # forking beside threads, which the child does not use
        child = os.fork()
    if child == 0:
        os.environ["FAILPOINT"] = point
        try:
            WHAT[what](cast.agent, one)
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL


def visible(cast: Cast) -> bool:
    shown = bool(texts(cast.agent, "alice"))
    assert shown == bool(search(cast.agent, "alice", "Quillfeather"))
    return shown


@pytest.mark.parametrize(
    ("what", "point", "happened"),
    [
        ("forget", "forget.changed", False),
        ("forget", "forget.buried", False),
        ("forget", "tombstone_file.append", True),
        ("erase", "erasure.hidden", False),
        ("erase", "erasure.begin", False),
        ("erase", "tombstone_file.append", True),
    ],
)
def test_a_killed_request_has_happened_whole_or_not_at_all(
    cast: Cast, superuser: psycopg.Connection, what: str, point: str, happened: bool
) -> None:
    item = said(cast, "Remember that I keep bees in Quillfeather Lane.")
    killed_at(point, what, cast, item)
    assert visible(cast) is not happened
    stones = superuser.execute("SELECT count(*) FROM memoryapp_tombstone WHERE lifted_at IS NULL").fetchone()
    jobs = superuser.execute("SELECT count(*) FROM memoryapp_erasure").fetchone()
    assert stones == (int(happened),)
    assert jobs == (int(happened and what == "erase"),)
    if happened:
        restore_safety.replay()
        assert str(item) in tombstone_file.path().read_text()
        assert not restore_safety.difference().restored


STEPS = ("hidden", "messages", "working_memory", "references", "rows", "exports")
POINTS = [f"erasure.{when}_{step}" for step in STEPS for when in ("before", "after")]
POINTS += [
    f"erasure.{step}" for step in ("messages", "working_memory", "references", "rows_open", "rows", "exports")
] + ["erasure.before_receipt"]


@pytest.mark.parametrize("point", POINTS)
def test_a_killed_erasure_is_never_called_done_and_is_finished_by_the_next_worker(
    cast: Cast, superuser: psycopg.Connection, point: str
) -> None:
    item = said(cast, "Remember that I keep bees in Quillfeather Lane.")
    working_memory.change(cast.agent, Address("trip", "alice"), SessionChanges("I keep bees in Quillfeather Lane."))
    exports.run(cast.agent.tenant_id, exports.start(cast.agent, "alice", "jsonl"))
    job = erasure.erase_item(cast.agent, item)
    killed_at(point, "run", cast, job)
    between = erasure.erasure(cast.agent, job)
    assert (between.state, between.receipt) == ("running", None)
    assert not visible(cast)
    done = {s.name for s in between.steps if s.state == "done"}
    assert done <= set(STEPS)
    assert ("exports" in done) is (point == "erasure.before_receipt")
    assert erasure.run_due() == 0
    superuser.execute("UPDATE memoryapp_erasure SET lease_until = now() - interval '1 second'")
    assert erasure.run_due() == 1
    after = erasure.erasure(cast.agent, job)
    assert (after.state, after.attempt, after.items_done) == ("succeeded", 2, 1)
    assert export_files.listed(cast.agent.tenant_id, "memories-") == []
    for table, column in (
        ("memoryitem", "content"),
        ("memoryversion", "content"),
        ("message", "text"),
        ("workingmemory", "summary"),
    ):
        row = superuser.execute(f"SELECT count(*) FROM memoryapp_{table} WHERE {column} LIKE '%bees%'".encode())
        assert row.fetchone() == (0,)


WHOLE = ("sessions", "exports", "audit_exports", "identity")
ENDS = [f"erasure.{when}{step}" for step in WHOLE for when in ("before_", "", "after_")]


@pytest.mark.parametrize("point", ENDS)
def test_a_killed_erasure_of_a_person_is_finished_by_the_next_worker(
    cast: Cast, superuser: psycopg.Connection, point: str
) -> None:
    said(cast, "Remember that I keep bees in Quillfeather Lane.")
    exports.run(cast.agent.tenant_id, exports.start(cast.agent, "alice", "jsonl"))
    audit_trail.run_export(cast.agent.tenant_id, audit_trail.start_export(cast.agent, AuditFilter()))
    job = person_deletion.erase_person(cast.agent, "alice", "erase alice")
    killed_at(point, "run", cast, job)
    assert (erasure.erasure(cast.agent, job).state, erasure.run_due()) == ("running", 0)
    superuser.execute("UPDATE memoryapp_erasure SET lease_until = now() - interval '1 second'")
    assert erasure.run_due() == 1
    after = erasure.erasure(cast.agent, job)
    assert (after.state, after.levels["derived"]) == ("succeeded", "done")
    assert export_files.listed(cast.agent.tenant_id, "") == []
    for table in ("memoryitem", "session", "message", "run", "memoryexport"):
        assert superuser.execute(f"SELECT count(*) FROM memoryapp_{table}".encode()).fetchone() == (0,)


DOCUMENT_POINTS = ["erasure.before_documents", "erasure.documents", "erasure.after_documents"]


@pytest.mark.parametrize("point", DOCUMENT_POINTS)
def test_a_killed_purge_of_a_document_is_finished_by_the_next_worker(
    cast: Cast, superuser: psycopg.Connection, point: str
) -> None:
    accept(cast.agent, "alice", [Incoming("document", "The rent is 900 euros.", name="lease.pdf")])
    lease = Source(SourceKind.DOCUMENT, "lease.pdf")
    job = source_purge.purge(cast.agent, "alice", lease, "erase document lease.pdf")
    killed_at(point, "run", cast, job)
    superuser.execute("UPDATE memoryapp_erasure SET lease_until = now() - interval '1 second'")
    assert erasure.run_due() == 1
    assert erasure.erasure(cast.agent, job).state == "succeeded"
    assert superuser.execute("SELECT count(*) FROM memoryapp_message").fetchone() == (0,)


def test_a_killed_rewrite_leaves_the_physical_level_pending(cast: Cast, superuser: psycopg.Connection) -> None:
    job = erasure.erase_item(cast.agent, said(cast, "Remember that I keep bees in Quillfeather Lane."))
    erasure.run(cast.agent.tenant_id, job)
    killed_at("physical.rewritten", "rewrite", cast, job)
    assert erasure.erasure(cast.agent, job).levels["physical"] == "pending"
    assert physical_erasure.rewrite(lock_seconds=20).complete
    assert erasure.erasure(cast.agent, job).levels["physical"] == "done"


@pytest.mark.parametrize("point", [f"export.{s}" for s in (*SECTIONS, "written")])
def test_a_killed_export_is_never_called_finished_and_is_finished_by_the_next_worker(
    cast: Cast, superuser: psycopg.Connection, point: str
) -> None:
    said(cast, "Remember that I keep bees in Quillfeather Lane.")
    job = exports.start(cast.agent, "alice", "jsonl")
    killed_at(point, "export", cast, job)
    assert (exports.export(cast.agent, job).state, exports.dispatch_due()) == ("running", 0)
    assert export_files.listed(cast.agent.tenant_id, "memories-")
    superuser.execute("UPDATE memoryapp_memoryexport SET lease_until = now() - interval '1 second'")
    assert exports.dispatch_due() == 1
    exports.run(cast.agent.tenant_id, job)
    assert exports.export(cast.agent, job).state == "succeeded"
    with exports.file_of(cast.agent, job) as file:
        assert [str(one) for one in export_files.listed(cast.agent.tenant_id, "memories-")] == [file.name]


def test_a_failpoint_does_nothing_outside_of_tests(monkeypatch: pytest.MonkeyPatch, cast: Cast) -> None:
    monkeypatch.setenv("FAILPOINT", "forget.changed")
    monkeypatch.setenv("ENVIRONMENT", "production")
    changes.forget(cast.agent, said(cast, "Remember that I like jazz."))
    assert texts(cast.agent, "alice") == []
