"""A person's own export of everything kept about them: asked for, watched, downloaded."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib import messages
from django.http import FileResponse, HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.actor import Actor
from memoryapp.domain.exporting import ExportState, media_type
from memoryapp.domain.public_ids import parsed, public
from memoryapp.services import exports
from memoryapp.services.exports import ExportView
from memoryapp.web.actors import seated, show
from memoryapp.web.labels import FORMATS, REASONS, WORK, label

RECENT = 5
RUNNING = (ExportState.PENDING, ExportState.RUNNING)


@dataclass(frozen=True, slots=True)
class ExportRow:
    """An export in words."""

    view: ExportView
    exp_id: str
    form: str
    state: str
    reason: str
    running: bool
    ready: bool
    in_trash: int


def export_row(view: ExportView) -> ExportRow:
    return ExportRow(
        view,
        public("exp", view.id),
        label(FORMATS, view.format),
        label(WORK, view.state),
        label(REASONS, view.error_code),
        view.state in RUNNING,
        view.state == ExportState.SUCCEEDED,
        view.counts.get("in_trash", 0),
    )


def offered(actor: Actor) -> dict[str, object]:
    """What a page needs to offer an export: the formats and the latest ones."""
    done, _more, _total = exports.list_exports(actor, actor.user_key, limit=RECENT)
    return {"formats": [(code, label(FORMATS, code)) for code in FORMATS], "exports": [export_row(v) for v in done]}


@require_POST
@seated("memory:read")
def start_my_export(request: HttpRequest, actor: Actor) -> HttpResponseBase:
    job = exports.start(actor, actor.user_key, request.POST.get("format", "jsonl"))
    messages.success(request, _("The export has begun."))
    return redirect("my_export", public("exp", job))


@require_safe
@seated("memory:read")
def my_export(request: HttpRequest, actor: Actor, file_id: str) -> HttpResponseBase:
    """One export, which a running one asks for every second."""
    view = exports.export(actor, parsed("exp", file_id))
    return show(request, "export.html", {"export": export_row(view), "back": reverse("privacy")}, fragment="line")


@require_safe
@seated("memory:read")
def download_my_export(request: HttpRequest, actor: Actor, file_id: str) -> HttpResponseBase:
    found = exports.file_of(actor, parsed("exp", file_id))
    return FileResponse(found, as_attachment=True, content_type=media_type(found.name))
