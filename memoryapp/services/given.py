"""What a session's agent was given lately, for a context that does not repeat itself.

Kept in Valkey as ids with versions, without a word of what they say; lost with it, which costs a repetition. A memory
that changed since was not given as it stands.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable
from typing import Any

from redis import Redis

from accounts.actor import Actor
from memoryapp.services import valkey
from memoryapp.services.results import ItemView

SECONDS = 1800
"""How long what was given counts as being in the conversation still."""
MOST = 500
"""Items remembered of one session, the latest."""


def mark(item: ItemView) -> str:
    """An item as it stands: its id and version."""
    return f"{item.id.hex}:{item.version}"


def lately(actor: Actor, person: str, session: str) -> frozenset[str]:
    """The marks of what this agent was given in this session; none when the cache is away."""

    def read(client: Redis) -> Any:
        return client.zrangebyscore(_key(actor, person, session), time.time() - SECONDS, "+inf")

    return frozenset(str(one, "ascii") for one in valkey.attempt(read) or ())


def note(actor: Actor, person: str, session: str, items: Iterable[ItemView]) -> None:
    """Remember what is given now."""
    key, marks = _key(actor, person, session), {mark(item): time.time() for item in items}

    def write(client: Redis) -> None:
        with client.pipeline(transaction=False) as pipe:
            pipe.zadd(key, marks)
            pipe.zremrangebyrank(key, 0, -MOST - 1)
            pipe.expire(key, SECONDS)
            pipe.execute()

    if marks:
        valkey.attempt(write)


def _key(actor: Actor, person: str, session: str) -> str:
    """Names are the client's own and may tell something: the cache sees their digest."""
    named = "\x1f".join((str(actor.tenant_id), person, actor.agent_id or actor.ref, session))
    return f"memoryapp:given:{hashlib.sha256(named.encode()).hexdigest()[:32]}"
