"""A library that a process has read already: one call answers from it, and never from what is no longer true."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import psycopg
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.actor import Actor, Proof
from accounts.lookup import KeyEnded
from memoryapp import audit
from memoryapp.models import AuditEvent, MemoryItem, NoiseFlag, Space
from memoryapp.services import access, afterwards, bulk, changes, erasure, injection, known_libraries, switches
from memoryapp.services.bulk import Order
from memoryapp.services.changes import NewItem
from memoryapp.services.scope import tenant_scope
from tests.cast import Cast, finish, make_cast, say


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast()


BOOKKEEPING = ("set_config", "BEGIN", "COMMIT")


def add(cast: Cast, text: str, **values: object) -> UUID:
    return changes.add(cast.agent, "alice", NewItem(text, **values))[0].id  # type: ignore[arg-type]


def given(actor: Actor, **values: object) -> list[str]:
    view = injection.context(actor, "alice", query="什么茶？ Which tea?", **values)  # type: ignore[arg-type]
    return [item.content for item in view.items]


def statements(cast: Cast) -> list[str]:
    with CaptureQueriesContext(connection) as captured:
        given(cast.agent)
    found = [query["sql"] for query in captured.captured_queries]
    return [sql for sql in found if not any(word in sql for word in BOOKKEEPING) and "memoryapp_use" not in sql]


def test_the_same_library_is_read_once_and_told_in_one_call(cast: Cast) -> None:
    add(cast, "The user drinks oolong")
    add(cast, "用户不喝咖啡", kind="preference")
    first = injection.context(cast.agent, "alice", query="Which tea?")
    assert len(statements(cast)) == 1
    again = injection.context(cast.agent, "alice", query="Which tea?")
    assert (again.block, again.items, again.tokens) == (first.block, first.items, first.tokens)


def test_every_read_leaves_its_own_event_with_what_it_gave(cast: Cast) -> None:
    item = add(cast, "The user drinks oolong")
    for _ in range(3):
        given(cast.agent)
    with tenant_scope(cast.agent):
        events = list(AuditEvent.objects.filter(action="memory.injected").values_list("target_ids", flat=True))
    assert events == [[item]] * 3


def forget(cast: Cast, item: UUID) -> None:
    changes.forget(cast.agent, item)


def erase(cast: Cast, item: UUID) -> None:
    erasure.erase_item(cast.agent, item)


def edit(cast: Cast, item: UUID) -> None:
    changes.edit(cast.agent, item, {"content": "The user drinks white tea"}, expected_version=None)


def pause(cast: Cast, item: UUID) -> None:
    changes.pause(cast.agent, item)


def forget_by_bulk(cast: Cast, item: UUID) -> None:
    bulk.carry_out(cast.agent, [item], Order("forget"))


def learn(cast: Cast, item: UUID) -> None:
    add(cast, "The user takes no sugar")


def hear(cast: Cast, item: UUID) -> None:
    finish(cast.agent, say(cast.agent, "alice", "记住：我的猫叫团子"))


def suspect(cast: Cast, item: UUID) -> None:
    with tenant_scope(cast.agent):
        NoiseFlag.objects.create(
            tenant_id=cast.agent.tenant_id, item_id=item, reasons=["noise.filler"], policy_version=1
        )


def pause_use(cast: Cast, item: UUID) -> None:
    switches.switch(cast.agent, "alice", "using", paused=True)


def tighten(cast: Cast, item: UUID) -> None:
    access.activate_policy(cast.agent, {"injection_limit": 1})


def share(cast: Cast, item: UUID) -> None:
    changes.add(cast.agent, "alice", NewItem("The canteen serves tea"), space="organisation")


CHANGES: list[Callable[[Cast, UUID], None]] = [
    forget,
    erase,
    edit,
    pause,
    forget_by_bulk,
    learn,
    hear,
    suspect,
    pause_use,
    tighten,
    share,
]


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_changes_a_library_shows_in_the_next_context(cast: Cast, change: Callable[[Cast, UUID], None]) -> None:
    item = add(cast, "The user drinks oolong")
    add(cast, "用户不喝咖啡", kind="preference")
    before = given(cast.agent)
    assert len(statements(cast)) == 1
    change(cast, item)
    after = given(cast.agent)
    known_libraries.drop()
    assert after == given(cast.agent) != before


def test_what_is_restored_and_no_noise_comes_back(cast: Cast) -> None:
    item = add(cast, "The user drinks oolong")
    given(cast.agent)
    changes.forget(cast.agent, item)
    assert given(cast.agent) == []
    changes.restore(cast.agent, item)
    assert given(cast.agent) == ["The user drinks oolong"]
    suspect(cast, item)
    assert given(cast.agent) == []
    changes.not_noise(cast.agent, item)
    assert given(cast.agent) == ["The user drinks oolong"]


def test_a_writer_who_knows_nothing_of_revisions_raises_them_all_the_same(cast: Cast) -> None:
    item = add(cast, "The user drinks oolong")
    given(cast.agent)
    with tenant_scope(cast.agent):
        revision = Space.objects.get(key="alice").revision
        audit.record(cast.agent, "memory.edited", audit.Target("memory", (item,)))
        MemoryItem.objects.filter(pk=item).update(content="The user drinks rooibos", version=9)
        assert Space.objects.get(key="alice").revision == revision + 1
    assert given(cast.agent) == ["The user drinks rooibos"]


def test_what_expires_is_gone_when_its_time_has_come(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    add(cast, "The user drinks oolong")
    add(cast, "The kettle is lent out", expires_at=timezone.now() + timedelta(hours=1))
    assert len(given(cast.agent)) == len(given(cast.agent)) == 2
    later = timezone.now() + timedelta(hours=2)
    monkeypatch.setattr(timezone, "now", lambda: later)
    assert given(cast.agent) == ["The user drinks oolong"]


def test_a_key_that_ended_is_told_nothing_of_what_is_known(cast: Cast) -> None:
    add(cast, "The user drinks oolong")
    given(cast.agent)
    stale = replace(cast.agent, proof=Proof(cast.agent.ref, "(another row)"))
    with tenant_scope(cast.agent):
        told = AuditEvent.objects.filter(action="memory.injected").count()
    with pytest.raises(KeyEnded):
        given(stale)
    with tenant_scope(cast.agent):
        assert AuditEvent.objects.filter(action="memory.injected").count() == told


def test_what_one_is_given_does_not_depend_on_who_asked_before(cast: Cast) -> None:
    add(cast, "The user drinks oolong")
    share(cast, add(cast, "The user has a teapot"))
    wide = given(cast.agent)
    bound = replace(cast.agent, user_key="alice", ref="bound")
    assert "The canteen serves tea" in wide
    assert set(given(bound)) == {"The user drinks oolong", "The user has a teapot"}
    assert given(cast.agent) == wide
    assert given(cast.charlie) == []


def test_a_connection_that_breaks_is_replaced_and_the_context_read_anew(
    cast: Cast, superuser: psycopg.Connection
) -> None:
    add(cast, "The user drinks oolong")
    given(cast.agent)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        superuser.execute("SELECT pg_terminate_backend(%s, 5000)", [cursor.fetchone()[0]])
    assert given(cast.agent) == ["The user drinks oolong"]


def test_texts_are_let_go_when_their_time_is_over(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    known_libraries.drop()
    asked: list[float] = []
    monkeypatch.setattr(afterwards, "later", lambda job, seconds: asked.append(seconds))
    add(cast, "The user drinks oolong")
    given(cast.agent)
    of = known_libraries.whose(cast.agent, "alice", "", 0)
    assert known_libraries.known(of) is not None and asked == [known_libraries.SECONDS]
    known_libraries.sweep()
    assert known_libraries.known(of) is not None and len(asked) == 2
    monkeypatch.setattr(known_libraries, "SECONDS", 0.0)
    known_libraries.sweep()
    monkeypatch.undo()
    assert known_libraries.known(of) is None


def test_a_process_keeps_the_libraries_that_were_asked_for_last(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    known_libraries.drop()
    monkeypatch.setattr(known_libraries, "MOST", 2)
    for person in ("alice", "bob", "carol"):
        changes.add(cast.agent, person, NewItem("Drinks tea"))
        injection.context(cast.agent, person, query="Which tea?")
    names = [known_libraries.whose(cast.agent, person, "", 0) for person in ("alice", "bob", "carol")]
    assert [known_libraries.known(of) is not None for of in names] == [False, True, True]
