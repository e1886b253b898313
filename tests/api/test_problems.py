"""One error shape, and one table that knows every code."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from django.http import Http404
from rest_framework import exceptions

from memoryapp.api.inputs import MemoriesInput
from memoryapp.api.problems import PROBLEMS, exception_handler
from memoryapp.api.views import read
from memoryapp.domain.errors import DomainError, NotFound

SOURCE = Path(__file__).parents[2] / "memoryapp"
ONLY_ON_PAGES = {"invitations.py"}
"""Services that no API call reaches; their codes have words on the pages."""


def _codes_raised() -> set[str]:
    sources = [p for p in SOURCE.rglob("*.py") if p.name not in ONLY_ON_PAGES]
    calls = (n for p in sources for n in ast.walk(ast.parse(p.read_text("utf-8"))))
    found = set()
    for call in calls:
        named = isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "DomainError"
        if named and isinstance(call.args[0], ast.Constant):
            found.add(str(call.args[0].value))
    return found


def test_every_code_that_is_raised_stands_in_the_table() -> None:
    assert _codes_raised() <= set(PROBLEMS)


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (DomainError("tombstoned", "gone"), 409, "tombstoned"),
        (NotFound(), 404, "not_found"),
        (Http404(), 404, "not_found"),
        (exceptions.NotAuthenticated(), 401, "unauthenticated"),
        (exceptions.MethodNotAllowed("PUT"), 405, "method_not_allowed"),
        (exceptions.UnsupportedMediaType("text/plain"), 415, "unsupported_media_type"),
    ],
)
def test_every_error_has_the_same_shape(error: Exception, status: int, code: str) -> None:
    answer = exception_handler(error, {})
    assert answer is not None
    assert (answer.status_code, answer.data["status"], answer.data["code"]) == (status, status, code)
    assert set(answer.data) == {"type", "title", "status", "detail", "code", "errors"}
    assert answer.content_type == "application/problem+json"


def test_a_code_that_the_table_does_not_know_fails_loudly() -> None:
    with pytest.raises(KeyError):
        exception_handler(DomainError("never_heard_of", ""), {})


@pytest.mark.parametrize(
    ("sent", "code", "field"),
    [
        ({"content": "tea", "colour": 1}, "unknown_field", "colour"),
        ({"messages": [{"role": "user", "content": "a", "x": 1}]}, "unknown_field", "messages.0.x"),
        ({"messages": [{"role": "king", "content": "a"}]}, "invalid", "messages.0.role"),
        (
            {"messages": [{"role": "user", "content": "a", "said_at": "2026-01-01T10:00:00"}]},
            "invalid",
            "messages.0.said_at",
        ),
        ({"content": "a", "messages": [{"role": "user", "content": "a"}]}, "invalid", ""),
        ({"messages": [{"role": "user", "content": "a"}], "infer": False}, "invalid", ""),
        ({"content": "a\0b"}, "invalid", ""),
        ({"messages": [{"role": "user", "content": [{"type": "text", "text": "a\0b"}]}]}, "invalid", ""),
        ({}, "invalid", ""),
        ([], "invalid", ""),
    ],
)
def test_a_refused_input_names_its_field(sent: object, code: str, field: str) -> None:
    with pytest.raises((exceptions.ValidationError, DomainError)) as caught:
        read(MemoriesInput, sent)
    answer = exception_handler(caught.value, {})
    assert answer is not None
    assert (answer.status_code, answer.data["code"]) == (400, code)
    fields = [e["field"] for e in answer.data["errors"]]
    assert not field or field in fields
