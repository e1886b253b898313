"""A person's own memories: list, add, edit, forget with undo, inbox, trash, preview."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.actor import Actor
from memoryapp.domain.errors import DomainError
from memoryapp.domain.types import Kind
from memoryapp.services import changes, events, recall
from memoryapp.services import memories as reading
from memoryapp.services.results import ListFilter
from memoryapp.web.seats import item_id, page

FORM_ACTIONS = ("forget", "restore", "confirm", "reject", "pause", "resume", "not_noise")


@require_GET
@page("memory:read")
def memory_list(request: HttpRequest, actor: Actor) -> HttpResponse:
    asked = request.GET
    wanted = ListFilter(
        kinds=(asked["kind"],) if asked.get("kind") in set(Kind) else (),
        contains=asked.get("q", "").strip(),
        noise_only=asked.get("noise") == "1",
    )
    found = reading.list_items(actor, "", wanted, cursor=asked.get("cursor") or None)
    context = {
        "page": found,
        "kinds": list(Kind),
        "asked": asked,
        "ticked": wanted.noise_only and asked.get("tick") == "1",
        "recent": events.list_events(actor, None, limit=5),
        "undo": request.session.pop("undo", None),
    }
    template = "memories/list.html#results" if request.headers.get("HX-Request") else "memories/list.html"
    return render(request, template, context)


@require_POST
@page("memory:write")
def memory_add(request: HttpRequest, actor: Actor) -> HttpResponse:
    try:
        kind = request.POST.get("kind", "note")
        changes.add(actor, "", changes.NewItem(request.POST.get("content", "").strip(), kind))
        messages.success(request, _("Remembered."))
    except (DomainError, ValueError) as error:
        reason = error.extra.get("reason", error.code) if isinstance(error, DomainError) else "kind"
        messages.error(request, _("Not stored: %(reason)s") % {"reason": reason})
    return redirect("memories")


@page("memory:read")
@require_http_methods(["GET", "POST"])
def memory_detail(request: HttpRequest, actor: Actor, item: str) -> HttpResponse:
    found = item_id(item)
    if request.method == "POST":
        return _edited(request, actor, found)
    return _detail(request, actor, found, {})


def _detail(request: HttpRequest, actor: Actor, found: UUID, extra: dict[str, Any], status: int = 200) -> HttpResponse:
    context = {
        "item": reading.item(actor, found),
        "evidence": reading.evidence(actor, found),
        "history": reading.history(actor, found),
        "kinds": list(Kind),
        **extra,
    }
    return render(request, "memories/detail.html", context, status=status)


def _edited(request: HttpRequest, actor: Actor, found: UUID) -> HttpResponse:
    text, kind = request.POST.get("content", "").strip(), request.POST.get("kind", "")
    version = request.POST.get("version", "")
    wanted = {"content": text, "kind": kind if kind in set(Kind) else Kind.NOTE.value}
    try:
        changes.edit(actor, found, wanted, expected_version=int(version) if version.isdecimal() else -1)
    except DomainError as error:
        if error.code == "stale_version":
            return _detail(request, actor, found, {"mine": text}, 409)
        messages.error(request, _("Not stored: %(reason)s") % {"reason": error.extra.get("reason", error.code)})
        return _detail(request, actor, found, {"mine": text}, 422)
    messages.success(request, _("Saved."))
    return redirect("memory", item=f"mem_{found.hex}")


@require_POST
@page("memory:write")
def memory_batch(request: HttpRequest, actor: Actor) -> HttpResponse:
    """One verb over the ticked memories. Forgetting keeps the ids in the session, for undo."""
    action = request.POST.get("action", "")
    ids = [item_id(text) for text in request.POST.getlist("ids")][:500]
    if action not in FORM_ACTIONS or not ids:
        messages.error(request, _("Tick at least one memory."))
        return redirect(_back(request))
    done = changes.batch(actor, ids, action)
    count = len(done.done)
    messages.success(request, ngettext("%(count)d memory done.", "%(count)d memories done.", count) % {"count": count})
    if done.failed:
        messages.warning(request, _("%(count)d could not be done.") % {"count": len(done.failed)})
    if action == "forget" and done.done:
        request.session["undo"] = [i.hex for i in done.done]
    return redirect(_back(request))


def _back(request: HttpRequest) -> str:
    target = request.POST.get("back", "memories")
    return target if target in ("memories", "inbox", "trash") else "memories"


@require_GET
@page("memory:read")
def inbox(request: HttpRequest, actor: Actor) -> HttpResponse:
    found = reading.list_items(actor, "", ListFilter(pending_only=True), cursor=request.GET.get("cursor") or None)
    return render(request, "memories/inbox.html", {"page": found})


@require_GET
@page("memory:read")
def trash(request: HttpRequest, actor: Actor) -> HttpResponse:
    found = reading.list_items(actor, "", ListFilter(trash=True), cursor=request.GET.get("cursor") or None)
    return render(request, "memories/trash.html", {"page": found})


@require_GET
@page("memory:read")
def preview(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Exactly what an agent would be given, and what was left out and why."""
    query = request.GET.get("q", "")
    view = recall.context(actor, "", query=query, explain=True)
    return render(request, "memories/preview.html", {"view": view, "query": query})
