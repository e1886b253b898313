"""Looks for given words wherever this installation keeps bytes: rows, database files, Valkey, our own files.

Rows are read as text, because long values are compressed in their files. Database files are read as they lie on disk,
after a checkpoint: heap, TOAST, indexes, statistics and the write-ahead log alike.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import psycopg
import redis
from django.conf import settings
from django.db import connection

from accounts.actor import system_actor
from memoryapp.services.physical_erasure import owner_connection
from memoryapp.services.scope import tenant_scope
from memoryapp.services.tenants import tenant_ids

BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Found:
    """Hits of all patterns in one place; None when it could not be looked at, with the reason."""

    place: str
    hits: int | None
    note: str = ""


def patterns(words: Sequence[str]) -> tuple[bytes, ...]:
    """A word as UTF-8, in lower case as an index keeps it, and as JSON escapes it."""
    forms = {w.encode() for w in words} | {w.lower().encode() for w in words}
    forms |= {json.dumps(w)[1:-1].encode() for w in words}
    return tuple(sorted(forms))


def scan(words: Sequence[str], *, database_files: Path | None, raw: Sequence[bytes] = ()) -> tuple[Found, ...]:
    """`raw` are further byte strings, such as a vector as it lies in its row; they are looked for in files only."""
    wanted = (*patterns(words), *raw)
    return (*_rows(words), _activity(words), *_database_files(database_files, wanted), *_valkey(wanted), *_ours(wanted))


def _rows(words: Sequence[str]) -> Iterator[Found]:
    """Every column of every table of every tenant, as text."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename")
        tables = [str(row[0]) for row in cursor.fetchall()]
    counts = dict.fromkeys(tables, 0)
    for tenant_id in tenant_ids():
        with tenant_scope(system_actor(tenant_id, "canary")), connection.cursor() as cursor:
            for table in tables:
                cursor.execute(
                    f"SELECT count(*) FROM {connection.ops.quote_name(table)} t WHERE EXISTS "
                    "(SELECT FROM unnest(%s::text[]) w WHERE strpos(lower(t::text), lower(w)) > 0)",
                    [list(words)],
                )
                counts[table] += cursor.fetchone()[0]
    yield Found("rows", sum(counts.values()), ", ".join(t for t, n in counts.items() if n))


def _activity(words: Sequence[str]) -> Found:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity a, unnest(%s::text[]) w "
            "WHERE pid <> pg_backend_pid() AND strpos(a.query, w) > 0",
            [list(words)],
        )
        return Found("database activity", cursor.fetchone()[0])


def _database_files(folder: Path | None, wanted: Sequence[bytes]) -> Iterator[Found]:
    if folder is None or not folder.is_dir():
        yield Found("database files", None, "not on this machine; run the scan where they are, with --database-files")
        return
    note = _checkpoint()
    for name, paths in _groups(folder).items():
        yield Found(name, sum(count(path, wanted) for path in paths), note)


def _checkpoint() -> str:
    """What is only in memory must reach the files first."""
    try:
        with owner_connection() as owner:
            owner.execute("CHECKPOINT")
    except psycopg.errors.InsufficientPrivilege:
        return "without a checkpoint"
    return ""


def _groups(folder: Path) -> dict[str, list[Path]]:
    groups: dict[str, list[Path]] = {"tables, TOAST, indexes, statistics": [], "write-ahead log": [], "other": []}
    for path in folder.rglob("*"):
        part = path.relative_to(folder).parts[0]
        name = {"base": "tables, TOAST, indexes, statistics", "global": "tables, TOAST, indexes, statistics"}
        groups["write-ahead log" if part == "pg_wal" else name.get(part, "other")].append(path)
    return {f"database files: {name}": paths for name, paths in groups.items()}


def _valkey(wanted: Sequence[bytes]) -> Iterator[Found]:
    for name, url in (("broker", settings.CELERY_BROKER_URL), ("cache", settings.CACHES["default"]["LOCATION"])):
        place = f"Valkey: {name}"
        if str(url).startswith("amqp"):
            yield Found(place, None, "RabbitMQ; not looked at")
            continue
        plain = str(url).replace("redis+socket://", "unix://").replace("virtual_host=", "db=")
        with redis.Redis.from_url(plain, socket_connect_timeout=3) as client:
            yield Found(
                place, sum(_hits(bytes(key) + b"\0" + _value(client, key), wanted) for key in client.scan_iter())
            )


def _value(client: redis.Redis, key: bytes) -> bytes:
    """All bytes of a value, whatever its type."""
    kind = bytes(client.type(key)).decode()  # type: ignore[arg-type]
    if kind == "string":
        return bytes(client.get(key) or b"")  # type: ignore[arg-type]
    if kind == "list":
        return b"\0".join(client.lrange(key, 0, -1))  # type: ignore[arg-type]
    if kind == "set":
        return b"\0".join(client.smembers(key))  # type: ignore[arg-type]
    if kind == "zset":
        return b"\0".join(client.zrange(key, 0, -1))  # type: ignore[arg-type]
    if kind == "hash":
        return b"\0".join(b"\0".join(pair) for pair in client.hgetall(key).items())  # type: ignore[arg-type]
    return b""


def _ours(wanted: Sequence[bytes]) -> Iterator[Found]:
    """Logs, exports, caches and keys; the database's folder is counted by itself."""
    for place, folder in (
        ("data folder", settings.MEMORYAPP.data_dir),
        ("keys folder", settings.MEMORYAPP.keys_folder),
    ):
        paths = [p for p in Path(folder).rglob("*") if "postgres" not in p.relative_to(folder).parts]
        yield Found(place, sum(count(path, wanted) for path in paths))


def count(path: Path, wanted: Sequence[bytes]) -> int:
    """Hits in one file, inside the members of a ZIP too. A file that has just gone holds nothing."""
    if path.is_symlink() or not path.is_file():
        return 0
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            return sum(_hits(archive.read(name), wanted) for name in archive.namelist())
    try:
        return _stream(path, wanted)
    except FileNotFoundError:
        return 0


def _stream(path: Path, wanted: Sequence[bytes]) -> int:
    """Block by block; the end of one block is looked at again with the next."""
    overlap = max(map(len, wanted)) - 1
    found, tail = 0, b""
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            found += _hits(tail + block, wanted) - _hits(tail, wanted)
            tail = (tail + block)[-overlap:] if overlap else b""
    return found


def _hits(content: bytes, wanted: Sequence[bytes]) -> int:
    return sum(content.count(word) for word in wanted)
