"""The audit trail for the compliance role: search, export, download. No text of a memory is on these pages."""

from __future__ import annotations

from datetime import datetime
from urllib.parse import urlencode

from django.contrib import messages
from django.http import FileResponse, HttpRequest, HttpResponseBase, QueryDict
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.dateparse import parse_date, parse_datetime
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.actor import Actor
from memoryapp.domain.public_ids import parsed, public
from memoryapp.services import audit_trail
from memoryapp.services.results import AuditFilter
from memoryapp.web.actors import seated, show
from memoryapp.web.labels import STATUSES, label

FIELDS = ("since", "until", "actor", "person", "action")
PAGE_SIZE = 50


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


def wanted_of(query: QueryDict) -> AuditFilter:
    texts = {name: query.get(name, "").strip() for name in FIELDS}
    return AuditFilter(
        since=_instant(texts["since"]),
        until=_instant(texts["until"]),
        actor=texts["actor"],
        person=texts["person"],
        action=texts["action"],
    )


@require_safe
@seated("audit:read")
def audit(request: HttpRequest, actor: Actor) -> HttpResponseBase:
    cursor = request.GET.get("cursor") or None
    rows, more, total = audit_trail.search(actor, wanted_of(request.GET), limit=PAGE_SIZE, cursor=cursor)
    fields = {name: request.GET.get(name, "") for name in FIELDS}
    kept = {name: value for name, value in fields.items() if value}
    values = {
        "rows": rows,
        "total": total,
        "next": f"?{urlencode({**kept, 'cursor': more})}" if more else "",
        "fields": fields,
        "exports": [_export(view) for view in audit_trail.list_exports(actor)],
    }
    return show(request, "audit.html", values, fragment="list")


def _export(view: audit_trail.ExportView) -> dict[str, object]:
    return {
        "view": view,
        "exp_id": public("exp", view.id),
        "state": label(STATUSES, view.state),
        "running": view.state in ("pending", "running"),
    }


@require_POST
@seated("audit:read")
def start_export(request: HttpRequest, actor: Actor) -> HttpResponseBase:
    audit_trail.start_export(actor, wanted_of(request.POST))
    messages.success(request, _("The export has begun."))
    return redirect("audit")


@require_safe
@seated("audit:read")
def export(request: HttpRequest, actor: Actor, exp_id: str) -> HttpResponseBase:
    """The line of one export, which a running one asks for every second."""
    view = audit_trail.export_status(actor, parsed("exp", exp_id))
    return show(request, "audit_export.html", {"export": _export(view)}, fragment="line")


@require_safe
@seated("audit:read")
def download(request: HttpRequest, actor: Actor, exp_id: str) -> HttpResponseBase:
    path = audit_trail.export_file(actor, parsed("exp", exp_id))
    return FileResponse(path.open("rb"), as_attachment=True, filename=path.name, content_type="application/zip")
