"""Deleting while others read: nothing is seen after its deletion was answered, on any read path."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import psycopg
import pytest
from django.db import connections

from memoryapp.domain.errors import NotFound
from memoryapp.services import changes, erasure, events, injection, memories, recall
from memoryapp.services.results import ListFilter
from tests.cast import Cast, finish, make_cast, only, say, texts
from tests.erasure.steps import carried_out, said
from tests.erasure.test_person import multiply

LIBRARY = 500
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


def reader(deleted: Deleted, look: Callable[[], set[UUID]]) -> tuple[int, set[UUID]]:
    """Looks until all is deleted, and once more; answers how often, and what it should not have seen."""
    looks, ghosts = 0, set[UUID]()
    try:
        while True:
            last = deleted.over.is_set()
            gone = deleted.so_far()
            ghosts |= look() & gone
            looks += 1
            time.sleep(PAUSE)
            if last:
                return looks, ghosts
    finally:
        connections.close_all()


@pytest.mark.django_db(transaction=True)
def test_none_of_five_hundred_is_seen_after_its_deletion(cast: Cast, superuser: psycopg.Connection) -> None:
    first, _, _ = changes.add(cast.agent, "alice", changes.NewItem("Shelf 0 holds 0 jars"))
    multiply(superuser, str(first.id), LIBRARY - 1)
    ids = [UUID(str(row[0])) for row in superuser.execute("SELECT id FROM memoryapp_memoryitem ORDER BY id DESC")]
    deleted = Deleted()

    def listed() -> set[UUID]:
        return {i.id for i in memories.list_items(cast.agent, "alice", ListFilter(), limit=50).items}

    def found() -> set[UUID]:
        return {h.item.id for h in recall.search(cast.agent, "alice", "shelf jars", top_k=30)}

    def injected() -> set[UUID]:
        return {i.id for i in injection.context(cast.agent, "alice", query="which shelf holds jars?").items}

    def opened() -> set[UUID]:
        seen = set()
        for item in list(deleted.so_far())[-3:]:
            try:
                seen.add(memories.item(cast.agent, item).id)
            except NotFound:
                continue
        return seen

    with ThreadPoolExecutor(4) as pool:
        readers = [pool.submit(reader, deleted, look) for look in (listed, found, injected, opened)]
        for n, item in enumerate(ids):
            if n % 2:
                changes.forget(cast.agent, item)
            else:
                erasure.erase_item(cast.agent, item)
            deleted.add(item)
        deleted.over.set()
        outcomes = [one.result(120) for one in readers]
    assert all(looks >= 2 for looks, _ in outcomes)
    assert [ghosts for _, ghosts in outcomes] == [set()] * 4
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
