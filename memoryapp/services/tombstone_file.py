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
from pathlib import Path

import orjson
from django.conf import settings
from django.db import transaction

from memoryapp.domain.errors import DomainError
from memoryapp.failpoints import failpoint
from memoryapp.models import Erasure, SourceMask, Tombstone

Line = Mapping[str, object]


def path() -> Path:
    folder: Path = settings.MEMORYAPP.keys_folder
    return folder / "tombstones.jsonl"


def buried(stone: Tombstone, masks: Iterable[SourceMask]) -> Line:
    triple = stone.triple_fingerprint
    return {
        "what": "stone",
        "id": str(stone.pk),
        "tenant": str(stone.tenant_id),
        "space": str(stone.space_id),
        "item": str(stone.item_id),
        "fingerprint": bytes(stone.fingerprint).hex(),
        "triple": bytes(triple).hex() if triple is not None else None,
        "words": [bytes(w).hex() for w in stone.words],
        "horizon": stone.horizon.isoformat(),
        "reason": stone.reason,
        "at": stone.created_at.isoformat(),
        "masks": [_mask(m) for m in masks],
    }


def _mask(mask: SourceMask) -> Line:
    return {
        "id": str(mask.pk),
        "space": str(mask.space_id),
        "text_hash": bytes(mask.text_hash).hex(),
        "start": mask.start,
        "length": mask.length,
        "span_hash": bytes(mask.span_hash).hex(),
    }


def lifted(stone: Tombstone) -> Line:
    return {"what": "lift", "id": str(stone.pk), "tenant": str(stone.tenant_id)}


def erased(job: Erasure) -> Line:
    return {
        "what": "erasure",
        "id": str(job.pk),
        "tenant": str(job.tenant_id),
        "space": str(job.space_id),
        "kind": str(job.kind),
        "requested_by": job.requested_by,
        "items": [str(i) for i in job.item_ids],
        "evidence": [str(i) for i in job.evidence_ids],
        "sessions": [str(i) for i in job.session_ids],
        "messages": [str(i) for i in job.message_ids],
        "at": job.created_at.isoformat(),
    }


def write_on_commit(lines: Sequence[Line]) -> None:
    """Append after the commit of the present transaction; nothing when it rolls back."""
    transaction.on_commit(lambda: append(lines))


def append(lines: Sequence[Line]) -> None:
    """Append whole lines and force them to disk. Other processes wait their turn."""
    failpoint("tombstone_file.append")
    text = b"".join(orjson.dumps(line) + b"\n" for line in lines)
    path().parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(path(), os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        _end_torn_line(descriptor)
        os.write(descriptor, text)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


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
