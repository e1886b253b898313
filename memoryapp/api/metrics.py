"""The operator's numbers in Prometheus' text format. No tenant, person or text is in them."""

from __future__ import annotations

from collections.abc import Iterator

from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from accounts.lookup import actor_of_key
from memoryapp.api.authentication import bearer
from memoryapp.api.problems import plain_problem
from memoryapp.services import counters
from memoryapp.services.counters import BUCKETS, Count

LOOPBACK = ("127.0.0.1", "::1")
FORWARDED = ("X-Forwarded-For", "Forwarded", "X-Real-Ip", "X-Forwarded-Host", "Via")
COUNTERS = {
    "requests": ("memoryapp_requests", "Calls of the API.", ("route", "method", "status")),
    "operations": ("memoryapp_operations", "Memories accepted or refused.", ("action", "outcome", "reason")),
    "llm_tokens": ("memoryapp_llm_tokens", "Tokens that judging cost.", ("model", "kind")),
}


def metrics(request: HttpRequest) -> HttpResponse:
    """For this machine itself, or a key with the scope `admin`."""
    refused = None if _from_this_machine(request) else _refusal(request)
    if refused is not None:
        return refused
    if request.method not in ("GET", "HEAD"):
        answer = plain_problem("method_not_allowed")
        answer.headers["Allow"] = "GET, HEAD"
        return answer
    registry = CollectorRegistry()
    registry.register(_Numbers())
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)


def _from_this_machine(request: HttpRequest) -> bool:
    """A proxy on this machine passes others' requests on, so a forwarded one is not from here."""
    forwarded = any(name in request.headers for name in FORWARDED)
    return not forwarded and request.META.get("REMOTE_ADDR", "") in LOOPBACK


def _refusal(request: HttpRequest) -> HttpResponse | None:
    actor = actor_of_key(bearer(request.headers.get("Authorization", "")), timezone.now())
    if actor is None:
        return plain_problem("unauthenticated", "Send a key with the scope admin, or ask from this machine.")
    return None if actor.may("admin") else plain_problem("scope_missing", "This needs the scope admin.")


class _Numbers(Collector):
    def collect(self) -> Iterator[Metric]:
        counts = counters.read()
        for key, (name, text, labels) in COUNTERS.items():
            family = CounterMetricFamily(name, text, labels=labels)
            for one in counts:
                if one.name == key:
                    family.add_metric(one.labels, one.value)
            yield family
        yield _recall_seconds(counts)
        yield from _queue()


def _recall_seconds(counts: tuple[Count, ...]) -> HistogramMetricFamily:
    family = HistogramMetricFamily("memoryapp_recall_seconds", "Time of search and context.", labels=["call"])
    sums = {c.labels[0]: c.value for c in counts if c.name == "recall_seconds_sum"}
    seen = {c.labels: c.value for c in counts if c.name == "recall_seconds_bucket"}
    for call, total in sorted(sums.items()):
        running, buckets = 0.0, []
        for bound in (*map(str, BUCKETS), "+Inf"):
            running += seen.get((call, bound), 0.0)
            buckets.append((bound, running))
        family.add_metric([call], buckets, total)
    return family


def _queue() -> Iterator[Metric]:
    """Without the database these numbers are left out, and `memoryapp_database_up` says why."""
    up = GaugeMetricFamily("memoryapp_database_up", "1 while the database answers.")
    try:
        found = counters.queue()
    except DatabaseError:
        up.add_metric([], 0)
        yield up
        return
    up.add_metric([], 1)
    yield up
    runs = GaugeMetricFamily("memoryapp_runs", "Runs by state.", labels=["state"])
    for state in ("pending", "running", "succeeded", "failed"):
        runs.add_metric([state], found.runs.get(state, 0))
    yield runs
    yield GaugeMetricFamily("memoryapp_queue_depth", "Runs that are due or lost their worker.", value=found.due)
    oldest = "Seconds for which the oldest due run has waited."
    yield GaugeMetricFamily("memoryapp_queue_oldest_seconds", oldest, value=found.oldest_seconds)
