"""The test run's own servers and databases.

The controller starts PostgreSQL and Valkey before Django's settings load, and gives every worker URLs of its own through
the environment, so that child processes of a test see the same database as the test. The first worker that needs a
database migrates the template as its owner; every worker then gets a clone. Tests connect as the application's role.
"""

from __future__ import annotations

import atexit
import fcntl
import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, replace
from pathlib import Path

import psycopg
from django.core.management import call_command
from django.db import connections
from psycopg import sql

from memoryapp.database_roles import DATABASE, OWNER
from memoryapp.embedded import ServiceUrls, Wanted, embedded_services, write_private
from memoryapp.embedded_home import make_data_folder, remove
from memoryapp.environment import Environment

RUN_FOLDER = "MEMORYAPP_TEST_RUN"
"""Names the folder of this run, for the workers."""


def boot() -> None:
    """Put this worker's settings into the environment, starting the servers in the controller."""
    Environment.model_config["env_file"] = None
    if "PYTEST_XDIST_WORKER" not in os.environ:
        start_servers()
        os.environ.update(worker_environment("main"))


def start_servers() -> None:
    """Run both servers until this process exits; as children they end with it however it ends."""
    for name in Environment.model_fields:
        os.environ.pop(name.upper(), None)
        os.environ.pop(f"{name.upper()}_FILE", None)
    run = Path(tempfile.mkdtemp(prefix="memoryapp-tests-")).resolve()
    run.chmod(0o711)
    services, stack = run / "services", ExitStack()
    atexit.register(shutil.rmtree, run, ignore_errors=True)
    atexit.register(remove, make_data_folder(services))
    atexit.register(stack.close)
    urls = stack.enter_context(embedded_services(services, "pytest", Wanted(durable=False)))
    write_private(run / "urls.json", asdict(urls))
    os.environ[RUN_FOLDER] = str(run)


def worker_environment(worker: str) -> dict[str, str]:
    """All that differs between workers: database, Valkey database numbers, folders. `worker` is main, gw0, gw1, …"""
    folder = _run_folder() / worker
    folder.mkdir(exist_ok=True)
    urls = _own_urls(worker)
    return {
        **urls.environment(),
        "DATABASE_SUPERUSER_URL": urls.database_superuser_url,
        "DATA_DIR": str(folder),
        "KEYS_DIR": str(folder / "keys"),
        "ENVIRONMENT": "test",
        "SECRET_KEY": "only-for-tests-" + "x" * 32,
        "DJANGO_SETTINGS_MODULE": "memoryapp.settings",
    }


def make_database() -> None:
    """Give this worker a fresh clone of the migrated template, which the first worker to come makes."""
    with _only_one_worker() as made:
        if not made.exists():
            _migrate_template()
            made.touch()
        own = connections["default"].settings_dict["NAME"]
        drop = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(own))
        clone = sql.SQL("CREATE DATABASE {} TEMPLATE {} OWNER {}").format(*map(sql.Identifier, (own, DATABASE, OWNER)))
        with psycopg.connect(_maintenance_url(), autocommit=True) as server:
            server.execute(drop)
            server.execute(clone)


def superuser_connection() -> psycopg.Connection:
    """A connection to this worker's database that row-level security does not bind."""
    return psycopg.connect(os.environ["DATABASE_SUPERUSER_URL"], autocommit=True)


def filled_tables(server: psycopg.Connection) -> frozenset[str]:
    """Tables that hold rows: right after migrating, those that the migrations filled and that cleaning must keep."""
    return frozenset(name for name in _tables(server) if _has_rows(server, name))


def clean(server: psycopg.Connection, kept: frozenset[str]) -> None:
    """Empty every table but `kept`, past the triggers and rights that forbid exactly this to the application."""
    names = [sql.Identifier(name) for name in _tables(server) if name not in kept]
    if names:
        server.execute("SET session_replication_role = replica; SET lock_timeout = '10s'")
        _truncate(server, names)


def _truncate(server: psycopg.Connection, names: list[sql.Identifier]) -> None:
    """A page's last request may still be writing when its test has ended; the loser of a deadlock tries again."""
    statement = sql.SQL("TRUNCATE {} RESTART IDENTITY").format(sql.SQL(", ").join(names))
    for _ in range(9):
        try:
            server.execute(statement)
        except (psycopg.errors.DeadlockDetected, psycopg.errors.LockNotAvailable):
            time.sleep(0.5)
        else:
            return
    server.execute(statement)


def _tables(server: psycopg.Connection) -> list[str]:
    rows = server.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename")
    return [str(name) for (name,) in rows]


def _has_rows(server: psycopg.Connection, table: str) -> bool:
    return server.execute(sql.SQL("SELECT FROM {} LIMIT 1").format(sql.Identifier(table))).fetchone() is not None


def _migrate_template() -> None:
    owner = connections["owner"]
    own = owner.settings_dict["NAME"]
    owner.close()
    owner.settings_dict["NAME"] = DATABASE
    try:
        call_command("migrate", database="owner", verbosity=0, interactive=False)
    finally:
        owner.close()
        owner.settings_dict["NAME"] = own


@contextmanager
def _only_one_worker() -> Iterator[Path]:
    """Yields the path of the mark that says the template is ready."""
    with (_run_folder() / "template.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield _run_folder() / "template.ready"


def _run_folder() -> Path:
    return Path(os.environ[RUN_FOLDER])


def _template_urls() -> ServiceUrls:
    return ServiceUrls(**json.loads((_run_folder() / "urls.json").read_text(encoding="utf-8")))


def _maintenance_url() -> str:
    return _renamed(_template_urls().database_superuser_url, "postgres")


def _own_urls(worker: str) -> ServiceUrls:
    urls, name = _template_urls(), f"{DATABASE}_{worker}"
    first = 0 if worker == "main" else 2 + 2 * int(worker.removeprefix("gw"))
    return replace(
        urls,
        database_url=_renamed(urls.database_url, name),
        database_owner_url=_renamed(urls.database_owner_url, name),
        database_superuser_url=_renamed(urls.database_superuser_url, name),
        broker_url=urls.broker_url.replace("virtual_host=0", f"virtual_host={first}"),
        cache_url=urls.cache_url.replace("db=1", f"db={first + 1}"),
    )


def _renamed(url: str, database: str) -> str:
    return url.replace(f"@/{DATABASE}?", f"@/{database}?")
