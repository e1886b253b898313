"""The memories of a person: list, one of them, adding, editing, forgetting, and what an agent would be given."""

from __future__ import annotations

from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase, QueryDict
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_POST, require_safe

from accounts.actor import Actor
from memoryapp.domain.errors import DomainError, NotFound
from memoryapp.domain.public_ids import parsed, public
from memoryapp.services import changes, events, injection
from memoryapp.services import memories as reads
from memoryapp.services.bulk import batch
from memoryapp.services.results import ItemView, ListFilter
from memoryapp.web.actors import seated, show
from memoryapp.web.labels import KINDS, REASONS, STATUSES, label
from memoryapp.web.rows import event_row, evidence_row, item_row, version_row

PAGE_SIZE = 50
NOISE_PAGE_SIZE = 200
LISTED_STATUSES = ("active", "paused", "pending", "archived", "superseded", "expired")
BULK_SCOPES = {"forget": "memory:delete"}


def wanted_of(query: QueryDict) -> ListFilter:
    """The filter in the URL; values that no list knows are left out."""
    kind, status = query.get("kind", ""), query.get("status", "")
    return ListFilter(
        statuses=(status,) if status in LISTED_STATUSES else (),
        kinds=(kind,) if kind in KINDS else (),
        contains=query.get("q", "").strip(),
        noise_only=query.get("noise") == "1",
    )


def next_link(query: QueryDict, cursor: str | None) -> str:
    kept = {name: query[name] for name in ("q", "kind", "status", "noise") if query.get(name)}
    return f"?{urlencode({**kept, 'cursor': cursor})}" if cursor else ""


@require_safe
@seated("memory:read")
def memories(request: HttpRequest, actor: Actor) -> HttpResponseBase:
    wanted = wanted_of(request.GET)
    size = NOISE_PAGE_SIZE if wanted.noise_only else PAGE_SIZE
    page = reads.list_items(actor, actor.user_key, wanted, limit=size, cursor=request.GET.get("cursor") or None)
    values: dict[str, object] = {
        "rows": [item_row(item) for item in page.items],
        "total": page.total,
        "next": next_link(request.GET, page.cursor),
        "wanted": wanted,
        "all_ticked": wanted.noise_only and request.GET.get("tick") == "all",
        "noise_total": _noise_total(actor),
        "kinds": KINDS.items(),
        "statuses": [(code, STATUSES[code]) for code in LISTED_STATUSES],
        "events": [event_row(event) for event in events.list_events(actor, actor.user_key, limit=8)],
        "address": request.get_full_path(),
    }
    return show(request, "memories.html", values, fragment="list")


def _noise_total(actor: Actor) -> int:
    return reads.list_items(actor, actor.user_key, ListFilter(noise_only=True), limit=1).total


@require_POST
@seated("memory:read", "memory:write")
def add(request: HttpRequest, actor: Actor) -> HttpResponseBase:
    content, kind = request.POST.get("content", "").strip(), request.POST.get("kind", "note")
    if not content or kind not in KINDS:
        messages.error(request, _("Please write what should be remembered."))
        return redirect("memories")
    try:
        _item, outcome, masked = changes.add(actor, actor.user_key, changes.NewItem(content=content, kind=kind))
    except DomainError as error:
        messages.error(request, refusal(error))
        return redirect("memories")
    messages.success(request, _outcome(outcome))
    if masked:
        messages.warning(request, _("A secret in the text was masked; it is stored nowhere."))
    return redirect("memories")


def _outcome(outcome: str) -> str:
    if outcome == "pending":
        return _("It waits in your inbox until you confirm it.")
    return _("This was remembered already.") if outcome == "refreshed" else _("Remembered.")


def refusal(error: DomainError) -> str:
    """Why a change was refused, in words; never the text itself."""
    reason = str(error.extra.get("reason") or error.code)
    return _("Not saved: %(reason)s.") % {"reason": label(REASONS, reason)}


@require_safe
@seated("memory:read")
def detail(request: HttpRequest, actor: Actor, mem_id: str) -> HttpResponseBase:
    item = reads.item(actor, parsed("mem", mem_id))
    return show(request, "memory.html", _detail(actor, item))


def _detail(actor: Actor, item: ItemView) -> dict[str, object]:
    return {
        "row": item_row(item),
        "text": item.content,
        "chosen_kind": item.kind,
        "evidence": [evidence_row(e) for e in reads.evidence(actor, item.id)],
        "versions": [version_row(v) for v in reads.history(actor, item.id)],
        "kinds": KINDS.items(),
        "may_change": item.status in ("active", "paused", "pending"),
    }


@require_POST
@seated("memory:read", "memory:write")
def edit(request: HttpRequest, actor: Actor, mem_id: str) -> HttpResponseBase:
    """Saves when the version is still the one that was shown; else both texts, with status 409."""
    item_id = parsed("mem", mem_id)
    content, kind = request.POST.get("content", "").strip(), request.POST.get("kind", "")
    expected = request.POST.get("version", "")
    if not content or kind not in KINDS or not (expected.isascii() and expected.isdigit()):
        messages.error(request, _("Please write what should be remembered."))
        return redirect("memory", mem_id)
    try:
        wanted: dict[str, object] = {"content": content, "kind": kind, "pinned": "pinned" in request.POST}
        changes.edit(actor, item_id, wanted, expected_version=int(expected))
    except NotFound:
        raise
    except DomainError as error:
        return _not_saved(request, actor, mem_id, error)
    messages.success(request, _("Saved."))
    return redirect("memory", mem_id)


def _not_saved(request: HttpRequest, actor: Actor, mem_id: str, error: DomainError) -> HttpResponseBase:
    item = reads.item(actor, parsed("mem", mem_id))
    values = _detail(actor, item) | {"text": request.POST["content"], "chosen_kind": request.POST["kind"]}
    stale = error.code == "stale_version"
    if not stale:
        messages.error(request, refusal(error))
    return show(request, "memory.html", values | {"stale": stale}, status=409 if stale else 422)


@require_POST
@seated("memory:read", "memory:write")
def act(request: HttpRequest, actor: Actor, mem_id: str, verb: str) -> HttpResponseBase:
    """One verb on one memory; afterwards back to where the button stood."""
    return _bulk(request, actor, verb, [mem_id])


@require_POST
@seated("memory:read", "memory:write")
def bulk(request: HttpRequest, actor: Actor) -> HttpResponseBase:
    return _bulk(request, actor, request.POST.get("action", ""), request.POST.getlist("ids"))


def _bulk(request: HttpRequest, actor: Actor, verb: str, mem_ids: list[str]) -> HttpResponseBase:
    if not actor.may(BULK_SCOPES.get(verb, "memory:write")):
        raise NotFound
    result = batch(actor, [parsed("mem", mem_id) for mem_id in mem_ids], verb)
    if len(mem_ids) == 1 and "not_found" in result.failed.values():
        raise NotFound
    if result.done and verb == "forget":
        request.session["undo"] = [public("mem", done) for done in result.done]
    elif result.done:
        count = len(result.done)
        messages.success(request, ngettext("%(n)d memory changed.", "%(n)d memories changed.", count) % {"n": count})
    if not mem_ids:
        messages.warning(request, _("Nothing was ticked."))
    for code in sorted(set(result.failed.values())):
        messages.error(request, _("Not done: %(reason)s.") % {"reason": label(REASONS, code)})
    return redirect(_way_back(request))


def _way_back(request: HttpRequest) -> str:
    back = request.POST.get("next", "")
    safe = url_has_allowed_host_and_scheme(back, {request.get_host()}, request.is_secure())
    return back if safe else "memories"


@require_POST
@seated("memory:read", "memory:write")
def undo(request: HttpRequest, actor: Actor) -> HttpResponseBase:
    """Takes back the last forget, or only its notice away (`dismiss`)."""
    mem_ids = request.session.pop("undo", [])
    if mem_ids and "dismiss" not in request.POST:
        return _bulk(request, actor, "restore", mem_ids)
    return redirect(_way_back(request))


@require_GET
@seated("memory:read")
def trash(request: HttpRequest, actor: Actor) -> HttpResponseBase:
    cursor = request.GET.get("cursor") or None
    page = reads.list_items(actor, actor.user_key, ListFilter(trash=True), limit=PAGE_SIZE, cursor=cursor)
    rows = [item_row(item) for item in page.items]
    return show(request, "trash.html", {"rows": rows, "total": page.total, "next": next_link(request.GET, page.cursor)})


@require_GET
@seated("memory:read")
def preview(request: HttpRequest, actor: Actor) -> HttpResponseBase:
    """What an agent would be given for a question, and what is left out and why."""
    query = request.GET.get("q", "").strip()
    found = injection.context(actor, actor.user_key, query=query, explain=True)
    left_out = [(public("mem", item_id), label(REASONS, why)) for item_id, why in found.excluded]
    values = {"query": query, "found": found, "rows": [item_row(i) for i in found.items], "left_out": left_out}
    return show(request, "preview.html", values, fragment="result")
