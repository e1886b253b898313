"""What waits for the person: candidates and proposed deletions, each with its reason."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponseBase
from django.views.decorators.http import require_safe

from accounts.actor import Actor
from memoryapp.services import memories as reads
from memoryapp.services.results import ListFilter
from memoryapp.web.actors import seated, show
from memoryapp.web.memories import PAGE_SIZE, next_link
from memoryapp.web.rows import item_row


@require_safe
@seated("memory:read")
def inbox(request: HttpRequest, actor: Actor) -> HttpResponseBase:
    cursor = request.GET.get("cursor") or None
    page = reads.list_items(actor, actor.user_key, ListFilter(pending_only=True), limit=PAGE_SIZE, cursor=cursor)
    rows = [item_row(item) for item in page.items]
    values = {"rows": rows, "total": page.total, "next": next_link(request.GET, page.cursor)}
    return show(request, "inbox.html", values, fragment="list")
