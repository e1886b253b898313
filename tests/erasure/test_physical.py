"""The physical level on the real embedded server: what was erased is in no file any more."""

from __future__ import annotations

import io
import os
import struct
import zipfile
from contextlib import closing
from pathlib import Path
from uuid import UUID

import psycopg
import pytest
from django.conf import settings
from django.core.cache import cache
from django.core.management import CommandError, call_command

from memoryapp.models import RetrievalEntry
from memoryapp.providers import registry
from memoryapp.services import canary, changes, erasure, physical_erasure, recall, reembedding
from memoryapp.services.scope import tenant_scope
from memoryapp.services.vectors import sync_vectors
from tests import boot
from tests.cast import Cast, make_cast
from tests.erasure.steps import carried_out, said
from tests.llm_stub import LLMStub

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast()


def database_files() -> Path:
    """The test server's folder, or where its user's data was moved to."""
    with boot.superuser_connection() as server:
        row = server.execute("SHOW data_directory").fetchone()
    assert row is not None
    return Path(str(row[0]))


def hits(*words: str, raw: tuple[bytes, ...] = ()) -> dict[str, int]:
    return {f.place: f.hits or 0 for f in canary.scan(words, database_files=database_files(), raw=raw)}


def vector_bytes(cast: Cast, item: UUID, column: str = "embedding") -> bytes:
    """The halves of the vector as they lie in the row: little-endian, two bytes each."""
    with tenant_scope(cast.agent):
        vector = getattr(RetrievalEntry.objects.get(pk=item), column)
    return b"".join(struct.pack("<e", value) for value in vector[:24])


def test_a_search_reads_a_rewritten_table_by_its_indexes_alone_again(cast: Cast, superuser: psycopg.Connection) -> None:
    """A new file begins without the marks that tell an index-only scan to leave the table alone."""
    item = said(cast, "Remember that the lighthouse tour starts at nine.")
    changes.add(cast.agent, "bob", changes.NewItem("The spare key hangs behind the barometer"))
    carried_out(cast.agent, erasure.erase_item(cast.agent, item))
    assert physical_erasure.rewrite(lock_seconds=20).complete
    pages = "SELECT relpages, relallvisible FROM pg_class WHERE oid = 'memoryapp_retrievalentry'::regclass"
    assert superuser.execute(pages).fetchone() == (1, 1)


def test_words_and_vector_leave_every_file_after_the_physical_step(cast: Cast, superuser: psycopg.Connection) -> None:
    word, name = "Xylotherium", "青鸢砚"
    item = said(cast, f"Remember that my {word} wrench lies in {name} under the stairs. " + "It is heavy. " * 40)
    sync_vectors(cast.agent.tenant_id)
    assert recall.search(cast.agent, "alice", word)
    vector = vector_bytes(cast, item)
    superuser.execute("ANALYZE")
    before = hits(word, name, raw=(vector,))
    assert before["rows"] >= 3
    assert before["database files: tables, TOAST, indexes, statistics"] >= 4
    assert before["database files: write-ahead log"] >= 1

    job = carried_out(cast.agent, erasure.erase_item(cast.agent, item))
    superuser.execute("VACUUM")
    between = hits(word, name, raw=(vector,))
    assert between["rows"] == 0
    assert job.levels["physical"] == "pending"

    outcome = physical_erasure.rewrite(lock_seconds=20)
    assert outcome.complete, outcome.pending
    assert outcome.wal == "switched, old files removed"
    assert sum(hits(word, name, raw=(vector,)).values()) == 0
    view = erasure.erasure(cast.agent, job.id)
    assert view.levels["physical"] == "done"
    assert view.signature != job.signature


def test_the_vectors_of_both_models_leave_every_file(
    cast: Cast, superuser: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    item = said(cast, "Remember that my Xylotherium wrench lies under the stairs")
    sync_vectors(cast.agent.tenant_id)
    with LLMStub(dimensions=40) as second:
        monkeypatch.setattr(settings.MEMORYAPP, "next_embedding_base_url", second.base_url)
        monkeypatch.setattr(settings.MEMORYAPP, "next_embedding_model", "second")
        registry.reset()
        reembedding.carry_out(cast.agent.tenant_id, lambda made, items: None)
        both = (vector_bytes(cast, item), vector_bytes(cast, item, "spare_embedding"))
        superuser.execute("CHECKPOINT")
        assert all(hits(raw=(vector,))["database files: tables, TOAST, indexes, statistics"] for vector in both)
        carried_out(cast.agent, erasure.erase_item(cast.agent, item))
        assert physical_erasure.rewrite(lock_seconds=20).complete
        assert sum(hits(raw=both).values()) == 0
    registry.reset()


def test_a_table_that_cannot_be_locked_stays_pending_and_the_receipt_says_so(
    cast: Cast, superuser: psycopg.Connection
) -> None:
    job = carried_out(cast.agent, erasure.erase_item(cast.agent, said(cast, "Remember that I like jazz.")))
    with closing(psycopg.connect(os.environ["DATABASE_SUPERUSER_URL"])) as reader:
        reader.execute("SELECT count(*) FROM memoryapp_evidence")
        with pytest.raises(CommandError, match="pending"):
            call_command("erase", physical=True, lock_seconds=0.3, stdout=io.StringIO())
    view = erasure.erasure(cast.agent, job.id)
    assert view.levels["physical"] == "pending"
    (step,) = [s for s in view.steps if s.name == "files"]
    assert step.evidence is not None
    assert list(step.evidence["waiting"]) == ["memoryapp_evidence"]  # type: ignore[call-overload]
    call_command("erase", physical=True, lock_seconds=20, stdout=io.StringIO())
    assert erasure.erasure(cast.agent, job.id).levels["physical"] == "done"


def test_rows_that_an_old_snapshot_still_sees_are_not_called_gone(cast: Cast, superuser: psycopg.Connection) -> None:
    item = said(cast, "Remember that I like jazz.")
    with closing(psycopg.connect(os.environ["DATABASE_SUPERUSER_URL"])) as reader:
        reader.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
        reader.execute("SELECT 1")
        carried_out(cast.agent, erasure.erase_item(cast.agent, item))
        outcome = physical_erasure.rewrite(lock_seconds=20)
    assert any("memoryapp_memoryitem" in reason and "open transaction" in reason for reason in outcome.pending)


def test_nothing_is_rewritten_when_nothing_waits(cast: Cast) -> None:
    assert physical_erasure.rewrite() == physical_erasure.Outcome()


def test_the_scan_finds_what_is_there_and_ends_with_one(cast: Cast) -> None:
    changes.add(cast.agent, "alice", changes.NewItem("Owns a Brumblewick teapot"))
    cache.set("note", "Brumblewick")
    out = io.StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("canary_scan", "Brumblewick", database_files=database_files(), stdout=out)
    assert ended.value.code == 1
    lines = {line.split("  (")[0].strip().split("  ")[1]: line.split()[0] for line in out.getvalue().splitlines()}
    assert int(lines["Valkey: cache"]) == 1
    assert int(lines["rows"]) >= 3
    assert "Brumblewick" not in out.getvalue()
    cache.delete("note")


def test_the_scan_looks_across_blocks_and_into_archives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(canary, "BLOCK", 8)
    plain = tmp_path / "log"
    plain.write_bytes(b"....canary......canary..canary")
    assert canary.count(plain, (b"canary",)) == 3

    with zipfile.ZipFile(tmp_path / "export.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("events", "canary " * 5)
    assert canary.count(tmp_path / "export.zip", (b"canary",)) == 5
