"""Slows down guessing: counts attempts in the shared cache, per subject, in a window that begins with the first one.

The limits leave room for typing errors and for offices behind one address, and keep an outsider from locking a person
out everywhere: a person's own address is counted apart (OWASP, Authentication Cheat Sheet, login throttling).
"""

from __future__ import annotations

import hashlib
import logging
from dataclasses import dataclass

import redis
from django.core.cache import cache

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Limit:
    """At most `most` attempts of one subject in `seconds`."""

    name: str
    most: int
    seconds: int


LOGIN_HERE = Limit("login-here", 8, 900)
LOGIN_ANYWHERE = Limit("login", 50, 900)
LOGIN_ADDRESS = Limit("login-address", 100, 900)
RESET_ADDRESS = Limit("reset-address", 20, 3600)
RESET_EMAIL = Limit("reset", 5, 3600)


def _key(limit: Limit, subject: str) -> str:
    """Subjects are e-mail and network addresses: the cache sees only their digest."""
    return f"throttle:{limit.name}:{hashlib.sha256(subject.strip().lower().encode()).hexdigest()[:32]}"


def exhausted(limit: Limit, subject: str) -> bool:
    """Whether the subject has used its attempts up. Without the cache nobody is refused, and the log says so."""
    try:
        return int(cache.get(_key(limit, subject), 0)) >= limit.most
    except redis.RedisError:
        logger.warning("throttle: the cache does not answer, attempts are not counted")
        return False


def count(limit: Limit, subject: str) -> None:
    key = _key(limit, subject)
    try:
        if not cache.add(key, 1, timeout=limit.seconds):
            cache.incr(key)
    except ValueError:
        cache.set(key, 1, timeout=limit.seconds)  # it lapsed between the two
    except redis.RedisError:
        logger.warning("throttle: the cache does not answer, attempts are not counted")


def clear(limit: Limit, subject: str) -> None:
    try:
        cache.delete(_key(limit, subject))
    except redis.RedisError:
        logger.warning("throttle: the cache does not answer, attempts are not counted")
