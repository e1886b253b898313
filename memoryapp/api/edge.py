"""What holds for every request under /api/: a bound on the body, one error shape, numbers for the operator."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from contextlib import suppress
from io import BytesIO
from typing import Any

import orjson
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from rest_framework.exceptions import ParseError
from rest_framework.metadata import BaseMetadata
from rest_framework.parsers import JSONParser
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from accounts.actor import Actor
from memoryapp.api.problems import code_of_status, plain_problem
from memoryapp.domain.errors import DomainError
from memoryapp.services import counters, rate_limits

JSON = ("application/problem+json", "application/json")


class ApiEdgeMiddleware:
    """Stands inside the request id, so that a refusal here carries it too."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not request.path_info.startswith("/api/"):
            return self.get_response(request)
        started = time.monotonic()
        response = self._refused(request) or self._shaped(self.get_response(request))
        counters.request_done(_route(request), request.method or "", response.status_code, time.monotonic() - started)
        return _closed(response)

    def _refused(self, request: HttpRequest) -> HttpResponseBase | None:
        """Too much, or an unknown amount, is refused before anything is read."""
        length = request.META.get("CONTENT_LENGTH") or ""
        if length.isdigit() and int(length) > settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
            return plain_problem("too_large")
        if not length and request.META.get("HTTP_TRANSFER_ENCODING"):
            return plain_problem("length_required", "This server reads no chunks: a body needs its `Content-Length`.")
        return None

    def _shaped(self, response: HttpResponseBase) -> HttpResponseBase:
        """Errors that Django answered by itself get the one error shape."""
        if response.status_code < 400 or response.headers.get("Content-Type", "").startswith(JSON):
            return response
        shaped = plain_problem(code_of_status(response.status_code))
        for name in ("Allow", "Retry-After"):
            if name in response.headers:
                shaped.headers[name] = response.headers[name]
        return shaped


def _closed(response: HttpResponseBase) -> HttpResponseBase:
    """An answer that no page may frame or run anything of, and that says its length."""
    response.headers.setdefault("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
    response.headers.setdefault("X-Frame-Options", "DENY")
    if isinstance(response, HttpResponse) and not response.has_header("Content-Length"):
        response.headers["Content-Length"] = str(len(response.content))
    return response


def _route(request: HttpRequest) -> str:
    """The pattern that matched, never the address itself: it holds ids."""
    match = request.resolver_match
    return match.route if match is not None else "unmatched"


_LONG_NUMBER = re.compile(rb"[0-9]{19}")


class BoundedJSONParser(JSONParser):
    """JSON whose nesting the reader survives; anything else is 400.

    Read by orjson; what it does not keep as it is (whole numbers beyond 64 bits) or refuses (lone surrogates) by the
    standard library.
    """

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        if (parser_context or {}).get("encoding", "utf-8").lower() != "utf-8":
            return self._plainly(stream, media_type, parser_context)
        body = stream.read()
        if not _LONG_NUMBER.search(body):
            with suppress(orjson.JSONDecodeError):
                return orjson.loads(body)
        return self._plainly(BytesIO(body), media_type, parser_context)

    def _plainly(self, stream: Any, media_type: Any, parser_context: Any) -> Any:
        try:
            return super().parse(stream, media_type, parser_context)
        except RecursionError as error:
            raise ParseError from error


class QuickJSONRenderer(JSONRenderer):
    """JSON by orjson; what it refuses (whole numbers beyond 64 bits, in metadata) by the standard library."""

    def render(self, data: Any, accepted_media_type: Any = None, renderer_context: Any = None) -> bytes:
        if data is None:
            return b""
        try:
            return orjson.dumps(data, option=orjson.OPT_UTC_Z)
        except TypeError:
            return bytes(super().render(data, accepted_media_type, renderer_context))


class KeyThrottle(BaseThrottle):
    """A token bucket per key; raises `rate_limited` with `retry_after`."""

    def allow_request(self, request: Request, view: Any) -> bool:
        actor = request.auth
        wait = rate_limits.seconds_to_wait(actor.ref) if isinstance(actor, Actor) else 0
        if wait:
            raise DomainError("rate_limited", f"Try again in {wait} s.", {"retry_after": wait})
        return True


class Methods(BaseMetadata):
    """OPTIONS: the methods of an address."""

    def determine_metadata(self, request: Request, view: Any) -> dict[str, object]:
        return {"methods": view.allowed_methods}
