"""Services' views as the templates show them: ids in their public form, codes in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memoryapp.domain.differences import Piece, differences
from memoryapp.domain.planned import DELETE_UNASKED
from memoryapp.domain.public_ids import public
from memoryapp.services.results import Entry, EventView, EvidenceView, ItemView, VersionView
from memoryapp.services.use_history import UseView
from memoryapp.web.labels import (
    ACTORS,
    CHANGES,
    DOORS,
    EXTRACTORS,
    FEEDBACK,
    KINDS,
    PURPOSES,
    REASONS,
    SECTIONS,
    SENSITIVITIES,
    SPEAKERS,
    STATUSES,
    WORK,
    label,
)


@dataclass(frozen=True, slots=True)
class ItemRow:
    item: ItemView
    mem_id: str
    kind: str
    status: str
    origin: str
    pending: str
    noise: tuple[str, ...]
    sensitivity: str
    asks_deletion: bool


@dataclass(frozen=True, slots=True)
class EntryRow:
    """One line of what was learnt. `mem_id` is empty when the text is gone, as there is no page to open."""

    section: str
    label: str
    content: str
    reason: str
    mem_id: str


@dataclass(frozen=True, slots=True)
class EventRow:
    event: EventView
    status: str
    door: str
    entries: tuple[EntryRow, ...]


@dataclass(frozen=True, slots=True)
class VersionRow:
    """A version, what it changed in the text of the one before, and whether it can be brought back."""

    version: VersionView
    kind: str
    status: str
    change: str
    by: str
    pieces: tuple[Piece, ...]
    restorable: bool


@dataclass(frozen=True, slots=True)
class EvidenceRow:
    evidence: EvidenceView
    door: str
    role: str
    extractor: str


@dataclass(frozen=True, slots=True)
class UseRow:
    """`rank` counts from 1."""

    use: UseView
    purpose: str
    rank: int
    feedback: str


def item_row(item: ItemView) -> ItemRow:
    return ItemRow(
        item,
        public("mem", item.id),
        label(KINDS, item.kind),
        label(STATUSES, item.status),
        label(DOORS, item.origin),
        label(REASONS, item.pending_reason),
        tuple(label(REASONS, reason) for reason in item.noise),
        label(SENSITIVITIES, item.sensitivity) if item.sensitivity != "normal" else "",
        item.pending_reason == DELETE_UNASKED,
    )


def entry_row(entry: Entry) -> EntryRow:
    shown = entry.id is not None and entry.content is not None
    return EntryRow(
        entry.section,
        label(SECTIONS, entry.section),
        entry.content or "",
        label(REASONS, entry.reason),
        public("mem", entry.id) if entry.id is not None and shown else "",
    )


def event_row(event: EventView) -> EventRow:
    entries = tuple(entry_row(entry) for entry in event.entries)
    return EventRow(event, label(WORK, event.status), label(DOORS, event.door), entries)


def version_rows(versions: Sequence[VersionView], present: int) -> list[VersionRow]:
    """Newest first, each beside the one before it. `present` is the number of the version in force."""
    older = [*versions[1:], None]
    now = next((v.content for v in versions if v.number == present), "")
    return [
        VersionRow(
            version,
            label(KINDS, version.kind),
            label(STATUSES, version.status),
            label(CHANGES, version.reason),
            label(ACTORS, version.actor_kind),
            differences(before.content if before else version.content, version.content),
            version.content != now,
        )
        for version, before in zip(versions, older, strict=True)
    ]


def evidence_row(evidence: EvidenceView) -> EvidenceRow:
    return EvidenceRow(
        evidence, label(DOORS, evidence.door), label(SPEAKERS, evidence.role), label(EXTRACTORS, evidence.extractor)
    )


def use_row(use: UseView) -> UseRow:
    return UseRow(use, label(PURPOSES, use.purpose), use.rank + 1, label(FEEDBACK, use.feedback))
