"""One error shape everywhere: RFC 9457 problem documents, from one table of codes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import Http404
from rest_framework import exceptions
from rest_framework.response import Response

from memoryapp.api.outputs import item_body
from memoryapp.domain.errors import DomainError
from memoryapp.services.results import ItemView

PROBLEMS: Mapping[str, tuple[int, str]] = {
    "invalid": (400, "The request cannot be read"),
    "invalid_message": (400, "A message cannot be read"),
    "invalid_policy": (400, "The policy cannot be read"),
    "unknown_field": (400, "Unknown field"),
    "unknown_filter": (400, "Unknown filter"),
    "confirmation_required": (400, "A typed phrase is missing"),
    "user_required": (400, "A person is missing"),
    "unauthenticated": (401, "A valid API key is needed"),
    "scope_missing": (403, "The key lacks a scope"),
    "user_not_allowed": (403, "The key is bound to another person"),
    "not_found": (404, "Not found"),
    "method_not_allowed": (405, "Method not allowed"),
    "tombstoned": (409, "This was forgotten"),
    "duplicate_of": (409, "The same is remembered already"),
    "invalid_transition": (409, "Not possible in this state"),
    "idempotency_running": (409, "The first request is still running"),
    "gone": (410, "Erased"),
    "stale_version": (412, "It changed meanwhile"),
    "too_large": (413, "Too large"),
    "unsupported_media_type": (415, "Send JSON"),
    "guard_refused": (422, "The guard refused this text"),
    "idempotency_mismatch": (422, "The key was used for another request"),
    "rate_limited": (429, "Too many requests"),
}
"""Every code of the API with its status and title."""

_DRF = {401: "unauthenticated", 403: "scope_missing", 404: "not_found", 405: "method_not_allowed"}
_DRF |= {413: "too_large", 415: "unsupported_media_type", 429: "rate_limited"}


def problem(code: str, detail: str, extra: Mapping[str, object] | None = None) -> Response:
    """A problem document; an unlisted code raises KeyError, so that the table stays whole."""
    status, title = PROBLEMS[code]
    body: dict[str, object] = {
        "type": f"urn:memoryapp:problem:{code}",
        "title": title,
        "status": status,
        "detail": detail,
        "code": code,
        "errors": [],
    }
    for name, value in (extra or {}).items():
        body[name] = item_body(value) if isinstance(value, ItemView) else value
    return Response(body, status=status, content_type="application/problem+json")


def exception_handler(error: Exception, context: Mapping[str, Any]) -> Response | None:
    """DRF's hook. Unexpected errors are left to Django, which shows nothing of them."""
    if isinstance(error, DomainError):
        return problem(error.code, error.detail, error.extra)
    if isinstance(error, Http404):
        return problem("not_found", "There is nothing at this address.")
    if isinstance(error, exceptions.ValidationError):
        errors = _flat(error.detail)
        unknown = any(e["code"] == "unknown_field" for e in errors)
        return problem("unknown_field" if unknown else "invalid", "Some fields do not fit.", {"errors": errors})
    if isinstance(error, exceptions.APIException):
        response = problem(_DRF.get(error.status_code, "invalid"), str(error.detail))
        if error.status_code == 401:
            response["WWW-Authenticate"] = "Bearer"
        return response
    return None


def _flat(detail: Any, path: str = "") -> list[dict[str, str]]:
    if isinstance(detail, Mapping):
        return [e for name, inner in detail.items() for e in _flat(inner, f"{path}.{name}".strip("."))]
    if isinstance(detail, list):
        return [e for inner in detail for e in _flat(inner, path)]
    return [{"field": path, "code": str(getattr(detail, "code", "invalid")), "detail": str(detail)}]
