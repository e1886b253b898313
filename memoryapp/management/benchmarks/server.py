"""The measured server: gunicorn with threads, one process, asked over persistent connections."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memoryapp import children
from memoryapp.children import Command


@dataclass(slots=True)
class Client:
    """One persistent connection to the server, with the key of the benchmark's tenant."""

    port: int
    key: str
    worker: int = 0
    """The process that answers."""
    connection: http.client.HTTPConnection = field(init=False)

    def __post_init__(self) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)

    def ask(
        self, method: str, path: str, body: Mapping[str, Any] | None = None, headers: Mapping[str, str] | None = None
    ) -> Any:
        """The JSON answer. Raises AssertionError when the server refuses."""
        sent = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json", **(headers or {})}
        self.connection.request(method, path, json.dumps(body) if body is not None else None, sent)
        response = self.connection.getresponse()
        text = response.read()
        if response.status >= 300:
            raise AssertionError(f"{method} {path}: {response.status} {text[:300]!r}")
        return json.loads(text)


@contextmanager
def serving(port: int, key: str, folder: Path) -> Iterator[Client]:
    """A client of a server that runs for the length of the block."""
    argv = (sys.executable, "-m", "gunicorn", "memoryapp.management.benchmarks.wsgi:application")
    threads = ("--bind", f"127.0.0.1:{port}", "--worker-class", "gthread", "--threads", "8", "--workers", "1")
    limits = ("--timeout", "120", "--keep-alive", "60", "--log-level", "warning", "--no-control-socket")
    command = Command("web", argv + threads + limits, dict(os.environ), Path.cwd())
    with open(folder / "web.log", "ab") as log:
        child = children.spawn(command, log)
        try:
            yield _ready(port, key, child)
        finally:
            children.stop(child, command)


def _ready(port: int, key: str, child: subprocess.Popen[bytes]) -> Client:
    end = time.monotonic() + 60
    while time.monotonic() < end and child.poll() is None:
        client = Client(port, key)
        try:
            client.ask("GET", "/livez")
        except (OSError, http.client.HTTPException):
            time.sleep(0.2)
        else:
            client.worker = _first_child(child.pid)
            return client
    raise RuntimeError("the measured server did not start; see web.log in the benchmark's folder")


def _first_child(pid: int) -> int:
    return int(Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()[0])
