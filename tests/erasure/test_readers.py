"""Deleting while others read: nothing is seen after its deletion was answered, on any read path."""

from __future__ import annotations

import json
import os
import threading
import time
import zipfile
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import psycopg
import pytest
from django.db import connections
from django.utils import timezone

from accounts.actor import Actor
from memoryapp.domain.errors import DomainError, NotFound
from memoryapp.services import changes, erasure, events, exports, injection, memories, people, recall, timeline
from memoryapp.services.results import ListFilter
from tests.cast import Cast, finish, make_cast, only, say, texts
from tests.erasure.steps import carried_out, said
from tests.erasure.test_person import multiply

LIBRARY = int(os.environ.get("DELETES", "500"))
"""How many are deleted: `DELETES=10000 uv run pytest -n 0 -s tests/erasure/test_readers.py -k concurrent`."""
PAUSE = 0.4
"""Seconds between two looks: the readers share one interpreter with the deleting thread."""


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast()


class Deleted:
    """Ids whose deletion has been answered; a reader takes them before it looks."""

    def __init__(self) -> None:
        self.ids: set[UUID] = set()
        self.over = threading.Event()
        self.lock = threading.Lock()

    def add(self, item: UUID) -> None:
        with self.lock:
            self.ids.add(item)

    def so_far(self) -> set[UUID]:
        with self.lock:
            return set(self.ids)


Look = Callable[[set[UUID]], set[UUID]]
"""Takes what was deleted before it looks; answers what of that it still saw."""


def reader(deleted: Deleted, look: Look) -> tuple[int, set[UUID]]:
    """Looks until all is deleted, and once more; answers how often, and what it should not have seen."""
    looks, ghosts = 0, set[UUID]()
    try:
        while True:
            last = deleted.over.is_set()
            ghosts |= look(deleted.so_far())
            looks += 1
            time.sleep(PAUSE)
            if last:
                return looks, ghosts
    finally:
        connections.close_all()


def read_paths(cast: Cast, erased: set[UUID]) -> Mapping[str, Look]:
    """Every way to a memory; what is `erased` may not be in the trash either."""

    def listed(gone: set[UUID]) -> set[UUID]:
        return gone & {i.id for i in memories.list_items(cast.agent, "alice", ListFilter(), limit=50).items}

    def trashed(gone: set[UUID]) -> set[UUID]:
        return gone & erased & {i.id for i in memories.list_items(cast.agent, "alice", ListFilter(trash=True)).items}

    def counted(gone: set[UUID]) -> set[UUID]:
        (alice,) = people.users(cast.agent).rows
        totals = alice.memories, memories.list_items(cast.agent, "alice", ListFilter(), limit=1).total
        return set() if max(totals) <= LIBRARY - len(gone) else gone

    def found(gone: set[UUID]) -> set[UUID]:
        return gone & {h.item.id for h in recall.search(cast.agent, "alice", "shelf jars", top_k=30)}

    def injected(gone: set[UUID]) -> set[UUID]:
        return gone & {i.id for i in injection.context(cast.agent, "alice", query="which shelf holds jars?").items}

    def opened(gone: set[UUID]) -> set[UUID]:
        return {item for item in list(gone)[-3:] for call in BY_ID if answers(call, cast, item)}

    def told(gone: set[UUID]) -> set[UUID]:
        return gone & {c.item for c in timeline.timeline(cast.agent, "alice", limit=200).changes}

    def known_then(gone: set[UUID]) -> set[UUID]:
        now = timeline.When(timezone.now())
        return gone & {i.id for i in timeline.as_of(cast.agent, "alice", now)}

    def exported(gone: set[UUID]) -> set[UUID]:
        job = exports.start(cast.agent, "alice", "jsonl")
        exports.run(cast.agent.tenant_id, job)
        return gone & ids_in_file(cast, job)

    paths = (listed, trashed, counted, found, injected, opened, told, known_then, exported)
    return {look.__name__: look for look in paths}


def ids_in_file(cast: Cast, job: UUID) -> set[UUID]:
    """The memories in an export; none when it was withdrawn or put back because of what was deleted meanwhile."""
    try:
        file = exports.file_of(cast.agent, job)
    except DomainError as error:
        assert error.code in ("export_withdrawn", "invalid_transition")
        return set()
    with file, zipfile.ZipFile(file) as archive:
        lines = archive.read("memories.jsonl").decode().splitlines()
    return {UUID(json.loads(line)["id"].removeprefix("mem_")) for line in lines}


BY_ID = (memories.item, memories.history, memories.evidence)


def answers(call: Callable[[Actor, UUID], object], cast: Cast, item: UUID) -> bool:
    try:
        call(cast.agent, item)
    except NotFound:
        return False
    return True


@pytest.mark.django_db(transaction=True)
def test_concurrent_readers_see_none_after_its_deletion(cast: Cast, superuser: psycopg.Connection) -> None:
    first, _, _ = changes.add(cast.agent, "alice", changes.NewItem("Shelf 0 holds 0 jars"))
    multiply(superuser, str(first.id), LIBRARY - 1)
    ids = [UUID(str(row[0])) for row in superuser.execute("SELECT id FROM memoryapp_memoryitem ORDER BY id DESC")]
    deleted, began = Deleted(), time.monotonic()
    paths = read_paths(cast, erased=set(ids[::2]))
    with ThreadPoolExecutor(len(paths)) as pool:
        readers = [pool.submit(reader, deleted, look) for look in paths.values()]
        for n, item in enumerate(ids):
            if n % 2:
                changes.forget(cast.agent, item)
            else:
                erasure.erase_item(cast.agent, item)
            deleted.add(item)
        deleted.over.set()
        outcomes = dict(zip(paths, (one.result(120) for one in readers), strict=True))
    print(f"{LIBRARY} deleted in {time.monotonic() - began:.0f} s; looks:", {n: o[0] for n, o in outcomes.items()})
    assert all(looks >= 2 for looks, _ in outcomes.values())
    assert {name: ghosts for name, (_, ghosts) in outcomes.items() if ghosts} == {}
    assert texts(cast.agent, "alice") == []


@pytest.mark.django_db
@pytest.mark.parametrize("way", ["forget", "erase"])
def test_right_after_deletion_nothing_of_it_is_anywhere(db: None, way: str) -> None:
    """By the same words, by other words that mean it, in lists, blocks, events, the inbox and by its id."""
    cast = make_cast()
    event = say(cast.agent, "alice", "Remember that I am terrified of escalators.")
    finish(cast.agent, event)
    item = only(cast.agent, "alice")
    assert recall.search(cast.agent, "alice", "escalators")
    if way == "forget":
        changes.forget(cast.agent, item)
    else:
        erasure.erase_item(cast.agent, item)
    for query in ("escalators", "Which moving stairs frighten me?", "自动扶梯"):
        assert recall.search(cast.agent, "alice", query) == ()
    block = injection.context(cast.agent, "alice", query="Should we take the escalators?")
    assert (block.block, block.items) == ("", ())
    for wanted in (ListFilter(), ListFilter(contains="escalators"), ListFilter(pending_only=True)):
        assert memories.list_items(cast.agent, "alice", wanted).total == 0
    assert "escalators" not in str(events.event(cast.agent, event.id))
    assert memories.list_items(cast.agent, "alice", ListFilter(trash=True)).total == (1 if way == "forget" else 0)
    for call in (memories.item, memories.history, memories.evidence):
        with pytest.raises(NotFound):
            call(cast.agent, item)


@pytest.mark.django_db
def test_a_conversation_can_be_learnt_anew_after_it_was_deleted(db: None) -> None:
    """A run that is done does not stand in the way of a new turn that says it again."""
    cast = make_cast()
    for _ in range(2):
        item = said(cast, "记住：我的工位靠窗")
        carried_out(cast.agent, erasure.erase_item(cast.agent, item))
    assert texts(cast.agent, "alice") == []
    said(cast, "记住：我的工位靠窗")
    assert len(texts(cast.agent, "alice")) == 1
