"""The operator's numbers: who may read them, and that they move."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from django.core.cache import cache
from django.test import Client
from redis.exceptions import ConnectionError as Away

from memoryapp.services import access, counters, valkey
from tests.api.http import call, refused
from tests.cast import Cast, finish, say


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    valkey.attempt(lambda client: client.delete(counters.HASH))
    yield
    cache.clear()


def number(text: str, name: str) -> float:
    found = re.search(rf"^{re.escape(name)} (\S+)$", text, re.M)
    return float(found[1]) if found else 0.0


def scrape(**headers: str) -> str:
    answer = Client(headers=headers).get("/metrics")
    assert answer.status_code == 200, answer.content
    return answer.content.decode()


def test_from_elsewhere_only_a_key_with_the_scope_admin_reads(cast: Cast) -> None:
    weak, _ = access.create_key(cast.agent, "weak", ("memory:read",))
    away = Client(REMOTE_ADDR="203.0.113.9")
    refused(away.get("/metrics", headers={"X-Request-Id": "r"}), 401, "unauthenticated")
    refused(away.get("/metrics", headers={"Authorization": f"Bearer {weak}"}), 403, "scope_missing")
    assert away.get("/metrics", headers={"Authorization": f"Bearer {cast.key}"}).status_code == 200
    assert Client().get("/metrics").status_code == 200
    proxied = Client(headers={"X-Forwarded-For": "203.0.113.9"})
    refused(proxied.get("/metrics"), 401, "unauthenticated")
    refused(Client().post("/metrics"), 405, "method_not_allowed")


def test_requests_recalls_operations_and_runs_are_counted(
    cast: Cast, django_capture_on_commit_callbacks: object
) -> None:
    call(cast.key, "POST", "memories", {"user_id": "alice", "content": "Likes tea."})
    call(cast.key, "POST", "memories", {"user_id": "alice", "content": "数据库密码：s3cr3t_9Kq2"})
    for _ in range(3):
        call(cast.key, "POST", "memories/search", {"user_id": "alice", "query": "tea"})
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[operator]
        finish(cast.agent, say(cast.agent, "alice", "remember that I like jazz"))
    say(cast.agent, "alice", "it rained all day long in Hamburg")
    text = scrape()
    posted = 'memoryapp_requests_total{method="POST",route="api/v1/memories",status="%s"}'
    assert (number(text, posted % 201), number(text, posted % 422)) == (1, 1)
    assert number(text, 'memoryapp_recall_seconds_count{call="search"}') == 3
    assert number(text, 'memoryapp_recall_seconds_bucket{call="search",le="+Inf"}') == 3
    assert number(text, 'memoryapp_operations_total{action="ADD",outcome="added",reason=""}') == 2
    assert re.search(r'memoryapp_operations_total\{action="ADD",outcome="skipped",reason="secret[^"]*"\} 1.0', text)
    assert (number(text, 'memoryapp_runs{state="succeeded"}'), number(text, 'memoryapp_runs{state="pending"}')) == (
        1,
        1,
    )
    assert number(text, "memoryapp_database_up") == 1
    assert not any(word in text for word in ("alice", "tea", "jazz", cast.agent.ref))


def test_a_due_run_is_the_depth_of_the_queue(cast: Cast) -> None:
    assert number(scrape(), "memoryapp_queue_depth") == 0
    say(cast.agent, "alice", "remember that I like jazz")
    assert number(scrape(), "memoryapp_queue_depth") == 1


def test_tokens_of_the_judge_are_counted(cast: Cast, django_capture_on_commit_callbacks: object) -> None:
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[operator]
        counters.run_closed([], "m-1", 120, 30)
    text = scrape()
    assert number(text, 'memoryapp_llm_tokens_total{kind="prompt",model="m-1"}') == 120
    assert number(text, 'memoryapp_llm_tokens_total{kind="completion",model="m-1"}') == 30


def test_without_valkey_calls_work_and_numbers_begin_anew(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    def away() -> object:
        raise Away

    monkeypatch.setattr(valkey, "_client", away)
    monkeypatch.setattr(valkey, "_not_before", 0.0)
    assert call(cast.key, "GET", "me").status_code == 200
    assert number(scrape(), "memoryapp_database_up") == 1
