"""`Idempotency-Key` on calls that create. Other calls ignore the header."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from rest_framework.request import Request

from accounts.actor import Actor
from memoryapp.domain.errors import DomainError, NotFound
from memoryapp.services import idempotency
from memoryapp.services.idempotency import Made

T = TypeVar("T")


def once(request: Request, actor: Actor, make: Callable[[], Made]) -> Made:
    """Run `make` at most once per `Idempotency-Key`; see services.idempotency.once. Without the header it just runs."""
    key = request.headers.get("Idempotency-Key")
    call = None if key is None else idempotency.call_of(key, request.method or "", request.path, request.data)
    return idempotency.once(actor, call, make)


def live(made: Made, show: Callable[[], T]) -> T:
    """What `show` answers about what was made; `gone` when a replay finds it erased."""
    try:
        return show()
    except NotFound:
        if not made.replayed:
            raise
        raise DomainError("gone", "What this request made was erased since.") from None


def replay_header(made: Made) -> dict[str, str]:
    return {"Idempotent-Replayed": "true"} if made.replayed else {}
