"""`manage.py up` as a person or a process supervisor meets it: real processes, real ports."""

from __future__ import annotations

import json
import signal
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.instance import command, family_of, free_port, open_folder, ready, up, wait_for


@pytest.fixture
def outer() -> Iterator[Path]:
    with open_folder() as folder:
        yield folder


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
