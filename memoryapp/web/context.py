"""What every page shows around its content: who is here, where one can go, whether a language model is at work."""

from __future__ import annotations

from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from memoryapp.providers.registry import llm_configured
from memoryapp.web.actors import actor_of_request, seat_of_request, seats_of_request

MEMBER_NAV = (("memories", _("Memories")), ("inbox", _("Inbox")), ("preview", _("Preview")), ("trash", _("Trash")))
AUDIT_NAV = (("audit", _("Audit trail")),)


def page(request: HttpRequest) -> dict[str, object]:
    seat = seat_of_request(request)
    actor = actor_of_request(request)
    nav: tuple[tuple[str, str | Promise], ...] = ()
    if actor is not None and actor.may("memory:read"):
        nav += MEMBER_NAV
    if actor is not None and actor.may("audit:read"):
        nav += AUDIT_NAV
    return {
        "seat": seat,
        "seats": seats_of_request(request),
        "nav": nav,
        "here": request.resolver_match.url_name if request.resolver_match else "",
        "reads_memories": actor is not None and actor.may("memory:read"),
        "llm_configured": llm_configured(),
        "undo_ids": request.session.get("undo", []) if actor is not None else [],
    }
