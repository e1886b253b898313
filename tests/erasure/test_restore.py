"""After an old dump is restored, what was forgotten since then is forgotten before anything is served."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connections

from memoryapp.management.commands.doctor import check_tombstones
from memoryapp.services import changes, erasure, person_deletion, recall, restore_safety, tombstone_file, tombstones
from memoryapp.services.memories import list_items
from memoryapp.services.results import ListFilter
from memoryapp.services.scope import tenant_scope
from memoryapp.services.spaces import find_space
from tests import boot
from tests.cast import Cast, make_cast, texts
from tests.erasure.steps import carried_out, said

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast()


@pytest.fixture(autouse=True)
def own_file() -> Iterator[None]:
    """Each test begins without lines of the others; the keys stay."""
    with suppress(FileNotFoundError):
        tombstone_file.path().unlink()
    yield
    with suppress(FileNotFoundError):
        tombstone_file.path().unlink()


class Dump:
    """The rows of the whole database at one moment, put back as a restore puts them back."""

    def __init__(self, server: psycopg.Connection, folder: Path) -> None:
        self.server, self.folder = server, folder
        self.tables = [t for t in boot._tables(server) if t not in ("django_migrations", "django_content_type")]
        for table in self.tables:
            with server.cursor().copy(f"COPY {table} TO STDOUT (FORMAT binary)".encode()) as copy:
                (folder / table).write_bytes(b"".join(copy))

    def restore(self) -> None:
        connections.close_all()
        self.server.execute("SET session_replication_role = replica")
        self.server.execute(f"TRUNCATE {', '.join(self.tables)}".encode())
        for table in self.tables:
            with self.server.cursor().copy(f"COPY {table} FROM STDIN (FORMAT binary)".encode()) as copy:
                copy.write((self.folder / table).read_bytes())
        self.server.execute("SET session_replication_role = origin")


def shown(cast: Cast) -> int:
    return list_items(cast.agent, "alice", ListFilter(), limit=200).total


def test_a_hundred_deleted_after_the_dump_stay_deleted_after_its_restore(
    cast: Cast, superuser: psycopg.Connection, tmp_path: Path
) -> None:
    items = [
        changes.add(cast.agent, "alice", changes.NewItem(f"Locker {n} holds a {n * 7919 % 1009} millimetre gauge"))[
            0
        ].id
        for n in range(110)
    ]
    dump = Dump(superuser, tmp_path)
    for n, item in enumerate(items[:100]):
        if n % 2:
            changes.forget(cast.agent, item)
        else:
            erasure.erase_item(cast.agent, item)
    dump.restore()
    assert shown(cast) == 110
    lost = restore_safety.difference()
    assert (len(lost.stones), len(lost.erasures)) == (100, 50)

    out = io.StringIO()
    call_command("replay_tombstones", stdout=out)
    assert "100 tombstones and 50 erasures" in out.getvalue()
    assert shown(cast) == 10
    assert {h.item.id for h in recall.search(cast.agent, "alice", "gauge", top_k=100)} <= set(items[100:])
    assert not restore_safety.difference().restored
    call_command("replay_tombstones", stdout=io.StringIO())
    assert shown(cast) == 10
    assert list_items(cast.agent, "alice", ListFilter(trash=True), limit=200).total == 50


def test_masks_come_back_with_the_stones(cast: Cast, superuser: psycopg.Connection, tmp_path: Path) -> None:
    item = said(cast, "记住：我在青苔巷开了一家修表铺")
    dump = Dump(superuser, tmp_path)
    changes.forget(cast.agent, item)
    dump.restore()
    restore_safety.replay()
    with tenant_scope(cast.agent):
        home = find_space(cast.agent, "person", "alice")
        assert home is not None
        assert [len(p.masks) for p in tombstones.graveyard(home).plots] == [1]


def test_an_undo_after_the_dump_is_not_undone(cast: Cast, superuser: psycopg.Connection, tmp_path: Path) -> None:
    item = said(cast, "Remember that I like jazz.")
    dump = Dump(superuser, tmp_path)
    changes.forget(cast.agent, item)
    changes.restore(cast.agent, item)
    dump.restore()
    restore_safety.replay()
    assert texts(cast.agent, "alice") == ["I like jazz"]


def test_a_person_erased_after_the_dump_is_erased_again(
    cast: Cast, superuser: psycopg.Connection, tmp_path: Path
) -> None:
    said(cast, "Remember that I like jazz.")
    changes.add(cast.agent, "bob", changes.NewItem("Likes jazz."))
    dump = Dump(superuser, tmp_path)
    job = person_deletion.erase_person(cast.agent, "alice", "erase alice")
    carried_out(cast.agent, job)
    dump.restore()
    assert texts(cast.agent, "alice") == ["I like jazz"]
    call_command("replay_tombstones", stdout=io.StringIO())
    assert texts(cast.agent, "alice") == []
    assert texts(cast.agent, "bob") == ["Likes jazz."]
    assert erasure.erasure(cast.agent, job).state == "succeeded"
    assert superuser.execute("SELECT count(*) FROM memoryapp_message").fetchone() == (0,)


def test_what_a_crash_kept_out_of_the_file_is_added_at_the_next_start(cast: Cast) -> None:
    item = said(cast, "Remember that I like jazz.")
    changes.forget(cast.agent, item)
    whole = tombstone_file.path().read_text()
    tombstone_file.path().write_text(whole[:40])
    assert restore_safety.difference().unwritten == 1
    assert restore_safety.replay().written == 1
    assert [line["item"] for line in tombstone_file.read()] == [str(item)]
    assert restore_safety.replay().written == 0


def test_the_file_holds_no_content_and_belongs_to_its_owner(cast: Cast) -> None:
    changes.forget(cast.agent, said(cast, "Remember that I like Zanzibarian jazz."))
    assert "anzibar" not in tombstone_file.path().read_text()
    assert "alice" not in tombstone_file.path().read_text()
    assert tombstone_file.path().stat().st_mode & 0o077 == 0
    assert tombstone_file.path().parent == settings.MEMORYAPP.keys_folder


def test_the_doctor_sees_a_restored_database(cast: Cast, superuser: psycopg.Connection, tmp_path: Path) -> None:
    item = said(cast, "Remember that I like jazz.")
    dump = Dump(superuser, tmp_path)
    changes.forget(cast.agent, item)
    dump.restore()
    (finding,) = check_tombstones()
    assert "older database was restored" in finding.text
    assert "replay_tombstones" in finding.mend
    restore_safety.replay()
    assert [f.mend for f in check_tombstones()] == [""]


def test_a_damaged_file_is_refused_and_not_taken_for_an_empty_one(cast: Cast) -> None:
    tombstone_file.path().parent.mkdir(parents=True, exist_ok=True)
    tombstone_file.path().write_text("not\nwhat\nit was\n")
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("replay_tombstones", stdout=io.StringIO())
