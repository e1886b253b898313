"""What services hand to the edges: values only, nothing lazy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from memoryapp.domain.working_memory import StateValue


class ItemView(NamedTuple):
    """A memory item as its owner may see it. `noise` holds reasons when it is suspected noise.

    A tuple: every read makes one of each row, and a frozen dataclass costs ten times as much to make.
    """

    id: UUID
    content: str
    kind: str
    status: str
    scope: str
    space_kind: str
    importance: float
    confidence: float
    sensitivity: str
    pinned: bool
    origin: str
    version: int
    evidence_count: int
    metadata: Mapping[str, object]
    subject: str
    speaker: str
    pending_reason: str
    noise: tuple[str, ...]
    superseded_by: UUID | None
    said_at: datetime
    created_at: datetime
    updated_at: datetime
    expires_at: datetime | None
    review_after: datetime | None
    undo_until: datetime | None


@dataclass(frozen=True, slots=True)
class VersionView:
    number: int
    content: str
    kind: str
    status: str
    changed_fields: tuple[str, ...]
    reason: str
    actor_kind: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class EvidenceView:
    quote: str
    role: str
    speaker: str
    session: str
    said_at: datetime
    door: str
    extractor: str
    model: str
    policy_version: int


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a list: `cursor` continues it, `total` counts all that match."""

    items: tuple[ItemView, ...]
    cursor: str | None
    total: int


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of an event: `section` is added, updated, deleted, pending, skipped or failed."""

    section: str
    action: str
    id: UUID | None = None
    kind: str = ""
    content: str | None = None
    reason: str = ""
    superseded_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class EventView:
    id: UUID
    session: str
    status: str
    door: str
    due_at: datetime
    attempt: int
    created_at: datetime
    entries: tuple[Entry, ...]
    warnings: tuple[Mapping[str, object], ...]


@dataclass(frozen=True, slots=True)
class SessionView:
    """Working memory of one session. `session` is the client's own name, or the public id when it gave none."""

    id: UUID
    session: str
    person: str
    agent_id: str
    summary: str
    summary_source: str
    task_state: Mapping[str, StateValue]
    labels: tuple[str, ...]
    messages: int
    last_said_at: datetime | None
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Hit:
    """A recalled item, its score in 0–1 and the parts of it."""

    item: ItemView
    score: float
    parts: Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class ContextView:
    block: str
    tokens: int
    items: tuple[ItemView, ...]
    excluded: tuple[tuple[UUID, str], ...]
    needed: bool
    reasons: tuple[str, ...]
    partial: bool = False
    """Whether the block says that it holds a part only."""
    tiers: Mapping[UUID, str] = field(default_factory=dict)
    """With `explain`: the tier of each item."""
    drawn: dict[UUID, object] = field(default_factory=dict)
    """What an edge makes of these items and wants to find again: it is kept and thrown away with the items."""


@dataclass(frozen=True, slots=True)
class ListFilter:
    """What a list shows. Empty tuples mean the default (active and paused; every kind)."""

    statuses: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()
    contains: str = ""
    trash: bool = False
    noise_only: bool = False
    pending_only: bool = False
    project_id: str = ""


@dataclass(frozen=True, slots=True)
class AuditRow:
    id: UUID
    occurred_at: datetime
    actor_kind: str
    actor: str
    on_behalf_of: str
    action: str
    target_kind: str
    target_ids: tuple[UUID, ...]
    outcome: str
    reason: str
    changed_fields: tuple[str, ...]
    request_id: str
    actor_name: str = ""


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """A search of the trail; every part is optional. `person` is the external `user_id`."""

    since: datetime | None = None
    until: datetime | None = None
    actor: str = ""
    person: str = ""
    action: str = ""
