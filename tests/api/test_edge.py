"""What holds for every address: one error shape, bounds, methods, request ids; nothing of an exception leaks."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.db import connections
from django.test import Client, override_settings

from memoryapp.api.base import _form
from memoryapp.api.inputs import SearchInput
from memoryapp.models import MemoryItem, NoiseFlag
from memoryapp.services import changes
from memoryapp.services.scope import tenant_scope
from tests.api.http import call, refused
from tests.cast import Cast, finish, make_cast, only, say


def raw(key: str, path: str, body: bytes, content_type: str = "application/json", **headers: str) -> Any:
    client = Client(headers={"Authorization": f"Bearer {key}", **headers}, raise_request_exception=False)
    return client.generic("POST", f"/api/v1/{path}", body, content_type)


@pytest.mark.parametrize("path", ["", "nothing", "memories/", "memories/x/y/z", "memories/batch/x", "v2", "me/"])
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_an_address_that_no_route_has_is_a_problem(cast: Cast, path: str, method: str) -> None:
    refused(call(cast.key, method, path), 404, "not_found")


@pytest.mark.parametrize("debug", [False, True])
def test_debugging_does_not_change_the_shape(cast: Cast, debug: bool) -> None:
    with override_settings(DEBUG=debug):
        refused(call(cast.key, "GET", "nothing"), 404, "not_found")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("PUT", "memories"),
        ("DELETE", "memories"),
        ("GET", "context"),
        ("POST", "me"),
        ("POST", "schema"),
        ("PUT", "docs"),
    ]
    + [("POST", "livez"), ("DELETE", "audit/events")],
)
def test_another_method_is_named_with_those_allowed(cast: Cast, method: str, path: str) -> None:
    answer = call(cast.key, method, path)
    refused(answer, 405, "method_not_allowed")
    assert answer["Allow"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"nonsense",
        b'{"user_id": "a", "content": "x y z", "importance": NaN}',
        b"\xff\xfe",
        b'{"a": ' + b"9" * 5000 + b"}",
        b"[" * 100_000 + b"]" * 100_000,
        b'{"user_id":"a","content":"likes tea","metadata":' + b'{"a":' * 3000 + b"1" + b"}" * 3001,
        b'{"user_id":"a","content":"likes tea","metadata":{"x":1e999}}',
        b'{"user_id":"a","content":"likes tea","importance":"NaN"}',
        b'{"user_id":"a","content":"likes tea","importance":1e999}',
        b'"text"',
        b"null",
        b"[]",
        b"7",
    ],
)
def test_a_body_that_is_no_request_is_400(cast: Cast, body: bytes) -> None:
    refused(raw(cast.key, "memories", body), 400, "invalid")


def test_nothing_is_no_request_even_where_every_field_may_be_left_out(cast: Cast) -> None:
    refused(raw(cast.key, "context", b"null"), 400, "invalid")


def test_a_body_over_two_megabytes_is_refused_before_it_is_read(cast: Cast) -> None:
    large = b'{"user_id":"a","content":"' + b"x" * (2 * 1024 * 1024) + b'"}'
    refused(raw(cast.key, "memories", large), 413, "too_large")
    refused(raw("", "memories", large), 413, "too_large")
    broken = b"{" + b" " * (2 * 1024 * 1024)
    refused(raw(cast.key, "memories", broken), 413, "too_large")


def test_a_body_of_unknown_length_is_411(cast: Cast) -> None:
    client = Client(headers={"Authorization": f"Bearer {cast.key}", "Transfer-Encoding": "chunked"})
    refused(client.post("/api/v1/memories", b"", "application/json", CONTENT_LENGTH=""), 411, "length_required")


@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]
)
def test_only_json_is_taken(cast: Cast, content_type: str) -> None:
    refused(raw(cast.key, "memories", b'{"user_id":"a"}', content_type), 415, "unsupported_media_type")


@pytest.mark.parametrize("accept", ["text/html", "application/xml", "image/png"])
def test_only_json_is_answered(cast: Cast, accept: str) -> None:
    refused(call(cast.key, "GET", "me", Accept=accept), 406, "not_acceptable")


@pytest.mark.parametrize(
    "accept", ["*/*", "application/json", "application/json; charset=utf-8", "text/html, */*;q=0.1"]
)
def test_usual_accept_headers_are_fine(cast: Cast, accept: str) -> None:
    assert call(cast.key, "GET", "me", Accept=accept).status_code == 200


def test_an_unexpected_failure_shows_nothing_of_itself(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, caplog: Any
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError(" ".join(("the", "secret", "text")))

    monkeypatch.setattr("memoryapp.api.views.memories.list_items", fail)
    answer = call(cast.key, "GET", "memories?user_id=alice")
    refused(answer, 500, "internal_error")
    assert "secret text" not in answer.content.decode() + caplog.text
    assert "RuntimeError" in caplog.text


@pytest.mark.django_db(transaction=True)
def test_without_the_database_every_call_is_503(monkeypatch: pytest.MonkeyPatch) -> None:
    cast = make_cast()
    with monkeypatch.context() as patch:
        connections.close_all()
        patch.setitem(connections["default"].settings_dict, "HOST", "/nowhere/at-all")
        for method, path in (("GET", "me"), ("GET", "memories?user_id=a"), ("POST", "memories/search")):
            answer = call(cast.key, method, path, {"user_id": "a", "query": "x"} if method == "POST" else None)
            refused(answer, 503, "unavailable")
            assert answer["Retry-After"]
            assert "nowhere" not in answer.content.decode()
        ready = call("", "GET", "readyz")
        assert (ready.status_code, ready.json()) == (503, {"status": "degraded", "failing": ["database"]})
        assert call("", "GET", "livez").status_code == 200
    connections.close_all()
    assert call(cast.key, "GET", "me").status_code == 200


@pytest.mark.parametrize("path", ["me", "nothing", "memories", "livez", "schema"])
def test_the_request_id_comes_back(cast: Cast, path: str) -> None:
    assert call(cast.key, "GET", path, X_Request_Id="req-7")["X-Request-Id"] == "req-7"
    assert len(call(cast.key, "GET", path, X_Request_Id="bad id\x7f")["X-Request-Id"]) == 32


@pytest.mark.parametrize("path", ["me", "memories?user_id=a", "users", "livez", "readyz", "schema", "docs"])
def test_head_is_get_without_a_body(cast: Cast, path: str) -> None:
    head, get = call(cast.key, "HEAD", path), call(cast.key, "GET", path)
    assert (head.status_code, head.content) == (200, b"")
    assert head["Content-Type"] == get["Content-Type"]


def test_options_tells_the_methods(cast: Cast) -> None:
    answer = call(cast.key, "OPTIONS", "memories")
    assert (answer.status_code, answer["Allow"]) == (200, "GET, POST, HEAD, OPTIONS")
    assert answer.json() == {"methods": ["GET", "POST", "HEAD", "OPTIONS"]}


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "memories?user_id=a&colour=red"),
        ("GET", "events?user_id=a&x=1"),
        ("GET", "users?user_id=a"),
        ("GET", "sessions?user_id=a&x=1"),
        ("GET", "audit/events?x=1"),
        ("GET", "audit/exports?x=1"),
        ("GET", "me?x=1"),
        ("GET", "livez?x=1"),
        ("GET", "memories/mem_00000000000000000000000000000000?x=1"),
        ("GET", "memories/mem_00000000000000000000000000000000/history?x=1"),
        ("DELETE", "memories/mem_00000000000000000000000000000000?eraze=true"),
        ("POST", "memories/batch?dry_run=true"),
        ("POST", "memories/search?user_id=a"),
    ],
)
def test_an_unknown_name_in_the_query_is_refused_and_named(cast: Cast, method: str, path: str) -> None:
    body = refused(call(cast.key, method, path, {} if method == "POST" else None), 400, "unknown_filter")
    assert body["errors"][0]["code"] == "unknown_filter"
    assert f"{body['errors'][0]['field']}=" in path


@pytest.mark.parametrize(
    "query",
    ["limit=0", "limit=201", "limit=x", "cursor=x", "cursor=%00", "status=forgotten", "status=no", "trash=maybe"]
    + ["limit=5&limit=6", "user_id=b", "contains=%00"],
)
def test_a_value_that_does_not_fit_is_400(cast: Cast, query: str) -> None:
    refused(call(cast.key, "GET", f"memories?user_id=a&{query}"), 400, "invalid")


TIMES = [
    "0001-01-01T00:00:00+14:00",
    "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59-12:00",
    "10000-01-01T00:00:00Z",
    "2026-02-30T00:00:00Z",
    "2026-01-01T00:00:00",
    "2026-01-01T00:00:00+99:00",
    "2026-01-01",
    "soon",
    7,
]


@pytest.mark.parametrize("time", TIMES)
def test_a_time_outside_of_time_is_400(cast: Cast, time: Any) -> None:
    said = {"user_id": "a", "messages": [{"role": "user", "content": "hello there", "said_at": time}]}
    refused(call(cast.key, "POST", "memories", said), 400, "invalid")
    new = {"user_id": "a", "content": "Likes tea.", "expires_at": time}
    refused(call(cast.key, "POST", "memories", new), 400, "invalid")
    item = changes.add(cast.agent, "a", changes.NewItem("Likes tea."))[0]
    refused(call(cast.key, "PATCH", f"memories/mem_{item.id.hex}", {"review_after": time}), 400, "invalid")
    refused(call(cast.key, "GET", f"audit/events?since={str(time).replace('+', '%2B')}"), 400, "invalid")


@pytest.mark.parametrize("time", [*TIMES[:-1], "9999-12-31T23:59:59-23:59"])
def test_a_filter_on_an_impossible_time_is_no_failure(cast: Cast, time: str) -> None:
    changes.add(cast.agent, "a", changes.NewItem("Likes tea."))
    wanted = {"created_at": {"gt": time}}
    for path, body in (
        ("memories/search", {"user_id": "a", "query": "tea", "filters": wanted}),
        ("memories/batch", {"user_id": "a", "filters": wanted, "action": "pause"}),
    ):
        assert call(cast.key, "POST", path, body).status_code in (200, 400)


def test_verbs_and_changes_carry_the_etag_of_the_new_state(cast: Cast) -> None:
    made = call(cast.key, "POST", "memories", {"user_id": "a", "content": "Likes tea."})
    mem_id = made.json()["results"][0]["id"]
    assert (made["ETag"], made["Location"]) == ('"v1"', f"/api/v1/memories/{mem_id}")
    paused = call(cast.key, "POST", f"memories/{mem_id}/pause", {})
    assert paused["ETag"] == '"v2"' == call(cast.key, "GET", f"memories/{mem_id}")["ETag"]
    changed = call(cast.key, "PATCH", f"memories/{mem_id}", {"pinned": True}, If_Match='W/"v2"')
    assert changed["ETag"] == '"v3"'
    stale = call(cast.key, "PATCH", f"memories/{mem_id}", {"pinned": False}, If_Match='"v2"')
    assert refused(stale, 412, "stale_version")["current"]["version"] == 3
    forgotten = call(cast.key, "DELETE", f"memories/{mem_id}")
    assert set(forgotten.json()) == {"id", "status", "undo_until"}


def test_readiness_and_liveness_answer_at_the_root_and_under_the_api(db: None) -> None:
    client = Client()
    for path in ("/livez", "/readyz", "/api/v1/livez", "/api/v1/readyz"):
        assert client.get(path).json()["status"] == "ok"


def test_nothing_that_is_sent_is_ignored(cast: Cast) -> None:
    fact = {"user_id": "alice", "content": "Likes tea.", "temporary": True}
    refused(call(cast.key, "POST", "memories", fact), 400, "invalid")
    refused(call(cast.key, "GET", "memories?user_id=alice&kind=preference,nonsense"), 400, "invalid")


TOKEN = "gh" + "p_" + "q7Rw2LmZ9xKd4TnB8vYc1HsJ6fGp3QaE5uWo"


def test_a_secret_is_no_name_by_whatever_door(cast: Cast) -> None:
    """Names are kept as they come: of sessions, in histories, in the filters of an export."""
    told = {"messages": [{"role": "user", "content": "remember that I like tea"}]}
    doors: list[tuple[str, str, dict[str, Any], str]] = [
        ("PUT", f"sessions/{TOKEN}", {"user_id": "alice", "labels": ["x"]}, "session_id"),
        ("PUT", "sessions/trip", {"user_id": "alice", "agent_id": TOKEN}, "agent_id"),
        ("POST", "imports", {"user_id": "alice", "sessions": [{"session_id": TOKEN, **told}]}, "session_id"),
        ("POST", "imports", {"user_id": "alice", "sessions": [{"agent_id": TOKEN, **told}]}, "agent_id"),
        ("POST", "audit/exports", {"actor": TOKEN}, "actor"),
        ("POST", "audit/exports", {"user_id": TOKEN}, "user_id"),
    ]
    for method, path, body, name in doors:
        answer = call(cast.key, method, path, body)
        assert refused(answer, 422, "guard_refused")["reason"] == f"secret.{name}"
        assert TOKEN not in answer.content.decode()


def test_a_mark_of_noise_and_its_dismissal_change_the_etag(cast: Cast) -> None:
    made = call(cast.key, "POST", "memories", {"user_id": "a", "content": "苗圃周一休息"})
    mem_id = made.json()["results"][0]["id"]
    with tenant_scope(cast.agent):
        row = MemoryItem.objects.get()
        NoiseFlag.objects.create(tenant_id=row.tenant_id, item=row, reasons=["noise.weather"], policy_version=1)
    flagged = call(cast.key, "GET", f"memories/{mem_id}")
    assert flagged.json()["noise"] == ["noise.weather"]
    assert flagged["ETag"] != made["ETag"]
    call(cast.key, "POST", "memories/batch", {"ids": [mem_id], "action": "not_noise"})
    dismissed = call(cast.key, "PATCH", f"memories/{mem_id}", {"pinned": True}, If_Match=flagged["ETag"])
    refused(dismissed, 412, "stale_version")
    either = f"{flagged['ETag']}, {call(cast.key, 'GET', f'memories/{mem_id}')['ETag']}"
    assert call(cast.key, "PATCH", f"memories/{mem_id}", {"pinned": True}, If_Match=either).status_code == 200


@pytest.mark.parametrize("text", ["remember that I like oolong tea", "记住：我喜欢喝乌龙茶"])
def test_new_evidence_changes_the_etag(cast: Cast, text: str) -> None:
    finish(cast.agent, say(cast.agent, "alice", text, session="first"))
    path = f"memories/mem_{only(cast.agent, 'alice').hex}"
    before = call(cast.key, "GET", path)
    finish(cast.agent, say(cast.agent, "alice", text, session="second"))
    after = call(cast.key, "GET", path)
    assert after.json()["evidence_count"] == before.json()["evidence_count"] + 1
    assert after["ETag"] != before["ETag"]


def test_a_whole_number_of_any_size_comes_back_as_it_was_sent(cast: Cast) -> None:
    sent = {"user_id": "alice", "content": "The counter stands high", "metadata": {"counter": 2**70, "share": 0.1}}
    made = call(cast.key, "POST", "memories", sent).json()["results"][0]
    assert call(cast.key, "GET", f"memories/{made['id']}").json()["metadata"] == {"counter": 2**70, "share": 0.1}


def test_an_error_is_told_in_the_language_of_its_own_caller(cast: Cast) -> None:
    """A form that serves many calls must not keep the words of the first."""
    told = []
    for language in ("zh-hans", "en", "zh-hans", "en"):
        client = Client(headers={"Authorization": f"Bearer {cast.key}", "Accept-Language": language})
        body = {"user_id": "alice", "query": "tea", "top_k": 1000}
        answer = client.post("/api/v1/memories/search", json.dumps(body), content_type="application/json")
        told.append(answer.json()["errors"][0]["detail"])
    assert told[0] == told[2] != told[1] == told[3]
    assert told[1].isascii()


def test_each_thread_has_forms_of_its_own() -> None:
    """A form is not made to be used by two threads at once."""
    both = Barrier(2)

    def own(_: int) -> object:
        both.wait(timeout=30)
        return _form(SearchInput)

    with ThreadPoolExecutor(2) as pool:
        one, other = pool.map(own, range(2))
    assert one is not other
    assert _form(SearchInput) is _form(SearchInput)
