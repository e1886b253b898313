"""Numbers for the operator, counted across all processes in one Valkey hash; lost with it, which a counter may be."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db import connection, transaction
from django.utils import timezone
from redis import Redis

from memoryapp.services import afterwards, valkey

HASH = "memoryapp:metrics"
SEPARATOR = "\x1f"
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Upper bounds in seconds."""
RECALLS = {"api/v1/memories/search": "search", "api/v1/context": "context"}


@dataclass(frozen=True, slots=True)
class Count:
    """One counter: a metric's name, its labels in the order of the metric, and the value."""

    name: str
    labels: tuple[str, ...]
    value: float


_waiting: defaultdict[str, float] = defaultdict(float)
_lock = threading.Lock()


def add(counts: Iterable[Count]) -> None:
    """Add to the counters soon, in one round trip with what else is counted; without Valkey nothing is."""
    with _lock:
        for one in counts:
            _waiting[SEPARATOR.join((one.name, *one.labels))] += one.value
    if not afterwards.soon(send_waiting):
        send_waiting()


def send_waiting() -> None:
    """Send what was counted in this process."""
    with _lock:
        counted = dict(_waiting)
        _waiting.clear()

    def send(client: Redis) -> None:
        with client.pipeline(transaction=False) as pipe:
            for name, value in counted.items():
                pipe.hincrbyfloat(HASH, name, value)
            pipe.execute()

    if counted:
        valkey.attempt(send)


def read() -> tuple[Count, ...]:
    """All counters, sorted; empty without Valkey. What other processes counted in this moment is still to come."""
    send_waiting()
    found = valkey.attempt(lambda client: client.hgetall(HASH)) or {}
    split = ((_text(name).split(SEPARATOR), float(value)) for name, value in found.items())
    return tuple(sorted((Count(n, tuple(labels), v) for (n, *labels), v in split), key=lambda c: (c.name, c.labels)))


def _text(name: bytes | str) -> str:
    return name.decode() if isinstance(name, bytes) else name


def request_done(route: str, method: str, status: int, seconds: float) -> None:
    """One finished call of the API; `route` is the pattern, never an address with an id."""
    counts = [Count("requests", (route, method, str(status)), 1.0)]
    if route in RECALLS and status == 200:
        counts += _observed("recall_seconds", RECALLS[route], seconds)
    add(counts)


def _observed(name: str, label: str, seconds: float) -> list[Count]:
    bucket = next((str(b) for b in BUCKETS if seconds <= b), "+Inf")
    return [Count(f"{name}_bucket", (label, bucket), 1.0), Count(f"{name}_sum", (label,), seconds)]


def operation(action: str, outcome: str, reason: str = "") -> None:
    """One memory accepted or refused by a direct call; `outcome` is a section of events."""
    add([Count("operations", (action, outcome, reason), 1.0)])


def run_closed(outcome: Iterable[Mapping[str, object]], model: str, prompt_tokens: int, completion_tokens: int) -> None:
    """What a run did, counted when its transaction commits."""
    counts = [
        Count("operations", (str(e.get("action") or ""), str(e["section"]), str(e.get("reason") or "")), 1.0)
        for e in outcome
    ]
    tokens = (("prompt", prompt_tokens), ("completion", completion_tokens))
    counts += [Count("llm_tokens", (model, kind), float(n)) for kind, n in tokens if n]
    transaction.on_commit(lambda: add(counts))


@dataclass(frozen=True, slots=True)
class Queue:
    """Runs by state over all tenants; how many are due or stale now, and for how many seconds the oldest has waited."""

    runs: Mapping[str, int]
    due: int
    oldest_seconds: float


def queue() -> Queue:
    with connection.cursor() as cursor:
        cursor.execute("SELECT state, amount, due, oldest_seconds FROM door.run_counts(%s)", [timezone.now()])
        rows = cursor.fetchall()
    due = sum(row[2] for row in rows)
    return Queue({row[0]: row[1] for row in rows}, due, max((float(row[3]) for row in rows), default=0.0))
