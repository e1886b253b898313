"""What the API answers, as plain JSON values."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import orjson

from memoryapp.domain.moments import in_utc, moment
from memoryapp.domain.public_ids import public
from memoryapp.domain.types import Status
from memoryapp.services.audit_trail import ExportView
from memoryapp.services.people import PersonView, SessionView
from memoryapp.services.results import (
    AuditRow,
    ContextView,
    Entry,
    EventView,
    EvidenceView,
    Hit,
    ItemView,
    VersionView,
)
from memoryapp.services.use_history import UseView

SECTIONS = ("added", "updated", "deleted", "pending", "skipped", "failed")


def item_body(item: ItemView) -> dict[str, Any]:
    return {
        "id": public("mem", item.id),
        "content": item.content,
        "kind": item.kind,
        "status": item.status,
        "scope": item.scope,
        "space": item.space_kind,
        "subject": item.subject,
        "speaker": item.speaker,
        "importance": item.importance,
        "confidence": item.confidence,
        "sensitivity": item.sensitivity,
        "pinned": item.pinned,
        "origin": item.origin,
        "version": item.version,
        "evidence_count": item.evidence_count,
        "metadata": dict(item.metadata),
        "pending_reason": item.pending_reason,
        "noise": list(item.noise),
        "superseded_by": public("mem", item.superseded_by) if item.superseded_by else None,
        "said_at": in_utc(item.said_at),
        "created_at": in_utc(item.created_at),
        "updated_at": in_utc(item.updated_at),
        "expires_at": in_utc(item.expires_at),
        "review_after": in_utc(item.review_after),
    }


def forgotten_body(item: ItemView) -> dict[str, Any]:
    """What is told of a forgotten item: never its text."""
    return {"id": public("mem", item.id), "status": item.status, "undo_until": moment(item.undo_until)}


def left_body(item: ItemView) -> dict[str, Any]:
    """What a verb leaves: a memory that it forgot is told without its text."""
    return forgotten_body(item) if item.status == Status.FORGOTTEN else item_body(item)


def use_body(use: UseView) -> dict[str, Any]:
    return {
        "purpose": use.purpose,
        "agent_id": use.agent_id or None,
        "rank": use.rank,
        "score": use.score,
        "feedback": use.feedback or None,
        "used_at": moment(use.created_at),
    }


def person_body(person: PersonView) -> dict[str, Any]:
    return {
        "user_id": person.user_id,
        "memories": person.memories,
        "pending": person.pending,
        "sessions": person.sessions,
        "created_at": moment(person.created_at),
        "last_activity": moment(person.last_activity),
    }


def session_body(session: SessionView) -> dict[str, Any]:
    public_id = public("ses", session.id)
    return {
        "id": public_id,
        "session_id": session.name or public_id,
        "name": session.name or None,
        "user_id": session.user_id,
        "agent_id": session.agent_id or None,
        "messages": session.messages,
        "created_at": moment(session.created_at),
        "last_activity": moment(session.last_activity),
    }


def export_body(export: ExportView) -> dict[str, Any]:
    """`file` is the address of the ZIP once the export succeeded."""
    public_id = public("exp", export.id)
    return {
        "id": public_id,
        "status": export.state,
        "events_done": export.events_done,
        "events_total": export.events_total,
        "error_code": export.error_code or None,
        "file": f"/api/v1/audit/exports/{public_id}/file" if export.state == "succeeded" else None,
        "created_at": moment(export.created_at),
    }


def hit_body(hit: Hit, explain: bool) -> dict[str, Any]:
    body = {**item_body(hit.item), "score": round(hit.score, 6)}
    return body | ({"scores": dict(hit.parts)} if explain else {})


def event_body(event: EventView) -> dict[str, Any]:
    body: dict[str, Any] = {
        "id": public("evt", event.id),
        "event_id": public("evt", event.id),
        "session_id": event.session,
        "status": event.status,
        "door": event.door,
        "due_at": moment(event.due_at),
        "attempt": event.attempt,
    }
    return body | sections_body(event.entries) | {"warnings": list(event.warnings)}


def sections_body(entries: Iterable[Entry]) -> dict[str, Any]:
    """The lines of an event by their section."""
    sections: dict[str, list[dict[str, Any]]] = {name: [] for name in SECTIONS}
    for entry in entries:
        line: dict[str, Any] = {"action": entry.action}
        if entry.id:
            line["id"] = public("mem", entry.id)
        if entry.superseded_id:
            line["superseded_id"] = public("mem", entry.superseded_id)
        line |= {n: v for n in ("kind", "content", "reason") if (v := getattr(entry, n))}
        sections[entry.section].append(line)
    return sections


def context_body(view: ContextView) -> dict[str, Any]:
    return {
        "context": view.block,
        "items": [item_body(i) | {"tier": view.tiers[i.id]} for i in view.items] if view.tiers else _drawn(view),
        "excluded": [{"id": public("mem", i), "reason": reason} for i, reason in view.excluded],
        "tokens": view.tokens,
        "partial": view.partial,
        "decision": {"needed": view.needed, "reasons": list(view.reasons)},
    }


def _drawn(view: ContextView) -> list[object]:
    """The items as JSON, each written once for as long as it is kept; plainly where the quick writer refuses one."""
    try:
        for item in view.items:
            if item.id not in view.drawn:
                view.drawn[item.id] = orjson.Fragment(orjson.dumps(item_body(item), option=orjson.OPT_UTC_Z))
    except TypeError:
        return [item_body(item) for item in view.items]
    return [view.drawn[item.id] for item in view.items]


def version_body(version: VersionView) -> dict[str, Any]:
    return {
        "version": version.number,
        "content": version.content,
        "kind": version.kind,
        "status": version.status,
        "changed_fields": list(version.changed_fields),
        "reason": version.reason,
        "actor": version.actor_kind,
        "created_at": moment(version.created_at),
    }


def evidence_body(evidence: EvidenceView) -> dict[str, Any]:
    return {
        "quote": evidence.quote,
        "role": evidence.role,
        "speaker": evidence.speaker,
        "session_id": evidence.session,
        "said_at": moment(evidence.said_at),
        "door": evidence.door,
        "extractor": evidence.extractor,
        "model": evidence.model,
        "policy_version": evidence.policy_version,
    }


def audit_body(row: AuditRow) -> dict[str, Any]:
    return {
        "id": str(row.id),
        "time": moment(row.occurred_at),
        "actor": {"kind": row.actor_kind, "ref": row.actor},
        "on_behalf_of": row.on_behalf_of or None,
        "action": row.action,
        "target": {"kind": row.target_kind, "ids": [str(i) for i in row.target_ids]},
        "outcome": row.outcome,
        "reason": row.reason,
        "changed_fields": list(row.changed_fields),
        "request_id": row.request_id,
    }
