"""The audit trail for the compliance role. It never shows a memory."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.http import FileResponse, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.views.decorators.http import require_GET, require_POST

from accounts.actor import Actor
from memoryapp.services import audit_trail
from memoryapp.services.results import AuditFilter
from memoryapp.web.seats import page


def _moment(text: str) -> datetime | None:
    try:
        found = parse_datetime(text)
    except ValueError:
        return None
    return timezone.make_aware(found) if found is not None and timezone.is_naive(found) else found


def _wanted(values: dict[str, str]) -> AuditFilter:
    return AuditFilter(
        _moment(values.get("since", "")),
        _moment(values.get("until", "")),
        values.get("actor", "").strip(),
        values.get("person", "").strip(),
        values.get("action", "").strip(),
    )


@require_GET
@page("audit:read")
def trail(request: HttpRequest, actor: Actor) -> HttpResponse:
    asked = request.GET.dict()
    rows, cursor, total = audit_trail.search(actor, _wanted(asked), cursor=asked.get("cursor") or None)
    context = {"rows": rows, "cursor": cursor, "total": total, "asked": asked}
    return render(request, "audit/trail.html", context | {"exports": audit_trail.list_exports(actor)})


@require_POST
@page("audit:read")
def export(request: HttpRequest, actor: Actor) -> HttpResponse:
    audit_trail.start_export(actor, _wanted(request.POST.dict()))
    return redirect("audit")


@require_GET
@page("audit:read")
def download(request: HttpRequest, actor: Actor, export_id: UUID) -> HttpResponseBase:
    path = audit_trail.export_file(actor, export_id)
    return FileResponse(path.open("rb"), as_attachment=True, filename=path.name)
