"""Lists: whole over all pages, newest first, with true totals; people and their conversations."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memoryapp.domain.public_ids import parsed
from memoryapp.models import Run
from memoryapp.services import access, audit_trail, changes
from memoryapp.services.results import AuditFilter
from memoryapp.services.scope import tenant_scope
from tests.api.http import call, every, refused
from tests.cast import Cast, finish, say


def add(cast: Cast, person: str, *texts: str) -> list[str]:
    return [f"mem_{changes.add(cast.agent, person, changes.NewItem(t))[0].id.hex}" for t in texts]


def fill(cast: Cast) -> str:
    """Three of everything; answers the id of a memory with three versions, quotes and uses."""
    mem_id = add(cast, "alice", "Likes tea.", "Likes jazz.", "Likes Hamburg.")[0]
    for kind in ("preference", "profile"):
        call(cast.key, "PATCH", f"memories/{mem_id}", {"kind": kind})
    for _ in range(3):
        call(cast.key, "POST", "memories/search", {"user_id": "alice", "query": "Likes tea."})
    for n, person in enumerate(("alice", "bob", "carol")):
        say(cast.agent, "alice", f"hello there, this is number {n}", session=f"s{n}")
        add(cast, person, f"{person} was here")
        audit_trail.start_export(cast.agent, AuditFilter())
    return mem_id


def test_every_list_is_whole_and_newest_first_whatever_the_size_of_its_pages(cast: Cast) -> None:
    mem_id = fill(cast)
    lists = ["memories?user_id=alice", "events", "events?user_id=alice", "sessions?user_id=alice", "users"]
    lists += ["audit/exports", f"memories/{mem_id}/history", f"memories/{mem_id}/uses", f"memories/{mem_id}/evidence"]
    for path in lists:
        whole = call(cast.key, "GET", path).json()
        assert set(whole) == {"results", "next_cursor", "total"}, path
        assert whole["total"] == len(whole["results"]) >= (1 if "evidence" in path else 3), path
        for limit in (1, 2, 3):
            assert every(cast.key, f"{path}{'&' if '?' in path else '?'}limit={limit}") == whole["results"], path
        stamps = [r.get("created_at") or r.get("used_at") or "" for r in whole["results"]]
        assert stamps == sorted(stamps, reverse=True), path


def test_a_list_that_grows_while_it_is_read_repeats_nothing(cast: Cast) -> None:
    mem_id = fill(cast)
    first = call(cast.key, "GET", f"memories/{mem_id}/history?limit=1").json()
    call(cast.key, "PATCH", f"memories/{mem_id}", {"pinned": True})
    rest = call(cast.key, "GET", f"memories/{mem_id}/history?cursor={first['next_cursor']}").json()
    assert [v["version"] for v in (*first["results"], *rest["results"])] == [3, 2, 1]


@pytest.mark.parametrize("cursor", ["x", "-1", "99999999999", "１", "%00"])
@pytest.mark.parametrize("path", ["memories/{}/history", "memories/{}/uses", "users", "audit/exports"])
def test_a_cursor_that_no_list_gave_is_refused(cast: Cast, path: str, cursor: str) -> None:
    (mem_id,) = add(cast, "alice", "Likes tea.")
    refused(call(cast.key, "GET", f"{path.format(mem_id)}?cursor={cursor}"), 400, "invalid")


def test_uses_tell_when_and_for_what(cast: Cast) -> None:
    (mem_id,) = add(cast, "alice", "Likes tea.")
    call(cast.key, "POST", "memories/search", {"user_id": "alice", "query": "tea"})
    call(cast.key, "POST", "context", {"user_id": "alice", "query": "tea"})
    call(cast.key, "POST", f"memories/{mem_id}/feedback", {"value": "helpful"})
    found = call(cast.key, "GET", f"memories/{mem_id}/uses").json()["results"]
    assert [(u["purpose"], u["rank"], u["feedback"]) for u in found] == [("context", 0, "helpful"), ("search", 0, None)]


def test_failed_events_are_found_by_status(cast: Cast) -> None:
    event = say(cast.agent, "alice", "hello there, nothing to remember")
    say(cast.agent, "bob", "hello there, nothing either")
    with tenant_scope(cast.agent):
        Run.objects.filter(pk=event.id).update(state="failed", error_code="llm_timeout")
    found = call(cast.key, "GET", "events?status=failed").json()
    assert ([e["id"] for e in found["results"]], found["total"]) == ([f"evt_{event.id.hex}"], 1)
    assert call(cast.key, "GET", "events?status=failed&user_id=bob").json()["total"] == 0
    refused(call(cast.key, "GET", "events?status=lost"), 400, "invalid")
    again = call(cast.key, "POST", f"events/{found['results'][0]['id']}/retry", {})
    assert (again.status_code, again.json()["status"]) == (202, "pending")
    refused(call(cast.key, "POST", f"events/{found['results'][0]['id']}/retry", {}), 409, "invalid_transition")


def test_people_are_listed_with_their_counts_and_last_activity(cast: Cast) -> None:
    add(cast, "alice", "Likes tea.", "Likes jazz.", "我的手机号是 13912345678，方便联系")
    say(cast.agent, "alice", "hello there, how are you", session="s1")
    (bobs,) = add(cast, "bob", "Likes rock.")
    call(cast.key, "DELETE", f"memories/{bobs}")
    bob, alice = call(cast.key, "GET", "users").json()["results"]
    assert (alice["user_id"], alice["memories"], alice["pending"], alice["sessions"]) == ("alice", 2, 1, 1)
    assert (bob["user_id"], bob["memories"]) == ("bob", 0)
    assert alice["last_activity"] >= alice["created_at"]
    bound, _ = access.create_key(cast.agent, "bob's", user_key="bob")
    assert [p["user_id"] for p in call(bound, "GET", "users").json()["results"]] == ["bob"]


def test_sessions_tell_agent_messages_and_last_activity(cast: Cast) -> None:
    talk = {"user_id": "alice", "agent_id": "coder", "session_id": "s1"}
    turns = [
        {"role": "user", "content": "the train was late again"},
        {"role": "user", "content": "how was the weather in May"},
    ]
    call(cast.key, "POST", "memories", {**talk, "messages": turns})
    call(cast.key, "POST", "memories", {"user_id": "alice", "messages": turns[:1]})
    default, named = call(cast.key, "GET", "sessions?user_id=alice").json()["results"]
    assert (named["session_id"], named["agent_id"], named["messages"]) == ("s1", "coder", 2)
    assert (default["session_id"], default["name"], default["agent_id"]) == (default["id"], None, None)
    assert default["id"].startswith("ses_")
    again = call(cast.key, "POST", "memories", {"user_id": "alice", "session_id": default["id"], "messages": turns})
    assert again.json()["session_id"] == default["id"]


def test_an_unknown_person_has_empty_lists_and_is_not_made(cast: Cast) -> None:
    empty = {"results": [], "next_cursor": None, "total": 0}
    for path in ("memories?user_id=x", "events?user_id=x", "sessions?user_id=x", "users"):
        assert call(cast.key, "GET", path).json() == empty
    refused(call(cast.key, "GET", "sessions"), 400, "user_required")
    refused(call(cast.key, "GET", "memories"), 400, "user_required")


@pytest.mark.parametrize("path", ["memories?user_id=alice", "events", "users", "sessions?user_id=alice"])
def test_a_longer_list_costs_no_more_queries(cast: Cast, path: str) -> None:
    def grow(start: int) -> None:
        for n in range(start, start + 3):
            event = say(cast.agent, "alice", f"remember that shelf {n} holds box {n * 37}", session=f"s{n}")
            finish(cast.agent, event)
            add(cast, f"person {n}", f"Likes tea number {n}.")

    def queries() -> int:
        with CaptureQueriesContext(connection) as caught:
            assert call(cast.key, "GET", path).json()["total"] > 2
        return len(caught)

    grow(0)
    queries()
    before = queries()
    grow(3)
    assert queries() == before


def test_the_life_of_an_export(cast: Cast) -> None:
    add(cast, "alice", "Likes tea.")
    begun = call(cast.key, "POST", "audit/exports", {"user_id": "alice"}, Idempotency_Key="x1")
    assert begun.status_code == 202
    assert begun["Location"] == f"/api/v1/audit/exports/{begun.json()['id']}"
    assert (begun.json()["status"], begun.json()["file"]) == ("pending", None)
    path = begun["Location"].removeprefix("/api/v1/")
    refused(call(cast.key, "GET", f"{path}/file"), 404, "not_found")
    again = call(cast.key, "POST", "audit/exports", {"user_id": "alice"}, Idempotency_Key="x1")
    assert (again.status_code, again.json()["id"]) == (202, begun.json()["id"])
    audit_trail.run_export(cast.agent.tenant_id, parsed("exp", begun.json()["id"]))
    done = call(cast.key, "GET", path).json()
    assert (done["status"], done["events_done"], done["file"]) == ("succeeded", 1, f"/api/v1/{path}/file")
    file: Any = call(cast.key, "GET", f"{path}/file", Accept="application/zip")
    body = b"".join(file.streaming_content)
    assert (file["Content-Type"], body[:2]) == ("application/zip", b"PK")
    assert "attachment" in file["Content-Disposition"]
    assert call(cast.key, "GET", "audit/exports").json()["total"] == 1
    assert call(cast.key, "GET", path, Accept="application/json").status_code == 200
