"""One error shape everywhere: RFC 9457 problem documents, from one table of codes."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Mapping
from typing import Any

from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from rest_framework import exceptions
from rest_framework.response import Response

from accounts.actor import Actor
from accounts.lookup import NO_KEY, proven
from memoryapp.api.outputs import item_body
from memoryapp.domain.errors import DomainError
from memoryapp.domain.guards import redact
from memoryapp.services import denials
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
    "not_acceptable": (406, "Answers are JSON"),
    "tombstoned": (409, "This was forgotten"),
    "duplicate_of": (409, "The same is remembered already"),
    "invalid_transition": (409, "Not possible in this state"),
    "idempotency_running": (409, "The first request is still running"),
    "gone": (410, "Erased"),
    "export_withdrawn": (410, "Something in the export was forgotten or erased"),
    "export_expired": (410, "The time of the export is over"),
    "length_required": (411, "Send a Content-Length"),
    "stale_version": (412, "It changed meanwhile"),
    "too_large": (413, "Too large"),
    "uri_too_long": (414, "The address is too long"),
    "unsupported_media_type": (415, "Send JSON"),
    "guard_refused": (422, "The guard refused this text"),
    "idempotency_mismatch": (422, "The key was used for another request"),
    "rate_limited": (429, "Too many requests"),
    "headers_too_large": (431, "The headers are too large"),
    "internal_error": (500, "Something went wrong here"),
    "unavailable": (503, "The database does not answer"),
}
"""Every code of the API with its status and title. docs/api.md says the same; a test compares."""

FAILURES: Mapping[str, str] = {
    **{
        f"{family}_{what}": f"The {name} provider {meaning}."
        for family, name in (("llm", "LLM"), ("embedding", "embedding"))
        for what, meaning in (
            ("timeout", "did not answer in time"),
            ("unavailable", "could not be reached, broke off or failed"),
            ("rate_limited", "limits us"),
            ("auth", "refused the key"),
            ("rejected", "refused the request or answered with too much"),
        )
    },
    "llm_parse": "The LLM's answer could not be read, even after a second try.",
    "embedding_dimensions": "The vectors have another length than the settings say.",
    "embedding_invalid": "The embedding provider sent something that is no vector.",
    "conflict": "The space kept changing while this run was judged.",
    "database": "The database refused the write.",
    "rerank_invalid": "The reranker did not answer for every text.",
    "worker_lost": "Its workers ended before it did, again and again.",
}
"""Reasons of failed events: what stood in the way of a run."""

_DRF = {401: "unauthenticated", 403: "scope_missing", 404: "not_found", 405: "method_not_allowed"}
_DRF |= {406: "not_acceptable", 413: "too_large", 415: "unsupported_media_type", 429: "rate_limited"}
_DETAILS = {
    "invalid": "The body is no JSON that can be read.",
    "not_found": "There is nothing at this address.",
    "method_not_allowed": "This address does not take that method; `Allow` names those it takes.",
    "too_large": "A body may have 2 MB.",
    "internal_error": "The failure was logged under this request's `X-Request-Id`.",
    "unavailable": "The database does not answer. Try again soon.",
}
log = logging.getLogger("memoryapp.api")


def document(code: str, detail: str, extra: Mapping[str, object] | None = None) -> dict[str, object]:
    """The body of a problem; an unlisted code raises KeyError, so that the table stays whole."""
    status, title = PROBLEMS[code]
    body: dict[str, object] = {
        "type": f"urn:memoryapp:problem:{code}",
        "title": title,
        "status": status,
        "detail": redact(detail),
        "code": code,
        "errors": [],
    }
    for name, value in (extra or {}).items():
        body[name] = item_body(value) if isinstance(value, ItemView) else value
    return body


def _headers(code: str, extra: Mapping[str, object] | None) -> dict[str, str]:
    wait = (extra or {}).get("retry_after", 2 if code == "unavailable" else None)
    headers = {} if wait is None else {"Retry-After": str(wait)}
    return headers | ({"WWW-Authenticate": "Bearer"} if code == "unauthenticated" else {})


def problem(code: str, detail: str, extra: Mapping[str, object] | None = None) -> Response:
    """A problem as the answer of an API view."""
    body = document(code, detail, extra)
    return Response(
        body, status=PROBLEMS[code][0], headers=_headers(code, extra), content_type="application/problem+json"
    )


def plain_problem(code: str, detail: str = "") -> HttpResponse:
    """A problem as an answer from outside the API views."""
    body = document(code, detail or _DETAILS.get(code, PROBLEMS[code][1] + "."))
    headers = _headers(code, None)
    return JsonResponse(body, status=PROBLEMS[code][0], headers=headers, content_type="application/problem+json")


def code_of_status(status: int) -> str:
    """The code that stands for a bare HTTP status."""
    return {**_DRF, 500: "internal_error", 503: "unavailable"}.get(status, "invalid")


def exception_handler(error: Exception, context: Mapping[str, Any]) -> Response:
    """DRF's hook. An unexpected error is logged without its text, which may quote a memory."""
    if isinstance(error, DomainError):
        return _noted(error, context) or problem(error.code, error.detail, error.extra)
    if isinstance(error, Http404):
        return problem("not_found", _DETAILS["not_found"])
    if isinstance(error, OperationalError | InterfaceError):
        return problem("unavailable", _DETAILS["unavailable"])
    if isinstance(error, exceptions.APIException):
        return _refused_by_framework(error)
    frames = "".join(traceback.format_tb(error.__traceback__))
    log.error("unexpected %s\n%s", type(error).__name__, frames)
    return problem("internal_error", _DETAILS["internal_error"])


def _refused_by_framework(error: exceptions.APIException) -> Response:
    if isinstance(error, exceptions.ValidationError):
        errors = _flat(error.detail)
        known = next((c for c in ("unknown_field", "unknown_filter") if any(e["code"] == c for e in errors)), "invalid")
        return problem(known, "Some fields do not fit.", {"errors": errors})
    code = _DRF.get(error.status_code, "invalid")
    detail = _DETAILS["invalid"] if isinstance(error, exceptions.ParseError) else str(error.detail)
    return problem(code, detail)


def _noted(error: DomainError, context: Mapping[str, Any]) -> Response | None:
    """A known key that was denied leaves an event; the answer does not say whether there was anything.

    A key that is none any more is told so, and leaves none.
    """
    request, actor = context.get("request"), getattr(context.get("request"), "auth", None)
    if request is None or not isinstance(actor, Actor) or error.code not in denials.DENIALS:
        return None
    if not proven(actor):
        return problem("unauthenticated", NO_KEY)
    denials.note(actor, error.code, tuple(str(v) for v in context["view"].kwargs.values()))
    return None


def _flat(detail: Any, path: str = "") -> list[dict[str, str]]:
    if isinstance(detail, Mapping):
        return [e for name, inner in detail.items() for e in _flat(inner, f"{path}.{name}".strip("."))]
    if isinstance(detail, list):
        return [e for inner in detail for e in _flat(inner, path)]
    code = str(getattr(detail, "code", "invalid"))
    return [{"field": redact(path), "code": code, "detail": redact(str(detail))}]


@csrf_exempt
def not_found(request: HttpRequest) -> HttpResponse:
    """Every address under /api/ that no view has."""
    return plain_problem("not_found")
