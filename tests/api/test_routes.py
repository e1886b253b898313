"""The API over HTTP: keys, strict shapes and the life of one memory."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.http import call
from tests.cast import Cast

pytestmark = pytest.mark.django_db


def test_a_text_is_added_read_changed_and_forgotten(cast: Cast) -> None:
    made = call(
        cast.key, "POST", "memories", {"user_id": "alice", "content": "Likes jazz.", "metadata": {"src": "crm"}}
    )
    assert made.status_code == 201
    (item,) = made.json()["results"]
    again = call(cast.key, "POST", "memories", {"user_id": "alice", "content": "likes JAZZ"})
    assert (again.status_code, again.json()["results"][0]["id"]) == (200, item["id"])
    read = call(cast.key, "GET", f"memories/{item['id']}")
    changed = call(
        cast.key, "PATCH", f"memories/{item['id']}", {"content": "Likes blues."}, **{"If-Match": read["ETag"]}
    )
    assert (changed.status_code, changed.json()["metadata"]) == (200, {"src": "crm"})
    stale = call(cast.key, "PATCH", f"memories/{item['id']}", {"content": "x y"}, **{"If-Match": read["ETag"]})
    assert (stale.status_code, stale.json()["current"]["content"]) == (412, "Likes blues.")
    for _ in range(2):
        gone = call(cast.key, "DELETE", f"memories/{item['id']}")
        assert (gone.status_code, gone.json()["status"]) == (200, "forgotten")
    assert call(cast.key, "GET", f"memories/{item['id']}").status_code == 404


@pytest.mark.parametrize(
    ("path", "body", "status", "code"),
    [
        ("memories", {"user_id": "a", "messages": []}, 400, "invalid"),
        ("memories", {"user_id": "a"}, 400, "invalid"),
        ("memories", {"user_id": "a", "content": "x y z", "no_such": 1}, 400, "unknown_field"),
        ("memories", {"messages": [{"role": "user", "content": "hello there"}]}, 400, "user_required"),
        ("memories", {"user_id": "a", "messages": [{"role": "king", "content": "hi"}]}, 400, "invalid"),
        ("memories", {"user_id": "a", "messages": [{"role": "user", "content": "x" * 8001}]}, 413, "too_large"),
        ("memories", {"user_id": "a", "content": "数据库密码：s3cr3t_9Kq2"}, 422, "guard_refused"),
        (
            "memories",
            {"user_id": "a", "content": "Likes tea", "metadata": {"password": "hunter2-Zx9!q"}},
            422,
            "guard_refused",
        ),
        ("memories/search", {"user_id": "a", "query": ""}, 400, "invalid"),
        ("memories/search", {"query": "x"}, 400, "user_required"),
        ("memories/search", {"user_id": "a", "query": "x", "filters": {"no_such": 1}}, 400, "unknown_filter"),
    ],
)
def test_bad_input_is_named(cast: Cast, path: str, body: dict[str, Any], status: int, code: str) -> None:
    answer = call(cast.key, "POST", path, body)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize("key", ["", "mk_x", "mk_" + "a" * 12 + "_" + "0" * 64 + "_00000000"])
def test_without_a_valid_key_there_is_nothing(db: None, key: str) -> None:
    assert call(key, "GET", "me").status_code == 401
