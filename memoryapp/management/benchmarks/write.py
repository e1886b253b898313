"""Writing: a verbatim add and a forget beside minimal views that commit the same rows."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from accounts.actor import Actor
from memoryapp.domain.public_ids import public
from memoryapp.management.benchmarks.recall import compared
from memoryapp.management.benchmarks.server import Client
from memoryapp.management.benchmarks.tenants import Owner, question
from memoryapp.management.benchmarks.timing import Case, memory_of
from memoryapp.services import memories
from memoryapp.services.results import ListFilter

WARM_UP = 5


def measured(client: Client, actor: Actor, owner: Owner, rounds: int) -> dict[str, Any]:
    """Add and forget, for one owner."""
    return {
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
