"""What gunicorn cannot read is refused in the API's own shape, and not quoted."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from gunicorn.http.errors import InvalidResponseHeader

from memoryapp.api.problems import PROBLEMS
from memoryapp.web_worker import LONGEST_LINE, TITLES, problem_of

APPLICATION = """
def application(environ, start_response):
    start_response("200 OK", [("Content-Length", "2")])
    return [b"ok"]
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """A gunicorn with our worker and an application that says ok; its socket and its log."""
    folder = tmp_path_factory.mktemp("web")
    (folder / "plain.py").write_text(APPLICATION)
    bind, log = str(folder / "s"), folder / "log"
    argv = [sys.executable, "-m", "gunicorn", "plain:application", "--chdir", str(folder), "--bind", f"unix:{bind}"]
    argv += ["--worker-class", "memoryapp.web_worker.ProblemWorker", "--limit-request-line", str(LONGEST_LINE)]
    with log.open("wb") as out, subprocess.Popen([*argv, "--no-control-socket"], stderr=out, stdout=out) as process:
        deadline = time.monotonic() + 60
        while not Path(bind).exists():
            assert process.poll() is None and time.monotonic() < deadline, log.read_text()
            time.sleep(0.05)
        yield bind, log
        process.terminate()


def sent(bind: str, request: bytes) -> tuple[int, dict[str, str], bytes]:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(30)
        connection.connect(bind)
        connection.sendall(request)
        answer = b""
        while chunk := connection.recv(65_536):
            answer += chunk
    head, _, body = answer.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines)
    return int(first.split()[1]), headers, body


END = b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"


@pytest.mark.parametrize(
    ("request_bytes", "status", "code"),
    [
        (b"GET /" + b"a" * 9_000 + END, 414, "uri_too_long"),
        (b"GET / HTTP/1.1\r\nHost: x\r\n" + b"X-Long: " + b"a" * 9_000 + b"\r\n\r\n", 431, "headers_too_large"),
        (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: mallard\r\n\r\n", 400, "invalid"),
        (b"mallard\r\n\r\n", 400, "invalid"),
        (b"GET / HTTP/1.1\r\nmallard name: 1\r\n\r\n", 400, "invalid"),
    ],
    ids=["line", "header", "length", "no HTTP", "name"],
)
def test_what_cannot_be_read_is_a_problem_document(
    server: tuple[str, Path], request_bytes: bytes, status: int, code: str
) -> None:
    answered, headers, body = sent(server[0], request_bytes)
    problem = json.loads(body)
    assert (answered, problem["status"], problem["code"]) == (status, status, code)
    assert headers["content-type"] == "application/problem+json"
    assert headers["connection"] == "close"
    assert b"mallard" not in body
    assert "mallard" not in server[1].read_text()


def test_a_long_address_still_fits(server: tuple[str, Path]) -> None:
    assert sent(server[0], b"GET /?q=" + b"a" * 8_000 + END)[0] == 200


def test_the_server_goes_on_after_a_refusal(server: tuple[str, Path]) -> None:
    sent(server[0], b"mallard\r\n\r\n")
    assert sent(server[0], b"GET /" + END)[2] == b"ok"


def test_a_header_that_the_application_spoilt_is_not_the_clients_fault() -> None:
    assert problem_of(InvalidResponseHeader("X"))[0] == 500


def test_the_titles_are_those_of_the_table() -> None:
    assert all(PROBLEMS[code][1] == title for code, title in TITLES.items())
