"""What a direct change costs: the number of its statements does not depend on what is stored already."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any
from uuid import UUID

import psycopg
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memoryapp.models import AuditEvent
from memoryapp.retrieval import lexical
from memoryapp.retrieval.own_words import OwnWords
from memoryapp.services import afterwards, changes, counters, memories, recall
from memoryapp.services.changes import NewItem
from memoryapp.services.results import ListFilter
from memoryapp.services.scope import tenant_scope
from tests.cast import Cast, finish, make_cast, only, say, texts

OPENING = ("set_config", "BEGIN", "COMMIT")


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast()


def statements(call: Callable[[], object]) -> list[str]:
    with CaptureQueriesContext(connection) as captured:
        call()
    return [q["sql"] for q in captured.captured_queries if not any(word in q["sql"] for word in OPENING)]


def add(cast: Cast, text: str) -> UUID:
    return changes.add(cast.agent, "alice", NewItem(text))[0].id


@pytest.mark.parametrize("text", ["The spare key hangs in the shed", "备用钥匙挂在棚子里"])
def test_adding_takes_a_lock_a_look_and_one_write(cast: Cast, text: str) -> None:
    add(cast, "The first one makes the space")
    assert len(statements(lambda: add(cast, text))) == 3
    for n in range(3):
        changes.forget(cast.agent, add(cast, f"Drawer number {n} holds the screws"))
    assert len(statements(lambda: add(cast, f"{text} 2"))) == 3


def test_forgetting_takes_a_lock_a_look_and_one_write(cast: Cast) -> None:
    add(cast, "The shed needs a new roof")
    gone = only(cast.agent, "alice")
    assert len(statements(lambda: changes.forget(cast.agent, gone))) == 3
    assert texts(cast.agent, "alice") == []
    assert changes.restore(cast.agent, gone).content == "The shed needs a new roof"


def planned_anew(part: str) -> list[int]:
    """How often each prepared statement that holds a text was planned for the values of one call."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT custom_plans FROM pg_prepared_statements WHERE position(%s IN statement) > 0", [part])
        return [times for (times,) in cursor.fetchall()]


def test_a_page_is_planned_once(cast: Cast) -> None:
    add(cast, "The shed needs a new roof")
    for _ in range(12):
        memories.list_items(cast.agent, "alice", ListFilter())
    assert planned_anew("counted.total") == [0]


def test_what_an_addition_meets_is_planned_once(cast: Cast) -> None:
    for n in range(12):
        add(cast, f"Drawer number {n} holds the screws")
    assert planned_anew("memoryapp_tombstone stone") == [0]


STONES = """
INSERT INTO memoryapp_tombstone (id, tenant_id, space_id, item_id, fingerprint, words, horizon, reason, created_at)
SELECT gen_random_uuid(), tenant_id, id, gen_random_uuid(), sha256(n::text::bytea), '{}', now(), 'erased', now()
FROM memoryapp_space, generate_series(1, 3000) n WHERE key = 'bob'
"""


def test_what_others_forgot_is_not_read_for_an_addition(cast: Cast, superuser: psycopg.Connection) -> None:
    add(cast, "The shed needs a new roof")
    changes.add(cast.agent, "bob", NewItem("The boat needs a new sail"))
    superuser.execute(f"BEGIN; SET LOCAL session_replication_role = replica; {STONES}; COMMIT")
    superuser.execute("ANALYZE memoryapp_tombstone")
    plans: list[str] = []

    def explained(execute: Callable[..., Any], sql: str, values: Any, many: bool, context: Any) -> Any:
        if "memoryapp_tombstone stone" in sql:
            with connection.connection.cursor() as cursor:
                plans.extend(line for (line,) in cursor.execute(f"EXPLAIN {sql}", values))
        return execute(sql, values, many, context)

    with connection.execute_wrapper(explained):
        add(cast, "The gutter leaks")
    read = [line for line in plans if "Scan on memoryapp_tombstone" in line or "on tombstone_" in line]
    assert read
    assert not any("Seq Scan" in line for line in read)


def test_a_status_that_is_named_twice_counts_once(cast: Cast) -> None:
    add(cast, "The shed needs a new roof")
    page = memories.list_items(cast.agent, "alice", ListFilter(("active", "paused", "active")))
    assert (page.total, len(page.items)) == (1, 1)


def test_a_page_takes_a_look_and_its_event(cast: Cast) -> None:
    for n in range(3):
        add(cast, f"Drawer number {n} holds the screws")
    memories.list_items(cast.agent, "alice", ListFilter())
    assert len(statements(lambda: memories.list_items(cast.agent, "alice", ListFilter()))) == 2


def test_a_page_that_remembers_where_it_stood_hears_of_a_new_space(cast: Cast) -> None:
    before = memories.list_items(cast.agent, "alice", ListFilter())
    add(cast, "The shed needs a new roof")
    after = memories.list_items(cast.agent, "alice", ListFilter())
    assert (before.total, after.total) == (0, 1) and len(after.items) == 1
    with tenant_scope(cast.agent):
        told = list(AuditEvent.objects.filter(action="memory.listed").order_by("id").values_list("on_behalf_of"))
    assert len(told) == 2 and told[1] != (None,)


def test_the_answer_of_a_change_is_what_a_later_look_shows(cast: Cast) -> None:
    added, _, _ = changes.add(cast.agent, "alice", NewItem("水壶在厨房", metadata={"shelf": 2}, pinned=True))
    assert memories.item(cast.agent, added.id) == added


def test_work_that_nobody_waits_for_is_done_by_one_thread_and_only_once(monkeypatch: pytest.MonkeyPatch) -> None:
    done, calls = threading.Event(), []

    def job() -> None:
        calls.append(threading.current_thread().name)
        done.set()

    assert not afterwards.soon(job)
    monkeypatch.setattr(afterwards, "_desk", afterwards._Desk())
    monkeypatch.setattr(afterwards, "PAUSE", 0.05)
    afterwards.start()
    assert all(afterwards.soon(job) for _ in range(5))
    assert done.wait(5)
    assert calls == ["afterwards"]


def test_work_for_later_is_done_when_its_earliest_time_has_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(afterwards, "_desk", afterwards._Desk())
    done: list[str] = []
    jobs = {name: lambda name=name: done.append(name) for name in ("soon", "sooner", "much later")}
    afterwards.later(jobs["soon"], 0.0)
    afterwards.later(jobs["soon"], 100.0)
    afterwards.later(jobs["sooner"], 100.0)
    afterwards.later(jobs["sooner"], 0.0)
    afterwards.later(jobs["much later"], 100.0)
    afterwards.work()
    afterwards.work()
    assert done == ["soon", "sooner"]


def test_what_was_counted_in_a_moment_is_read_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(afterwards, "soon", lambda _: True)
    counters.add([counters.Count("requests", ("here", "GET", "200"), 1.0)] * 2)
    assert counters.Count("requests", ("here", "GET", "200"), 2.0) in counters.read()


def test_texts_are_cut_before_the_space_is_locked(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cutting Chinese takes milliseconds, and whoever waits for the space would wait for them."""
    inside: list[str] = []
    real = lexical.terms

    def watched(text: str, own: OwnWords) -> tuple[str, ...]:
        if text and connection.in_atomic_block:
            inside.append(text)
        return real(text, own)

    monkeypatch.setattr(lexical, "terms", watched)
    item = add(cast, "备用钥匙挂在棚子里")
    changes.edit(cast.agent, item, {"content": "备用钥匙挂在门后面"})
    finish(cast.agent, say(cast.agent, "alice", "记住：我对花生过敏"))
    assert inside == []
    assert sorted(texts(cast.agent, "alice")) == sorted(["备用钥匙挂在门后面", "我对花生过敏"])
    assert [h.item.content for h in recall.search(cast.agent, "alice", "门后面", top_k=1)] == ["备用钥匙挂在门后面"]
