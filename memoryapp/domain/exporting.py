"""What an export of a person's memory holds and how it is written: JSON Lines, JSON, Markdown. Pure.

Records are values without anything lazy. Their JSON names are the fields' names; moments are RFC 3339 in UTC.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from enum import StrEnum

from memoryapp.domain.moments import moment

FORMAT_VERSION = 1


class ExportFormat(StrEnum):
    JSONL = "jsonl"
    """A ZIP: one file of JSON Lines a section, and the manifest with their hashes."""
    JSON = "json"
    """One document: the sections as lists, and the manifest."""
    MARKDOWN = "markdown"
    """For reading: every memory a list item with its evidence, then the conversations."""


class ExportState(StrEnum):
    PENDING = "pending"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    WITHDRAWN = "withdrawn"
    """Something in it was forgotten or erased since; its file is gone or about to go."""
    EXPIRED = "expired"


SUFFIXES: Mapping[ExportFormat, str] = {
    ExportFormat.JSONL: "zip",
    ExportFormat.JSON: "json",
    ExportFormat.MARKDOWN: "md",
}
MEDIA_TYPES: Mapping[str, str] = {"zip": "application/zip", "json": "application/json", "md": "text/markdown"}


def media_type(file_name: str) -> str:
    return MEDIA_TYPES[file_name.rpartition(".")[2]]


SECTIONS: tuple[str, ...] = ("memories", "evidence", "sessions", "messages", "events")
"""In the order in which they are written. `evidence` is this person's evidence for memories that others support too."""

LEFT_OUT: tuple[str, ...] = (
    "memories in the trash: `in_trash` says how many; restore them before an export, or let their erasure come",
    "words and vectors, which are derived from the texts and can be made anew at any time",
    "log lines of consolidation, which name memories by their ids",
    "keyed marks without content that keep the forgotten from coming back (tombstones, source masks)",
    "the audit trail, which never held a text; compliance exports it",
)
"""What an export does not hold, for its manifest."""


Json = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Version:
    version: int
    content: str
    kind: str
    status: str
    changed_fields: tuple[str, ...]
    reason: str
    actor: str
    valid_from: datetime | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Quote:
    """Evidence: what was said, by whom and where. `memory_id` and `session_id` are public ids."""

    id: str
    memory_id: str
    quote: str
    role: str
    speaker: str
    session_id: str | None
    message_id: str | None
    said_at: datetime
    door: str
    extractor: str
    model: str
    policy_version: int


@dataclass(frozen=True, slots=True)
class Given:
    """When a memory was given to an agent."""

    id: str
    purpose: str
    agent_id: str
    rank: int
    score: float | None
    feedback: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Memory:
    """A memory item with everything that hangs on it. `derived_from` names the memories it was made of."""

    id: str
    content: str
    kind: str
    status: str
    layer: str
    space: str
    project_id: str | None
    scope: str
    subject: str
    predicate: str
    object: str
    importance: float
    confidence: float
    sensitivity: str
    pinned: bool
    origin: str
    speaker: str
    agent_id: str
    pending_reason: str
    metadata: Json
    version: int
    superseded_by: str | None
    conflicts_with: str | None
    derived_from: tuple[str, ...]
    suspected_noise: tuple[str, ...]
    said_at: datetime
    valid_from: datetime | None
    valid_until: datetime | None
    expires_at: datetime | None
    review_after: datetime | None
    created_at: datetime
    updated_at: datetime
    versions: tuple[Version, ...] = ()
    evidence: tuple[Quote, ...] = ()
    uses: tuple[Given, ...] = ()


@dataclass(frozen=True, slots=True)
class Conversation:
    """A session with its working memory; `task_state` is as the API shows it."""

    id: str
    session_id: str
    agent_id: str
    summary: str
    summary_source: str
    task_state: Json
    labels: tuple[str, ...]
    expires_at: datetime | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Utterance:
    """A message that is still held. `text` is empty when its retention has ended; ▒ stands for what was forgotten."""

    id: str
    session_id: str
    message_id: str | None
    role: str
    speaker: str
    text: str
    said_at: datetime
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Event:
    """A run of extraction and what it did, by ids and reasons."""

    id: str
    session_id: str
    door: str
    status: str
    scope: str
    metadata: Json
    outcome: tuple[Json, ...]
    extractor: str
    model: str
    created_at: datetime
    finished_at: datetime | None


Record = Memory | Quote | Conversation | Utterance | Event


@dataclass(frozen=True, slots=True)
class Manifest:
    """What the export is. `counts` are records by section, and memories by status; `account` is logins and keys."""

    export_id: str
    user_id: str
    format: str
    requested_at: datetime
    created_at: datetime
    counts: Mapping[str, int]
    in_trash: int
    account: Json = field(default_factory=dict)
    files: Mapping[str, Json] = field(default_factory=dict)
    left_out: tuple[str, ...] = LEFT_OUT
    version: int = FORMAT_VERSION


def json_of(value: Record | Manifest, *, indent: int | None = None) -> str:
    return json.dumps(asdict(value), ensure_ascii=False, default=_plain, indent=indent)


def _plain(value: object) -> object:
    return moment(value) if isinstance(value, datetime) else str(value)


HEADINGS: Mapping[str, str] = {
    "memories": "记忆 · Memories",
    "evidence": "为他人也支持的记忆提供的依据 · Evidence for memories that others support too",
    "sessions": "会话 · Conversations",
    "messages": "消息 · Messages",
    "events": "提取记录 · What became of messages",
}


def markdown_of(record: Record) -> str:
    """Lines of Markdown, ending with a line break. A text never opens a heading, a list or a tag of its own."""
    return "".join(f"{line}\n" for line in _lines(record))


def _lines(record: Record) -> Iterable[str]:
    if isinstance(record, Memory):
        return _memory_lines(record)
    if isinstance(record, Conversation):
        return _conversation_lines(record)
    if isinstance(record, Utterance):
        who = f"{record.role} {record.speaker}".strip()
        return [f"- {moment(record.said_at)} · {_one_line(who)}: {_one_line(record.text)}"]
    if isinstance(record, Quote):
        return [f"- {_quote_line(record)}"]
    return [f"- {moment(record.created_at)} · {record.door} · {record.status} · {record.id}"]


def _memory_lines(memory: Memory) -> Iterable[str]:
    yield f"- {_one_line(memory.content)}"
    facts = [memory.kind, memory.status, memory.space, memory.scope, moment(memory.said_at) or "", memory.id]
    yield f"  - {' · '.join(_one_line(f) for f in facts if f)}"
    for one in memory.evidence:
        yield f"  - {_quote_line(one)}"
    for version in memory.versions[:-1]:
        yield f"  - v{version.version} ({moment(version.created_at)}): {_one_line(version.content)}"


def _quote_line(quote: Quote) -> str:
    who = f"{quote.role} {quote.speaker}".strip()
    return f"“{_one_line(quote.quote)}” — {_one_line(who)}, {moment(quote.said_at)}"


def _conversation_lines(one: Conversation) -> Iterable[str]:
    yield f"- {_one_line(one.session_id)} · {moment(one.created_at)}"
    if one.summary:
        yield f"  - {_one_line(one.summary)}"
    for name, value in one.task_state.items():
        shown = value.get("value") if isinstance(value, Mapping) else value
        yield f"  - {_one_line(name)}: {_one_line(str(shown))}"
    if one.labels:
        yield f"  - {', '.join(_one_line(label) for label in one.labels)}"


def _one_line(text: str) -> str:
    return " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;")


def markdown_head(manifest: Manifest) -> str:
    """The end of the Markdown file: what it is and what is not in it."""
    lines = [f"- {name}: {n}" for name, n in manifest.counts.items()]
    lines += [f"- in_trash: {manifest.in_trash}", "", "## 未包含 · Not in this file", ""]
    lines += [f"- {_one_line(text)}" for text in manifest.left_out]
    head = f"## 本文件 · This file\n\n- {manifest.export_id} · {_one_line(manifest.user_id)}"
    return f"{head} · {moment(manifest.created_at)}\n" + "\n".join(lines) + "\n"
