"""The memories of a person: list, one of them, adding, editing, forgetting, restoring, the two switches."""

from __future__ import annotations

from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST, require_safe

from accounts.actor import Actor
from memoryapp.domain.errors import DomainError, NotFound
from memoryapp.domain.public_ids import parsed, public
from memoryapp.services import changes, events, selection, switches, use_history
from memoryapp.services import inbox as waiting
from memoryapp.services import memories as reads
from memoryapp.services.inbox import InboxClass
from memoryapp.services.results import ItemView, ListFilter
from memoryapp.web import bulk as verbs
from memoryapp.web.actors import is_fragment, seated, show
from memoryapp.web.forms import EditForm, MemoryForm, edit_form
from memoryapp.web.labels import KINDS, REASONS, STATUSES, label
from memoryapp.web.rows import event_row, evidence_row, item_row, use_row, version_rows

PAGE_SIZE = 50
NOISE_PAGE_SIZE = 200
RECENT_RUNS = 8
LISTED_STATUSES = ("active", "paused", "pending", "archived", "superseded", "expired")


def wanted_of(query: QueryDict) -> ListFilter:
    """The filter in the address; values that no list knows are left out."""
    kind, status = query.get("kind", ""), query.get("status", "")
    return ListFilter(
        statuses=(status,) if status in LISTED_STATUSES else (),
        kinds=(kind,) if kind in KINDS else (),
        contains=query.get("q", "").strip(),
        noise_only=query.get("noise") == "1",
    )


def kept_query(query: QueryDict) -> dict[str, str]:
    """The part of an address that says what is listed, without the place in the list."""
    return {name: query.get(name, "") for name in ("q", "kind", "status", "noise", "class") if query.get(name)}


def turning(query: QueryDict, cursor: str | None) -> dict[str, str]:
    """The links of a list: to what is older, and from there back to the newest."""
    kept = kept_query(query)
    return {
        "next": f"?{urlencode({**kept, 'cursor': cursor})}" if cursor else "",
        "first": f"?{urlencode(kept)}" if query.get("cursor") else "",
    }


@require_safe
@seated("memory:read")
def memories(request: HttpRequest, actor: Actor) -> HttpResponseBase:
    return show(request, "memories.html", _listed(request, actor, MemoryForm()), fragment="list")


@require_safe
@seated()
def start(request: HttpRequest, actor: Actor) -> HttpResponseBase:
    """The first address: one's memories, or for a role that has none the first page of the role."""
    return memories(request) if actor.may("memory:read") else redirect("home")


def _listed(request: HttpRequest, actor: Actor, form: MemoryForm) -> dict[str, object]:
    wanted = wanted_of(request.GET)
    size = NOISE_PAGE_SIZE if wanted.noise_only else PAGE_SIZE
    page = reads.list_items(actor, actor.user_key, wanted, limit=size, cursor=request.GET.get("cursor") or None)
    runs = [event_row(event) for event in events.list_events(actor, actor.user_key, limit=RECENT_RUNS)]
    waits = waiting.counts(actor, actor.user_key)
    return {
        "rows": [item_row(item) for item in page.items],
        "total": page.total,
        **turning(request.GET, page.cursor),
        "wanted": wanted,
        "filtered": bool(kept_query(request.GET)),
        "all_ticked": wanted.noise_only and request.GET.get("tick") == "all",
        "noise_total": waits[InboxClass.NOISE],
        "waits": sum(waits.values()) - waits[InboxClass.NOISE],
        "kinds": KINDS.items(),
        "statuses": [(code, STATUSES[code]) for code in LISTED_STATUSES],
        "runs": runs,
        "runs_go_on": any(run.event.status in ("pending", "running") for run in runs),
        "address": _address(request),
        "matching": urlencode(kept_query(request.GET)),
        "at_once": min(page.total, selection.MOST_AT_ONCE),
        "switches": switches.switches(actor, actor.user_key),
        "form": form,
    }


def _address(request: HttpRequest) -> str:
    """Where a button on the list leads back to: the same list, without what it ticked."""
    kept = kept_query(request.GET)
    if cursor := request.GET.get("cursor"):
        kept["cursor"] = cursor
    return reverse("memories") + (f"?{urlencode(kept)}" if kept else "")


@require_safe
@seated("memory:read")
def runs(request: HttpRequest, actor: Actor) -> HttpResponseBase:
    """What was just learnt and refused, on its own; the page asks again while something is at work."""
    found = [event_row(event) for event in events.list_events(actor, actor.user_key, limit=RECENT_RUNS)]
    going = any(run.event.status in ("pending", "running") for run in found)
    return show(request, "runs.html", {"runs": found, "runs_go_on": going}, fragment="runs")


@require_POST
@seated("memory:read", "memory:write")
def add(request: HttpRequest, actor: Actor) -> HttpResponseBase:
    form = MemoryForm(request.POST)
    if not form.is_valid():
        return show(request, "memories.html", _listed(request, actor, form), status=422)
    given = form.cleaned_data
    new = changes.NewItem(
        content=given["content"],
        kind=given["kind"],
        importance=given["importance"],
        pinned=given["pinned"],
        expires_at=given["expires_on"],
    )
    try:
        _item, outcome, masked = changes.add(actor, actor.user_key, new)
    except DomainError as error:
        form.add_error("content", refusal(error))
        return show(request, "memories.html", _listed(request, actor, form), status=422)
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
    return show(request, "memory.html", _detail(actor, item, edit_form(item)))


def _detail(actor: Actor, item: ItemView, form: EditForm) -> dict[str, object]:
    versions = reads.history(actor, item.id)
    return {
        "row": item_row(item),
        "form": form,
        "evidence": [evidence_row(e) for e in reads.evidence(actor, item.id)],
        "versions": version_rows(versions, item.version),
        "uses": [use_row(use) for use in use_history.uses(actor, item.id, limit=20).rows],
        "newer": public("mem", item.superseded_by) if item.superseded_by else "",
        "may_change": item.status in ("active", "paused", "pending"),
    }


@require_http_methods(["GET", "HEAD", "POST"])
@seated("memory:read", "memory:write")
def edit(request: HttpRequest, actor: Actor, mem_id: str) -> HttpResponseBase:
    """The form in the place of the row, and saving when the version is still the one that was shown."""
    item = reads.item(actor, parsed("mem", mem_id))
    if request.method != "POST" and is_fragment(request) and request.GET.get("row"):
        return show(request, "memory.html", {"row": item_row(item)}, fragment="saved")
    if request.method != "POST":
        return show(request, "memory.html", _detail(actor, item, edit_form(item)), fragment="inplace")
    form = EditForm(request.POST, current=item, auto_id=f"id_{item.id.hex}_%s")
    if not form.is_valid():
        return _again(request, actor, item, form, 422)
    try:
        wanted = form.changes(item)
        if wanted:
            item = changes.edit(actor, item.id, wanted, expected_version=form.cleaned_data["version"])
    except NotFound:
        raise
    except DomainError as error:
        return _not_saved(request, actor, form, error, item)
    messages.success(request, _("Saved."))
    if is_fragment(request):
        return show(request, "memory.html", {"row": item_row(item)}, fragment="saved")
    return redirect("memory", mem_id)


def _not_saved(
    request: HttpRequest, actor: Actor, form: EditForm, error: DomainError, item: ItemView
) -> HttpResponseBase:
    """Somebody was faster: both texts, with status 409. Else the reason beside the text, with 422."""
    if error.code == "stale_version":
        item = reads.item(actor, item.id)
        return _again(request, actor, item, form, 409)
    form.add_error("content", refusal(error))
    return _again(request, actor, item, form, 422)


def _again(request: HttpRequest, actor: Actor, item: ItemView, form: EditForm, status: int) -> HttpResponseBase:
    stale = status == 409
    values = _detail(actor, item, form) | {"stale": stale, "mine": request.POST.get("content", "")}
    if stale:
        typed = request.POST.copy()
        typed["version"] = str(item.version)
        values["form"] = EditForm(typed, current=item, auto_id=form.auto_id)
        values["mine_kind"] = label(KINDS, request.POST.get("kind", ""))
    return show(request, "memory.html", values, fragment="inplace", status=status)


@require_POST
@seated("memory:read", "memory:write")
def restore_version(request: HttpRequest, actor: Actor, mem_id: str, number: int) -> HttpResponseBase:
    """An earlier text comes back as a new version."""
    try:
        changes.restore_version(actor, parsed("mem", mem_id), number)
    except NotFound:
        raise
    except DomainError as error:
        messages.error(request, refusal(error))
    else:
        messages.success(request, _("The earlier text is back, as a new version."))
    return redirect("memory", mem_id)


@require_POST
@seated("memory:read", "memory:write")
def act(request: HttpRequest, actor: Actor, mem_id: str, verb: str) -> HttpResponseBase:
    """One verb on one memory; afterwards back to where the button stood."""
    return verbs.run(request, actor, verb, [mem_id])


@require_POST
@seated("memory:read", "memory:write")
def bulk(request: HttpRequest, actor: Actor) -> HttpResponseBase:
    """One verb on one row, on what was ticked, or on all that match the filter of the list."""
    verb, mem_ids = verbs.asked(request)
    if "one" in request.POST or request.POST.get("reach") != "matching":
        return verbs.run(request, actor, verb, mem_ids)
    wanted = wanted_of(QueryDict(request.POST.get("matching", "")))
    ids = selection.matching_ids(actor, actor.user_key, wanted)
    return verbs.run(request, actor, verb, [public("mem", item_id) for item_id in ids])


@require_POST
@seated("memory:read", "memory:write")
def undo(request: HttpRequest, actor: Actor) -> HttpResponseBase:
    return verbs.undo(request, actor)


@require_POST
@seated("memory:read", "memory:write")
def switch(request: HttpRequest, actor: Actor) -> HttpResponseBase:
    """Pause or resume learning or using."""
    what, paused = request.POST.get("what", ""), request.POST.get("paused") == "1"
    switches.switch(actor, actor.user_key, what, paused=paused)
    said = {
        ("learning", True): _("Learning is paused: nothing new is remembered."),
        ("learning", False): _("Learning goes on."),
        ("using", True): _("Using is paused: assistants are given nothing."),
        ("using", False): _("Assistants are given your memories again."),
    }
    messages.success(request, said[what, paused])
    return redirect("memories")


@require_GET
@seated("memory:read")
def trash(request: HttpRequest, actor: Actor) -> HttpResponseBase:
    cursor = request.GET.get("cursor") or None
    page = reads.list_items(actor, actor.user_key, ListFilter(trash=True), limit=PAGE_SIZE, cursor=cursor)
    rows = [item_row(item) for item in page.items]
    values = {"rows": rows, "total": page.total, **turning(request.GET, page.cursor)}
    return show(request, "trash.html", values, fragment="list")
