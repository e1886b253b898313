"""What every page shows around its content: who is here, where one can go, whether a language model is at work."""

from __future__ import annotations

from django.http import HttpRequest

from memoryapp.providers.registry import llm_configured
from memoryapp.web.actors import actor_of_request, seat_of_request, seats_of_request


def page(request: HttpRequest) -> dict[str, object]:
    seat = seat_of_request(request)
    actor = actor_of_request(request)
    reads = actor is not None and actor.may("memory:read")
    return {
        "seat": seat,
        "seats": seats_of_request(request),
        "sees_memories": reads,
        "sees_audit": actor is not None and actor.may("audit:read"),
        "llm_configured": llm_configured(),
        "undo_ids": request.session.get("undo", []) if actor is not None else [],
    }
