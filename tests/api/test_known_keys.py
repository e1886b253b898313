"""A process that knows a key does not look it up again, and still refuses it from the next request on when it ends."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import ApiKey
from memoryapp.models import AuditEvent
from memoryapp.services import access, changes, person_deletion
from memoryapp.services.scope import tenant_scope
from tests.api.http import call, refused
from tests.cast import Cast, make_cast

TEXT = "The heron nests at the north pond"
CALLS = {
    "a context": ("POST", "context", {"user_id": "alice", "query": "heron"}),
    "a list": ("GET", "memories?user_id=alice", None),
    "a new memory": ("POST", "memories", {"user_id": "alice", "content": "The heron is grey"}),
    "a conversation": ("POST", "memories", {"user_id": "alice", "messages": [{"role": "user", "content": "hi"}]}),
    "one memory": ("GET", "memories/{item}", None),
    "a change": ("PATCH", "memories/{item}", {"pinned": True}),
    "a forget": ("DELETE", "memories/{item}", None),
    "an erasure": ("DELETE", "memories/{item}?erase=true", None),
    "a search": ("POST", "memories/search", {"user_id": "alice", "query": "heron"}),
    "who am I": ("GET", "me", None),
    "a field that nobody knows": ("POST", "context", {"user_id": "alice", "nonsense": 1}),
    "a filter that nobody knows": ("GET", "memories?nonsense=1", None),
    "a body that is no JSON": ("POST", "context", "{"),
    "an id of nothing": ("GET", "memories/mem_" + "0" * 32, None),
    "a method that is not taken": ("PUT", "context", {}),
}
FIRST = CALLS["a list"]


@pytest.fixture(params=["inside a transaction", "with commits"])
def cast(request: pytest.FixtureRequest) -> Iterator[Cast]:
    request.getfixturevalue("db" if request.param == "inside a transaction" else "transactional_db")
    yield make_cast()


def known_key(cast: Cast, **bounds: Any) -> tuple[str, str, str]:
    """A key that this process has just met, its public id, and a memory of Alice."""
    item, _, _ = changes.add(cast.agent, "alice", changes.NewItem(TEXT))
    key, row = access.create_key(cast.agent, "known", **bounds)
    assert call(key, *FIRST).json()["total"] == 1
    return key, row.public_id, f"mem_{item.id.hex}"


def state(cast: Cast) -> object:
    with tenant_scope(cast.agent):
        return list(AuditEvent.objects.exclude(action="key.revoked").order_by("id").values_list("action", "actor_id"))


@pytest.mark.parametrize("what", CALLS)
def test_a_revoked_key_is_refused_at_the_next_request(cast: Cast, what: str) -> None:
    key, public_id, item = known_key(cast)
    access.revoke_key(cast.agent, public_id)
    before = state(cast)
    method, path, body = CALLS[what]
    for _ in range(2):
        answer = call(key, method, path.format(item=item), body)
        refused(answer, 401, "unauthenticated")
        assert answer["WWW-Authenticate"] == "Bearer"
        assert TEXT not in answer.content.decode()
    assert state(cast) == before


@pytest.mark.parametrize("what", ["a context", "a list", "a forget", "a field that nobody knows"])
def test_a_key_of_a_person_who_was_erased_is_refused_at_the_next_request(cast: Cast, what: str) -> None:
    key, _, item = known_key(cast, user_key="alice")
    person_deletion.erase_person(cast.agent, "alice", "erase alice")
    method, path, body = CALLS[what]
    refused(call(key, method, path.format(item=item), body), 401, "unauthenticated")


def test_a_key_ends_at_its_time(cast: Cast) -> None:
    key, public_id, _ = known_key(cast, expires_at=timezone.now() + timedelta(hours=1))
    with tenant_scope(cast.agent):
        ApiKey.objects.filter(public_id=public_id).update(expires_at=timezone.now() - timedelta(seconds=1))
    for _ in range(2):
        refused(call(key, *FIRST), 401, "unauthenticated")


def test_a_key_that_lost_a_scope_loses_it_at_once(cast: Cast) -> None:
    key, public_id, item = known_key(cast)
    with tenant_scope(cast.agent):
        ApiKey.objects.filter(public_id=public_id).update(scopes=["memory:read"])
    answers = [call(key, "DELETE", f"memories/{item}") for _ in range(2)]
    assert [one.status_code for one in answers] == [401, 403]
    assert call(key, *FIRST).json()["total"] == 1


def test_another_secret_under_a_known_id_opens_nothing(cast: Cast) -> None:
    key, public_id, _ = known_key(cast)
    other, row = access.create_key(cast.agent, "other")
    forged = other.replace(row.public_id, public_id)
    refused(call(forged, *FIRST), 401, "unauthenticated")
    assert call(key, *FIRST).status_code == 200


def test_a_known_key_costs_no_statement_of_its_own(cast: Cast) -> None:
    if connection.in_atomic_block:
        pytest.skip("a test's own transaction is not opened by the call")
    key, _, _ = known_key(cast)
    with CaptureQueriesContext(connection) as captured:
        assert call(key, "POST", "context", {"user_id": "alice", "query": "heron"}).json()["items"]
    assert [q["sql"] for q in captured.captured_queries if "door.api_key" in q["sql"]] == []
    assert len([q for q in captured.captured_queries if "memoryapp_" in q["sql"]]) <= 3
