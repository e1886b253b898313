"""Data & privacy: what is kept about a person, taking it away as a file, erasing all of it, or all that came from one source."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_safe

from accounts.actor import Actor
from accounts.lookup import seats_of
from memoryapp.domain.errors import DomainError
from memoryapp.domain.public_ids import public
from memoryapp.services import erasure, person_deletion, receipt_links, source_purge
from memoryapp.services.holdings import Holdings, holdings
from memoryapp.services.person_deletion import Impact
from memoryapp.services.source_purge import Source, SourceKind
from memoryapp.web.actors import SEAT_KEY, seated, show
from memoryapp.web.erasure_labels import SOURCES
from memoryapp.web.erasures import Question, ask, erasure_row
from memoryapp.web.exports import offered
from memoryapp.web.labels import STATUSES, label

RECENT = 10


@require_safe
@seated("memory:read")
def privacy(request: HttpRequest, actor: Actor) -> HttpResponseBase:
    kept = holdings(actor, actor.user_key)
    done, _more, _total = erasure.list_erasures(actor, actor.user_key, limit=RECENT)
    values = {
        "memories": [(label(STATUSES, status), n) for status, n in sorted(kept.memories.items())],
        "total": sum(kept.memories.values()),
        "kept": kept,
        "sources": _sources(kept),
        "done": [erasure_row(view) for view in done],
        **offered(actor),
    }
    return show(request, "privacy.html", values)


def _sources(kept: Holdings) -> list[tuple[str, str]]:
    """What the choice sends, and what it says."""
    return [(_code(source), f"{label(SOURCES, source.kind)} {source.name}".strip()) for source in kept.sources]


def _code(source: Source) -> str:
    return f"{source.kind} {source.name}".strip()


def _impact(impact: Impact) -> list[tuple[object, int]]:
    return [
        (_("Memories"), impact.items),
        (_("Memories of projects and the organisation that only you taught"), impact.shared_items),
        (_("Versions"), impact.versions),
        (_("Pieces of evidence"), impact.evidence),
        (_("Conversations"), impact.sessions),
        (_("Stored messages"), impact.messages),
    ]


@require_http_methods(["GET", "HEAD", "POST"])
@seated("memory:read", "memory:delete")
def erase_me(request: HttpRequest, actor: Actor) -> HttpResponseBase:
    """Everything about this person. The login goes too, so the receipt is behind a link of its own."""

    def begin(typed: str) -> HttpResponseBase:
        job = person_deletion.erase_person(actor, actor.user_key, typed)
        _leave(request)
        return redirect("linked_receipt", receipt_links.link_of(actor.tenant_id, job))

    impact = person_deletion.impact(actor, actor.user_key)
    values = {"impact": _impact(impact), "everything": True, "nothing": not (impact.items or impact.sessions)}
    values |= offered(actor)
    return _confirmed(
        request, begin, Question(_("Erase everything about me"), impact.phrases, reverse("privacy")), values
    )


def _leave(request: HttpRequest) -> None:
    """Out of the seat that is gone; out altogether when the login went with it."""
    if seats_of(UUID(str(request.user.pk))):
        request.session.pop(SEAT_KEY, None)
        request.session.pop("undo", None)
    else:
        request.session.flush()


@require_http_methods(["GET", "HEAD", "POST"])
@seated("memory:read", "memory:delete")
def purge(request: HttpRequest, actor: Actor) -> HttpResponseBase:
    """Everything that came from one conversation, document, agent or imports, and from nowhere else."""
    source = _source(request.POST.get("source", "") or request.GET.get("source", ""))

    def begin(typed: str) -> HttpResponseBase:
        return redirect("my_erasure", public("era", source_purge.purge(actor, actor.user_key, source, typed)))

    impact = source_purge.impact(actor, actor.user_key, source)
    values = {
        "impact": [(what, n) for what, n in _impact(impact) if n],
        "source": _code(source),
        "named": f"{label(SOURCES, source.kind)} {source.name}".strip(),
        "nothing": not (impact.items or impact.sessions or impact.messages),
    }
    question = Question(_("Erase what came from one source"), impact.phrases, reverse("privacy"))
    return _confirmed(request, begin, question, values)


def _source(text: str) -> Source:
    kind, _space, name = text.partition(" ")
    if kind not in {k.value for k in SourceKind} or (kind != SourceKind.IMPORT and not name):
        raise DomainError("invalid", "This source is not known.")
    return Source(SourceKind(kind), name)


def _confirmed(
    request: HttpRequest, begin: Callable[[str], HttpResponseBase], question: Question, values: dict[str, object]
) -> HttpResponseBase:
    """Begin when the phrase was typed; else show what goes, and what was typed."""
    if request.method != "POST" or values["nothing"]:
        return ask(request, question, values)
    typed = request.POST.get("confirm", "")
    try:
        return begin(typed)
    except DomainError as error:
        if error.code != "confirmation_required":
            raise
    return ask(request, question, values, typed=typed)
