"""Sets of memories and questions as files, and how they come into a scratch tenant."""

from __future__ import annotations

import json
import sqlite3
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha1, sha256
from pathlib import Path
from uuid import UUID

from django.utils import timezone

from accounts.actor import Actor
from memoryapp.domain.hashing import fingerprint, norm_hash
from memoryapp.domain.types import Door, Kind, Status
from memoryapp.domain.write_plan import PlannedText, WritePlan
from memoryapp.keyring import tombstone_key
from memoryapp.providers import registry
from memoryapp.providers.base import Embedder
from memoryapp.providers.script_folding import to_simplified
from memoryapp.services.origins import Origin, Said
from memoryapp.services.scope import tenant_scope
from memoryapp.services.spaces import active_policy, ensure_space, lock
from memoryapp.services.write_door import apply_write_plan

BATCH = 100
LONGEST = 4_000


class SetError(Exception):
    """A folder or line that is no set."""


@dataclass(frozen=True, slots=True)
class Memory:
    """One memory of a set. `noise` marks one that should never be given for a question."""

    person: str
    id: str
    text: str
    said_at: datetime
    kind: Kind
    noise: bool


@dataclass(frozen=True, slots=True)
class Query:
    """One question. `stale` are ids that were true once and are not the answer."""

    person: str
    id: str
    text: str
    gold: frozenset[str]
    stale: frozenset[str]
    category: str

    @property
    def half(self) -> int:
        """0 or 1 by a hash of the id: settings are chosen on one half and reported on the other."""
        return sha1(self.id.encode(), usedforsecurity=False).digest()[0] % 2


@dataclass(frozen=True, slots=True)
class RecallSet:
    name: str
    memories: tuple[Memory, ...]
    queries: tuple[Query, ...]


@dataclass(frozen=True, slots=True)
class Loaded:
    """(person, id of the set) → item. Equal texts of a person are one item under several ids."""

    items: Mapping[tuple[str, str], UUID]

    def of(self, person: str, ids: Iterable[str]) -> frozenset[UUID]:
        return frozenset(self.items[person, each] for each in ids if (person, each) in self.items)


def read_sets(folders: Sequence[Path]) -> tuple[RecallSet, ...]:
    """The sets of the folders; a folder without `memories.jsonl` stands for its subfolders. Raises SetError."""
    homes = [home for folder in folders for home in _homes(folder)]
    return tuple(_read(home) for home in homes)


def _homes(folder: Path) -> list[Path]:
    if (folder / "memories.jsonl").is_file():
        return [folder]
    inside = sorted(each.parent for each in folder.glob("*/memories.jsonl"))
    if not inside:
        raise SetError(f"{folder} holds no memories.jsonl.")
    return inside


def _read(home: Path) -> RecallSet:
    memories = tuple(_memory(row, where) for where, row in _rows(home / "memories.jsonl"))
    queries = tuple(_query(row, where) for where, row in _rows(home / "queries.jsonl"))
    return RecallSet(home.name, memories, queries)


def _rows(path: Path) -> Iterator[tuple[str, Mapping[str, object]]]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise SetError(f"{path} cannot be read.") from error
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise SetError(f"{path}:{number} is no JSON.") from error
        if not isinstance(row, dict):
            raise SetError(f"{path}:{number} is no object.")
        yield f"{path}:{number}", row


def _memory(row: Mapping[str, object], where: str) -> Memory:
    text = str(row.get("text", "")).strip()
    if not text or "memory_id" not in row:
        raise SetError(f"{where} lacks memory_id or text.")
    kind = str(row.get("kind", ""))
    return Memory(
        person=str(row.get("user_id", "u")),
        id=str(row["memory_id"]),
        text=text[:LONGEST],
        said_at=_moment(row.get("created_at"), where),
        kind=Kind(kind) if kind in {k.value for k in Kind} else Kind.NOTE,
        noise=bool(row.get("noise", False)),
    )


def _query(row: Mapping[str, object], where: str) -> Query:
    text = str(row.get("query", "")).strip()
    if not text or "query_id" not in row:
        raise SetError(f"{where} lacks query_id or query.")
    return Query(
        str(row.get("user_id", "u")),
        str(row["query_id"]),
        text,
        _ids(row.get("gold")),
        _ids(row.get("stale")),
        str(row.get("category", "all")),
    )


def _ids(value: object) -> frozenset[str]:
    return frozenset(str(each) for each in value) if isinstance(value, list) else frozenset()


def _moment(value: object, where: str) -> datetime:
    """A date or time; without an offset it is UTC, without any it is now."""
    if not value:
        return timezone.now()
    try:
        moment = datetime.fromisoformat(str(value))
    except ValueError as error:
        raise SetError(f"{where} has a date that cannot be read.") from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


class VectorCache:
    """Vectors of passages, kept in a file between runs under a hash of model and text; without a file only made."""

    def __init__(self, path: Path | None) -> None:
        self.embedder: Embedder = registry.embedder()
        self._file = sqlite3.connect(path or ":memory:")
        self._file.execute("CREATE TABLE IF NOT EXISTS vector (hash BLOB PRIMARY KEY, numbers BLOB)")

    def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        known = [self._known(text) for text in texts]
        missing = [text for text, vector in zip(texts, known, strict=True) if vector is None]
        made = iter(self._made(missing))
        return [vector if vector is not None else next(made) for vector in known]

    def _made(self, texts: Sequence[str]) -> list[list[float]]:
        vectors = self.embedder.embed_passages(texts)
        rows = [(self._key(t), struct.pack(f"<{len(v)}f", *v)) for t, v in zip(texts, vectors, strict=True)]
        self._file.executemany("INSERT OR REPLACE INTO vector VALUES (?, ?)", rows)
        self._file.commit()
        return vectors

    def _known(self, text: str) -> list[float] | None:
        row = self._file.execute("SELECT numbers FROM vector WHERE hash = ?", [self._key(text)]).fetchone()
        return list(struct.unpack(f"<{len(row[0]) // 4}f", row[0])) if row else None

    def _key(self, text: str) -> bytes:
        return sha256(f"{self.embedder.model}\0{text}".encode("utf-8", "replace")).digest()

    def close(self) -> None:
        self._file.close()


def load(actor: Actor, wanted: RecallSet, cache: VectorCache) -> Loaded:
    """Put a set through the write door as an import: no guard, no tombstones, equal texts once."""
    by_person: dict[str, list[Memory]] = {}
    for memory in wanted.memories:
        by_person.setdefault(memory.person, []).append(memory)
    items: dict[tuple[str, str], UUID] = {}
    for person, memories in by_person.items():
        items |= _load_person(actor, person, memories, cache)
    return Loaded(items)


def _load_person(
    actor: Actor, person: str, memories: Sequence[Memory], cache: VectorCache
) -> dict[tuple[str, str], UUID]:
    hashes = {memory.id: norm_hash(memory.text, to_simplified) for memory in memories}
    first: dict[bytes, Memory] = {}
    for memory in memories:
        first.setdefault(hashes[memory.id], memory)
    vectors = dict(zip(first, cache.vectors([memory.text for memory in first.values()]), strict=True))
    found: dict[bytes, UUID] = {}
    alone = list(first.items())
    for start in range(0, len(alone), BATCH):
        found |= _write(actor, person, alone[start : start + BATCH], vectors, cache.embedder.model)
    return {(person, memory.id): found[hashes[memory.id]] for memory in memories}


def _write(
    actor: Actor,
    person: str,
    batch: Sequence[tuple[bytes, Memory]],
    vectors: Mapping[bytes, list[float]],
    model: str,
) -> dict[bytes, UUID]:
    with tenant_scope(actor):
        space = ensure_space(actor, "person", person)
        lock(space.pk)
        key, policy, now = tombstone_key(actor.tenant_id, space.pk), active_policy(actor), timezone.now()
        texts = tuple(
            PlannedText(
                content=memory.text,
                kind=memory.kind,
                status=Status.ACTIVE,
                norm_hash=hashed,
                fingerprint=fingerprint(key, memory.text, to_simplified),
                said_at=memory.said_at,
                quote=memory.text,
                turn=number,
                extractor="verbatim",
            )
            for number, (hashed, memory) in enumerate(batch)
        )
        turns = tuple(Said("user", memory.said_at) for _, memory in batch)
        origin = Origin(space, Door.IMPORT, policy, now, person, turns=turns, vectors=vectors, embedding_model=model)
        entries = apply_write_plan(actor, WritePlan(adds=texts), origin)
        return {hashed: entry.id for (hashed, _), entry in zip(batch, entries, strict=True) if entry.id}
