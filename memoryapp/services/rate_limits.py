"""A token bucket per key in Valkey: taken atomically, so that many web processes share one bucket."""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from dataclasses import dataclass, field

from django.conf import settings
from redis import Redis

from memoryapp.services import valkey

PARCELS = 100
"""A process takes the tokens of a key in parcels of a hundredth of the burst: one round trip for so many calls. It
spends what it holds before it takes more, so a key gets at most a parcel a process beyond its burst.
"""
MOST_KEYS = 10_000
"""Keys whose tokens a process holds; the one that was not used for the longest loses its own."""

# Keys: the bucket. Arguments: tokens per second, size, parcel. Answers how many tokens were taken, at most a parcel, or
# minus the milliseconds to wait for one. The server's clock counts. A full bucket is forgotten.
SCRIPT = """
local rate, size, parcel = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local held = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens, at = tonumber(held[1]) or size, tonumber(held[2]) or now
tokens = math.min(size, tokens + math.max(0, now - at) / 1000 * rate)
local taken = math.min(parcel, math.floor(tokens))
tokens = tokens - taken
if taken < 1 then taken = -math.ceil((1 - tokens) / rate * 1000) end
redis.call('HSET', KEYS[1], 'tokens', tostring(tokens), 'at', now)
redis.call('PEXPIRE', KEYS[1], math.ceil(size / rate * 1000) + 1000)
return taken
"""


@dataclass(slots=True)
class _Purse:
    """What a process holds of one key. Its lock is held while a parcel is fetched, so that threads share the parcel."""

    tokens: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)


_purses: OrderedDict[str, _Purse] = OrderedDict()
_lock = threading.Lock()


def seconds_to_wait(name: str) -> int:
    """Take a token of that key; 0, or the whole seconds until there is one. Without Valkey nobody waits."""
    per_minute, burst = settings.MEMORYAPP.rate_limit_per_minute, settings.MEMORYAPP.rate_limit_burst
    if not per_minute:
        return 0

    def take(client: Redis) -> int:
        parcel = max(1, burst // PARCELS)
        answer = client.eval(SCRIPT, 1, f"memoryapp:rate:{name}", str(per_minute / 60), str(burst), str(parcel))
        return int(answer)

    purse = _purse(name)
    with purse.lock:
        if not purse.tokens:
            taken = valkey.attempt(take)
            if taken is None:
                return 0
            if taken < 1:
                return math.ceil(-taken / 1000)
            purse.tokens = taken
        purse.tokens -= 1
    return 0


def _purse(name: str) -> _Purse:
    with _lock:
        purse = _purses.setdefault(name, _Purse())
        _purses.move_to_end(name)
        while len(_purses) > MOST_KEYS:
            _purses.popitem(last=False)
        return purse
