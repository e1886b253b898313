"""Liveness and readiness."""

from __future__ import annotations

from django.core.cache import cache
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from redis.exceptions import RedisError


def livez(request: HttpRequest) -> JsonResponse:
    """The process answers."""
    return JsonResponse({"status": "ok"})


def readyz(request: HttpRequest) -> JsonResponse:
    """Database and cache answer; 503 names what does not."""
    failing = []
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        failing.append("database")
    try:
        cache.get("readyz")
    except RedisError:
        failing.append("cache")
    return JsonResponse({"status": "degraded" if failing else "ok", "failing": failing}, status=503 if failing else 200)
