"""The operator's side of approximate indexes: making one as the tables' owner, dropping it, measuring what it misses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import psycopg
from django.utils import timezone
from psycopg import sql

from accounts.actor import Actor, system_actor
from memoryapp.domain.errors import DomainError
from memoryapp.retrieval import vector_indexes
from memoryapp.retrieval.meaning import by_index, condition_of, prepare_scan
from memoryapp.retrieval.vector_indexes import VectorIndex
from memoryapp.services.embedding_choice import answering
from memoryapp.services.item_rows import rows_of
from memoryapp.services.physical_erasure import owner_connection
from memoryapp.services.scope import tenant_scope
from memoryapp.services.spaces import active_policy, find_space

LEAST_RECALL = 0.95
"""Share of the ten nearest below which the doctor warns."""
SAMPLE = 30
NEIGHBOURS = 10
BUILD_MEMORY = "256MB"
CONNECTIONS, BUILD_WIDTH = 16, 200
"""pgvector's `m` and `ef_construction`: wider than its defaults for the building, which happens once."""


@dataclass(frozen=True, slots=True)
class Recall:
    """How many of the exact ten nearest the index finds, as a share, over so many stored vectors."""

    share: float
    sampled: int

    @property
    def enough(self) -> bool:
        return self.share >= LEAST_RECALL


@dataclass(frozen=True, slots=True)
class LargeSpace:
    """A space above the policy's bound, and the index that serves it (None: it is searched exactly)."""

    tenant_id: UUID
    space_id: UUID
    items: int
    index: VectorIndex | None


def create(actor: Actor, kind: str, key: str) -> VectorIndex:
    """Make the index of a space for the answering model, while everybody goes on working; minutes for 100,000 items.

    Raises DomainError `not_found` without such a space, `invalid` when it is small enough for the exact search. What a
    broken attempt left is dropped first.
    """
    index, bound = _wanted(actor, kind, key)
    if index.items <= bound:
        detail = f"The space holds {index.items} items; up to {bound} (`exact_up_to`) the exact search is complete."
        raise DomainError("invalid", detail)
    with owner_connection() as owner:
        _drop(owner, index.name)
        owner.execute("SELECT set_config('maintenance_work_mem', %s, false)", [BUILD_MEMORY])
        owner.execute(_building(index).encode())
        comment = vector_indexes.described(index.tenant_id, index.model, index.dimensions)
        name, text = sql.Identifier(index.name), sql.Literal(comment)
        owner.execute(sql.SQL("COMMENT ON INDEX {} IS {}").format(name, text))
    vector_indexes.look_again()
    return next(one for one in vector_indexes.read_catalogue() if one.space_id == index.space_id)


def drop(actor: Actor, kind: str, key: str) -> None:
    """Drop the index of a space; it is searched exactly again. Raises DomainError `not_found` without such a space."""
    space = _space(actor, kind, key)
    with owner_connection() as owner:
        _drop(owner, vector_indexes.name_of(space))
    vector_indexes.look_again()


def _building(index: VectorIndex) -> str:
    """The condition is a constant, the cast gives the index its length. The owner reads past row-level security here:
    an index is built from the table, not from a query."""
    where = condition_of(index).replace("e.", "").replace("%%", "%")
    return (
        f"CREATE INDEX CONCURRENTLY {index.name} ON memoryapp_retrievalentry USING hnsw "
        f"((embedding::halfvec({index.dimensions})) halfvec_cosine_ops) "
        f"WITH (m = {CONNECTIONS}, ef_construction = {BUILD_WIDTH}) WHERE {where}"
    )


def _drop(owner: psycopg.Connection, name: str) -> None:
    owner.execute(sql.SQL("DROP INDEX CONCURRENTLY IF EXISTS {}").format(sql.Identifier(name)))


def _space(actor: Actor, kind: str, key: str) -> UUID:
    with tenant_scope(actor):
        space = find_space(actor, kind, key)
    if space is None:
        raise DomainError("not_found", "There is no such space.")
    return space.pk


def _wanted(actor: Actor, kind: str, key: str) -> tuple[VectorIndex, int]:
    """The index as it would be, with the number of its items, and the policy's bound."""
    space, embedder = _space(actor, kind, key), answering(actor.tenant_id)
    index = VectorIndex(actor.tenant_id, space, embedder.model, embedder.dimensions, 0, False)
    with tenant_scope(actor):
        bound = active_policy(actor).exact_up_to
        count = rows_of(f"SELECT count(*) FROM memoryapp_retrievalentry e WHERE {condition_of(index)}", {})[0][0]
    return VectorIndex(actor.tenant_id, space, index.model, index.dimensions, count, False), bound


_LARGE = """
SELECT space_id, count(*) FROM memoryapp_retrievalentry WHERE tenant_id = %(tenant)s AND searchable
GROUP BY space_id HAVING count(*) > %(bound)s ORDER BY 2 DESC
"""


def large_spaces(tenant_id: UUID) -> tuple[LargeSpace, ...]:
    """The tenant's spaces above its bound, the largest first."""
    actor = system_actor(tenant_id, "vectors")
    known = {one.space_id: one for one in vector_indexes.read_catalogue()}
    with tenant_scope(actor):
        values = {"tenant": tenant_id, "bound": active_policy(actor).exact_up_to}
        return tuple(LargeSpace(tenant_id, row[0], row[1], known.get(row[0])) for row in rows_of(_LARGE, values))


# --- what it misses ---

_SAMPLED = """
SELECT e.id, e.embedding::text FROM memoryapp_retrievalentry e WHERE {condition} ORDER BY md5(e.id::text) LIMIT {most}
"""
_EXACTLY = """
SELECT e.id FROM memoryapp_retrievalentry e WHERE {condition} AND (e.expires_at IS NULL OR e.expires_at > %(now)s)
ORDER BY (e.embedding <=> %(vector)s::halfvec) + 0, e.id DESC LIMIT {most}
"""


def recall_of(index: VectorIndex, sample: int = SAMPLE) -> Recall:
    """Ask the index and the table for the neighbours of stored vectors. A vector itself does not count."""
    condition = condition_of(index)
    shares: list[float] = []
    with tenant_scope(system_actor(index.tenant_id, "vectors")):
        prepare_scan(NEIGHBOURS + 1)
        for item_id, vector in rows_of(_SAMPLED.format(condition=condition, most=sample), {}):
            values = {"vector": vector, "now": timezone.now()}
            exact = _others(_EXACTLY.format(condition=condition, most=NEIGHBOURS + 1), values, item_id)
            asked = f"WITH {by_index('nearest', index, NEIGHBOURS + 1)} SELECT id FROM nearest"
            found = _others(asked, values, item_id)
            shares.append(len(set(exact) & set(found)) / max(len(exact), 1))
    return Recall(sum(shares) / max(len(shares), 1), len(shares))


def _others(statement: str, values: dict[str, Any], item_id: UUID) -> Sequence[UUID]:
    return [row[0] for row in rows_of(statement, values) if row[0] != item_id][:NEIGHBOURS]
