"""The cache server, for what may be lost: rate limits and counters. Away means away for two seconds, never an error."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from typing import TypeVar

from django.conf import settings
from redis import Redis
from redis.exceptions import RedisError

T = TypeVar("T")
REST = 2.0
"""Seconds without a try after a failure, so that a hanging server does not slow every request."""
_not_before = 0.0


@cache
def _client() -> Redis:
    url = settings.CACHES["default"]["LOCATION"]
    return Redis.from_url(url, socket_connect_timeout=0.25, socket_timeout=0.25)


def attempt(work: Callable[[Redis], T]) -> T | None:
    """What `work` answers, or None when the server is away."""
    global _not_before
    if time.monotonic() < _not_before:
        return None
    try:
        return work(_client())
    except (RedisError, OSError):
        _not_before = time.monotonic() + REST
        return None
