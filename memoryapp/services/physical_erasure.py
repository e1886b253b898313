"""The physical level: the tables that held purged rows are written anew, so that the old bytes leave the files.

`VACUUM (FULL)` as the tables' owner writes heap, TOAST and indexes into new files and drops the old ones; plain
`VACUUM` keeps the bytes, and so does DELETE. What proves it: the table has another file than before, and the rewrite
carried no dead row along. A table that cannot be locked and rewritten within the bound stays pending, and the
receipt says so. Statistics of texts are switched off for good (migration 0005), so there are none to remove.
Afterwards the write-ahead log moves on to a new file and a checkpoint removes the old ones, where the server does not
recycle them and the owner may ask for it.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

import psycopg
from django.db import connections
from django.utils import timezone

from accounts.actor import system_actor
from memoryapp import audit
from memoryapp.domain.receipts import LevelState
from memoryapp.domain.types import RunState
from memoryapp.failpoints import failpoint
from memoryapp.models import ErasureStep
from memoryapp.services import erasure
from memoryapp.services.erasure_tables import rewritten_tables
from memoryapp.services.scope import tenant_scope
from memoryapp.services.tenants import tenant_ids

LOCK_SECONDS = 2.0
"""Longest time that a table may be closed to readers (issue “forgetting”: two seconds)."""
ONE_AT_A_TIME = 0x6D656D6F
METHOD = "VACUUM (FULL) by the owner; new file, no dead row carried along"


STILL_SEEN = "are still seen by an open transaction"
TRIES = 4
PAUSE_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Rewritten:
    """One table. `reason` is empty when it was rewritten and nothing dead was kept."""

    table: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a round did. `wal` says how far the write-ahead log could be moved on."""

    tables: tuple[Rewritten, ...] = ()
    wal: str = ""
    receipts: int = 0
    pending: tuple[str, ...] = field(default=())

    @property
    def complete(self) -> bool:
        return not self.pending


def rewrite(*, lock_seconds: float = LOCK_SECONDS, always: bool = False) -> Outcome:
    """Rewrite the tables when an erasure waits for it (or `always`), and update the receipts."""
    began = timezone.now()
    waiting = _waiting(began)
    if not (waiting or always):
        return Outcome()
    with _owner_alone() as owner:
        if owner is None:
            return Outcome(pending=("another rewrite is at work",))
        tables = tuple(_rewritten(owner, table, lock_seconds) for table in rewritten_tables())
        failpoint("physical.rewritten")
        wal = _move_log_on(owner)
    pending = tuple(f"{t.table}: {t.reason}" for t in tables if t.reason)
    for tenant_id, erasure_id in waiting:
        _note(tenant_id, erasure_id, tables, wal)
    return Outcome(tables, wal, len(waiting), pending)


def _waiting(before: datetime) -> list[tuple[UUID, UUID]]:
    """Erasures whose rows were gone before this round began."""
    found: list[tuple[UUID, UUID]] = []
    for tenant_id in tenant_ids():
        with tenant_scope(system_actor(tenant_id, "eraser")):
            rows = ErasureStep.objects.filter(name="files", erasure__state=RunState.SUCCEEDED)
            rows = rows.filter(erasure__finished_at__lt=before).exclude(state=LevelState.DONE)
            found += [(tenant_id, erasure_id) for erasure_id in rows.values_list("erasure_id", flat=True)]
    return found


def owner_connection() -> psycopg.Connection:
    """The tables' owner, outside any transaction and any pool."""
    parameters = connections["owner"].get_connection_params()
    wanted = {n: v for n, v in parameters.items() if n in ("host", "port", "user", "password", "dbname", "options")}
    return psycopg.connect(**wanted, autocommit=True)


@contextmanager
def _owner_alone() -> Iterator[psycopg.Connection | None]:
    """A connection of the owner that holds the lock of this work; None when another has it."""
    with owner_connection() as owner:
        row = owner.execute("SELECT pg_try_advisory_lock(%s)", [ONE_AT_A_TIME]).fetchone()
        yield owner if row is not None and row[0] else None


def _rewritten(owner: psycopg.Connection, table: str, lock_seconds: float) -> Rewritten:
    """The rewrite, tried again for a moment while somebody (an ANALYZE, say) may still see the dead rows."""
    for _ in range(TRIES - 1):
        done = _rewrite(owner, table, lock_seconds)
        if STILL_SEEN not in done.reason:
            return done
        time.sleep(PAUSE_SECONDS)
    return _rewrite(owner, table, lock_seconds)


def _rewrite(owner: psycopg.Connection, table: str, lock_seconds: float) -> Rewritten:
    """Within the bound, waiting for the lock included."""
    kept: list[int] = []

    def hear(notice: psycopg.errors.Diagnostic) -> None:
        found = re.match(r"\D*(\d+)", notice.message_detail or "")
        kept.extend([int(found[1])] if found else [])

    before = _file_of(owner, table)
    owner.add_notice_handler(hear)
    try:
        owner.execute(f"SET statement_timeout = {int(lock_seconds * 1000)}".encode())
        owner.execute(f"VACUUM (FULL, VERBOSE) {table}".encode())
    except psycopg.errors.QueryCanceled:
        return Rewritten(table, f"not rewritten within {lock_seconds:g} s")
    finally:
        owner.remove_notice_handler(hear)
        owner.execute("RESET statement_timeout")
    if _file_of(owner, table) == before:
        return Rewritten(table, "not rewritten; is DATABASE_OWNER_URL the owner of the tables?")
    # The new file does not say yet which of its pages all may see; without that a search by an index alone reads the
    # table for every row.
    owner.execute(f"VACUUM {table}".encode())
    if sum(kept):
        return Rewritten(table, f"{sum(kept)} dead rows {STILL_SEEN}")
    return Rewritten(table)


def _file_of(owner: psycopg.Connection, table: str) -> object:
    row = owner.execute("SELECT pg_relation_filenode(%s::regclass)", [table]).fetchone()
    return row[0] if row else None


def _move_log_on(owner: psycopg.Connection) -> str:
    """Two rounds: the first file may hold the start of what the second checkpoint still needs."""
    try:
        for _ in range(2):
            owner.execute("SELECT pg_switch_wal()")
            owner.execute("CHECKPOINT")
    except psycopg.errors.InsufficientPrivilege:
        return "not verified: the owner may not switch and checkpoint"
    row = owner.execute("SHOW wal_recycle").fetchone()
    recycled = row is None or row[0] != "off"
    return "not verified: old files are recycled with their bytes" if recycled else "switched, old files removed"


def _note(tenant_id: UUID, erasure_id: UUID, tables: Sequence[Rewritten], wal: str) -> None:
    actor = system_actor(tenant_id, "eraser")
    late = {t.table: t.reason for t in tables if t.reason}
    with tenant_scope(actor):
        ErasureStep.objects.filter(erasure_id=erasure_id, name="files").update(
            state=LevelState.PENDING if late else LevelState.DONE,
            method=METHOD,
            evidence={"rewritten": [t.table for t in tables if not t.reason], "waiting": late, "write_ahead_log": wal},
            at=None if late else timezone.now(),
        )
        erasure.sign(actor, erasure_id)
        audit.record(
            actor,
            "erasure.rewritten",
            audit.Target("erasure", (erasure_id,)),
            outcome="error" if late else "ok",
        )
