"""Exactly what an agent would be given for a question, and what is left out and why."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponseBase
from django.views.decorators.http import require_GET

from accounts.actor import Actor
from memoryapp.domain.public_ids import public
from memoryapp.services import injection, selection, switches
from memoryapp.web.actors import seated, show
from memoryapp.web.labels import LEFT_OUT, NEEDED, REASONS, STATUSES, label
from memoryapp.web.rows import item_row

NEVER_GIVEN = ("pending", "paused", "archived", "superseded", "expired")


@require_GET
@seated("memory:read")
def preview(request: HttpRequest, actor: Actor) -> HttpResponseBase:
    query = request.GET.get("q", "").strip()
    found = injection.context(actor, actor.user_key, query=query, explain=True)
    texts = selection.items_by_id(actor, [item_id for item_id, _ in found.excluded])
    left_out = [
        (public("mem", item_id), texts[item_id].content, label(LEFT_OUT, why, label(REASONS, why)))
        for item_id, why in found.excluded
        if item_id in texts
    ]
    counts = selection.count_by_status(actor, actor.user_key)
    values = {
        "query": query,
        "found": found,
        "needed": [label(NEEDED, reason) for reason in found.reasons],
        "rows": [item_row(item) for item in found.items],
        "left_out": left_out,
        "never": [(code, STATUSES[code], counts[code]) for code in NEVER_GIVEN if counts.get(code)],
        "switches": switches.switches(actor, actor.user_key),
    }
    return show(request, "preview.html", values, fragment="result")
