"""Erasing for good: the typed phrase, the job at work, the receipt. For the person, for compliance, and by link."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.actor import Actor
from memoryapp.domain.errors import DomainError, NotFound
from memoryapp.domain.public_ids import parsed, public
from memoryapp.services import erasure as erasing
from memoryapp.services import memories, receipt_links
from memoryapp.services.erasure import ErasureView
from memoryapp.web.actors import private, seated, show
from memoryapp.web.erasure_labels import BEYOND, KINDS_OF_ERASURE, LEVEL_STATES, LEVELS, STEPS, counted, meaning
from memoryapp.web.labels import REASONS, WORK, label
from memoryapp.web.rows import item_row

PAGE_SIZE = 50
ITEM_PHRASES = ("erase", "永久删除")
"""What is typed to erase one memory, in either language."""
RUNNING = ("pending", "running")


@dataclass(frozen=True, slots=True)
class LevelRow:
    """A level of the receipt; `until` is when the operator's backups should be gone."""

    name: str
    code: str
    state: str
    meaning: str
    until: datetime | None
    steps: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class ErasureRow:
    """An erasure in words. `done` of `steps` count the job's own steps, without what others do later."""

    view: ErasureView
    era_id: str
    kind: str
    state: str
    error: str
    running: bool
    levels: tuple[LevelRow, ...]
    done: int
    steps: int
    counts: tuple[str, ...]
    beyond: tuple[str, ...]


def erasure_row(view: ErasureView) -> ErasureRow:
    own = [step for step in view.steps if step.name not in erasing.LATER]
    receipt = view.receipt or {}
    counts, beyond = receipt.get("counts"), receipt.get("out_of_scope")
    return ErasureRow(
        view,
        public("era", view.id),
        label(KINDS_OF_ERASURE, view.kind),
        label(WORK, view.state),
        label(REASONS, view.error_code),
        view.state in RUNNING,
        tuple(_level(view, level) for level in LEVELS),
        sum(step.state in erasing.SETTLED for step in own),
        len(own),
        tuple(counted(what, n) for what, n in counts.items() if n) if isinstance(counts, dict) else (),
        tuple(str(BEYOND.get(text, text)) for text in beyond) if isinstance(beyond, list) else (),
    )


def _level(view: ErasureView, level: str) -> LevelRow:
    state = view.levels[level]
    steps = tuple(
        (label(STEPS, s.name), label(LEVEL_STATES, s.state), str(s.state)) for s in view.steps if s.level == level
    )
    return LevelRow(
        str(LEVELS[level]), state, label(LEVEL_STATES, state), meaning(level, state), _until(view, level), steps
    )


def _until(view: ErasureView, level: str) -> datetime | None:
    levels = (view.receipt or {}).get("levels")
    found = levels.get(level, {}).get("retained_until") if isinstance(levels, dict) else None
    return parse_datetime(found) if isinstance(found, str) else None


@require_http_methods(["GET", "HEAD", "POST"])
@seated("memory:read", "memory:delete")
def erase_memory(request: HttpRequest, actor: Actor, mem_id: str) -> HttpResponseBase:
    """One memory, living or in the trash."""
    item = memories.trace(actor, parsed("mem", mem_id))
    typed = request.POST.get("confirm", "")
    if request.method == "POST" and typed.strip() in ITEM_PHRASES:
        return redirect("my_erasure", public("era", erasing.erase_item(actor, item.id)))
    trashed = item.status == "forgotten"
    back = reverse("trash") if trashed else reverse("memory", args=[mem_id])
    return ask(
        request,
        Question(gettext_lazy("Erase this memory for good"), ITEM_PHRASES, back),
        {"row": item_row(item)},
        typed=typed if request.method == "POST" else None,
    )


@dataclass(frozen=True, slots=True)
class Question:
    """What is to be erased: its title, the phrases (English, Chinese) of which one is typed, where not to leads."""

    title: object
    phrases: tuple[str, ...]
    back: str


def ask(
    request: HttpRequest, question: Question, values: Mapping[str, object], *, typed: str | None = None
) -> HttpResponseBase:
    """The page that says what goes and asks for the phrase; `typed` is what was typed and was not it."""
    chinese = getattr(request, "LANGUAGE_CODE", "en").startswith("zh")
    shown = {
        "question": question,
        "phrase": question.phrases[-1] if chinese else question.phrases[0],
        "typed": typed or "",
        "wrong": typed is not None,
        **values,
    }
    return show(request, "erase.html", shown, status=422 if typed is not None else 200)


@require_safe
@seated("memory:read")
def my_erasure(request: HttpRequest, actor: Actor, era_id: str) -> HttpResponseBase:
    view = erasing.erasure(actor, parsed("era", era_id))
    places = {"here": reverse("my_erasure", args=[era_id]), "file": reverse("my_receipt", args=[era_id])}
    retry = reverse("retry_erasure", args=[era_id]) if actor.may("memory:delete") else ""
    return _job(request, view, {**places, "back": reverse("privacy"), "retry": retry})


@require_safe
@seated("audit:read")
def erasure(request: HttpRequest, actor: Actor, era_id: str) -> HttpResponseBase:
    view = erasing.erasure(actor, parsed("era", era_id))
    places = {"here": reverse("erasure", args=[era_id]), "file": reverse("erasure_receipt", args=[era_id])}
    return _job(request, view, {**places, "back": reverse("erasures")})


@require_safe
def linked_receipt(request: HttpRequest, token: str) -> HttpResponseBase:
    """For somebody whose login went with the erasure."""
    places = {"here": reverse("linked_receipt", args=[token]), "file": reverse("linked_receipt_file", args=[token])}
    return private(_job(request, _linked(token), {**places, "linked": True}))


def _linked(token: str) -> ErasureView:
    try:
        return receipt_links.by_link(token)
    except NotFound as error:
        raise Http404 from error


def _job(request: HttpRequest, view: ErasureView, values: Mapping[str, object]) -> HttpResponse:
    """The progress of the job, and at its end the receipt."""
    return show(request, "erasure.html", {"job": erasure_row(view), **values}, fragment="job")


@require_safe
@seated("memory:read")
def my_receipt(request: HttpRequest, actor: Actor, era_id: str) -> HttpResponseBase:
    return _file(erasing.erasure(actor, parsed("era", era_id)))


@require_safe
@seated("audit:read")
def erasure_receipt(request: HttpRequest, actor: Actor, era_id: str) -> HttpResponseBase:
    return _file(erasing.erasure(actor, parsed("era", era_id)))


@require_safe
def linked_receipt_file(request: HttpRequest, token: str) -> HttpResponseBase:
    return private(_file(_linked(token)))


def _file(view: ErasureView) -> HttpResponse:
    """The signed document with what verifies it; there is none before the job has ended."""
    if view.receipt is None:
        raise Http404
    document = {"receipt": view.receipt, "signature": view.signature, "public_key": view.public_key}
    answer = HttpResponse(json.dumps(document, ensure_ascii=False, indent=2), content_type="application/json")
    answer.headers["Content-Disposition"] = f'attachment; filename="{public("era", view.id)}.json"'
    return answer


@require_POST
@seated("memory:read", "memory:delete")
def retry_erasure(request: HttpRequest, actor: Actor, era_id: str) -> HttpResponseBase:
    try:
        erasing.retry(actor, parsed("era", era_id))
    except NotFound:
        raise
    except DomainError as error:
        messages.error(request, label(REASONS, error.code))
    else:
        messages.success(request, _("It is tried again."))
    return redirect("my_erasure", era_id)


@require_safe
@seated("audit:read")
def erasures(request: HttpRequest, actor: Actor) -> HttpResponseBase:
    """Every erasure of the organisation with its receipt; no name and no text of what was erased."""
    cursor = request.GET.get("cursor") or None
    found, more, total = erasing.list_erasures(actor, limit=PAGE_SIZE, cursor=cursor)
    values = {
        "rows": [erasure_row(view) for view in found],
        "total": total,
        "next": f"?{urlencode({'cursor': more})}" if more else "",
        "first": "?" if cursor else "",
        "levels": LEVELS.values(),
    }
    return show(request, "erasures.html", values)
