"""`manage.py up` as a person or a process supervisor meets it: real processes, real ports."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from memoryapp.embedded_home import remove
from memoryapp.environment import Environment

PROJECT = Path(__file__).resolve().parent.parent


@pytest.fixture
def outer() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="memoryapp-up-"))
    folder.chmod(0o711)
    yield folder
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
def up(folder: Path, port: int, *more: str) -> Iterator[subprocess.Popen[bytes]]:
    """A running instance that has said it is ready; killed at the end when the test did not stop it."""
    summary, log = folder.with_suffix(".json"), folder.with_suffix(".out")
    argv = [sys.executable, str(PROJECT / "manage.py"), "up", "--port", str(port), "--data-dir", str(folder)]
    argv += ["--workers", "1", "--summary", str(summary), *more]
    with (
        log.open("wb") as out,
        subprocess.Popen(argv, env=plain_environment(), cwd=PROJECT, stdout=out, stderr=out) as child,
    ):
        wait_for(lambda: summary.exists() or child.poll() is not None, 120)
        assert child.poll() is None, log.read_text()
        try:
            yield child
        finally:
            family = psutil.Process(child.pid).children(recursive=True) if child.poll() is None else []
            child.kill()
            psutil.wait_procs(family, timeout=20)


def wait_for(condition: Callable[[], bool], seconds: float = 30) -> None:
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


def test_one_command_serves_refuses_a_second_and_stops_cleanly(outer: Path) -> None:
    port = free_port()
    with up(outer / "one", port) as running:
        assert ready(port)
        assert json.loads((outer / "one.json").read_text())["address"] == f"http://127.0.0.1:{port}"
        assert stat.S_IMODE((outer / "one.json").stat().st_mode) == 0o600
        assert set(family_of(running.pid)) == {"postgres", "valkey-server", "gunicorn", "worker", "beat"}

        second = command("up", "--data-dir", str(outer / "one"), "--port", str(port))
        assert second.returncode == 1
        assert f"already running at http://127.0.0.1:{port} (pid {running.pid}" in second.stderr

        other = command("up", "--data-dir", str(outer / "two"), "--port", str(port))
        assert other.returncode == 1
        assert f"Port {port} on 127.0.0.1" in other.stderr
        assert "--port" in other.stderr
        assert not (outer / "two" / "postgres").exists()

        found = command("migrate", "--check", DATA_DIR=str(outer / "one"))
        assert found.returncode == 0, found.stderr

        family = psutil.Process(running.pid).children(recursive=True)
        running.send_signal(signal.SIGTERM)
        assert running.wait(40) == 0
        assert not [one for one in family if one.is_running()]
    lines = (outer / "one" / "memoryapp.log").read_text().splitlines()
    assert [line.split("| ")[1] for line in lines if line.endswith(" stopped")] == [
        f"{name} stopped" for name in ("web", "beat", "worker", "valkey", "postgres")
    ]


def test_two_instances_run_side_by_side_and_killed_children_come_back(outer: Path) -> None:
    first, second = free_port(), free_port()
    with up(outer / "one", first) as one, up(outer / "two", second) as two:
        assert ready(first) and ready(second)
        before = family_of(one.pid)
        for name in ("postgres", "valkey-server", "worker", "gunicorn", "beat"):
            before[name].send_signal(signal.SIGKILL)
        wait_for(lambda: _all_replaced(before, family_of(one.pid)))
        wait_for(lambda: ready(first))
        assert ready(second)
        _assert_kill_9_leaves_nobody(two)


def test_the_demo_is_refused_in_production(outer: Path) -> None:
    production = {
        "ENVIRONMENT": "production",
        "SECRET_KEY": "k" * 40,
        "PUBLIC_URL": "https://memory.example.org",
        "DATA_DIR": str(outer / "one"),
    }
    refused = command("up", "--demo", **production)
    assert refused.returncode == 1
    assert "--demo is refused" in refused.stderr
    assert not (outer / "one" / "postgres").exists()


def test_a_broken_data_folder_is_explained_without_a_traceback(outer: Path) -> None:
    (outer / "file").write_text("in the way")
    refused = command("up", "--data-dir", str(outer / "file"))
    assert refused.returncode == 1
    assert f"The data folder {outer / 'file'} cannot be used" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_command_without_up_runs_the_services_for_itself(outer: Path) -> None:
    outcome = command("migrate", DATA_DIR=str(outer / "one"))
    assert outcome.returncode == 0, outcome.stderr
    assert not (outer / "one" / "services.json").exists()
    assert "DATABASE_URL=postgresql://memoryapp_app:<APP_PASSWORD>" in command("database_roles").stdout


def test_the_doctor_names_each_problem_and_how_to_mend_it(outer: Path) -> None:
    outcome = command("doctor", DATA_DIR=str(outer / "one"), LLM_BASE_URL="http://127.0.0.1:1/v1", LLM_MODEL="none")
    assert outcome.returncode == 1, outcome.stderr
    lines = [" ".join(line.split()) for line in outcome.stdout.splitlines()]
    assert "ok roles memoryapp_app is bound by row-level security" in lines
    assert any(line.startswith("ok embedder") for line in lines)
    assert any(line.startswith("problem migrations") and "manage.py migrate" in line for line in lines)
    assert any(line.startswith("problem LLM") and "correct LLM_BASE_URL" in line for line in lines)


def _all_replaced(before: dict[str, psutil.Process], now: dict[str, psutil.Process]) -> bool:
    return set(now) == set(before) and all(now[name].pid != before[name].pid for name in before)


def _assert_kill_9_leaves_nobody(instance: subprocess.Popen[bytes]) -> None:
    """Not even a worker that hangs, nor what it forked."""
    family = psutil.Process(instance.pid).children(recursive=True)
    assert len(family) >= 5
    family_of(instance.pid)["worker"].suspend()
    instance.kill()
    _gone, alive = psutil.wait_procs(family, timeout=20)
    assert not alive
