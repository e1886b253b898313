"""The embedded servers, with real processes and real folders."""

from __future__ import annotations

import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import psycopg
import pytest
import redis

from memoryapp.database_roles import operator_script
from memoryapp.embedded import AlreadyRunning, ServiceUrls, Wanted, embedded_services, running_services
from memoryapp.embedded_home import EmbeddedError, remove

QUICK = Wanted(durable=False)
PROJECT = Path(__file__).resolve().parent.parent

HOLDER = """
import sys, time
from pathlib import Path
from memoryapp.embedded import Wanted, embedded_services
with embedded_services(Path(sys.argv[1]), "holder", Wanted(durable=False)):
    print("ready", flush=True)
    time.sleep(120)
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """A data folder that the servers' system user may enter; pytest's own are closed to others."""
    outer = Path(tempfile.mkdtemp(prefix="memoryapp-embedded-"))
    outer.chmod(0o711)
    inner = outer / "instance"
    inner.mkdir()
    yield inner
    remove(inner)
    shutil.rmtree(outer)


@contextmanager
def holder_of(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that runs the servers."""
    argv = [sys.executable, "-c", HOLDER, str(folder)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, cwd=PROJECT) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        family = psutil.Process(child.pid).children(recursive=True)
        try:
            yield child
        finally:
            child.kill()
            psutil.wait_procs(family, timeout=15)


def wait_for(condition: Callable[[], bool], seconds: float = 15) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "did not happen in time"
        time.sleep(0.05)


def test_both_servers_answer_and_are_gone_afterwards(folder: Path) -> None:
    with embedded_services(folder, "test", QUICK) as urls:
        assert {"postgres", "valkey-server"} <= _programs_in(folder)
        with psycopg.connect(urls.database_url) as connection:
            row = connection.execute("SELECT current_user, current_setting('server_version_num')::int").fetchone()
        assert row is not None
        assert row[0] == "memoryapp_app"
        assert row[1] >= 180000
        assert redis.from_url(urls.cache_url).ping()

    assert _programs_in(folder) == set()
    assert running_services(folder) is None


def test_rows_survive_a_restart(folder: Path) -> None:
    with embedded_services(folder, "test", QUICK) as urls, psycopg.connect(urls.database_owner_url) as owner:
        owner.execute("CREATE TABLE kept (word text)")
        owner.execute("INSERT INTO kept VALUES ('still here')")
    with embedded_services(folder, "test", QUICK) as urls, psycopg.connect(urls.database_url) as app:
        assert app.execute("SELECT word FROM kept").fetchone() == ("still here",)


def test_the_roles_may_do_what_they_are_for_and_no_more(folder: Path) -> None:
    with embedded_services(folder, "test", QUICK) as urls:
        _make_guarded_table(urls)
        with psycopg.connect(urls.database_url, autocommit=True) as app:
            assert app.execute("SELECT count(*) FROM guarded").fetchone() == (0,)
            assert app.execute("SELECT door.look()").fetchone() == (1,)
            for forbidden in ("TRUNCATE guarded", "CREATE TABLE mine (a int)", "DROP TABLE guarded"):
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    app.execute(forbidden)
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                app.execute("SET ROLE memoryapp_lookup")
        with psycopg.connect(urls.database_owner_url) as owner:
            assert owner.execute("SELECT count(*) FROM guarded").fetchone() == (0,)
        with psycopg.connect(urls.database_dump_url) as dump:
            assert dump.execute("SELECT count(*) FROM guarded").fetchone() == (1,)


def _make_guarded_table(urls: ServiceUrls) -> None:
    """A table that only the look-up role's policy opens, with one row in it."""
    with psycopg.connect(urls.database_owner_url) as owner:
        owner.execute("CREATE TABLE guarded (a int)")
        owner.execute("INSERT INTO guarded VALUES (1)")
        owner.execute("ALTER TABLE guarded ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY")
        owner.execute("CREATE POLICY look ON guarded TO memoryapp_lookup USING (true)")
        owner.execute("GRANT SELECT ON guarded TO memoryapp_lookup")
        owner.execute("SET ROLE memoryapp_lookup")
        owner.execute(
            "CREATE FUNCTION door.look() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS 'SELECT count(*) FROM guarded'"
        )


def test_a_wrong_password_and_a_missing_one_are_refused(folder: Path) -> None:
    with embedded_services(folder, "test", QUICK) as urls:
        secret = json.loads((folder / "credentials.json").read_text())["app"]
        for broken in (urls.database_url.replace(secret, "wrong"), urls.database_url.replace(f":{secret}", "")):
            with pytest.raises(psycopg.OperationalError):
                psycopg.connect(broken)


def test_the_server_log_never_holds_the_text_of_a_failing_statement(folder: Path) -> None:
    with embedded_services(folder, "test", QUICK) as urls, psycopg.connect(urls.database_owner_url) as owner:
        owner.execute("CREATE TABLE t (word varchar(300) UNIQUE)")
        for value in ("canary-violet", "canary-violet"):
            try:
                owner.execute("INSERT INTO t VALUES (%s)", [value])
            except psycopg.errors.UniqueViolation:
                break
    text = (folder / "services.log").read_text()
    assert "unique" in text
    assert "canary-violet" not in text


def test_files_with_secrets_are_readable_by_their_owner_only(folder: Path) -> None:
    with embedded_services(folder, "test", QUICK):
        for name in ("credentials.json", "services.json", "running.json", "services.log"):
            assert stat.S_IMODE((folder / name).stat().st_mode) == 0o600, name
        assert not (folder.stat().st_mode & stat.S_IRWXO)


def test_another_process_finds_the_servers_and_cannot_start_them_twice(folder: Path) -> None:
    with holder_of(folder) as holder:
        urls = running_services(folder)
        assert urls is not None
        psycopg.connect(urls.database_url).close()
        with pytest.raises(AlreadyRunning, match=f"pid {holder.pid}"), embedded_services(folder, "second", QUICK):
            pass


def test_kill_9_of_the_parent_leaves_no_orphan_and_the_next_start_recovers(folder: Path) -> None:
    with holder_of(folder) as holder:
        family = psutil.Process(holder.pid).children(recursive=True)
        assert {"postgres", "valkey-server"} <= {one.name() for one in family}
        os.kill(holder.pid, signal.SIGKILL)
        with embedded_services(folder, "test", QUICK) as urls:
            psycopg.connect(urls.database_url).close()
            wait_for(lambda: not any(one.is_running() for one in family))


def test_a_first_start_that_was_killed_is_made_anew(folder: Path) -> None:
    draft = folder / "postgres.draft-abc"
    draft.mkdir()
    (draft / "PG_VERSION").write_text("18\n")
    with embedded_services(folder, "test", QUICK) as urls:
        psycopg.connect(urls.database_url).close()
    assert not draft.exists()


@pytest.mark.parametrize(
    ("version", "told"),
    [(None, "PG_VERSION is missing"), ("16\n", "made by PostgreSQL 16")],
    ids=["not a database", "another major version"],
)
def test_a_broken_database_folder_is_named_and_left_alone(folder: Path, version: str | None, told: str) -> None:
    (folder / "credentials.json").write_text('{"superuser": "a", "owner": "b", "app": "c", "dump": "d"}')
    (folder / "postgres").mkdir()
    (folder / "postgres" / "base").mkdir()
    if version is not None:
        (folder / "postgres" / "PG_VERSION").write_text(version)
    with pytest.raises(EmbeddedError, match=told) as refusal, embedded_services(folder, "test", QUICK):
        pass
    assert str(folder / "postgres") in str(refusal.value)
    assert (folder / "postgres" / "base").exists()


def test_lost_passwords_are_named_rather_than_made_anew(folder: Path) -> None:
    with embedded_services(folder, "test", QUICK):
        pass
    (folder / "credentials.json").unlink()
    with pytest.raises(EmbeddedError, match=r"credentials\.json is missing"), embedded_services(folder, "test", QUICK):
        pass


def test_a_data_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "file"
    place.write_text("in the way")
    with pytest.raises(EmbeddedError, match="cannot be used"), embedded_services(place, "test", QUICK):
        pass


def test_a_very_long_folder_still_gets_sockets(folder: Path) -> None:
    long = folder / ("很长的名字" * 12)
    with embedded_services(long, "test", QUICK) as urls:
        psycopg.connect(urls.database_url).close()
        assert redis.from_url(urls.cache_url).ping()
    remove(long)


def test_a_folder_closed_to_the_servers_user_works_too(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    with embedded_services(closed / "instance", "test", QUICK) as urls:
        psycopg.connect(urls.database_url).close()
    remove(closed / "instance")


def test_only_the_server_that_is_not_configured_is_run(folder: Path) -> None:
    with embedded_services(folder, "test", Wanted(database=False, durable=False)) as urls:
        assert urls.database_url == ""
        assert set(urls.environment()) == {"BROKER_URL", "CACHE_URL"}
    assert not (folder / "postgres").exists()


def test_an_operator_gets_a_script_without_real_passwords() -> None:
    script = operator_script()
    assert "PASSWORD '<APP_PASSWORD>'" in script
    assert "BYPASSRLS" in script


def _programs_in(folder: Path) -> set[str]:
    """Names of the running programs whose command line names the folder."""
    found = psutil.process_iter(["name", "cmdline"])
    return {one.info["name"] for one in found if str(folder) in " ".join(one.info["cmdline"] or [])}
