"""A token bucket per key in Valkey: taken atomically, so that many web processes share one bucket."""

from __future__ import annotations

import math

from django.conf import settings
from redis import Redis

from memoryapp.services import valkey

# Keys: the bucket. Arguments: tokens per second, size. Answers the milliseconds to wait, 0 when a token was taken.
# The server's clock counts. A full bucket is forgotten.
SCRIPT = """
local rate, size = tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local held = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens, at = tonumber(held[1]) or size, tonumber(held[2]) or now
tokens = math.min(size, tokens + math.max(0, now - at) / 1000 * rate)
local wait = 0
if tokens >= 1 then tokens = tokens - 1 else wait = math.ceil((1 - tokens) / rate * 1000) end
redis.call('HSET', KEYS[1], 'tokens', tostring(tokens), 'at', now)
redis.call('PEXPIRE', KEYS[1], math.ceil(size / rate * 1000) + 1000)
return wait
"""


def seconds_to_wait(name: str) -> int:
    """Take a token of that key; 0, or the whole seconds until there is one. Without Valkey nobody waits."""
    per_minute, burst = settings.MEMORYAPP.rate_limit_per_minute, settings.MEMORYAPP.rate_limit_burst
    if not per_minute:
        return 0

    def take(client: Redis) -> int:
        answer = client.eval(SCRIPT, 1, f"memoryapp:rate:{name}", str(per_minute / 60), str(burst))
        return int(answer)

    return math.ceil((valkey.attempt(take) or 0) / 1000)
