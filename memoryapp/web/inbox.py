"""What waits for the person, by class: to confirm, conflicts, noise, quarantine, what expires."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.http import HttpRequest, HttpResponseBase
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.actor import Actor
from memoryapp.domain.errors import DomainError, NotFound
from memoryapp.domain.public_ids import parsed
from memoryapp.services import changes
from memoryapp.services import inbox as reads
from memoryapp.services.bulk import BulkResult
from memoryapp.services.inbox import InboxClass, InboxEntry
from memoryapp.web import bulk as verbs
from memoryapp.web.actors import seated, show
from memoryapp.web.labels import WAITING, label
from memoryapp.web.memories import PAGE_SIZE, refusal, turning
from memoryapp.web.rows import ItemRow, item_row

CLASSES = tuple(str(c) for c in InboxClass)


@dataclass(frozen=True, slots=True)
class WaitingRow:
    """What waits, and in a conflict the memory that it contradicts."""

    row: ItemRow
    other: ItemRow | None


@require_safe
@seated("memory:read")
def inbox(request: HttpRequest, actor: Actor) -> HttpResponseBase:
    return show(request, "inbox.html", _listed(request, actor), fragment="list")


def _listed(request: HttpRequest, actor: Actor) -> dict[str, object]:
    chosen = _class_of(request, actor)
    page = reads.inbox(actor, actor.user_key, chosen, limit=PAGE_SIZE, cursor=request.GET.get("cursor") or None)
    return {
        "entries": [_waiting_row(entry) for entry in page.entries],
        "total": page.total,
        **turning(request.GET, page.cursor),
        "chosen": chosen,
        "chosen_label": label(WAITING, chosen),
        "classes": [(name, label(WAITING, name), n) for name, n in page.counts.items()],
        "waits": sum(page.counts.values()),
    }


def _class_of(request: HttpRequest, actor: Actor) -> str:
    """The class that was asked for, else the first in which something waits."""
    asked = request.GET.get("class", "")
    if asked in CLASSES:
        return asked
    counts = reads.counts(actor, actor.user_key)
    return str(next((c for c in InboxClass if counts[c]), InboxClass.TO_CONFIRM))


def _waiting_row(entry: InboxEntry) -> WaitingRow:
    return WaitingRow(item_row(entry.item), item_row(entry.other) if entry.other else None)


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
    return verbs.tell(request, "confirm", BulkResult((item_id,)), 1)


def _amended(actor: Actor, item_id: UUID, text: str) -> str:
    """Confirm in other words; answers what is wrong in words, or nothing."""
    if not text:
        return _("Please write what should be remembered.")
    try:
        changes.confirm(actor, item_id, text)
    except NotFound:
        raise
    except DomainError as error:
        return refusal(error)
    return ""
