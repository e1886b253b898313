"""Erasing over HTTP: 202 and a job, then nothing but 404 and a receipt."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from memoryapp.domain.public_ids import parsed
from memoryapp.services import access, changes, erasure, imports, pipeline
from tests.cast import Cast, make_cast, texts
from tests.erasure.steps import said, waiting

pytestmark = pytest.mark.django_db


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


def call(key: str, method: str, path: str, body: Any = None) -> Any:
    return Client().generic(
        method,
        f"/api/v1/{path}",
        json.dumps(body) if body is not None else "",
        content_type="application/json",
        headers={"Authorization": f"Bearer {key}"},
    )


def test_delete_with_erase_answers_a_job_and_afterwards_everything_is_not_found(cast: Cast) -> None:
    path = f"memories/mem_{said(cast, '记住：我每天骑车上班').hex}"
    answer = call(cast.key, "DELETE", f"{path}?erase=true")
    assert answer.status_code == 202
    era = answer.json()["erasure_id"]
    assert era.startswith("era_") and answer["Location"] == f"/api/v1/erasures/{era}"
    after = [("GET", ""), ("PATCH", ""), ("DELETE", ""), ("DELETE", "?erase=true"), ("GET", "/history")]
    after += [("GET", "/evidence"), ("POST", "/restore")]
    for method, rest in after:
        body = {"kind": "note"} if method == "PATCH" else None
        assert call(cast.key, method, path + rest, body).status_code == 404, (method, rest)
    erasure.run(cast.agent.tenant_id, parsed("era", era))
    told = call(cast.key, "GET", f"erasures/{era}").json()
    assert (told["status"], told["levels"]["derived"]) == ("succeeded", "done")
    assert told["receipt"]["out_of_scope"] and told["signature"]
    listed = call(cast.key, "GET", "erasures?user_id=alice").json()
    assert (listed["total"], listed["results"][0]["id"]) == (1, era)
    assert call(cast.key, "GET", "erasures?user_id=bob").json()["total"] == 0


def test_deleting_without_erase_still_forgets(cast: Cast) -> None:
    path = f"memories/mem_{said(cast, '记住：我每天骑车上班').hex}"
    for suffix in ("", "?erase=false"):
        assert call(cast.key, "DELETE", path + suffix).json()["status"] == "forgotten"
    assert call(cast.key, "DELETE", f"{path}?erase=perhaps").status_code == 400
    assert call(cast.key, "POST", f"{path}/restore").status_code == 200


def test_a_person_is_erased_with_a_dry_run_and_a_phrase(cast: Cast) -> None:
    said(cast, "Remember that I like jazz.")
    dry = call(cast.key, "POST", "erasures", {"user_id": "alice", "dry_run": True}).json()
    assert (dry["dry_run"], dry["impact"]["items"]) == (True, 1)
    refused = call(cast.key, "POST", "erasures", {"user_id": "alice", "confirm": "yes"})
    assert (refused.status_code, refused.json()["code"]) == (400, "confirmation_required")
    assert refused.json()["confirm_with"] == dry["confirm_with"]
    done = call(cast.key, "POST", "erasures", {"user_id": "alice", "confirm": dry["confirm_with"][1]})
    assert done.status_code == 202
    assert call(cast.key, "GET", "memories?user_id=alice").json()["total"] == 0
    assert len(waiting(cast.agent)) == 1


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"dry_run": True}, 400, "user_required"),
        ({"user_id": "", "confirm": "erase "}, 400, "user_required"),
        ({"user_id": None, "confirm": "erase "}, 400, "invalid"),
        ({"user_id": "nobody", "confirm": "erase nobody"}, 404, "not_found"),
        ({"user_id": "alice", "everyone": True}, 400, "unknown_field"),
        ({"user_id": "alice", "source_kind": "planet"}, 400, "invalid"),
    ],
)
def test_bad_requests_erase_nobody(cast: Cast, body: dict[str, Any], status: int, code: str) -> None:
    said(cast, "Remember that I like jazz.")
    answer = call(cast.key, "POST", "erasures", body)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert call(cast.key, "GET", "memories?user_id=alice").json()["total"] == 1


def test_a_session_is_purged_over_http(cast: Cast) -> None:
    said(cast, "Remember that I like jazz.", session="monday")
    source = {"user_id": "alice", "source_kind": "session", "source_id": "monday"}
    dry = call(cast.key, "POST", "erasures", source | {"dry_run": True}).json()
    assert dry["impact"]["sessions"] == 1
    assert call(cast.key, "POST", "erasures", source | {"confirm": dry["confirm_with"][0]}).status_code == 202
    assert call(cast.key, "GET", "memories?user_id=alice").json()["total"] == 0


def test_charlie_and_keys_without_the_scope_get_nothing(cast: Cast) -> None:
    item = said(cast, "Remember that I like jazz.")
    job = f"era_{erasure.erase_item(cast.agent, item).hex}"
    nobodys = call(cast.charlie_key, "GET", "erasures/era_" + "0" * 32)
    for method, path in (("GET", f"erasures/{job}"), ("POST", f"erasures/{job}/retry")):
        seen = call(cast.charlie_key, method, path)
        assert (seen.status_code, seen.json()) == (404, nobodys.json())
    kept, _, _ = changes.add(cast.agent, "alice", changes.NewItem("Likes rain."))
    assert call(cast.charlie_key, "DELETE", f"memories/mem_{kept.id.hex}?erase=true").status_code == 404
    reader, _ = access.create_key(cast.agent, "reader", ["memory:read"])
    for method, path, body in (
        ("DELETE", f"memories/mem_{kept.id.hex}?erase=true", None),
        ("POST", "erasures", {"user_id": "alice", "confirm": "erase alice"}),
        ("POST", f"erasures/{job}/retry", None),
    ):
        assert call(reader, method, path, body).json()["code"] == "scope_missing"
    writer, _ = access.create_key(cast.agent, "writer", ["memory:write"])
    assert call(writer, "GET", f"erasures/{job}").json()["code"] == "scope_missing"
    auditor, _ = access.create_key(cast.agent, "auditor", ["audit:read"])
    assert call(auditor, "GET", f"erasures/{job}").status_code == 200


def test_one_import_is_erased_and_the_others_stay(cast: Cast) -> None:
    jobs = []
    for name, text in (("skiing", "remember that I ski"), ("cello", "记住：我拉大提琴")):
        told = [{"session_id": name, "messages": [{"role": "user", "content": text}]}]
        jobs.append(call(cast.key, "POST", "imports", {"user_id": "alice", "sessions": told}).json()["id"])
    for run in [run for job in jobs for run in imports.unfinished_runs(cast.agent, parsed("imp", job))]:
        pipeline.extract(cast.agent.tenant_id, run)
    source = {"user_id": "alice", "source_kind": "import", "source_id": jobs[0]}
    seen = call(cast.key, "POST", "erasures", {**source, "dry_run": True}).json()
    assert (seen["impact"]["items"], seen["impact"]["sessions"]) == (1, 1)
    begun = call(cast.key, "POST", "erasures", {**source, "confirm": seen["confirm_with"][0]}).json()
    erasure.run(cast.agent.tenant_id, parsed("era", begun["erasure_id"]))
    assert texts(cast.agent, "alice") == ["我拉大提琴"]
    assert call(cast.key, "POST", "erasures", {**source, "source_id": "imp_1", "dry_run": True}).status_code == 404


def test_a_source_without_its_kind_is_refused_and_never_means_the_whole_person(cast: Cast) -> None:
    said(cast, "Remember that I like jazz.")
    body = {"user_id": "alice", "source_id": "session-1", "confirm": "erase alice"}
    refused = call(cast.key, "POST", "erasures", body)
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, "source_kind")
    assert texts(cast.agent, "alice") == ["I like jazz"]
