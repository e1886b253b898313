"""What every page shows: who is logged in where, and whether an LLM or only the rules are at work."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from accounts.actor import ROLE_SCOPES
from memoryapp.providers import registry
from memoryapp.web.seats import present_seat, seats


def page(request: HttpRequest) -> dict[str, Any]:
    if not request.user.is_authenticated:
        return {"llm_configured": True}
    seat = present_seat(request)
    scopes = ROLE_SCOPES[seat.role] if seat else ()
    return {
        "seat": seat,
        "seats": seats(request),
        "sees_memories": bool(seat and seat.user_key and "memory:read" in scopes),
        "sees_audit": "audit:read" in scopes,
        "llm_configured": registry.llm_configured(),
    }
