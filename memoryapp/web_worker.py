"""gunicorn's thread worker, answering what it cannot read as the API answers everything else it refuses."""

from __future__ import annotations

import json
import logging
import socket
import traceback
from http import HTTPStatus

from gunicorn.http import errors
from gunicorn.util import write_nonblock
from gunicorn.workers.gthread import ThreadWorker

LONGEST_LINE = 8_190
"""Bytes of a request line; gunicorn takes no greater limit."""

_TOO_LONG: tuple[tuple[type[Exception], str, HTTPStatus, str], ...] = (
    (
        errors.LimitRequestLine,
        "uri_too_long",
        HTTPStatus.REQUEST_URI_TOO_LONG,
        f"An address may have {LONGEST_LINE:,} bytes. Send filters in a body.",
    ),
    (
        errors.LimitRequestHeaders,
        "headers_too_large",
        HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
        "A request may have 100 headers of 8,190 bytes each.",
    ),
)
TITLES = {
    "invalid": "The request cannot be read",
    "uri_too_long": "The address is too long",
    "headers_too_large": "The headers are too large",
    "internal_error": "Something went wrong here",
}
"""As the table of `memoryapp.api.problems` has them, which is not loaded yet when a worker starts; a test compares."""
log = logging.getLogger("memoryapp.web")


def problem_of(error: Exception) -> tuple[HTTPStatus, str, str]:
    """Status, code and detail of what stopped a request before the application saw it."""
    for kind, code, status, detail in _TOO_LONG:
        if isinstance(error, kind):
            return status, code, detail
    ours = isinstance(error, errors.InvalidResponseHeader | errors.InvalidResponseHeaderName)
    if isinstance(error, errors.ParseException) and not ours:
        return HTTPStatus.BAD_REQUEST, "invalid", "The request line or a header is not HTTP that can be read."
    return HTTPStatus.INTERNAL_SERVER_ERROR, "internal_error", "The failure was logged."


def answer_to(error: Exception) -> bytes:
    """The whole HTTP answer; the connection ends with it, because where the next request begins is not known."""
    status, code, detail = problem_of(error)
    body: dict[str, object] = {"type": f"urn:memoryapp:problem:{code}", "title": TITLES[code], "status": status.value}
    body |= {"detail": detail, "code": code, "errors": []}
    text = json.dumps(body).encode()
    head = (
        f"HTTP/1.1 {status.value} {status.phrase}\r\nConnection: close\r\n"
        f"Content-Type: application/problem+json\r\nContent-Length: {len(text)}\r\n\r\n"
    )
    return head.encode("ascii") + text


class ProblemWorker(ThreadWorker):  # type: ignore[misc]
    """`gthread` whose own errors are problem documents; what was sent is not quoted in answer or log."""

    def handle_error(self, req: object, client: socket.socket, addr: object, exc: Exception) -> None:
        if problem_of(exc)[0] is HTTPStatus.INTERNAL_SERVER_ERROR:
            log.error("unexpected %s\n%s", type(exc).__name__, "".join(traceback.format_tb(exc.__traceback__)))
        else:
            log.warning("refused before it was read: %s", type(exc).__name__)
        try:
            write_nonblock(client, answer_to(exc))
        except OSError:
            log.debug("nobody waits for the answer")
