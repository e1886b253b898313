"""Every request has an id: in the answer, in the log, in the audit trail. And what only pages need stands apart."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Sequence
from typing import Any, cast

from django.conf import settings
from django.core.handlers.exception import convert_exception_to_response
from django.http import HttpRequest, HttpResponseBase
from django.utils.module_loading import import_string

from memoryapp.domain.guards import holds_secret

Answer = Callable[[HttpRequest], HttpResponseBase]
_SAFE = re.compile(r"[A-Za-z0-9._:-]{1,64}")


class RequestIdMiddleware:
    """Sets `request.request_id`: the caller's `X-Request-Id` when it is 1–64 safe characters and no secret, else a new UUID hex."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        given = request.headers.get("X-Request-Id", "")
        request_id = given if _SAFE.fullmatch(given) and not holds_secret(given) else uuid.uuid4().hex
        request.request_id = request_id  # type: ignore[attr-defined]
        response = self.get_response(request)
        response.headers["X-Request-Id"] = request_id
        return response


class PagesApart:
    """Pages go through PAGE_MIDDLEWARE and calls of the API through CALL_MIDDLEWARE.

    A call has its key in a header: no session, no form that somebody could forge, no message to show.
    """

    def __init__(self, get_response: Answer) -> None:
        self.views: list[Callable[..., HttpResponseBase | None]] = []
        self.page = self._through(settings.PAGE_MIDDLEWARE, get_response)
        self.call = self._through(settings.CALL_MIDDLEWARE, get_response)

    def _through(self, paths: Sequence[str], answer: Answer) -> Answer:
        for path in reversed(paths):
            part: Any = import_string(path)(answer)
            answer = cast(Answer, convert_exception_to_response(part))
            self.views = [*([part.process_view] if hasattr(part, "process_view") else []), *self.views]
        return answer

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.call(request) if _is_call(request) else self.page(request)

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: Any) -> HttpResponseBase | None:
        """Before a page's view: Django asks only those that it knows."""
        if _is_call(request):
            return None
        answers = (asked(request, view, args, kwargs) for asked in self.views)
        return next((answer for answer in answers if answer is not None), None)


API = "/api/"
DOCUMENTATION = "/api/v1/docs"
"""The one page under it."""


def _is_call(request: HttpRequest) -> bool:
    return request.path_info.startswith(API) and request.path_info != DOCUMENTATION
