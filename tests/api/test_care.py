"""Ageing, consolidation and the timeline over HTTP."""

from __future__ import annotations

import pytest

from memoryapp.domain.public_ids import parsed
from memoryapp.services import changes
from memoryapp.services.changes import NewItem
from memoryapp.services.consolidation import consolidate
from tests.api.test_routes import call
from tests.cast import Cast, make_cast, texts

pytestmark = pytest.mark.django_db


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


def test_consolidation_is_previewed_queued_and_reported(cast: Cast) -> None:
    for content in ("先跑测试再提交", "提交前先跑测试"):
        changes.add(cast.agent, "alice", NewItem(content))
    seen = call(cast.key, "POST", "memories/consolidate", {"user_id": "alice"}).json()
    assert [(s["action"], s["state"]) for s in seen["steps"]] == [("merge", "planned")]
    queued = call(cast.key, "POST", "memories/consolidate", {"user_id": "alice", "dry_run": False})
    assert queued.status_code == 202
    again = call(cast.key, "POST", "memories/consolidate", {"user_id": "alice", "dry_run": False})
    assert again.json()["id"] == queued.json()["id"]
    consolidate(cast.agent.tenant_id, parsed("job", queued.json()["id"]))
    done = call(cast.key, "GET", queued["Location"].removeprefix("/api/v1/")).json()
    assert (done["status"], [s["state"] for s in done["steps"]]) == ("succeeded", ["done"])
    assert len(texts(cast.agent, "alice")) == 1
    assert call(cast.charlie_key, "GET", f"jobs/{done['id']}").status_code == 404


def test_ageing_is_a_dry_run_unless_told_otherwise(cast: Cast) -> None:
    changes.add(cast.agent, "alice", NewItem("Likes jazz."))
    seen = call(cast.key, "POST", "memories/age", {"user_id": "alice"}).json()
    assert seen == {"applied": False, "steps": [], "suggestions": []}
    assert call(cast.key, "POST", "memories/age", {}).json()["code"] == "user_required"


def test_the_timeline_lists_changes_newest_first(cast: Cast) -> None:
    item, _, _ = changes.add(cast.agent, "alice", NewItem("喜欢爵士"))
    changes.edit(cast.agent, item.id, {"content": "喜欢蓝调"}, expected_version=None)
    seen = call(cast.key, "GET", "timeline?user_id=alice").json()
    assert [(r["content"], r["before"]) for r in seen["results"]] == [("喜欢蓝调", "喜欢爵士"), ("喜欢爵士", None)]
    assert call(cast.charlie_key, "GET", "timeline?user_id=alice").json()["results"] == []
