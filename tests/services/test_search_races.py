"""A search beside a writer: what goes out of reach while it looks is not given, and not told as given."""

from __future__ import annotations

import threading
from typing import Any
from uuid import UUID

import pytest
from django.db import connection

from memoryapp.models import AuditEvent
from memoryapp.services import changes, recall, switches
from memoryapp.services.changes import NewItem
from memoryapp.services.scope import tenant_scope
from tests.cast import Cast, make_cast


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast()


def add(cast: Cast, text: str) -> UUID:
    return changes.add(cast.agent, "alice", NewItem(text))[0].id


def elsewhere(call: Any, *values: object) -> None:
    """Do it on another connection, and wait until it is done."""

    def work() -> None:
        call(*values)
        connection.close()

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


@pytest.mark.parametrize("take_away", [changes.forget, changes.pause])
def test_what_goes_between_being_found_and_being_read_is_not_given(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, take_away: Any
) -> None:
    gone, stays = add(cast, "苗圃在城北"), add(cast, "苗圃周一休息")
    order, calls = recall._ordered, []

    def interrupted(*values: Any) -> Any:
        calls.append(1)
        if len(calls) == 1:
            elsewhere(take_away, cast.agent, gone)
        return order(*values)

    monkeypatch.setattr(recall, "_ordered", interrupted)
    assert [hit.item.id for hit in recall.search(cast.agent, "alice", "苗圃")] == [stays]
    assert len(calls) == 2
    with tenant_scope(cast.agent):
        (event,) = AuditEvent.objects.filter(action="memory.searched")
    assert event.target_ids == [stays]


def test_a_search_that_remembers_where_it_stood_hears_of_a_pause(cast: Cast) -> None:
    add(cast, "苗圃在城北")
    for paused, found in ((False, 1), (True, 0), (False, 1)):
        elsewhere(lambda p=paused: switches.switch(cast.agent, "alice", "using", paused=p))
        assert len(recall.search(cast.agent, "alice", "苗圃")) == found
