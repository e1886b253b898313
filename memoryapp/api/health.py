"""Whether the service lives, is ready, and its numbers."""

from __future__ import annotations

from django.core.cache import cache
from django.db import DatabaseError, connection
from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from redis.exceptions import RedisError
from rest_framework.request import Request
from rest_framework.response import Response

from memoryapp.api.authentication import KeyAuthentication, actor_of, require
from memoryapp.api.outputs import HealthOutput
from memoryapp.api.views import OpenView

LOOPBACK = ("127.0.0.1", "::1")


class LiveView(OpenView):
    @extend_schema(responses=HealthOutput)
    def get(self, request: Request) -> Response:
        return Response({"status": "ok"})


class ReadyView(OpenView):
    @extend_schema(responses={200: HealthOutput, 503: HealthOutput})
    def get(self, request: Request) -> Response:
        checks = {"database": _database(), "cache": _cache()}
        ready = all(state == "ok" for state in checks.values())
        return Response({"status": "ok" if ready else "unavailable", "checks": checks}, 200 if ready else 503)


def _database() -> str:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return "unavailable"
    return "ok"


def _cache() -> str:
    try:
        cache.get("ready")
    except (RedisError, OSError):
        return "unavailable"
    return "ok"


class MetricsView(OpenView):
    """For this machine, or a key with the scope admin."""

    authentication_classes = (KeyAuthentication,)

    @extend_schema(exclude=True)
    def get(self, request: Request) -> HttpResponse:
        forwarded = "X-Forwarded-For" in request.headers or "Forwarded" in request.headers
        if forwarded or request.META.get("REMOTE_ADDR") not in LOOPBACK:
            require(actor_of(request), "admin")
        return HttpResponse(generate_latest(), content_type=CONTENT_TYPE_LATEST)
