"""Exports of everything kept about a person: what is in them, who gets them, and that deletion reaches them."""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.apps import apps
from django.utils import timezone

from accounts.actor import Actor
from memoryapp.domain.errors import DomainError, NotFound
from memoryapp.models import MemoryExport, MemoryItem, Session
from memoryapp.models.base import TenantRow
from memoryapp.services import (
    access,
    bulk,
    changes,
    consolidation,
    erasure,
    export_files,
    export_records,
    export_withdrawal,
    exports,
    housekeeping,
    person_deletion,
    recall,
    source_purge,
    working_memory,
)
from memoryapp.services.erasure_tables import tenant_models
from memoryapp.services.ingest import Incoming, accept
from memoryapp.services.memories import list_items
from memoryapp.services.results import ListFilter
from memoryapp.services.scope import tenant_scope
from memoryapp.services.source_purge import Source, SourceKind
from memoryapp.services.working_memory import Address, SessionChanges
from tests.cast import Cast, finish, make_cast, only, say
from tests.erasure.steps import carried_out, said
from tests.erasure.test_person import project, support

pytestmark = pytest.mark.django_db


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


def exported(actor: Actor, person: str = "alice", form: str = "jsonl") -> UUID:
    """A finished export."""
    job = exports.start(actor, person, form)
    exports.run(actor.tenant_id, job)
    return job


def bundle(actor: Actor, job: UUID) -> dict[str, Any]:
    """The sections of a bundle as lists of records, and its manifest."""
    with exports.file_of(actor, job) as file, zipfile.ZipFile(file) as archive:
        found = {n.removesuffix(".jsonl"): archive.read(n).decode() for n in archive.namelist()}
    sections = {n: [json.loads(line) for line in text.splitlines()] for n, text in found.items() if "json" not in n}
    return {**sections, "manifest": json.loads(found["manifest.json"])}


def told(actor: Actor, job: UUID) -> str:
    """Everything in an export's file as one text."""
    with exports.file_of(actor, job) as file:
        content = file.read()
    if not file.name.endswith(".zip"):
        return content.decode()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return "".join(archive.read(n).decode() for n in archive.namelist())


def code_of(actor: Actor, job: UUID) -> str:
    with pytest.raises(DomainError) as refused:
        exports.file_of(actor, job)
    return refused.value.code


def furnish(cast: Cast) -> None:
    """Something of every kind about Alice: old texts, candidates, archived and superseded ones, uses, shared, sessions."""
    agent = cast.agent
    finish(agent, say(agent, "alice", "Remember that I like jazz.", "And the weather is fine.", session="monday"))
    finish(agent, say(agent, "alice", "记住：我对花生过敏", session="tuesday"))
    first, _, _ = changes.add(agent, "alice", changes.NewItem("Lives in Bergen.", metadata={"src": "crm"}))
    changes.edit(agent, first.id, {"content": "Lives in Oslo."}, expected_version=None)
    waiting, _, _ = changes.add(agent, "alice", changes.NewItem("My phone number is 13812345678"))
    assert waiting.status == "pending"
    for n, status in enumerate(("archived", "superseded", "paused", "expired")):
        one, _, _ = changes.add(agent, "alice", changes.NewItem(f"Shelf {n} holds {n} jars"))
        with tenant_scope(agent):
            changes.audit.record(agent, "test.set", changes.audit.Target("memory", (one.id,)))
            MemoryItem.objects.filter(pk=one.id).update(status=status)
    for line in ("记住：项目每周二发布", "记住：项目的口号是慢就是快"):
        finish(agent, accept(agent, "alice", [Incoming("user", line)], space="project", project_id="p1"))
    support(cast, next(i.id for i in project(cast) if "周二" in i.content))
    recall.search(agent, "alice", "jazz")
    working_memory.change(
        agent, Address("monday", "alice"), SessionChanges("Sold a boat.", {"next": "call"}, labels=["x"])
    )
    access.add_person(agent, "alice@example.org", "member", "alice", password="not-used-here")
    access.create_key(agent, "phone", user_key="alice")
    said(cast, "Remember that I like tea.", person="bob")


def test_a_bundle_holds_everything_with_versions_evidence_sessions_and_a_manifest(cast: Cast) -> None:
    furnish(cast)
    job = exported(cast.agent)
    found, view = bundle(cast.agent, job), exports.export(cast.agent, job)
    memories = {m["content"]: m for m in found["memories"]}
    assert {m["status"] for m in found["memories"]} == {
        "active",
        "pending",
        "archived",
        "superseded",
        "paused",
        "expired",
    }
    assert [v["content"] for v in memories["Lives in Oslo."]["versions"]] == ["Lives in Bergen.", "Lives in Oslo."]
    assert memories["Lives in Oslo."]["metadata"] == {"src": "crm"}
    assert memories["I like jazz"]["evidence"][0]["quote"] in "Remember that I like jazz."
    assert memories["I like jazz"]["uses"][0]["purpose"] == "search"
    assert {m["space"] for m in found["memories"]} == {"person", "project"}
    assert [e["quote"] for e in found["evidence"] if "周二" in e["quote"]]
    monday = next(s for s in found["sessions"] if s["session_id"] == "monday")
    assert (monday["summary"], monday["task_state"]["next"]["value"], monday["labels"]) == (
        "Sold a boat.",
        "call",
        ["x"],
    )
    assert {"Remember that I like jazz.", "And the weather is fine."} <= {m["text"] for m in found["messages"]}
    manifest = found["manifest"]
    assert (manifest["user_id"], manifest["in_trash"], manifest["version"]) == ("alice", 0, 1)
    assert manifest["counts"]["memories"] == len(found["memories"]) == view.counts["memories"]
    assert manifest["account"]["logins"][0]["email"] == "alice@example.org"
    assert set(manifest["files"]) == {f"{s}.jsonl" for s in ("memories", "evidence", "sessions", "messages", "events")}
    assert (view.state, view.records_done) == ("succeeded", view.records_total)
    assert "tea" not in told(cast.agent, job)


def test_json_is_one_document_and_markdown_can_be_read(cast: Cast) -> None:
    furnish(cast)
    changes.add(cast.agent, "alice", changes.NewItem("Writes <b>bold</b> things"))
    bundled = bundle(cast.agent, exported(cast.agent))
    whole = json.loads(told(cast.agent, exported(cast.agent, form="json")))
    for section in ("memories", "evidence", "sessions", "messages", "events"):
        assert whole[section] == bundled[section], section
    assert whole["manifest"]["counts"] == bundled["manifest"]["counts"]
    text = told(cast.agent, exported(cast.agent, form="markdown"))
    assert "- I like jazz\n" in text and "- 我对花生过敏\n" in text and "v1 (" in text and "Lives in Bergen." in text
    assert "## 记忆 · Memories" in text and "<b>" not in text


def test_a_person_of_whom_nothing_is_kept_gets_an_empty_export_and_a_stranger_none(cast: Cast) -> None:
    gone, _, _ = changes.add(cast.agent, "alice", changes.NewItem("Likes rain."))
    carried_out(cast.agent, erasure.erase_item(cast.agent, gone.id))
    for form in ("jsonl", "json", "markdown"):
        assert "rain" not in told(cast.agent, exported(cast.agent, form=form))
    with pytest.raises(NotFound):
        exports.start(cast.agent, "nobody", "json")
    with pytest.raises(DomainError, match="invalid"):
        exports.start(cast.agent, "alice", "docx")


NOT_EXPORTED = {
    # Made of the texts at any time.
    "retrievalentry",
    # Who consolidated what and when, by ids; `derived_from` tells what came from what.
    "consolidationrun",
    "consolidationstep",
    "derivation",
    # The exports themselves.
    "memoryexport",
    # The space is the person: the manifest names it. Its settings are on their page.
    "space",
}
"""Tables of what an erasure removes beside the export. Whoever adds a table says here why it is not in the export."""


def rows_by_table(actor: Actor) -> dict[str, set[str]]:
    with tenant_scope(actor):
        return {
            m._meta.model_name or "": {str(pk) for pk in m._default_manager.values_list("pk", flat=True)}
            for m in _models()
        }


def _models() -> Iterator[type[TenantRow]]:
    yield from (m for m in tenant_models() if m._meta.model_name not in NOT_EXPORTED)


def ids_in(found: dict[str, Any], versions: dict[tuple[str, int], str]) -> dict[str, set[str]]:
    """Every row of an export by its table."""

    def plain(public_id: str) -> str:
        return str(UUID(public_id.partition("_")[2]))

    memories = found["memories"]
    quotes = [*found["evidence"], *(e for m in memories for e in m["evidence"])]
    return {
        "memoryitem": {plain(m["id"]) for m in memories},
        "memoryversion": {versions[plain(m["id"]), v["version"]] for m in memories for v in m["versions"]},
        "evidence": {e["id"] for e in quotes},
        "use": {u["id"] for m in memories for u in m["uses"]},
        "session": {plain(s["id"]) for s in found["sessions"]},
        "workingmemory": {plain(s["id"]) for s in found["sessions"] if s["expires_at"]},
        "message": {m["id"] for m in found["messages"]},
        "run": {plain(e["id"]) for e in found["events"]},
        "noiseflag": {plain(m["id"]) for m in memories if m["suspected_noise"]},
    }


def test_an_export_holds_exactly_what_an_erasure_of_the_person_removes(cast: Cast) -> None:
    """Row by row over every table of a tenant; only the trash is counted instead of told."""
    furnish(cast)
    noisy, _, _ = changes.add(cast.agent, "alice", changes.NewItem("Collects old stamps"))
    with tenant_scope(cast.agent):
        item = MemoryItem.objects.get(pk=noisy.id)
        apps.get_model("memoryapp", "NoiseFlag").objects.create(
            tenant_id=item.tenant_id, item=item, reasons=["noise.trace"], policy_version=1
        )
    consolidation.consolidate(cast.agent.tenant_id, consolidation.start(cast.agent, "alice").id)  # type: ignore[arg-type]
    trashed, _, _ = changes.add(cast.agent, "alice", changes.NewItem("Owns a boat called Quillfeather"))
    changes.forget(cast.agent, trashed.id)
    found = bundle(cast.agent, exported(cast.agent))
    before = rows_by_table(cast.agent)
    with tenant_scope(cast.agent):
        rows = apps.get_model("memoryapp", "MemoryVersion").objects.values_list(
            "item_id", "number", "pk", "item__status"
        )
        versions = {(str(item), number): str(pk) for item, number, pk, _ in rows}
        in_trash = {str(pk) for _, _, pk, status in rows if status == "forgotten"} | {str(trashed.id)}
        in_trash |= {
            str(e) for e in person_deletion.Evidence.objects.filter(item=trashed.id).values_list("pk", flat=True)
        }
        sessions = dict(apps.get_model("memoryapp", "WorkingMemory").objects.values_list("pk", "session_id"))
        flags = dict(apps.get_model("memoryapp", "NoiseFlag").objects.values_list("pk", "item_id"))
    carried_out(cast.agent, person_deletion.erase_person(cast.agent, "alice", "erase alice"))
    after = rows_by_table(cast.agent)
    removed = {table: before[table] - after[table] - in_trash for table in before}
    removed["workingmemory"] = {str(sessions[UUID(pk)]) for pk in removed["workingmemory"]}
    removed["noiseflag"] = {str(flags[UUID(pk)]) for pk in removed["noiseflag"]}
    assert {table: ids for table, ids in removed.items() if ids} == ids_in(found, versions)
    assert found["manifest"]["in_trash"] == 1
    assert all(ids_in(found, versions).values())


@pytest.mark.parametrize("form", ["jsonl", "json", "markdown"])
def test_what_is_forgotten_withdraws_a_finished_export_and_is_in_no_new_one(cast: Cast, form: str) -> None:
    item = said(cast, "Remember that I keep bees in Quillfeather Lane.")
    finish(cast.agent, say(cast.agent, "alice", "So: I keep bees in Quillfeather Lane, noted.", role="assistant"))
    working_memory.change(
        cast.agent, Address("", "alice"), SessionChanges("I keep bees in Quillfeather Lane! Next: tea.")
    )
    before = exported(cast.agent, form=form)
    assert "Quillfeather" in told(cast.agent, before)
    changes.forget(cast.agent, item)
    assert code_of(cast.agent, before) == "export_withdrawn"
    after = exported(cast.agent, form=form)
    assert "Quillfeather" not in told(cast.agent, after) and "Next: tea" in told(cast.agent, after)
    assert exports.export(cast.agent, after).counts["in_trash"] == 1
    changes.restore(cast.agent, item)
    assert code_of(cast.agent, before) == "export_withdrawn"
    assert "Quillfeather" in told(cast.agent, exported(cast.agent, form=form))


def test_a_text_that_a_kept_memory_bears_too_is_not_hidden(cast: Cast) -> None:
    first, _, _ = changes.add(cast.agent, "alice", changes.NewItem("Owns a boat."))
    changes.edit(cast.agent, first.id, {"content": "Owns a yacht."}, expected_version=None)
    changes.add(cast.agent, "alice", changes.NewItem("Owns a boat."))
    changes.forget(cast.agent, first.id)
    with tenant_scope(cast.agent):
        space = MemoryItem.objects.select_related("space").get(pk=first.id).space
        chosen = export_records.selection(cast.agent, space, person_deletion.rows_of(space))
    assert chosen.hidden == ("Owns a yacht.",)


DOORS = {
    "forget": lambda cast, item: changes.forget(cast.agent, item),
    "bulk": lambda cast, item: bulk.batch(cast.agent, [item], "forget"),
    "erase": lambda cast, item: erasure.erase_item(cast.agent, item),
    "person": lambda cast, item: person_deletion.erase_person(cast.agent, "alice", "erase alice"),
    "source": lambda cast, item: source_purge.purge(
        cast.agent, "alice", Source(SourceKind.SESSION, "monday"), "erase session monday"
    ),
}


@pytest.mark.parametrize("door", DOORS)
def test_by_whatever_door_something_goes_the_export_goes_with_it_at_once(cast: Cast, door: str) -> None:
    item = said(cast, "Remember that I keep bees.", session="monday")
    job = exported(cast.agent)
    DOORS[door](cast, item)
    assert code_of(cast.agent, job) == "export_withdrawn"


def test_an_export_of_somebody_else_stays(cast: Cast) -> None:
    said(cast, "Remember that I like jazz.", person="bob")
    bobs = exported(cast.agent, "bob")
    changes.forget(cast.agent, said(cast, "Remember that I keep bees."))
    assert "jazz" in told(cast.agent, bobs)


def files(cast: Cast) -> list[Path]:
    return export_files.listed(cast.agent.tenant_id, "memories-")


@pytest.mark.parametrize("door", ["erase", "person", "source"])
def test_an_erasure_removes_the_files_and_proves_it(cast: Cast, door: str) -> None:
    item = said(cast, "Remember that I keep bees.", session="monday")
    exported(cast.agent), exported(cast.agent, form="markdown")
    assert len(files(cast)) == 2
    job = DOORS[door](cast, item)
    left_behind = export_files.folder(cast.agent.tenant_id) / f".{files(cast)[0].name}.messages"
    left_behind.write_text("a part that a killed worker left")
    view = carried_out(cast.agent, job)
    (step,) = [s for s in view.steps if s.name == "exports"]
    assert (view.state, step.state, step.evidence) == ("succeeded", "done", {"left": {"exports": 0, "files": 0}})
    assert files(cast) == []


def test_an_export_claimed_while_an_erasure_looks_is_withdrawn_by_what_is_forgotten_later(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The claim comes between the withdrawal and the look at what ended; its worker finishes before the last update."""
    said(cast, "Remember that I keep bees.", session="monday")
    later, _, _ = changes.add(cast.agent, "alice", changes.NewItem("Likes rain in Quillfeather Lane."))
    job = exports.start(cast.agent, "alice", "json")
    purge = DOORS["source"](cast, later.id)
    begin_anew = export_withdrawal._begin_anew

    def claim_meanwhile(*args: Any) -> None:
        begin_anew(*args)
        exports.run(cast.agent.tenant_id, job)

    monkeypatch.setattr(export_withdrawal, "_begin_anew", claim_meanwhile)
    assert carried_out(cast.agent, purge).state == "succeeded"
    assert "Quillfeather" in told(cast.agent, job)
    changes.forget(cast.agent, later.id)
    assert code_of(cast.agent, job) == "export_withdrawn"


def test_an_export_claimed_after_the_look_keeps_its_file(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    said(cast, "Remember that I keep bees.", session="monday")
    later, _, _ = changes.add(cast.agent, "alice", changes.NewItem("Likes rain."))
    job = exports.start(cast.agent, "alice", "json")
    purge = DOORS["source"](cast, later.id)
    remove_until = export_files.remove_until

    def run_before(*args: Any) -> int:
        exports.run(cast.agent.tenant_id, job)
        return remove_until(*args)

    monkeypatch.setattr(export_files, "remove_until", run_before)
    assert carried_out(cast.agent, purge).state == "succeeded"
    assert "Likes rain." in told(cast.agent, job)


def test_an_export_at_work_begins_anew_when_something_in_it_is_forgotten(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    said(cast, "Remember that I keep bees in Quillfeather Lane.")
    other, _, _ = changes.add(cast.agent, "alice", changes.NewItem("Likes rain."))
    job = exports.start(cast.agent, "alice", "json")
    read = exports.export_records.conversations

    def forget_meanwhile(*args: Any) -> Any:
        monkeypatch.setattr(exports.export_records, "conversations", read)
        changes.forget(
            cast.agent, next(i.id for i in list_items(cast.agent, "alice", ListFilter()).items if i.id != other.id)
        )
        return read(*args)

    monkeypatch.setattr(exports.export_records, "conversations", forget_meanwhile)
    exports.run(cast.agent.tenant_id, job)
    assert exports.export(cast.agent, job).state == "pending"
    assert files(cast) == []
    exports.run(cast.agent.tenant_id, job)
    assert "Likes rain." in told(cast.agent, job) and "Quillfeather" not in told(cast.agent, job)


def test_a_dead_workers_export_is_finished_by_the_next_one(cast: Cast) -> None:
    said(cast, "Remember that I keep bees.")
    job = exports.start(cast.agent, "alice", "json")
    with tenant_scope(cast.agent):
        rows = MemoryExport.objects.filter(pk=job)
        rows.update(state="running", attempt=1, lease_until=timezone.now() + timedelta(minutes=1))
    exports.run(cast.agent.tenant_id, job)
    assert exports.export(cast.agent, job).state == "running"
    with tenant_scope(cast.agent):
        rows.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert exports.dispatch_due() == 1
    exports.run(cast.agent.tenant_id, job)
    assert "bees" in told(cast.agent, job)


def test_an_export_whose_workers_always_end_before_it_does_fails_in_the_end(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    said(cast, "Remember that I keep bees.")
    job = exports.start(cast.agent, "alice", "json")

    def broken(*_args: Any) -> Any:
        raise ValueError

    monkeypatch.setattr(exports.export_records, "conversations", broken)
    for _ in range(exports.ATTEMPTS):
        with pytest.raises(ValueError):
            exports.run(cast.agent.tenant_id, job)
        assert exports.export(cast.agent, job).state == "running"
        with tenant_scope(cast.agent):
            MemoryExport.objects.filter(pk=job).update(lease_until=timezone.now() - timedelta(seconds=1))
    exports.run(cast.agent.tenant_id, job)
    view = exports.export(cast.agent, job)
    assert (view.state, view.error_code, exports.dispatch_due(), files(cast)) == ("failed", "worker_lost", 0, [])


def test_a_finished_export_ends_after_the_days_of_the_policy(cast: Cast) -> None:
    said(cast, "Remember that I keep bees.")
    job = exported(cast.agent)
    view = exports.export(cast.agent, job)
    assert view.expires_at is not None and view.finished_at is not None
    assert view.expires_at - view.finished_at == timedelta(days=7)
    with tenant_scope(cast.agent):
        MemoryExport.objects.filter(pk=job).update(expires_at=timezone.now())
    assert (exports.export(cast.agent, job).state, code_of(cast.agent, job)) == ("expired", "export_expired")
    assert files(cast)
    housekeeping.clean(cast.agent.tenant_id)
    assert (files(cast), code_of(cast.agent, job)) == ([], "export_expired")


def test_housekeeping_removes_files_that_no_living_export_has(cast: Cast) -> None:
    item = said(cast, "Remember that I keep bees.")
    exported(cast.agent)
    stray = export_files.folder(cast.agent.tenant_id) / f"memories-{item.hex}-1.json"
    stray.write_text("{}")
    changes.forget(cast.agent, item)
    kept = exported(cast.agent)
    housekeeping.clean(cast.agent.tenant_id)
    assert [kept.hex in path.name for path in files(cast)] == [True]


def test_who_has_opened_the_file_reads_on_and_a_file_that_goes_meanwhile_is_gone_and_not_an_error(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    item = said(cast, "Remember that I keep bees.")
    first, second, third = (exported(cast.agent, form="json") for _ in range(3))
    opened = exports.file_of(cast.agent, first)
    read = export_files.opened

    def end_before(*args: Any) -> Any:
        carried_out(cast.agent, erasure.erase_item(cast.agent, item))
        return read(*args)

    export_files.remove(cast.agent.tenant_id, [third])
    assert code_of(cast.agent, third) == "export_expired"
    monkeypatch.setattr(export_files, "opened", end_before)
    assert code_of(cast.agent, second) == "export_withdrawn"
    with opened:
        assert b"bees" in opened.read() and files(cast) == []


def test_files_are_for_their_owner_only(cast: Cast) -> None:
    said(cast, "Remember that I keep bees.")
    for form in ("jsonl", "json", "markdown"):
        with exports.file_of(cast.agent, exported(cast.agent, form=form)) as file:
            assert os.fstat(file.fileno()).st_mode & 0o077 == 0


def test_only_the_person_and_keys_that_read_may_have_one(cast: Cast) -> None:
    said(cast, "Remember that I keep bees.")
    job = exported(cast.agent)
    bob = cast.person("bob")
    with pytest.raises(DomainError, match="user_not_allowed"):
        exports.start(bob, "alice", "json")
    for call in (exports.export, exports.file_of):
        for stranger in (bob, cast.charlie):
            with pytest.raises(NotFound):
                call(stranger, job)
    assert exports.list_exports(bob)[2] == exports.list_exports(cast.charlie)[2] == 0
    writer = changes.replace(cast.agent, scopes=("memory:write",))
    with pytest.raises(DomainError, match="scope_missing"):
        exports.start(writer, "alice", "json")
    assert exports.list_exports(cast.person("alice"))[2] == 1
    with tenant_scope(cast.agent):
        assert Session.objects.exists()
    assert only(cast.agent, "alice")
