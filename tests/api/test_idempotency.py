"""The same creating request twice makes one thing."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import connections
from django.utils import timezone

from memoryapp.models import IdempotencyRecord, MemoryItem
from memoryapp.services import changes, idempotency
from memoryapp.services.idempotency import Made, call_of, once
from memoryapp.services.scope import tenant_scope
from tests.api.http import call, refused
from tests.cast import Cast, make_cast, texts

TEA = {"user_id": "alice", "content": "Drinks oolong in the afternoon."}
TALK = {"user_id": "alice", "messages": [{"role": "user", "content": "记住：我下午喝乌龙茶"}]}


def test_a_repeated_request_makes_one_event_and_one_run(cast: Cast) -> None:
    first = call(cast.key, "POST", "memories", TALK, Idempotency_Key="talk-1")
    again = call(cast.key, "POST", "memories", TALK, Idempotency_Key="talk-1")
    assert (first.status_code, again.status_code) == (202, 202)
    assert first.json()["event_id"] == again.json()["event_id"]
    assert "Idempotent-Replayed" not in first.headers
    assert (again["Idempotent-Replayed"], again["Location"]) == ("true", first["Location"])
    assert call(cast.key, "GET", "events?user_id=alice").json()["total"] == 1


def test_a_replay_shows_the_memory_as_it_is_now(cast: Cast) -> None:
    first = call(cast.key, "POST", "memories", TEA, Idempotency_Key="tea")
    (item,) = first.json()["results"]
    call(cast.key, "PATCH", f"memories/{item['id']}", {"content": "Drinks sencha in the afternoon."})
    again = call(cast.key, "POST", "memories", TEA, Idempotency_Key="tea")
    (shown,) = again.json()["results"]
    assert (again.status_code, shown["content"], shown["outcome"]) == (201, "Drinks sencha in the afternoon.", "added")
    assert texts(cast.agent, "alice") == ["Drinks sencha in the afternoon."]


def test_a_replay_never_shows_the_text_of_what_was_forgotten(cast: Cast) -> None:
    (item,) = call(cast.key, "POST", "memories", TEA, Idempotency_Key="tea").json()["results"]
    call(cast.key, "DELETE", f"memories/{item['id']}")
    again = call(cast.key, "POST", "memories", TEA, Idempotency_Key="tea")
    assert again.json()["results"][0]["status"] == "forgotten"
    assert "oolong" not in again.content.decode()
    assert texts(cast.agent, "alice") == []


def test_a_replay_of_something_erased_is_gone(cast: Cast) -> None:
    call(cast.key, "POST", "memories", TEA, Idempotency_Key="tea")
    with tenant_scope(cast.agent):
        IdempotencyRecord.objects.update(result_id="0" * 32)
    refused(call(cast.key, "POST", "memories", TEA, Idempotency_Key="tea"), 410, "gone")


def test_the_key_with_another_body_or_address_is_refused(cast: Cast) -> None:
    call(cast.key, "POST", "memories", TEA, Idempotency_Key="tea")
    other = {**TEA, "content": "Drinks coffee."}
    refused(call(cast.key, "POST", "memories", other, Idempotency_Key="tea"), 422, "idempotency_mismatch")
    batch = {"user_id": "alice", "filters": {}, "action": "forget"}
    refused(call(cast.key, "POST", "memories/batch", batch, Idempotency_Key="tea"), 422, "idempotency_mismatch")
    assert texts(cast.agent, "alice") == [TEA["content"]]


def test_keys_of_two_callers_do_not_meet(cast: Cast) -> None:
    mine = call(cast.key, "POST", "memories", TEA, Idempotency_Key="tea").json()["results"][0]["id"]
    theirs = call(cast.charlie_key, "POST", "memories", TEA, Idempotency_Key="tea").json()["results"][0]["id"]
    assert mine != theirs


def test_a_refused_request_does_not_use_the_key_up(cast: Cast) -> None:
    bad = {**TEA, "content": "数据库密码：s3cr3t_9Kq2"}
    for _ in range(2):
        refused(call(cast.key, "POST", "memories", bad, Idempotency_Key="tea"), 422, "guard_refused")
    assert call(cast.key, "POST", "memories", TEA, Idempotency_Key="tea").status_code == 201


@pytest.mark.parametrize("key", ["", "   ", "x" * 256, "käse", "a\tb"])
def test_a_key_that_cannot_be_one_is_refused(cast: Cast, key: str) -> None:
    refused(call(cast.key, "POST", "memories", TEA, Idempotency_Key=key), 400, "invalid")


def test_searching_ignores_the_key(cast: Cast) -> None:
    for query in ("tea", "coffee"):
        asked = {"user_id": "alice", "query": query}
        assert call(cast.key, "POST", "memories/search", asked, Idempotency_Key="q").status_code == 200


def test_no_text_of_the_request_is_kept(cast: Cast) -> None:
    call(cast.key, "POST", "memories", {**TEA, "metadata": {"src": "crm-77"}}, Idempotency_Key="alice-oolong")
    with tenant_scope(cast.agent):
        (row,) = IdempotencyRecord.objects.values()
    assert not any(word in str(row) for word in ("oolong", "alice", "crm-77"))


def test_while_the_first_request_works_the_second_is_told_to_wait(cast: Cast) -> None:
    wanted = call_of("k", "POST", "/x", {})

    def make() -> Made:
        with pytest.raises(idempotency.DomainError) as caught:
            once(cast.agent, wanted, make)
        assert (caught.value.code, caught.value.extra["retry_after"]) == ("idempotency_running", 2)
        return Made("memory", cast.agent.tenant_id, 201)

    assert not once(cast.agent, wanted, make).replayed
    assert once(cast.agent, wanted, make).replayed


def test_a_running_request_is_409_with_retry_after(cast: Cast) -> None:
    wanted = call_of("tea", "POST", "/api/v1/memories", TEA)
    idempotency._claimed(cast.agent, wanted)
    answer = call(cast.key, "POST", "memories", TEA, Idempotency_Key="tea")
    refused(answer, 409, "idempotency_running")
    assert int(answer["Retry-After"]) > 0


def test_a_request_that_crashed_blocks_its_key_for_a_minute_only(cast: Cast) -> None:
    wanted = call_of("tea", "POST", "/api/v1/memories", TEA)
    idempotency._claimed(cast.agent, wanted)
    with tenant_scope(cast.agent):
        IdempotencyRecord.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert call(cast.key, "POST", "memories", TEA, Idempotency_Key="tea").status_code == 201


def test_who_lost_the_lease_makes_nothing(cast: Cast) -> None:
    """The first request is slow, its lease ends and a second one takes over: one memory, not two."""
    wanted = call_of("k", "POST", "/x", {})

    def slow() -> Made:
        item, _, _ = changes.add(cast.agent, "alice", changes.NewItem("Made by the slow one."))
        IdempotencyRecord.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
        once(cast.agent, wanted, lambda: Made("memory", item.id, 201))
        return Made("memory", item.id, 201)

    with pytest.raises(idempotency.DomainError):
        once(cast.agent, wanted, slow)
    assert texts(cast.agent, "alice") == []


def test_after_a_day_the_key_is_free(cast: Cast) -> None:
    call(cast.key, "POST", "memories", TEA, Idempotency_Key="tea")
    with tenant_scope(cast.agent):
        IdempotencyRecord.objects.update(created_at=timezone.now() - timedelta(hours=25))
    other = {**TEA, "content": "Drinks coffee."}
    assert call(cast.key, "POST", "memories", other, Idempotency_Key="tea").status_code == 201


def test_a_replayed_bulk_action_tells_its_counts_and_does_nothing(cast: Cast) -> None:
    call(cast.key, "POST", "memories", TEA)
    asked = {"user_id": "alice", "filters": {}, "action": "forget"}
    first = call(cast.key, "POST", "memories/batch", asked, Idempotency_Key="b").json()
    call(cast.key, "POST", "memories", {**TEA, "content": "Drinks coffee."})
    again = call(cast.key, "POST", "memories/batch", asked, Idempotency_Key="b").json()
    assert again == first
    assert texts(cast.agent, "alice") == ["Drinks coffee."]


@pytest.mark.django_db(transaction=True)
def test_parallel_requests_with_one_key_make_one_memory() -> None:
    cast = make_cast()

    def post(number: int) -> Any:
        try:
            return call(cast.key, "POST", "memories", TALK, Idempotency_Key="at-once")
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(post, range(16)))
    assert {a.status_code for a in answers} <= {202, 409}
    assert len({a.json()["event_id"] for a in answers if a.status_code == 202}) == 1
    assert all("Retry-After" in a.headers for a in answers if a.status_code == 409)
    with tenant_scope(cast.agent):
        assert MemoryItem.objects.count() == 0
        assert IdempotencyRecord.objects.get().state == "done"
    assert call(cast.key, "GET", "events?user_id=alice").json()["total"] == 1


def test_jobs_that_change_memories_begin_once(cast: Cast) -> None:
    call(cast.key, "POST", "memories", {"user_id": "alice", "content": "喜欢爵士乐"})
    told = [{"messages": [{"role": "user", "content": "remember that I ski"}]}]
    calls = {
        "memories/consolidate": {"user_id": "alice", "dry_run": False},
        "imports": {"user_id": "alice", "sessions": told},
        "erasures": {"user_id": "alice", "confirm": "erase alice"},
    }
    for path, body in calls.items():
        first, again = (call(cast.key, "POST", path, body, Idempotency_Key=path) for _ in range(2))
        assert (first.status_code, again.status_code, first["Location"]) == (202, 202, again["Location"]), path
        assert "Idempotent-Replayed" not in first
        assert again["Idempotent-Replayed"] == "true"
        other = call(cast.key, "POST", path, {**body, "user_id": "bob"}, Idempotency_Key=path)
        refused(other, 422, "idempotency_mismatch")
