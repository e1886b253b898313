"""Liveness and readiness."""

from __future__ import annotations

from django.core.cache import cache
from django.db import DatabaseError, connection
from drf_spectacular.utils import extend_schema
from redis.exceptions import RedisError
from rest_framework.request import Request
from rest_framework.response import Response

from memoryapp.api import shapes
from memoryapp.api.base import ApiView


class OpenView(ApiView):
    """For anybody, without a key."""

    authentication_classes = ()
    permission_classes = ()
    throttle_classes = ()


class LiveView(OpenView):
    @extend_schema(responses={200: shapes.Health}, auth=[])
    def get(self, request: Request) -> Response:
        """The process answers."""
        return Response({"status": "ok"})


class ReadyView(OpenView):
    @extend_schema(responses={200: shapes.Health, 503: shapes.Health}, auth=[])
    def get(self, request: Request) -> Response:
        """Database and cache answer; 503 names what does not."""
        failing = [name for name, answers in (("database", _database), ("cache", _cache)) if not answers()]
        return Response({"status": "degraded" if failing else "ok", "failing": failing}, status=503 if failing else 200)


def _database() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return False
    return True


def _cache() -> bool:
    try:
        cache.get("readyz")
    except RedisError:
        return False
    return True
