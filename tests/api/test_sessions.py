"""Working memory over HTTP."""

from __future__ import annotations

import pytest

from memoryapp.services import working_memory
from memoryapp.services.working_memory import Address
from tests.api.test_routes import call
from tests.cast import Cast, make_cast, say

pytestmark = pytest.mark.django_db


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


def test_a_session_is_made_read_changed_and_ended(cast: Cast) -> None:
    body = {"user_id": "alice", "task_state": {"预算": 500}, "labels": ["旅行"]}
    made = call(cast.key, "PUT", "sessions/大阪", body)
    assert (made.status_code, made.json()["labels"]) == (200, ["旅行"])
    call(
        cast.key,
        "PUT",
        "sessions/大阪",
        {"user_id": "alice", "task_state": {"预算": 800}, "reasons": {"预算": "加机票"}},
    )
    read = call(cast.key, "GET", f"sessions/{made.json()['id']}").json()
    assert read["task_state"]["预算"]["value"] == 800
    assert read["task_state"]["预算"]["earlier"][0]["value"] == 500
    assert call(cast.key, "DELETE", f"sessions/{read['id']}").status_code == 204
    assert call(cast.key, "GET", f"sessions/{read['id']}").json()["task_state"] == {}


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"user_id": "alice", "colour": 1}, "unknown_field"),
        ({"task_state": {}}, "user_required"),
        ({"user_id": "alice", "expires_at": "2001-01-01T00:00:00Z"}, "invalid"),
        ({"user_id": "alice", "task_state": {"x": "y" * 20_000}}, "too_large"),
    ],
)
def test_bad_input_is_named(cast: Cast, body: dict[str, object], code: str) -> None:
    assert call(cast.key, "PUT", "sessions/trip", body).json()["code"] == code


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_charlie_gets_what_an_unknown_id_gets(cast: Cast, method: str) -> None:
    say(cast.agent, "alice", "We fix the login bug.", session="bug")
    ours = call(cast.key, "GET", "sessions/bug?user_id=alice").json()["id"]
    sent = {} if method == "PUT" else None
    seen, unknown = (call(cast.charlie_key, method, f"sessions/{i}", sent) for i in (ours, "ses_" + "0" * 32))
    assert (seen.status_code, seen.json()) == (404, unknown.json())


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("登录回调报 403，卡在签名校验。", "继续昨天的登录 bug"),
        ("The login callback fails, the signature is next.", "Let's continue with the login bug"),
    ],
)
def test_going_on_finds_the_session_and_not_the_memories(cast: Cast, said: str, asked: str) -> None:
    say(cast.agent, "alice", said, session="bug")
    found = working_memory.session(cast.agent, Address("bug", "alice"))
    working_memory.summarise(cast.agent.tenant_id, found.id)
    seen = call(cast.key, "POST", "context", {"user_id": "alice", "query": asked}).json()
    assert (seen["session"]["session_id"], seen["session"]["summary"]) == ("bug", said)
    assert call(cast.key, "POST", "context", {"user_id": "alice", "query": "weather?"}).json()["session"] is None
    named = call(cast.key, "POST", "context", {"user_id": "alice", "query": "weather?", "session_id": "bug"}).json()
    assert named["session"]["id"] == seen["session"]["id"]
    assert call(cast.charlie_key, "POST", "context", {"user_id": "alice", "query": asked}).json()["session"] is None
