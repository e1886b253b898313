"""Calls of the API as a client makes them."""

from __future__ import annotations

import json
from typing import Any

from django.test import Client


def call(key: str, method: str, path: str, body: Any = None, **headers: str) -> Any:
    """One request under /api/v1; `headers` with underscores for hyphens."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    client = Client(headers={"Authorization": f"Bearer {key}", **named}, raise_request_exception=False)
    return client.generic(method, f"/api/v1/{path}", "" if body is None else json.dumps(body), "application/json")


def refused(answer: Any, status: int, code: str) -> dict[str, Any]:
    """Asserts a problem document of that status and code; answers its body."""
    assert (answer.status_code, answer.json().get("code")) == (status, code), answer.content
    assert answer["Content-Type"] == "application/problem+json"
    assert {"type", "title", "status", "detail", "code", "errors"} <= set(answer.json())
    assert answer["X-Request-Id"]
    found: dict[str, Any] = answer.json()
    return found


def every(key: str, path: str) -> list[dict[str, Any]]:
    """All pages of a list, one after the other; asserts that the total is true on each."""
    rows: list[dict[str, Any]] = []
    cursor, totals = "", set()
    while True:
        page = call(key, "GET", f"{path}{'&' if '?' in path else '?'}cursor={cursor}").json()
        rows += page["results"]
        totals.add(page["total"])
        cursor = page["next_cursor"]
        if not cursor:
            assert totals == {len(rows)}
            return rows
