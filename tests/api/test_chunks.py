"""A body in chunks is read like any other, up to the same bound."""

from __future__ import annotations

import json
from io import BytesIO
from typing import Any

from django.core.wsgi import get_wsgi_application
from django.test import RequestFactory

from memoryapp.chunked_bodies import ChunkedBodies
from tests.api.test_schema import one_connection
from tests.cast import Cast, texts

MOST = 2 * 1024 * 1024


def posted(cast: Cast, body: bytes) -> tuple[str, dict[str, Any]]:
    """As gunicorn hands it on: the stream ends where the last chunk did, and nobody said how long it is."""
    headers = {"Authorization": f"Bearer {cast.key}", "Transfer-Encoding": "chunked"}
    environ = RequestFactory(headers=headers).post("/api/v1/memories", b"", "application/json").environ
    environ |= {"wsgi.input": BytesIO(body), "wsgi.input_terminated": True, "CONTENT_LENGTH": ""}
    environ["CONTENT_TYPE"] = "application/json"
    seen: list[str] = []
    with one_connection():
        answer = ChunkedBodies(get_wsgi_application(), MOST)(environ, lambda status, *_: seen.append(status))
        return seen[0][:3], json.loads(b"".join(answer))


def test_a_body_in_chunks_is_read(cast: Cast) -> None:
    status, _ = posted(cast, json.dumps({"user_id": "alice", "content": "喜欢喝乌龙茶。"}).encode())
    assert (status, texts(cast.agent, "alice")) == ("201", ["喜欢喝乌龙茶。"])


def test_chunks_without_end_are_too_large(cast: Cast) -> None:
    status, problem = posted(cast, b"x" * (MOST + 5))
    assert (status, problem["code"]) == ("413", "too_large")
