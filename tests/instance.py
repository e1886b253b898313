"""A running `manage.py up` for tests, with real processes, a real port and a data folder of its own."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from memoryapp.embedded_home import remove
from memoryapp.environment import Environment

PROJECT = Path(__file__).resolve().parent.parent


@contextmanager
def open_folder() -> Iterator[Path]:
    """A folder for data folders, which the servers' system user may enter; pytest's own are closed to others."""
    folder = Path(tempfile.mkdtemp(prefix="memoryapp-up-"))
    folder.chmod(0o711)
    try:
        yield folder
    finally:
        for instance in folder.iterdir():
            if instance.is_dir():
                remove(instance)
        shutil.rmtree(folder)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def plain_environment() -> dict[str, str]:
    """What a newcomer has: none of the settings of this test run."""
    names = {name.upper() for name in Environment.model_fields} | {"DJANGO_SETTINGS_MODULE", "DATABASE_SUPERUSER_URL"}
    return {name: value for name, value in os.environ.items() if name not in names}


def command(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, str(PROJECT / "manage.py"), *arguments]
    env = plain_environment() | environment
    return subprocess.run(argv, env=env, cwd=PROJECT, capture_output=True, text=True, timeout=120, check=False)


@contextmanager
def up(
    folder: Path, port: int, *more: str, prefix: tuple[str, ...] = (), **environment: str
) -> Iterator[subprocess.Popen[bytes]]:
    """A running instance that has said it is ready; killed at the end when the test did not stop it."""
    summary, log = folder.with_suffix(".json"), folder.with_suffix(".out")
    argv = [*prefix, sys.executable, str(PROJECT / "manage.py"), "up", "--port", str(port), "--data-dir", str(folder)]
    argv += ["--workers", "1", "--summary", str(summary), *more]
    with (
        log.open("wb") as out,
        subprocess.Popen(argv, env=plain_environment() | environment, cwd=PROJECT, stdout=out, stderr=out) as child,
    ):
        wait_for(lambda: summary.exists() or child.poll() is not None, 120)
        assert child.poll() is None, log.read_text()
        try:
            yield child
        finally:
            family = psutil.Process(child.pid).children(recursive=True) if child.poll() is None else []
            child.kill()
            psutil.wait_procs(family, timeout=20)


def wait_for(condition: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "did not happen in time"
        time.sleep(0.1)


def ready(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5) as response:
            return int(response.status) == 200
    except OSError:
        return False


def family_of(pid: int) -> dict[str, psutil.Process]:
    """Direct children by what they are: postgres, valkey-server, gunicorn, worker, beat."""
    known = ("postgres", "valkey-server", "gunicorn", "worker", "beat")
    found = {}
    for child in psutil.Process(pid).children():
        words = _words_of(child)
        found.update({name: child for name in known if name in words})
    return found


def _words_of(child: psutil.Process) -> set[str]:
    """The program's name and its arguments, without their folders; nothing when it has just ended."""
    try:
        return {child.name(), *(Path(word).name for word in child.cmdline())}
    except psutil.NoSuchProcess:
        return set()
