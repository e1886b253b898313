"""`manage.py up`: services, migrations, web, worker and beat as children of one command, in one log.

Start: lock, port, services, migrations (which begin with the system checks), tombstones that a restored database lacks,
then web, worker and beat until `/readyz` answers.
Stop (Ctrl-C, SIGTERM, SIGHUP): web, beat, worker, Valkey, PostgreSQL. A child that dies is started again.
"""

from __future__ import annotations

import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import IO, Any

import psycopg

from memoryapp import children, embedded
from memoryapp.child_log import ChildLog
from memoryapp.children import Command
from memoryapp.embedded import Wanted
from memoryapp.embedded_home import EmbeddedError, make_data_folder
from memoryapp.environment import Environment
from memoryapp.web_worker import LONGEST_LINE

PROJECT = Path(__file__).resolve().parent.parent
STOP_ORDER = ("web", "beat", "worker", "valkey", "postgres")
WITH_GRANDCHILDREN = ("web", "beat", "worker")
LONGEST_PAUSE = 15.0
"""Seconds between two starts of a child that keeps dying."""
STEADY_AFTER = 20.0
"""Seconds after which a child counts as running well, so that its next death is met with the shortest pause."""


@dataclass(frozen=True, slots=True)
class UpOptions:
    data_dir: Path
    host: str = "127.0.0.1"
    port: int = 8000
    web_workers: int = 2
    demo: bool = False
    summary: Path | None = None
    wanted: Wanted = field(default_factory=Wanted)

    @property
    def address(self) -> str:
        host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(self.host, self.host)
        return f"http://{host}:{self.port}"


@dataclass(slots=True)
class Watched:
    """A child and its latest start; `not_before` is when it may be started again."""

    command: Command
    child: subprocess.Popen[bytes]
    started: float
    deaths: int = 0
    not_before: float | None = None


@dataclass(slots=True)
class Family:
    """The children of this command, in the order they were started. Used from the main thread only."""

    log: ChildLog
    undertaker: IO[bytes]
    """Told of the sessions that may leave grandchildren; see memoryapp/undertaker.py."""
    members: dict[str, Watched] = field(default_factory=dict)

    def start(self, command: Command) -> subprocess.Popen[bytes]:
        child = self._spawn(command)
        self.members[command.name] = Watched(command, child, time.monotonic())
        return child

    def revive(self) -> None:
        """Start the dead again, each after its pause."""
        for one in self.members.values():
            if one.not_before is None and one.child.poll() is not None:
                self._note_death(one)
            if one.not_before is not None and time.monotonic() >= one.not_before:
                one.child, one.started, one.not_before = self._spawn(one.command), time.monotonic(), None
                self.log.say(f"{one.command.name} started again (pid {one.child.pid})")

    def fallen(self) -> str | None:
        """The name of a child that is not running now."""
        return next((name for name, one in self.members.items() if one.child.poll() is not None), None)

    def stop(self) -> None:
        for name in STOP_ORDER:
            if name in self.members:
                one = self.members.pop(name)
                children.stop(one.child, one.command)
                self._report("-", one.command, one.child)
                self.log.say(f"{name} stopped")

    def kill(self) -> None:
        for one in self.members.values():
            children.kill_session(one.child)

    def _spawn(self, command: Command) -> subprocess.Popen[bytes]:
        child = children.spawn(command, subprocess.PIPE)
        self._report("+", command, child)
        self.log.follow(command.name, child)
        return child

    def _report(self, change: str, command: Command, child: subprocess.Popen[bytes]) -> None:
        if command.name in WITH_GRANDCHILDREN:
            with suppress(BrokenPipeError):  # somebody killed the undertaker; serving goes on without it
                self.undertaker.write(f"{change}{child.pid}\n".encode())

    def _note_death(self, one: Watched) -> None:
        children.kill_session(one.child)
        self._report("-", one.command, one.child)
        steady = time.monotonic() - one.started > STEADY_AFTER
        one.deaths = 1 if steady else one.deaths + 1
        pause = min(LONGEST_PAUSE, 0.25 * 2 ** (one.deaths - 1))
        one.not_before = time.monotonic() + pause
        self.log.say(f"{one.command.name} ended ({_ending(one.child.returncode)}); starting it again in {pause:.2g} s")


def run_up(options: UpOptions) -> None:
    """Run until stopped. Raises EmbeddedError, with what is wrong and how to mend it, when the start fails."""
    runner = _uv_parent()
    data = make_data_folder(options.data_dir)
    with ExitStack() as stack:
        stack.enter_context(embedded.folder_lock(data, "up", options.address))
        refuse_taken_port(options.host, options.port)
        log = stack.enter_context(ChildLog(data / "memoryapp.log"))
        family = Family(log, stack.enter_context(_undertaker()))
        stack.enter_context(_stopping_in_order(family))
        environment = _start_services(family, data, options, stack)
        _step(family, environment, data, "migrate", "migrate", "--no-input")
        _step(family, environment, data, "tombstones", "replay_tombstones")
        for command in application(options, environment, data):
            family.start(command)
        _wait_until_ready(family, options)
        _announce(family, environment, data, options)
        while runner in (None, os.getppid()):
            family.revive()
            time.sleep(0.1)


@contextmanager
def _undertaker() -> Iterator[IO[bytes]]:
    """Its input, which ends when we do. In a session of its own, so that Ctrl-C does not reach it."""
    argv = [sys.executable, "-I", str(PROJECT / "memoryapp" / "undertaker.py")]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, bufsize=0, start_new_session=True) as undertaker:
        assert undertaker.stdin is not None
        yield undertaker.stdin


def application(options: UpOptions, environment: dict[str, str], data: Path) -> tuple[Command, ...]:
    """Web, worker and beat. On our death they get the quick signal: rows are the queue, nothing is lost."""
    python, cwd = (sys.executable, "-m"), Path.cwd()
    bind = f"[{options.host}]:{options.port}" if ":" in options.host else f"{options.host}:{options.port}"
    web = (*python, "gunicorn", "memoryapp.wsgi:application", "--bind", bind)
    kind = ("--worker-class", "memoryapp.web_worker.ProblemWorker", "--limit-request-line", str(LONGEST_LINE))
    threads = (*kind, "--threads", "8", "--workers", str(options.web_workers))
    limits = ("--graceful-timeout", "10", "--timeout", "60", "--log-level", "warning", "--no-control-socket")
    celery = (*python, "celery", "--quiet", "-A", "memoryapp")
    worker = (*celery, "worker", "--concurrency", "2", "--pool", "prefork", "--loglevel", "INFO", "--without-mingle")
    beat = (*celery, "beat", "--loglevel", "WARNING", "--schedule", str(data / "beat-schedule"), "--pidfile=")
    quick = signal.SIGQUIT
    return (
        Command("web", web + threads + limits, environment, cwd, death_signal=quick, patience=15),
        Command("worker", worker, environment, cwd, death_signal=quick, patience=15),
        Command("beat", beat, environment, cwd),
    )


def refuse_taken_port(host: str, port: int) -> None:
    """Raises EmbeddedError when the address cannot be listened on."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise EmbeddedError(
                f"Port {port} on {host} cannot be used ({error.strerror}). Nothing was started. "
                f"Choose another: uv run manage.py up --port {port + 1 if port < 65535 else 8000}"
            ) from error


def _start_services(family: Family, data: Path, options: UpOptions, stack: ExitStack) -> dict[str, str]:
    """The environment of the application's children, with the services running."""
    prepared = embedded.prepare(data, options.wanted)
    for notice in prepared.notices:
        family.log.say(notice)
    embedded.launch(prepared, family.start)
    stack.enter_context(embedded.published(data, prepared.urls))
    paths = os.pathsep.join(filter(None, [str(PROJECT), os.environ.get("PYTHONPATH", "")]))
    ours = {"DATA_DIR": str(data), "PYTHONPATH": paths, "PYTHONUNBUFFERED": "1"}
    return {**os.environ, **prepared.urls.environment(), **ours, "DJANGO_SETTINGS_MODULE": "memoryapp.settings"}


def _step(family: Family, environment: dict[str, str], data: Path, name: str, *arguments: str) -> None:
    """Run a management command to its end, its lines in the log. Raises EmbeddedError when it fails."""
    argv = (sys.executable, str(PROJECT / "manage.py"), *arguments)
    command = Command(name, argv, environment, Path.cwd())
    child = children.spawn(command, subprocess.PIPE)
    family.log.follow(name, child)
    try:
        child.wait()
    finally:
        children.kill_session(child)
        family.log.drain(name)
    if child.returncode != 0:
        where = data / "memoryapp.log"
        raise EmbeddedError(f"`manage.py {arguments[0]}` failed ({_ending(child.returncode)}); see above or {where}")


def _wait_until_ready(family: Family, options: UpOptions, seconds: float = 90) -> None:
    deadline = time.monotonic() + seconds
    answer = "no answer"
    while time.monotonic() < deadline:
        fallen = family.fallen()
        if fallen is not None:
            raise EmbeddedError(f"{fallen} ended while it was starting; its lines in the log say why.")
        answer = _readiness(f"{options.address}/readyz")
        if answer == "200":
            return
        time.sleep(0.1)
    raise EmbeddedError(f"{options.address}/readyz was not ready within {seconds:.0f} s ({answer}).")


def _readiness(url: str) -> str:
    """The status of the readiness page as text, or why there is none."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=5) as response:
            return str(response.status)
    except urllib.error.HTTPError as error:
        return str(error.code)
    except OSError as error:
        return str(error)


def _announce(family: Family, environment: dict[str, str], data: Path, options: UpOptions) -> None:
    """Print where it runs and, once, the demo's logins; these go to the terminal and the summary, never to the log."""
    summary: dict[str, Any] = {"address": options.address}
    if options.demo:
        summary |= _demo(family, environment, data, options.address)
    if options.summary is not None:
        embedded.write_private(options.summary, summary)
    family.log.say(f"ready at {options.address} (stop with Ctrl-C)")
    for line in _logins(summary) if options.demo else _first_steps(environment, data):
        print(line, flush=True)


def _demo(family: Family, environment: dict[str, str], data: Path, address: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(dir=data, prefix="demo-") as folder:
        out = Path(folder) / "summary.json"
        _step(family, environment, data, "demo", "demo", "--address", address, "--summary-out", str(out))
        told: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
        return told


def _first_steps(environment: dict[str, str], data: Path) -> Iterator[str]:
    """How to go on while nobody can log in yet."""
    with psycopg.connect(environment.get("DATABASE_URL") or str(Environment().database_url)) as connection:
        if connection.execute("SELECT FROM accounts_tenant LIMIT 1").fetchone() is not None:
            return
    manage = f"DATA_DIR={shlex.quote(str(data))} uv run manage.py"
    yield "  There is no tenant yet, and nobody who can log in. Make one with its first API key, then invite people:"
    yield f"  {manage} create_tenant NAME"
    yield f"  {manage} invite EMAIL --tenant NAME --role member --user-id ID"


def _logins(summary: dict[str, Any]) -> Iterator[str]:
    yield f"  tenant      {summary['tenant']}"
    for user in summary.get("users", []):
        password = user.get("password") or "(as shown before)"
        yield f"  {user['role']:<11} {user['language']:<8} {user['email']}  {password}"
    if summary.get("api_key"):
        yield f"  API key     {summary['api_key']}"


@contextmanager
def _stopping_in_order(family: Family) -> Iterator[None]:
    """Stop signals end the block; the children are then stopped in order, and a second signal kills them.

    A hang-up that was ignored when we were started stays ignored: that is what `nohup` asks for.
    """

    def end(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt(signal.Signals(number).name)

    def kill(number: int, frame: FrameType | None) -> None:
        family.kill()

    hang_up = () if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN else (signal.SIGHUP,)
    signals = (signal.SIGINT, signal.SIGTERM, *hang_up)
    former = {one: signal.signal(one, end) for one in signals}
    try:
        yield
    except KeyboardInterrupt as stop:
        family.log.say(f"stopping ({stop})")
    finally:
        for one in signals:
            signal.signal(one, kill)
        family.stop()
        for one, handler in former.items():
            signal.signal(one, handler)


def _uv_parent() -> int | None:
    """The pid of the `uv run` that started us: when it is killed we end too. A shell may go, people use nohup."""
    parent = os.getppid()
    try:
        name = Path(f"/proc/{parent}/comm").read_text(encoding="utf-8").strip()
    except OSError:
        return None
    return parent if name == "uv" else None


def _ending(code: int | None) -> str:
    if code is not None and code < 0:
        return signal.Signals(-code).name
    return f"exit {code}"
