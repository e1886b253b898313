"""The code's filters and the database's policies each hold alone: take one away and still nothing leaks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import IO
from uuid import UUID

import psycopg
import pytest
from django.db import connections
from django.utils import timezone

from accounts.actor import Actor
from memoryapp.domain.errors import DomainError
from memoryapp.domain.redaction import Sought
from memoryapp.models import AuditExport, MemoryExport, MemoryItem
from memoryapp.models.jobs import AuditExportQuerySet, MemoryExportQuerySet
from memoryapp.models.memory import MemoryItemQuerySet
from memoryapp.services import (
    audit_trail,
    bulk,
    changes,
    erasure,
    events,
    export_records,
    exports,
    housekeeping,
    injection,
    memories,
    person_deletion,
    pipeline,
    recall,
)
from memoryapp.services.export_records import Selection
from memoryapp.services.ingest import Incoming
from memoryapp.services.results import AuditFilter, EventView, ListFilter
from memoryapp.services.scope import tenant_scope
from tests.cast import Cast, finish, make_cast, say

CANARIES = ("canary heron", "金丝雀苍鹭")

Read = Callable[[Actor, "Known"], object]


class Known:
    """What Charlie knows of Alice: every id, her name, and what she asks for."""

    def __init__(self, items: tuple[UUID, ...], event: EventView, export: UUID, audit_export: UUID) -> None:
        self.items = items
        self.event = event
        self.export = export
        self.audit_export = audit_export
        self.person = "alice"


def every(one: Callable[[Actor, UUID], object]) -> Read:
    def read(actor: Actor, known: Known) -> object:
        found: list[object] = []
        for item_id in known.items:
            try:
                found.append(one(actor, item_id))
            except DomainError as error:
                assert error.code == "not_found"
        return found

    return read


def content(opened: Callable[[Actor, UUID], IO[bytes]], actor: Actor, export: UUID) -> str:
    """What is in a file of one JSON document."""
    with opened(actor, export) as file:
        return file.read().decode("utf-8", "replace")


def own_export(actor: Actor, known: Known) -> object:
    """An export of the person of that name in the actor's own house."""
    job = exports.start(actor, known.person, "json")
    exports.run(actor.tenant_id, job)
    return content(exports.file_of, actor, job)


READS: dict[str, Read] = {
    "item": every(memories.item),
    "history": every(memories.history),
    "evidence": every(memories.evidence),
    "list": lambda a, k: memories.list_items(a, k.person, ListFilter()),
    "inbox": lambda a, k: memories.list_items(a, k.person, ListFilter(pending_only=True)),
    "trash": lambda a, k: memories.list_items(a, k.person, ListFilter(trash=True)),
    "suspected noise": lambda a, k: memories.list_items(a, k.person, ListFilter(noise_only=True)),
    "search by words": lambda a, k: recall.search(a, k.person, "heron"),
    "search in Chinese": lambda a, k: recall.search(a, k.person, "苍鹭"),
    "context": lambda a, k: injection.context(a, k.person, query="heron 苍鹭"),
    "context of a chat": lambda a, k: injection.context(a, k.person, messages=[Incoming("user", "heron?")]),
    "events": lambda a, k: events.list_events(a, k.person),
    "all events": lambda a, k: events.list_events(a, None),
    "event": lambda a, k: events.event(a, k.event.id),
    "export": lambda a, k: exports.export(a, k.export),
    "exports": lambda a, k: exports.list_exports(a, k.person),
    "file of an export": lambda a, k: content(exports.file_of, a, k.export),
    "an export of one's own": own_export,
    "export of the trail": lambda a, k: audit_trail.export_status(a, k.audit_export),
    "exports of the trail": lambda a, k: (audit_trail.list_exports(a), audit_trail.exports_page(a)),
    "file of an export of the trail": lambda a, k: content(audit_trail.export_file, a, k.audit_export),
    "audit trail": lambda a, k: audit_trail.search(a, AuditFilter(person=k.person)),
}
RECORDS: dict[str, Callable[[Actor, Selection], list[object]]] = {
    "memories": lambda a, c: list(export_records.memories(a, c.ids["memories"])),
    "evidence": lambda a, c: list(export_records.evidence(a, c.ids["evidence"])),
    "sessions": lambda a, c: list(export_records.conversations(a, c.ids["sessions"], Sought())),
    "messages": lambda a, c: list(export_records.utterances(a, c.ids["messages"], c)),
    "events": lambda a, c: list(export_records.events(a, c.ids["events"])),
}
WRITES: dict[str, Read] = {
    **{name: every(verb) for name, verb in changes.VERBS.items()},
    "edit": every(lambda a, i: changes.edit(a, i, {"content": "mine now"}, expected_version=None)),
    "old version": every(lambda a, i: changes.restore_version(a, i, 1)),
    "feedback": every(lambda a, i: changes.feedback(a, i, "wrong")),
    "batch": lambda a, k: bulk.batch(a, k.items, "forget"),
    "retry": lambda a, k: events.retry(a, k.event.id),
}


def remembered(cast: Cast) -> Known:
    """Alice has an active, a pending and a forgotten memory and an event."""
    made = [changes.add(cast.agent, "alice", changes.NewItem(f"The {CANARIES[0]} nests at the north pond."))[0]]
    made.append(changes.add(cast.agent, "alice", changes.NewItem(f"{CANARIES[1]}在北边的池塘筑巢。"))[0])
    gone, _, _ = changes.add(cast.agent, "alice", changes.NewItem(f"A second {CANARIES[0]} was seen."))
    changes.forget(cast.agent, gone.id)
    event = say(cast.agent, "alice", f"记住：我最爱的鸟是{CANARIES[1]}。")
    finish(cast.agent, event)
    event = events.event(cast.agent, event.id)
    learnt = [e.id for e in event.entries if e.id]
    recall.search(cast.agent, "alice", "heron")
    export = exports.start(cast.agent, "alice", "json")
    exports.run(cast.agent.tenant_id, export)
    trail = audit_trail.start_export(cast.agent, AuditFilter())
    audit_trail.run_export(cast.agent.tenant_id, trail)
    return Known((*(i.id for i in made), gone.id, *learnt), event, export, trail)


@pytest.fixture
def unfiltered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for queryset in (MemoryItemQuerySet, MemoryExportQuerySet, AuditExportQuerySet):
        monkeypatch.setattr(queryset, "for_actor", lambda rows, actor: rows)
    for model in (MemoryItem, MemoryExport, AuditExport):
        monkeypatch.setattr(type(model.objects), "for_actor", lambda rows, actor: rows.all())
    yield


@pytest.fixture
def without_policies(transactional_db: None, superuser: psycopg.Connection) -> Iterator[None]:
    names = [
        str(name)
        for (name,) in superuser.execute("SELECT relname FROM pg_class WHERE relrowsecurity AND relkind IN ('r', 'p')")
    ]
    connections.close_all()
    try:
        for name in names:
            superuser.execute(f'ALTER TABLE "{name}" DISABLE ROW LEVEL SECURITY'.encode())
        yield
    finally:
        connections.close_all()
        for name in names:
            superuser.execute(f'ALTER TABLE "{name}" ENABLE ROW LEVEL SECURITY'.encode())


def nothing_leaks(actor: Actor, known: Known) -> None:
    for name, read in READS.items():
        try:
            seen = repr(read(actor, known))
        except DomainError as error:
            assert error.code == "not_found", name
            continue
        assert not any(word in seen for word in (*CANARIES, known.event.id.hex, str(known.event.id))), name
        assert not any(str(item_id) in seen for item_id in known.items), name
        assert not any(str(one) in seen for one in (known.export, known.audit_export)), name


def nothing_changes(cast: Cast, actor: Actor, known: Known) -> None:
    def state() -> list[tuple[object, ...]]:
        with tenant_scope(cast.agent):
            rows = MemoryItem.objects.filter(tenant_id=cast.agent.tenant_id).order_by("pk")
            return list(rows.values_list("pk", "content", "status", "version", "updated_at"))

    before = state()
    for write in WRITES.values():
        try:
            write(actor, known)
        except DomainError as error:
            assert error.code == "not_found"
    assert state() == before


def shows(read: Read, actor: Actor, known: Known) -> bool:
    """Whether a read tells anything of hers: a canary, or one of her exports by its id."""
    words = (*CANARIES, str(known.export), str(known.audit_export))
    return any(word in repr(read(actor, known)) for word in words)


@pytest.mark.django_db
def test_the_reads_of_this_file_do_show_the_canaries_to_their_owner() -> None:
    cast = make_cast()
    known = remembered(cast)
    blind = {name for name, read in READS.items() if not shows(read, cast.agent, known)}
    assert blind <= {"inbox", "suspected noise", "audit trail", "file of an export of the trail"}


@pytest.mark.django_db
def test_with_the_filters_removed_the_policies_still_hide_everything(unfiltered: None) -> None:
    cast = make_cast()
    known = remembered(cast)
    nothing_leaks(cast.charlie, known)
    nothing_changes(cast, cast.charlie, known)


def test_with_the_policies_disabled_the_filters_still_hide_everything(without_policies: None) -> None:
    cast = make_cast()
    known = remembered(cast)
    changes.add(cast.charlie, "alice", changes.NewItem("Another Alice, of another house."))
    with tenant_scope(cast.charlie):
        assert MemoryItem.objects.filter(pk__in=known.items).exists(), "the policies are off"
    nothing_leaks(cast.charlie, known)
    nothing_changes(cast, cast.charlie, known)
    housekeeping.clean(cast.charlie.tenant_id)
    pipeline.extract(cast.charlie.tenant_id, known.event.id)
    assert shows(READS["list"], cast.agent, known)


def test_with_the_policies_disabled_no_worker_touches_an_export_of_another_house(without_policies: None) -> None:
    cast = make_cast()
    known = remembered(cast)
    strange = cast.charlie.tenant_id
    waiting = exports.start(cast.agent, "alice", "json"), audit_trail.start_export(cast.agent, AuditFilter())
    exports.run(strange, waiting[0])
    audit_trail.run_export(strange, waiting[1])
    assert exports.export(cast.agent, waiting[0]).state == "pending"
    assert audit_trail.export_status(cast.agent, waiting[1]).state == "pending"
    with tenant_scope(cast.agent):
        rows = MemoryExport.objects.filter(pk=known.export)
        (expires_at,) = rows.values_list("expires_at", flat=True)
        rows.update(expires_at=timezone.now())
        lost = {"state": "running", "attempt": exports.ATTEMPTS, "lease_until": timezone.now()}
        MemoryExport.objects.filter(pk=waiting[0]).update(**lost)
    exports.end_lapsed(strange)
    exports.run(strange, waiting[0])
    with tenant_scope(cast.agent):
        assert set(MemoryExport.objects.values_list("state", flat=True)) == {"succeeded", "running"}
        rows.update(expires_at=expires_at)
    changes.add(cast.charlie, "alice", changes.NewItem("Another Alice, of another house."))
    job = person_deletion.erase_person(cast.charlie, "alice", "erase alice")
    erasure.run(strange, job)
    assert exports.export(cast.agent, known.export).state == "succeeded"
    assert audit_trail.export_status(cast.agent, known.audit_export).state == "succeeded"
    for opened, export in ((exports.file_of, known.export), (audit_trail.export_file, known.audit_export)):
        assert content(opened, cast.agent, export)


def test_with_the_policies_disabled_the_records_of_another_house_are_not_read(without_policies: None) -> None:
    """Whoever chose wrongly: every read of an export's records asks for the tenant once more."""
    cast = make_cast()
    known = remembered(cast)
    with tenant_scope(cast.agent):
        space = MemoryItem.objects.filter(pk__in=known.items).select_related("space")[0].space
        rows = person_deletion.rows_of(space)
        chosen = export_records.selection(cast.agent, space, rows)
        assert all(chosen.ids[section] for section in ("memories", "sessions", "messages", "events"))
        seen = [records(cast.agent, chosen) for records in RECORDS.values()]
        assert all(seen[0:1] + seen[2:])
        theirs = export_records.selection(cast.charlie, space, rows)
        assert not any(theirs.ids[section] for section in ("memories", "evidence", "messages", "events"))
        assert theirs.hidden == () and chosen.hidden
        assert [name for name, records in RECORDS.items() if records(cast.charlie, chosen)] == []


@pytest.mark.django_db
@pytest.mark.parametrize("kind", ["key", "person"])
def test_a_key_or_login_bound_to_bob_is_turned_away_from_alice(kind: str) -> None:
    cast = make_cast()
    known = remembered(cast)
    bob = cast.person("bob") if kind == "person" else replace(cast.agent, user_key="bob")
    bob = replace(bob, scopes=cast.agent.scopes)
    for name, read in READS.items():
        try:
            seen = repr(read(bob, known))
        except DomainError as error:
            assert error.code in ("user_not_allowed", "not_found"), name
            continue
        assert not any(word in seen for word in CANARIES), name
    nothing_changes(cast, bob, known)
