"""Writing: a verbatim add and a forget beside minimal views that commit the same rows."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from accounts.actor import Actor
from memoryapp.domain.public_ids import public
from memoryapp.management.benchmarks.recall import compared
from memoryapp.management.benchmarks.server import Client
from memoryapp.management.benchmarks.tenants import Owner, question
from memoryapp.management.benchmarks.timing import WARM_UP, Case, Timings, memory_of
from memoryapp.services import memories
from memoryapp.services.results import ListFilter


def measured(client: Client, actor: Actor, owner: Owner, leaving: Sequence[Owner], rounds: int) -> dict[str, Any]:
    """Add and forget, for one owner, and the request that deletes everything of each of those who are leaving."""
    return {
        "delete all": _delete_all(client, leaving),
        "add": _add(client, owner, rounds),
        "forget": _forget(client, actor, owner, rounds),
        "memory of the web process": memory_of(client.worker),
    }


def _add(client: Client, owner: Owner, rounds: int) -> dict[str, Any]:
    def text(number: int, who: str) -> str:
        return f"{question(number + 10_000)} {who} {number + WARM_UP}"

    def service(number: int) -> object:
        return client.ask("POST", "/api/v1/memories", {"user_id": owner.key, "content": text(number, "service")})

    def minimal(number: int) -> object:
        place = {"tenant": str(owner.tenant_id), "space": str(owner.space_id)}
        return client.ask("POST", "/bench/plain/add", {**place, "content": text(number, "minimal")})

    return compared([Case("service", service, client.worker), Case("minimal", minimal, client.worker)], rounds)


def _delete_all(client: Client, leaving: Sequence[Owner]) -> dict[str, float]:
    """Milliseconds of the logical step: after it nothing is in reach. Raises AssertionError when something is."""
    times = Timings()
    for owner in leaving:
        asked = {"user_id": owner.key}
        phrase = client.ask("POST", "/api/v1/erasures", {**asked, "dry_run": True})["confirm_with"][0]
        started = time.perf_counter()
        client.ask("POST", "/api/v1/erasures", {**asked, "confirm": phrase})
        times.wall.append((time.perf_counter() - started) * 1000)
        left = client.ask("GET", f"/api/v1/memories?user_id={owner.key}")["total"]
        found = client.ask("POST", "/api/v1/memories/search", {**asked, "query": question(1)})["results"]
        if left or found:
            raise AssertionError(f"{owner.key} still has memories in reach")
    return {"items": leaving[0].size, **times.figures()}


def _forget(client: Client, actor: Actor, owner: Owner, rounds: int) -> dict[str, Any]:
    wanted = 2 * (rounds + WARM_UP)
    ids: list[UUID] = []
    cursor: str | None = None
    while len(ids) < wanted:
        page = memories.list_items(actor, owner.key, ListFilter(), limit=200, cursor=cursor)
        ids += [item.id for item in page.items]
        cursor = page.cursor
        if cursor is None:
            raise ValueError(f"{owner.key} has too few memories for so many rounds")

    def service(number: int) -> object:
        return client.ask("DELETE", f"/api/v1/memories/{public('mem', ids[2 * (number + WARM_UP)])}")

    def minimal(number: int) -> object:
        return client.ask("POST", "/bench/plain/forget", {"id": str(ids[2 * (number + WARM_UP) + 1])})

    return compared([Case("service", service, client.worker), Case("minimal", minimal, client.worker)], rounds)
