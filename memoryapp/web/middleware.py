"""Every request has an id: in the answer, in the log, in the audit trail."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase

from memoryapp.domain.guards import holds_secret

_SAFE = re.compile(r"[A-Za-z0-9._:-]{1,64}")


class RequestIdMiddleware:
    """Sets `request.request_id`: the caller's `X-Request-Id` when it is 1–64 safe characters and no secret, else a new UUID hex."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        given = request.headers.get("X-Request-Id", "")
        request_id = given if _SAFE.fullmatch(given) and not holds_secret(given) else uuid.uuid4().hex
        request.request_id = request_id  # type: ignore[attr-defined]
        response = self.get_response(request)
        response.headers["X-Request-Id"] = request_id
        return response
