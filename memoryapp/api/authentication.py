"""API keys in the Authorization header."""

from __future__ import annotations

from django.utils import timezone
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from accounts.actor import Actor
from accounts.lookup import actor_of_key


class Principal:
    """What DRF calls the user of a request with a key."""

    is_authenticated = True


class KeyAuthentication(BaseAuthentication):
    """`Authorization: Bearer mk_…`; the actor is `request.auth`."""

    def authenticate(self, request: Request) -> tuple[Principal, Actor]:
        scheme, _, key = request.headers.get("Authorization", "").partition(" ")
        request_id = getattr(request, "request_id", "")
        actor = actor_of_key(key.strip(), timezone.now(), request_id) if scheme.lower() == "bearer" else None
        if actor is None:
            raise AuthenticationFailed("Send a valid key: Authorization: Bearer mk_…")
        return Principal(), actor

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"
