"""Exports over HTTP: asked for once, watched, downloaded, and gone with what is forgotten."""

from __future__ import annotations

import json
import zipfile
from io import BytesIO
from typing import Any

import pytest

from memoryapp.domain.public_ids import parsed
from memoryapp.services import access, exports
from tests.api.http import call, refused
from tests.cast import Cast

pytestmark = pytest.mark.django_db
ALICE = {"user_id": "alice"}


def asked(cast: Cast, **body: str) -> dict[str, Any]:
    answer = call(cast.key, "POST", "exports", {**ALICE, **body})
    assert answer.status_code == 202
    assert answer["Location"] == f"/api/v1/exports/{answer.json()['id']}"
    found: dict[str, Any] = answer.json()
    return found


def finished(cast: Cast, **body: str) -> dict[str, Any]:
    job = asked(cast, **body)
    exports.run(cast.agent.tenant_id, parsed("exp", job["id"]))
    found: dict[str, Any] = call(cast.key, "GET", f"exports/{job['id']}").json()
    return found


def bytes_of(answer: Any) -> bytes:
    return b"".join(answer.streaming_content)


@pytest.fixture
def item(cast: Cast) -> str:
    made = call(cast.key, "POST", "memories", {**ALICE, "content": "爱喝茉莉花茶"})
    return str(made.json()["results"][0]["id"])


def test_an_export_is_asked_for_watched_and_downloaded(cast: Cast, item: str) -> None:
    job = asked(cast)
    assert (job["status"], job["file"], job["format"]) == ("pending", None, "jsonl")
    refused(call(cast.key, "GET", f"exports/{job['id']}/download"), 409, "invalid_transition")
    exports.run(cast.agent.tenant_id, parsed("exp", job["id"]))
    done = call(cast.key, "GET", f"exports/{job['id']}").json()
    assert (done["status"], done["counts"]["memories"], done["counts"]["in_trash"]) == ("succeeded", 1, 0)
    assert done["progress"]["records"] == done["progress"]["records_done"] == 1
    answer = call(cast.key, "GET", done["file"].removeprefix("/api/v1/"))
    assert answer["Content-Type"] == "application/zip" and ".zip" in answer["Content-Disposition"]
    with zipfile.ZipFile(BytesIO(bytes_of(answer))) as archive:
        (line,) = archive.read("memories.jsonl").decode().splitlines()
    assert (json.loads(line)["id"], json.loads(line)["content"]) == (item, "爱喝茉莉花茶")


@pytest.mark.parametrize(("form", "media_type"), [("json", "application/json"), ("markdown", "text/markdown")])
def test_a_client_may_ask_for_the_type_of_the_file(cast: Cast, item: str, form: str, media_type: str) -> None:
    done = finished(cast, format=form)
    answer = call(cast.key, "GET", f"exports/{done['id']}/download", Accept=media_type)
    assert answer["Content-Type"] == media_type
    assert "爱喝茉莉花茶" in bytes_of(answer).decode()


def test_after_a_forget_the_file_is_gone_and_says_so(cast: Cast, item: str) -> None:
    done = finished(cast)
    assert call(cast.key, "DELETE", f"memories/{item}").status_code == 200
    refused(call(cast.key, "GET", f"exports/{done['id']}/download"), 410, "export_withdrawn")
    now = call(cast.key, "GET", f"exports/{done['id']}").json()
    assert (now["status"], now["file"], now["error_code"]) == ("withdrawn", None, "memory_forgotten")
    assert finished(cast)["counts"] | {"memories": 0, "in_trash": 1} == finished(cast)["counts"]


def test_the_same_idempotency_key_asks_for_one_export(cast: Cast, item: str) -> None:
    headers = {"Idempotency-Key": "monthly"}
    first, again = (call(cast.key, "POST", "exports", ALICE, **headers) for _ in range(2))
    assert first.json()["id"] == again.json()["id"] and again["Idempotent-Replayed"] == "true"
    assert call(cast.key, "GET", "exports?user_id=alice").json()["total"] == 1


def test_bad_requests_are_named(cast: Cast, item: str) -> None:
    refused(call(cast.key, "POST", "exports", {**ALICE, "format": "docx"}), 400, "invalid")
    refused(call(cast.key, "POST", "exports", {**ALICE, "colour": "red"}), 400, "unknown_field")
    refused(call(cast.key, "POST", "exports", {}), 400, "user_required")
    refused(call(cast.key, "POST", "exports", {"user_id": "nobody"}), 404, "not_found")
    refused(call(cast.key, "GET", "exports?colour=red"), 400, "unknown_filter")
    bob, _ = access.create_key(cast.agent, "bob's", ("memory:read",), user_key="bob")
    refused(call(bob, "POST", "exports", ALICE), 403, "user_not_allowed")
    refused(call(bob, "GET", "exports?user_id=alice"), 403, "user_not_allowed")
