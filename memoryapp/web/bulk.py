"""One verb over one or many memories, told in a notice, with the way back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.actor import Actor
from memoryapp.domain.errors import DomainError, NotFound
from memoryapp.domain.public_ids import parsed, public
from memoryapp.services import bulk, changes
from memoryapp.services.bulk import BulkResult, Order
from memoryapp.web.labels import REASONS, label

SCOPES = {"forget": "memory:delete", "reject": "memory:delete"}
BACK: Mapping[str, str] = {
    "forget": "restore",
    "reject": "undo",
    "confirm": "undo",
    "keep_both": "undo",
    "later": "undo",
    "pause": "resume",
    "resume": "pause",
    "pin": "unpin",
    "unpin": "pin",
}
"""Verb → the verb that takes it back."""

EDITS: Mapping[str, Mapping[str, object]] = {
    "pin": {"pinned": True},
    "unpin": {"pinned": False},
    "keep": {"expires_at": None, "review_after": None},
}
"""Verbs of the pages that set fields. `keep` is for what would lapse or be looked at again."""

SINGLE: Mapping[str, Callable[[Actor, UUID], object]] = {"keep_both": changes.keep_both, "undo": changes.undo}
"""Verbs that look at each memory's own past or counterpart."""

VERBS = frozenset({*changes.VERBS, *EDITS})


def carry_out(actor: Actor, verb: str, ids: Sequence[UUID]) -> BulkResult:
    """The verb on each id, in one transaction and one event for each space; what fails is named and the rest goes on."""
    if verb in SINGLE:
        return _one_by_one(actor, SINGLE[verb], ids)
    order = Order("edit", EDITS[verb]) if verb in EDITS else Order(verb)
    return bulk.carry_out(actor, ids, order)


def _one_by_one(actor: Actor, decide: Callable[[Actor, UUID], object], ids: Sequence[UUID]) -> BulkResult:
    done: list[UUID] = []
    failed: dict[UUID, str] = {}
    for item_id in dict.fromkeys(ids):
        try:
            decide(actor, item_id)
            done.append(item_id)
        except DomainError as error:
            failed[item_id] = error.code
    return BulkResult(tuple(done), failed)


def asked(request: HttpRequest) -> tuple[str, list[str]]:
    """The verb and the ids of a list's form: a row's own button says both, else the ticks count."""
    verb, _space, mem_id = request.POST.get("one", "").partition(" ")
    if mem_id:
        return verb, [mem_id]
    return request.POST.get("action", ""), request.POST.getlist("ids")


def run(request: HttpRequest, actor: Actor, verb: str, mem_ids: Sequence[str]) -> HttpResponseBase:
    """Do it, say it, go back to where the button stood."""
    if verb not in VERBS:
        raise DomainError("invalid", "This action is not known.")
    if not actor.may(SCOPES.get(verb, "memory:write")):
        raise NotFound
    if not mem_ids:
        messages.warning(request, _("Nothing was ticked."))
        return way_back(request)
    return tell(request, verb, carry_out(actor, verb, [parsed("mem", mem_id) for mem_id in mem_ids]), len(mem_ids))


def tell(request: HttpRequest, verb: str, result: BulkResult, asked: int) -> HttpResponseBase:
    """The notice of what was done, with its way back where there is one, and of what was not."""
    if asked == 1 and "not_found" in result.failed.values():
        raise NotFound
    if result.done and verb in BACK:
        request.session["undo"] = {"verb": verb, "ids": [public("mem", done) for done in result.done]}
    elif result.done:
        messages.success(request, said(verb, len(result.done)))
    codes = list(result.failed.values())
    for code in sorted(set(codes)):
        messages.error(request, _undone(code, codes.count(code)))
    return way_back(request)


def _undone(code: str, n: int) -> str:
    reason = label(REASONS, code)
    return ngettext("%(n)d not done: %(reason)s.", "%(n)d not done: %(reason)s.", n) % {"n": n, "reason": reason}


def said(verb: str, n: int) -> str:
    """What a verb did, in a sentence with its number."""
    sentences = {
        "forget": ngettext("%(n)d memory forgotten.", "%(n)d memories forgotten.", n),
        "reject": ngettext("%(n)d memory rejected.", "%(n)d memories rejected.", n),
        "restore": ngettext("%(n)d memory restored.", "%(n)d memories restored.", n),
        "confirm": ngettext("%(n)d memory confirmed.", "%(n)d memories confirmed.", n),
        "pause": ngettext("%(n)d memory paused.", "%(n)d memories paused.", n),
        "resume": ngettext("%(n)d memory is in use again.", "%(n)d memories are in use again.", n),
        "pin": ngettext("%(n)d memory pinned.", "%(n)d memories pinned.", n),
        "unpin": ngettext("%(n)d memory unpinned.", "%(n)d memories unpinned.", n),
        "keep_both": ngettext(
            "%(n)d memory is kept beside the other.", "%(n)d memories are kept beside the others.", n
        ),
        "later": ngettext("%(n)d memory put off for some days.", "%(n)d memories put off for some days.", n),
        "not_noise": ngettext("%(n)d memory is no noise.", "%(n)d memories are no noise.", n),
        "keep": ngettext("%(n)d memory is kept for good.", "%(n)d memories are kept for good.", n),
    }
    sentence = sentences.get(verb) or ngettext("%(n)d memory changed.", "%(n)d memories changed.", n)
    return sentence % {"n": n}


def way_back(request: HttpRequest, default: str = "memories") -> HttpResponseBase:
    """Where the form says it stood, with the focus on the list; another site's address is not followed."""
    request.session["focus"] = "list-title"
    back = request.POST.get("next", "")
    safe = url_has_allowed_host_and_scheme(back, {request.get_host()}, request.is_secure())
    return redirect(back if safe else default)


def undo(request: HttpRequest, actor: Actor) -> HttpResponseBase:
    """Take back the last change, or only its notice away (`dismiss`)."""
    last = request.session.pop("undo", None)
    if not isinstance(last, dict) or "dismiss" in request.POST:
        return way_back(request)
    ids = [parsed("mem", mem_id) for mem_id in last["ids"]]
    result = carry_out(actor, BACK[last["verb"]], ids)
    if result.done:
        messages.success(request, _("Taken back."))
    if result.failed:
        messages.error(
            request,
            _("Not done: %(reason)s.") % {"reason": label(REASONS, sorted(result.failed.values())[0])},
        )
    return way_back(request)
