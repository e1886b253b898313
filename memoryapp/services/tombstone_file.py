"""The append-only file of tombstones and erasures beside the database, for the day when an old dump is restored.

`KEYS_DIR/tombstones.jsonl`: one JSON object a line with ids, keyed hashes and times, never content. Lines are written
and forced to disk right after the commit that they tell of. What a crash keeps out of the file is still in the
database and is added by the next start; what the database lacks was lost by a restore and is replayed.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

import orjson
from django.conf import settings
from django.db import transaction

from memoryapp.domain.errors import DomainError
from memoryapp.failpoints import failpoint
from memoryapp.models import Erasure, SourceMask, Tombstone

Line = Mapping[str, object]
"""Ids, moments and bytes as they are; in the file ids are text, moments ISO 8601 and bytes hex."""


def path() -> Path:
    folder: Path = settings.MEMORYAPP.keys_folder
    return folder / "tombstones.jsonl"


class NewStone(NamedTuple):
    """A row of `Tombstone` to be. A tuple: to make a thousand of them takes a tenth of what as many models take."""

    id: UUID
    tenant_id: UUID
    space_id: UUID
    item_id: UUID
    fingerprint: bytes
    triple_fingerprint: bytes | None
    words: list[bytes]
    horizon: datetime
    reason: str
    created_at: datetime
    lifted_at: None = None
    lifted_by: None = None


def buried(stone: NewStone | Tombstone, masks: Iterable[SourceMask]) -> Line:
    return {
        "what": "stone",
        "id": stone.id,
        "tenant": stone.tenant_id,
        "space": stone.space_id,
        "item": stone.item_id,
        "fingerprint": stone.fingerprint,
        "triple": stone.triple_fingerprint,
        "words": stone.words,
        "horizon": stone.horizon,
        "reason": stone.reason,
        "at": stone.created_at,
        "masks": [_mask(m) for m in masks],
    }


def _mask(mask: SourceMask) -> Line:
    return {
        "id": mask.pk,
        "space": mask.space_id,
        "text_hash": mask.text_hash,
        "start": mask.start,
        "length": mask.length,
        "span_hash": mask.span_hash,
    }


def lifted(stone: Tombstone) -> Line:
    return {"what": "lift", "id": stone.pk, "tenant": stone.tenant_id}


def erased(job: Erasure) -> Line:
    return {
        "what": "erasure",
        "id": job.pk,
        "tenant": job.tenant_id,
        "space": job.space_id,
        "kind": str(job.kind),
        "requested_by": job.requested_by,
        "items": job.item_ids,
        "evidence": job.evidence_ids,
        "sessions": job.session_ids,
        "messages": job.message_ids,
        "at": job.created_at,
    }


def write_on_commit(lines: Sequence[Line]) -> None:
    """Append after the commit of the present transaction; nothing when it rolls back."""
    transaction.on_commit(lambda: append(lines))


def append(lines: Sequence[Line]) -> None:
    """Append whole lines and force them to disk. Other processes wait their turn."""
    failpoint("tombstone_file.append")
    text = b"".join(orjson.dumps(line, default=_hex, option=orjson.OPT_APPEND_NEWLINE) for line in lines)
    path().parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(path(), os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        _end_torn_line(descriptor)
        os.write(descriptor, text)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _hex(value: object) -> str:
    if isinstance(value, bytes | memoryview):
        return value.hex()
    raise TypeError(f"a {type(value).__name__} has no place in the file")


def _end_torn_line(descriptor: int) -> None:
    size = os.fstat(descriptor).st_size
    if size and os.pread(descriptor, 1, size - 1) != b"\n":
        os.write(descriptor, b"\n")


def read() -> list[dict[str, object]]:
    """All lines. A line that a crash tore is left out: the database still knows it, or never did."""
    if not path().exists():
        return []
    found: list[dict[str, object]] = []
    bad = 0
    for line in path().read_text(encoding="utf-8").splitlines():
        try:
            found.append(json.loads(line))
        except ValueError:
            bad += 1
    if bad > max(1, len(found)):
        raise DomainError("invalid", f"{path()} cannot be read; restore it from a backup of the keys folder.")
    return found
