"""`manage.py up` as a person or a process supervisor meets it: real processes, real ports."""

from __future__ import annotations

import json
import signal
import stat
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import psutil
import pytest

from tests.instance import command, family_of, free_port, open_folder, ready, up, wait_for


@dataclass
class Running:
    """An instance of this file. `one` starts from an empty folder, `two` from one that `migrate` has filled."""

    process: subprocess.Popen[bytes]
    port: int


@pytest.fixture(scope="module")
def outer() -> Iterator[Path]:
    with open_folder() as folder:
        yield folder


@pytest.fixture(scope="module")
def doctor(outer: Path) -> subprocess.CompletedProcess[str]:
    """What the doctor says about a home without tables, for which it runs the services itself."""
    assert command("showmigrations", DATA_DIR=str(outer / "two")).returncode == 0
    return command("doctor", DATA_DIR=str(outer / "two"), LLM_BASE_URL="http://127.0.0.1:1/v1", LLM_MODEL="none")


@pytest.fixture(scope="module")
def migrated(outer: Path, doctor: subprocess.CompletedProcess[str]) -> subprocess.CompletedProcess[str]:
    return command("migrate", DATA_DIR=str(outer / "two"))


@pytest.fixture(scope="module")
def two(outer: Path, migrated: subprocess.CompletedProcess[str]) -> Iterator[Running]:
    port = free_port()
    with up(outer / "two", port, prefix=("nohup",)) as process:
        yield Running(process, port)


@pytest.fixture(scope="module")
def one(outer: Path) -> Iterator[Running]:
    port = free_port()
    with up(outer / "one", port) as process:
        yield Running(process, port)


def test_the_demo_is_refused_in_production(outer: Path) -> None:
    production = {
        "ENVIRONMENT": "production",
        "SECRET_KEY": "k" * 40,
        "PUBLIC_URL": "https://memory.example.org",
        "DATA_DIR": str(outer / "none"),
    }
    refused = command("up", "--demo", **production)
    assert refused.returncode == 1
    assert "--demo is refused" in refused.stderr
    assert not (outer / "none" / "postgres").exists()


def test_a_broken_data_folder_is_explained_without_a_traceback(outer: Path) -> None:
    (outer / "file").write_text("in the way")
    refused = command("up", "--data-dir", str(outer / "file"))
    assert refused.returncode == 1
    assert f"The data folder {outer / 'file'} cannot be used" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_the_doctor_names_each_problem_and_how_to_mend_it(doctor: subprocess.CompletedProcess[str]) -> None:
    assert doctor.returncode == 1, doctor.stderr
    lines = [" ".join(line.split()) for line in doctor.stdout.splitlines()]
    assert "ok roles memoryapp_app is bound by row-level security" in lines
    assert any(line.startswith("ok embedder") for line in lines)
    assert any(line.startswith("problem migrations") and "manage.py migrate" in line for line in lines)
    assert any(line.startswith("problem LLM") and "correct LLM_BASE_URL" in line for line in lines)


@pytest.mark.parametrize(
    "arguments",
    [("doctor",), ("invite", "a@b.example", "--tenant", "t"), ("dictionary", "show", "--tenant", "t")],
    ids=lambda arguments: arguments[0],
)
def test_a_command_in_a_folder_without_a_home_makes_none_and_asks_for_data_dir(
    outer: Path, arguments: tuple[str, ...]
) -> None:
    refused = command(*arguments, DATA_DIR=str(outer / "nowhere"))
    assert refused.returncode == 1
    assert refused.stderr.startswith(f"There is no home of Memoryapp in {outer / 'nowhere'}. Is DATA_DIR missing?")
    assert len(refused.stderr.splitlines()) == 1
    assert not (outer / "nowhere").exists()


def test_a_command_without_up_runs_the_services_for_itself(
    outer: Path, migrated: subprocess.CompletedProcess[str]
) -> None:
    assert migrated.returncode == 0, migrated.stderr
    assert not (outer / "two" / "services.json").exists()
    assert "DATABASE_URL=postgresql://memoryapp_app:<APP_PASSWORD>" in command("database_roles").stdout


def test_one_command_serves_and_refuses_a_second(outer: Path, one: Running) -> None:
    assert ready(one.port)
    assert json.loads((outer / "one.json").read_text())["address"] == f"http://127.0.0.1:{one.port}"
    assert stat.S_IMODE((outer / "one.json").stat().st_mode) == 0o600
    assert set(family_of(one.process.pid)) == {"postgres", "valkey-server", "gunicorn", "worker", "beat"}

    second = command("up", "--data-dir", str(outer / "one"), "--port", str(one.port))
    assert second.returncode == 1
    assert f"already running at http://127.0.0.1:{one.port} (pid {one.process.pid}" in second.stderr

    other = command("up", "--data-dir", str(outer / "third"), "--port", str(one.port))
    assert other.returncode == 1
    assert f"Port {one.port} on 127.0.0.1" in other.stderr
    assert "--port" in other.stderr
    assert not (outer / "third" / "postgres").exists()

    found = command("migrate", "--check", DATA_DIR=str(outer / "one"))
    assert found.returncode == 0, found.stderr


def test_the_doctor_finds_nothing_wrong_with_a_fresh_home_in_use(outer: Path, one: Running) -> None:
    said = (outer / "one.out").read_text()
    assert f"DATA_DIR={outer / 'one'} uv run manage.py create_tenant NAME" in said
    made = command("create_tenant", "acme", "--json", DATA_DIR=str(outer / "one"))
    key = json.loads(made.stdout)["api_key"]
    note = {"user_id": "lin", "content": "记住：以后都用 pnpm"}
    with httpx.Client(base_url=f"http://127.0.0.1:{one.port}", headers={"Authorization": f"Bearer {key}"}) as client:
        client.post("/api/v1/memories", json=note).raise_for_status()
    told = command("doctor", DATA_DIR=str(outer / "one"))
    assert told.returncode == 0, told.stdout + told.stderr
    assert stat.S_IMODE((outer / "one" / "keys").stat().st_mode) == 0o700


def test_an_invitation_beside_up_links_to_its_port(outer: Path, one: Running) -> None:
    command("create_tenant", "inviting", DATA_DIR=str(outer / "one"))
    told = command("invite", "a@example.org", "--tenant", "inviting", "--role", "owner", DATA_DIR=str(outer / "one"))
    assert f"http://127.0.0.1:{one.port}/invitation/" in told.stdout, told.stderr


def test_two_instances_run_side_by_side_and_killed_children_come_back(one: Running, two: Running) -> None:
    assert ready(one.port) and ready(two.port)
    before = family_of(one.process.pid)
    for name in ("postgres", "valkey-server", "worker", "gunicorn", "beat"):
        before[name].send_signal(signal.SIGKILL)
    wait_for(lambda: _all_replaced(before, family_of(one.process.pid)))
    wait_for(lambda: ready(one.port))
    assert ready(two.port)


def test_under_nohup_it_outlives_the_terminal(outer: Path, two: Running) -> None:
    two.process.send_signal(signal.SIGHUP)
    with pytest.raises(subprocess.TimeoutExpired):
        two.process.wait(1)
    assert ready(two.port)
    assert "stopping" not in (outer / "two" / "memoryapp.log").read_text()


def test_kill_9_of_the_command_leaves_nobody(two: Running) -> None:
    """Not even a worker that hangs, nor what it forked."""
    family = psutil.Process(two.process.pid).children(recursive=True)
    assert len(family) >= 5
    family_of(two.process.pid)["worker"].suspend()
    two.process.kill()
    _gone, alive = psutil.wait_procs(family, timeout=20)
    assert not alive


def test_a_stop_signal_stops_everything_in_order(outer: Path, one: Running) -> None:
    family = psutil.Process(one.process.pid).children(recursive=True)
    one.process.send_signal(signal.SIGTERM)
    assert one.process.wait(40) == 0
    assert not [child for child in family if child.is_running()]
    lines = (outer / "one" / "memoryapp.log").read_text().splitlines()
    assert any(line.endswith("| stopping (SIGTERM)") for line in lines)
    assert [line.split("| ")[1] for line in lines if line.endswith(" stopped")] == [
        f"{name} stopped" for name in ("web", "beat", "worker", "valkey", "postgres")
    ]


def _all_replaced(before: dict[str, psutil.Process], now: dict[str, psutil.Process]) -> bool:
    return set(now) == set(before) and all(now[name].pid != before[name].pid for name in before)
