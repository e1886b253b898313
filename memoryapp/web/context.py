"""What every page shows around its content: who is here, where one can go, whether a language model is at work."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest

from accounts.actor import Actor
from memoryapp.providers.registry import llm_configured
from memoryapp.services.invitations import mail_is_configured
from memoryapp.web.actors import actor_of_request, seat_of_request, seats_of_request
from memoryapp.web.bulk import said
from memoryapp.web.labels import ROLES, label

CURRENT = {"memory": "memories", "edit_memory": "memories", "add_memory": "memories", "export": "audit"}
CURRENT |= {
    "erase_memory": "memories",
    "erase_me": "privacy",
    "purge": "privacy",
    "my_erasure": "privacy",
    "my_export": "privacy",
}
CURRENT |= {"erasure": "erasures", "inbox_bulk": "inbox", "invite": "people", "password_change_done": "password_change"}


def page(request: HttpRequest) -> dict[str, object]:
    actor = actor_of_request(request)
    place = request.resolver_match.url_name if request.resolver_match else ""
    return {
        **_company(request),
        "sees_memories": _may(actor, "memory:read"),
        "sees_audit": _may(actor, "audit:read"),
        "sees_people": _may(actor, "admin"),
        "mail_configured": mail_is_configured(),
        "place": CURRENT.get(place or "", place),
        "llm_configured": llm_configured(),
        "llm_model": settings.MEMORYAPP.llm_model,
        "focus": request.session.pop("focus", "") if actor is not None and "focus" in request.session else "",
        "undo_said": _undo_said(request) if actor is not None else "",
    }


def _company(request: HttpRequest) -> dict[str, object]:
    seat = seat_of_request(request)
    role = label(ROLES, seat.role) if seat else ""
    return {"seat": seat, "seat_role": role, "seats": seats_of_request(request)}


def _may(actor: Actor | None, scope: str) -> bool:
    return actor is not None and actor.may(scope)


def _undo_said(request: HttpRequest) -> str:
    """What can be taken back, in a sentence; empty when there is nothing."""
    last = request.session.get("undo")
    return said(str(last["verb"]), len(last["ids"])) if isinstance(last, dict) else ""
