"""The code's filters and the database's policies each hold alone: take one away and still nothing leaks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from uuid import UUID

import psycopg
import pytest
from django.db import connections

from accounts.actor import Actor
from memoryapp.domain.errors import DomainError
from memoryapp.models import MemoryItem
from memoryapp.models.memory import MemoryItemQuerySet
from memoryapp.services import audit_trail, bulk, changes, events, housekeeping, injection, memories, pipeline, recall
from memoryapp.services.ingest import Incoming
from memoryapp.services.results import AuditFilter, EventView, ListFilter
from memoryapp.services.scope import tenant_scope
from tests.cast import Cast, finish, make_cast, say

CANARIES = ("canary heron", "金丝雀苍鹭")

Read = Callable[[Actor, "Known"], object]


class Known:
    """What Charlie knows of Alice: every id, her name, and what she asks for."""

    def __init__(self, items: tuple[UUID, ...], event: EventView) -> None:
        self.items = items
        self.event = event
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
    "audit trail": lambda a, k: audit_trail.search(a, AuditFilter(person=k.person)),
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
    return Known((*(i.id for i in made), gone.id, *learnt), event)


@pytest.fixture
def unfiltered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(MemoryItemQuerySet, "for_actor", lambda rows, actor: rows)
    monkeypatch.setattr(type(MemoryItem.objects), "for_actor", lambda rows, actor: rows.all())
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
    return any(word in repr(read(actor, known)) for word in CANARIES)


@pytest.mark.django_db
def test_the_reads_of_this_file_do_show_the_canaries_to_their_owner() -> None:
    cast = make_cast()
    known = remembered(cast)
    blind = {name for name, read in READS.items() if not shows(read, cast.agent, known)}
    assert blind <= {"inbox", "suspected noise", "audit trail"}


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
