"""What a receipt of erasure says: four levels, each with its state, time, method and evidence. Pure, without content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from memoryapp.domain.moments import moment


class ErasureKind(StrEnum):
    """What was asked: one item, the end of the trash period, everything from one source, everything about a person."""

    ITEM = "item"
    TRASH = "trash"
    SOURCE = "source"
    PERSON = "person"


class Level(StrEnum):
    LOGICAL = "logical"
    """Out of every read path."""
    DERIVED = "derived"
    """Rows, versions, evidence, quotes in messages, words, vectors, uses."""
    PHYSICAL = "physical"
    """The bytes in the files of the database."""
    BACKUPS = "backups"


class LevelState(StrEnum):
    DONE = "done"
    PENDING = "pending"
    FAILED = "failed"
    NOT_VERIFIED = "not_verified"


OUT_OF_SCOPE: tuple[str, ...] = (
    "what agents and their model providers received before the erasure and may have kept",
    "dumps, archives of write-ahead files, replicas and snapshots that the operator made",
    "blocks of storage media that the file system has freed but not overwritten",
    "copies of exports that were downloaded before the erasure",
    "logs and traces of programs outside this service",
    "other messages that say the same in other words, until the retention of messages ends",
    "keyed marks without content that keep the erased from coming back (tombstones, source masks, message hashes)",
    "ids and times in the audit trail, which never held content",
)
"""Never empty: an honest receipt names what nobody here can reach."""


@dataclass(frozen=True, slots=True)
class Step:
    """One proof. `evidence` holds counts and names of tables, never text."""

    name: str
    level: Level
    state: LevelState
    method: str = ""
    evidence: Mapping[str, object] | None = None
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Subject:
    """What a receipt is about, by ids."""

    id: str
    kind: ErasureKind
    requested_at: datetime
    requested_by: str
    counts: Mapping[str, int]
    commitments: Sequence[str]


def level_state(steps: Sequence[Step]) -> LevelState:
    """The worst of a level's steps; a level without steps has not been verified."""
    states = {s.state for s in steps}
    for worst in (LevelState.FAILED, LevelState.PENDING, LevelState.NOT_VERIFIED):
        if worst in states:
            return worst
    return LevelState.DONE if states else LevelState.NOT_VERIFIED


def receipt(subject: Subject, steps: Sequence[Step], backups_until: datetime, issued_at: datetime) -> dict[str, object]:
    """The document that is signed."""
    by_level = {level: [s for s in steps if s.level is level] for level in Level}
    levels = {str(level): _level(found) for level, found in by_level.items()}
    levels[str(Level.BACKUPS)] |= {"retained_until": moment(backups_until)}
    return {
        "version": 1,
        "erasure_id": subject.id,
        "kind": str(subject.kind),
        "requested_at": moment(subject.requested_at),
        "requested_by": subject.requested_by,
        "issued_at": moment(issued_at),
        "counts": dict(subject.counts),
        "commitments": list(subject.commitments),
        "levels": levels,
        "out_of_scope": list(OUT_OF_SCOPE),
    }


def _level(steps: Sequence[Step]) -> dict[str, object]:
    return {
        "state": str(level_state(steps)),
        "at": moment(max((s.at for s in steps if s.at), default=None)),
        "steps": [
            {
                "name": s.name,
                "state": str(s.state),
                "at": moment(s.at),
                "method": s.method,
                "evidence": dict(s.evidence or {}),
            }
            for s in steps
        ],
    }


def phrases(name: str) -> tuple[str, str]:
    """What a person types to erase everything about `name`, in English and in Chinese."""
    return f"erase {name}", f"永久删除 {name}"
