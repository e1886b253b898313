"""What waits for the person, by class: candidates, proposed deletions, conflicts, noise, quarantine, what expires."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.actor import Actor
from memoryapp.domain.errors import DomainError, NotFound
from memoryapp.domain.public_ids import parsed
from memoryapp.services import changes, waiting
from memoryapp.web import bulk as verbs
from memoryapp.web.actors import seated, show
from memoryapp.web.labels import WAITING, label
from memoryapp.web.memories import PAGE_SIZE, refusal, turning
from memoryapp.web.rows import item_row


@require_safe
@seated("memory:read")
def inbox(request: HttpRequest, actor: Actor) -> HttpResponseBase:
    return show(request, "inbox.html", _listed(request, actor), fragment="list")


def _listed(request: HttpRequest, actor: Actor) -> dict[str, object]:
    counts = waiting.count(actor, actor.user_key)
    chosen = request.GET.get("class", "")
    if chosen not in waiting.CLASSES:
        chosen = next((name for name in waiting.CLASSES if counts[name]), waiting.CLASSES[0])
    page = waiting.page(actor, actor.user_key, chosen, limit=PAGE_SIZE, cursor=request.GET.get("cursor") or None)
    return {
        "rows": [item_row(item) for item in page.items],
        "total": page.total,
        **turning(request.GET, page),
        "chosen": chosen,
        "chosen_label": label(WAITING, chosen),
        "classes": [(name, label(WAITING, name), counts[name]) for name in waiting.CLASSES],
        "waits": sum(counts.values()),
    }


@require_POST
@seated("memory:read", "memory:write")
def inbox_bulk(request: HttpRequest, actor: Actor) -> HttpResponseBase:
    """One verb on one row or on what was ticked; `amend` confirms one row with the text typed beside it."""
    verb, mem_ids = verbs.asked(request)
    if verb == "amend" and len(mem_ids) == 1:
        return _amend(request, actor, mem_ids[0])
    return verbs.run(request, actor, verb, mem_ids)


def _amend(request: HttpRequest, actor: Actor, mem_id: str) -> HttpResponseBase:
    """What was typed stays on the page when it is refused."""
    item_id = parsed("mem", mem_id)
    text = request.POST.get(f"text_{mem_id}", "").strip()
    error = _amended(actor, item_id, text)
    if error:
        values = _listed(request, actor) | {"wrong": mem_id, "error": error, "typed": text}
        return show(request, "inbox.html", values, fragment="list", status=422)
    messages.success(request, verbs.said("confirm", 1))
    return verbs.way_back(request, "inbox")


def _amended(actor: Actor, item_id: UUID, text: str) -> str:
    """Edit and confirm; answers what is wrong in words, or nothing."""
    if not text:
        return _("Please write what should be remembered.")
    try:
        changes.edit(actor, item_id, {"content": text}, expected_version=None)
        changes.confirm(actor, item_id)
    except NotFound:
        raise
    except DomainError as error:
        return refusal(error)
    return ""
