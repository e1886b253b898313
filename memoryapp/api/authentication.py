"""API keys in the Authorization header."""

from __future__ import annotations

from typing import Any

from django.utils import timezone
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from accounts.actor import Actor
from accounts.lookup import NO_KEY, actor_of_key


def bearer(header: str) -> str:
    """The key of an Authorization header; empty when there is none."""
    scheme, _, key = header.partition(" ")
    return key.strip() if scheme.lower() == "bearer" else ""


class Principal:
    """What DRF calls the user of a request with a key."""

    is_authenticated = True


class KeyAuthentication(BaseAuthentication):
    """`Authorization: Bearer mk_…`; the actor is `request.auth`."""

    def authenticate(self, request: Request) -> tuple[Principal, Actor]:
        key, request_id = bearer(request.headers.get("Authorization", "")), getattr(request, "request_id", "")
        later = getattr((request.parser_context or {}).get("view"), "proves_later", False)
        actor = actor_of_key(key, timezone.now(), request_id, proves_later=later)
        if actor is None:
            raise AuthenticationFailed(NO_KEY)
        return Principal(), actor

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class KeyScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """The same for the OpenAPI description."""

    target_class = KeyAuthentication
    name = "key"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer", "bearerFormat": "mk_<id>_<secret>_<checksum>"}
