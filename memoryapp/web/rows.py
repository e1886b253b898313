"""Services' views as the templates show them: ids in their public form, codes in words."""

from __future__ import annotations

from dataclasses import dataclass

from memoryapp.domain.public_ids import public
from memoryapp.services.results import Entry, EventView, EvidenceView, ItemView, VersionView
from memoryapp.web.labels import DOORS, KINDS, REASONS, SECTIONS, STATUSES, label


@dataclass(frozen=True, slots=True)
class ItemRow:
    item: ItemView
    mem_id: str
    kind: str
    status: str
    origin: str
    pending: str
    noise: tuple[str, ...]


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
    version: VersionView
    kind: str
    status: str


@dataclass(frozen=True, slots=True)
class EvidenceRow:
    evidence: EvidenceView
    door: str


def item_row(item: ItemView) -> ItemRow:
    return ItemRow(
        item,
        public("mem", item.id),
        label(KINDS, item.kind),
        label(STATUSES, item.status),
        label(DOORS, item.origin),
        label(REASONS, item.pending_reason),
        tuple(label(REASONS, reason) for reason in item.noise),
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
    return EventRow(event, label(STATUSES, event.status), label(DOORS, event.door), entries)


def version_row(version: VersionView) -> VersionRow:
    return VersionRow(version, label(KINDS, version.kind), label(STATUSES, version.status))


def evidence_row(evidence: EvidenceView) -> EvidenceRow:
    return EvidenceRow(evidence, label(DOORS, evidence.door))
