"""The lines of all children, each with its child's name, on the terminal and in one file of bounded size."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType

FILE_BYTES = 10_000_000
OLD_FILES = 3


class ChildLog:
    """Follow children from threads; `say` adds a line of our own. Lines already carry their own times."""

    def __init__(self, path: Path) -> None:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
        self._handlers: tuple[logging.Handler, ...] = (
            logging.StreamHandler(sys.stdout),
            RotatingFileHandler(path, maxBytes=FILE_BYTES, backupCount=OLD_FILES, encoding="utf-8"),
        )
        self._followers: dict[str, threading.Thread] = {}

    def __enter__(self) -> ChildLog:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        for follower in self._followers.values():
            follower.join(timeout=2)
        for handler in self._handlers:
            handler.flush()
        self._handlers[1].close()

    def say(self, text: str) -> None:
        self._write("up", text)

    def follow(self, name: str, child: subprocess.Popen[bytes]) -> None:
        """Copy the child's lines until it closes its output."""
        follower = threading.Thread(target=self._copy, args=(name, child), name=f"log-{name}", daemon=True)
        self._followers[name] = follower
        follower.start()

    def drain(self, name: str) -> None:
        """Wait until the last lines of a child that has ended are written."""
        self._followers[name].join(timeout=5)

    def _copy(self, name: str, child: subprocess.Popen[bytes]) -> None:
        assert child.stdout is not None
        with child.stdout as lines:
            for line in lines:
                self._write(name, line.decode("utf-8", "replace").rstrip())

    def _write(self, name: str, text: str) -> None:
        record = logging.LogRecord("memoryapp.up", logging.INFO, "", 0, f"{name:<8} | {text}", None, None)
        for handler in self._handlers:
            handler.handle(record)
