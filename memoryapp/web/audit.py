"""The audit trail for the compliance role: search, export, download. No text of a memory is on these pages."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from django.contrib import messages
from django.http import FileResponse, HttpRequest, HttpResponseBase, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_date, parse_datetime
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.actor import Actor
from memoryapp.domain.errors import DomainError
from memoryapp.domain.public_ids import parsed, public
from memoryapp.services import audit_trail
from memoryapp.services.results import AuditFilter, AuditRow
from memoryapp.web.actors import seated, show
from memoryapp.web.audit_labels import ACTIONS, ACTORS, AUTOMATA, FAMILIES, FIELDS, OUTCOMES, TARGETS
from memoryapp.web.labels import AUDIT_REASONS, REASONS, WORK, label

FILTERS = ("since", "until", "actor", "person", "action")
PAGE_SIZE = 50
SHOWN_IDS = 1
PREFIXES = {"memory": "mem", "run": "evt", "audit_export": "exp", "erasure": "era", "import": "imp", "export": "exp"}
PREFIXES |= {"session": "ses", "consolidation": "job", "invitation": "inv"}
PREFIXES |= {"space": "spc", "tenant": "ten", "key": "key", "membership": "mbr", "policy": "pol", "login": "log"}


@dataclass(frozen=True, slots=True)
class EventRow:
    """An event in words. `ids` are the first few of its targets in their public form, `others` how many more."""

    event: AuditRow
    actor_kind: str
    actor: str
    action: str
    reason: str
    fields: str
    target: str
    ids: tuple[str, ...]
    others: int
    outcome: str


def _instant(text: str) -> datetime | None:
    """A date or a date with time of the form, taken as UTC; what is no time is None."""
    try:
        moment = parse_datetime(text)
        day = parse_date(text)
    except ValueError:
        return None
    if moment is None and day is not None:
        moment = datetime(day.year, day.month, day.day)
    return timezone.make_aware(moment) if moment is not None and timezone.is_naive(moment) else moment


def texts_of(query: QueryDict) -> dict[str, str]:
    return {name: query.get(name, "").replace("\x00", "").strip() for name in FILTERS}


def faults_of(texts: dict[str, str]) -> dict[str, str]:
    """What cannot be understood, by field."""
    said = _("This is no date. Write it like 2026-03-15 or 2026-03-15T08:30.")
    faults = {name: said for name in ("since", "until") if texts[name] and _instant(texts[name]) is None}
    since, until = _instant(texts["since"]), _instant(texts["until"])
    if since and until and since >= until:
        faults["until"] = _("This is not after the beginning.")
    return faults


def wanted_of(texts: dict[str, str]) -> AuditFilter:
    return AuditFilter(
        since=_instant(texts["since"]),
        until=_instant(texts["until"]),
        actor=texts["actor"],
        person=texts["person"],
        action=texts["action"],
    )


def event_row(event: AuditRow) -> EventRow:
    prefix = PREFIXES.get(event.target_kind)
    ids = tuple(public(prefix, i) if prefix else str(i) for i in event.target_ids[:SHOWN_IDS])
    return EventRow(
        event,
        label(ACTORS, event.actor_kind),
        event.actor_name or str(AUTOMATA.get(event.actor, event.actor)),
        label(ACTIONS, event.action, _("Another action")),
        label(AUDIT_REASONS, event.reason),
        ", ".join(label(FIELDS, name, name) for name in event.changed_fields),
        label(TARGETS, event.target_kind, _("Something else")),
        ids,
        len(event.target_ids) - len(ids),
        label(OUTCOMES, event.outcome),
    )


@require_safe
@seated("audit:read")
def audit(request: HttpRequest, actor: Actor) -> HttpResponseBase:
    texts = texts_of(request.GET)
    faults = faults_of(texts)
    rows, more, total = (
        ((), None, 0)
        if faults
        else audit_trail.search(actor, wanted_of(texts), limit=PAGE_SIZE, cursor=request.GET.get("cursor") or None)
    )
    kept = {name: value for name, value in texts.items() if value}
    values = {
        "rows": [event_row(row) for row in rows],
        "total": total,
        "next": f"?{urlencode({**kept, 'cursor': more})}" if more else "",
        "first": f"?{urlencode(kept)}" if request.GET.get("cursor") else "",
        "fields": texts,
        "faults": faults,
        "families": FAMILIES.items(),
        "actions": ACTIONS.items(),
        "exports": [_export(view) for view in audit_trail.list_exports(actor)],
    }
    return show(request, "audit.html", values, fragment="list", status=422 if faults else 200)


def _export(view: audit_trail.ExportView) -> dict[str, object]:
    return {
        "view": view,
        "exp_id": public("exp", view.id),
        "state": label(WORK, view.state),
        "error": label(REASONS, view.error_code),
        "running": view.state in ("pending", "running"),
    }


@require_POST
@seated("audit:read")
def start_export(request: HttpRequest, actor: Actor) -> HttpResponseBase:
    texts = texts_of(request.POST)
    if faults_of(texts):
        raise DomainError("invalid", "A date of the filter cannot be understood.")
    audit_trail.start_export(actor, wanted_of(texts))
    messages.success(request, _("The export has begun."))
    kept = urlencode({name: text for name, text in texts.items() if text})
    return redirect(reverse("audit") + (f"?{kept}" if kept else ""))


@require_safe
@seated("audit:read")
def export(request: HttpRequest, actor: Actor, exp_id: str) -> HttpResponseBase:
    """The line of one export, which a running one asks for every second."""
    view = audit_trail.export_status(actor, parsed("exp", exp_id))
    return show(request, "audit_export.html", {"export": _export(view)}, fragment="line")


@require_safe
@seated("audit:read")
def download(request: HttpRequest, actor: Actor, exp_id: str) -> HttpResponseBase:
    found = audit_trail.export_file(actor, parsed("exp", exp_id))
    return FileResponse(found, as_attachment=True, content_type="application/zip")
