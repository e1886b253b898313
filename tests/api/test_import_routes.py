"""Imports over HTTP."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from memoryapp.domain.public_ids import parsed
from memoryapp.services import imports, pipeline
from tests.api.test_routes import call
from tests.cast import Cast, make_cast, texts

pytestmark = pytest.mark.django_db


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


def history() -> list[dict[str, Any]]:
    said = {"role": "user", "content": "Remember that I play the cello", "said_at": "2026-03-01T09:00:00+01:00"}
    return [{"session_id": "old", "messages": [said]}]


def test_a_history_is_taken_in_and_its_progress_read(cast: Cast) -> None:
    body = {"user_id": "alice", "sessions": history(), "token_budget": 5000}
    made = call(cast.key, "POST", "imports", body)
    assert (made.status_code, made.json()["status"]) == (202, "running")
    assert made.json()["id"].startswith("imp_")
    job = parsed("imp", made.json()["id"])
    for run in imports.unfinished_runs(cast.agent, job):
        pipeline.extract(cast.agent.tenant_id, run)
    done = call(cast.key, "GET", made["Location"].removeprefix("/api/v1/")).json()
    assert (done["status"], done["runs"], done["outcome"]) == (
        "succeeded",
        {"total": 1, "done": 1, "failed": 0},
        {"added": 1},
    )
    assert texts(cast.agent, "alice") == ["I play the cello"]
    again = call(cast.key, "POST", "imports", body).json()
    assert (again["id"], again["duplicates"], again["runs"]["total"]) == (done["id"], 1, 1)
    assert [job["id"] for job in call(cast.key, "GET", "imports").json()["results"]] == [done["id"]]


def test_a_dry_run_writes_nothing(cast: Cast) -> None:
    seen = call(cast.key, "POST", "imports", {"user_id": "alice", "sessions": history(), "dry_run": True})
    assert (seen.status_code, seen.json()["dry_run"], seen.json()["messages"]) == (200, True, 1)
    assert call(cast.key, "GET", "imports").json()["results"] == []


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"user_id": "alice"}, "invalid"),
        ({"user_id": "alice", "sessions": []}, "invalid"),
        ({"user_id": "alice", "sessions": [1]}, "invalid"),
        ({"user_id": "alice", "sessions": [{"messages": [{"role": "user", "text": "x"}]}]}, "unknown_field"),
        ({"sessions": [{"messages": []}]}, "user_required"),
        ({"user_id": "alice", "sessions": [], "no_such": 1}, "unknown_field"),
    ],
)
def test_what_cannot_be_read_is_refused(cast: Cast, body: dict[str, Any], code: str) -> None:
    refused = call(cast.key, "POST", "imports", body)
    assert (refused.status_code, refused.json()["code"]) == (400, code)


def test_charlie_sees_no_import_of_ours(cast: Cast) -> None:
    made = call(cast.key, "POST", "imports", {"user_id": "alice", "sessions": history()}).json()
    assert call(cast.charlie_key, "GET", f"imports/{made['id']}").status_code == 404
    assert call(cast.charlie_key, "GET", "imports").json()["results"] == []
    assert call(cast.key, "GET", f"imports/imp_{UUID(int=3).hex}").status_code == 404


def test_a_conversation_can_be_tried_without_being_kept(cast: Cast) -> None:
    said = {"role": "user", "content": "Remember that I play the cello."}
    seen = call(cast.key, "POST", "memories", {"user_id": "alice", "messages": [said], "dry_run": True})
    assert (seen.status_code, seen.json()["dry_run"], seen.json()["door"]) == (200, True, "cue")
    assert [line["content"] for line in seen.json()["added"]] == ["I play the cello"]
    assert texts(cast.agent, "alice") == []
    assert call(cast.key, "GET", "events?user_id=alice").json()["results"] == []
    wrong = call(cast.key, "POST", "memories", {"user_id": "alice", "content": "x y z", "dry_run": True})
    assert wrong.status_code == 400
