"""The embedded servers of one data folder: started by one owner at a time, found by every other command.

Importable before Django's settings, which need the URLs found here.

| file in the data folder | holds |
|---|---|
| `lock` | held (flock) by the command that runs the servers |
| `running.json` | who holds the lock: pid, command, address, since when |
| `services.json` | the URLs, for other commands; readable by the owner only |
| `credentials.json` | the generated passwords; readable by the owner only |
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memoryapp import children, database_roles, embedded_postgres, embedded_valkey
from memoryapp.children import Command, Starter
from memoryapp.embedded_home import EmbeddedError, Home, find_home, make_data_folder


@dataclass(frozen=True, slots=True)
class ServiceUrls:
    """Where the embedded servers answer; an empty one is configured elsewhere and not run here."""

    database_url: str = field(default="", repr=False)
    database_owner_url: str = field(default="", repr=False)
    database_superuser_url: str = field(default="", repr=False)
    database_dump_url: str = field(default="", repr=False)
    broker_url: str = ""
    cache_url: str = ""

    def environment(self) -> dict[str, str]:
        """The variables that the application reads. Those of the superuser and of dumps are not among them."""
        names = ("database_url", "database_owner_url", "broker_url", "cache_url")
        urls = asdict(self)
        return {name.upper(): urls[name] for name in names if urls[name]}


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which URLs are to be served here; False where one points to a real server. `durable=False` is for test runs."""

    database: bool = True
    broker: bool = True
    cache: bool = True
    durable: bool = True

    @property
    def anything(self) -> bool:
        return self.database or self.broker or self.cache


@dataclass(frozen=True, slots=True)
class Holder:
    """The command that runs the servers of a data folder; `address` is empty when it serves no pages."""

    pid: int
    command: str
    address: str
    started_at: str

    def __str__(self) -> str:
        place = f"at {self.address}" if self.address else f"as `{self.command}`"
        return f"already running {place} (pid {self.pid}, since {self.started_at})"


class AlreadyRunning(EmbeddedError):
    def __init__(self, data: Path, holder: Holder | None) -> None:
        who = str(holder) if holder else "already in use by another command"
        super().__init__(f"{data}: {who}. Stop that one, or choose another --data-dir and --port.")
        self.holder = holder


@dataclass(frozen=True, slots=True)
class Prepared:
    """Everything on disk is ready; nothing runs yet."""

    home: Home
    postgres: embedded_postgres.PostgresServer | None
    valkey: embedded_valkey.ValkeyServer | None
    urls: ServiceUrls

    @property
    def notices(self) -> tuple[str, ...]:
        servers = [server for server in (self.postgres, self.valkey) if server is not None]
        return self.home.notices + tuple(notice for server in servers for notice in server.notices)


def prepare(data: Path, wanted: Wanted) -> Prepared:
    """Make folders, passwords and the empty database. The caller holds the lock. Raises EmbeddedError."""
    home, postgres, valkey = find_home(data), None, None
    urls: dict[str, str] = {}
    if wanted.database:
        postgres = embedded_postgres.prepare(home, _credentials(home), durable=wanted.durable)
        urls |= _database_urls(postgres)
    if wanted.broker or wanted.cache:
        valkey = embedded_valkey.prepare(home)
        urls["broker_url"] = valkey.broker_url() if wanted.broker else ""
        urls["cache_url"] = valkey.cache_url() if wanted.cache else ""
    return Prepared(home, postgres, valkey, ServiceUrls(**urls))


def launch(prepared: Prepared, start: Starter) -> None:
    """Start the servers with `start`, which owns them from then on, and return when both answer."""
    if prepared.postgres is not None:
        database = start(prepared.postgres.command())
        embedded_postgres.bootstrap(prepared.postgres, lambda: database.poll() is None)
    if prepared.valkey is not None:
        broker = start(prepared.valkey.command())
        embedded_valkey.wait_until_ready(prepared.valkey, lambda: broker.poll() is None)


@contextmanager
def embedded_services(data_dir: Path, command: str, wanted: Wanted | None = None) -> Iterator[ServiceUrls]:
    """Run the servers for the length of the block, as children of this process; their lines go to `services.log`.

    Raises AlreadyRunning when another process runs them, EmbeddedError when they cannot start.
    """
    data = make_data_folder(data_dir)
    with ExitStack() as stack:
        stack.enter_context(folder_lock(data, command))
        prepared = prepare(data, wanted or Wanted())
        descriptor = os.open(data / "services.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        log = stack.enter_context(open(descriptor, "ab"))

        def start(one: Command) -> subprocess.Popen[bytes]:
            child = children.spawn(one, log)
            stack.callback(children.stop, child, one)
            return child

        launch(prepared, start)
        stack.enter_context(published(data, prepared.urls))
        yield prepared.urls


@contextmanager
def folder_lock(data: Path, command: str, address: str = "") -> Iterator[None]:
    """Hold the data folder. Raises AlreadyRunning, naming the holder. The kernel frees the lock however we end."""
    with open(os.open(data / "lock", os.O_RDWR | os.O_CREAT, 0o600), "rb") as file:
        if not _locked(file.fileno(), fcntl.LOCK_EX, seconds=1):
            raise AlreadyRunning(data, _holder(data))
        holder = Holder(os.getpid(), command, address, datetime.now(UTC).isoformat(timespec="seconds"))
        write_private(data / "running.json", asdict(holder))
        try:
            yield
        finally:
            (data / "running.json").unlink(missing_ok=True)


@contextmanager
def published(data: Path, urls: ServiceUrls) -> Iterator[None]:
    """Tell other commands the URLs for the length of the block."""
    write_private(data / "services.json", asdict(urls))
    try:
        yield
    finally:
        (data / "services.json").unlink(missing_ok=True)


def running_services(data_dir: Path, *, wait_seconds: float = 0) -> ServiceUrls | None:
    """The URLs of the servers that another process runs for this folder; None when nobody does.

    `wait_seconds` is how long to wait for a holder that is still starting. Raises AlreadyRunning after that.
    """
    data = data_dir.expanduser().resolve()
    deadline = time.monotonic() + wait_seconds
    while _is_held(data):
        try:
            return ServiceUrls(**json.loads((data / "services.json").read_text(encoding="utf-8")))
        except FileNotFoundError:
            if time.monotonic() > deadline:
                raise AlreadyRunning(data, _holder(data)) from None
            time.sleep(0.1)
    return None


def running_address(data_dir: Path) -> str:
    """Where the `up` that holds this folder serves its pages; empty when none does."""
    data = data_dir.expanduser().resolve()
    holder = _holder(data) if _is_held(data) else None
    return holder.address if holder else ""


def is_home(data: Path) -> bool:
    """Whether a database of Memoryapp was made here, or is being made just now."""
    return (data / "credentials.json").exists() or _is_held(data)


def _database_urls(server: embedded_postgres.PostgresServer) -> dict[str, str]:
    return {
        "database_url": server.url(database_roles.APP),
        "database_owner_url": server.url(database_roles.OWNER),
        "database_dump_url": server.url(database_roles.DUMP),
        "database_superuser_url": server.url(embedded_postgres.SUPERUSER),
    }


def write_private(path: Path, value: dict[str, Any]) -> None:
    """Write JSON readable by the owner only, whole or not at all."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(value, file, ensure_ascii=False, indent=1)
    draft.replace(path)


def _is_held(data: Path) -> bool:
    try:
        descriptor = os.open(data / "lock", os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        return not _locked(descriptor, fcntl.LOCK_SH, seconds=0)
    finally:
        os.close(descriptor)


def _locked(descriptor: int, kind: int, seconds: float) -> bool:
    """Take the lock, trying for some time: another command that only looks holds it for a moment."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return False
            time.sleep(0.05)
        else:
            return True


def _holder(data: Path) -> Holder | None:
    try:
        return Holder(**json.loads((data / "running.json").read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None


def _credentials(home: Home) -> embedded_postgres.Credentials:
    path = home.data / "credentials.json"
    try:
        return embedded_postgres.Credentials(**json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        if home.postgres.exists():
            raise EmbeddedError(
                f"{path} is missing, and with it the passwords of the database in {home.postgres}. Restore the file "
                f"from a backup, or move {home.postgres} away to start with an empty database."
            ) from None
    except (ValueError, TypeError) as error:
        raise EmbeddedError(f"{path} is damaged. Restore the file from a backup.") from error
    made = embedded_postgres.Credentials(*(secrets.token_urlsafe(24) for _ in range(4)))
    write_private(path, asdict(made))
    return made
