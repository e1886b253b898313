"""Approximate search of one big owner beside the exact one: time, and how much of the exact answer is found."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import psycopg
from django.db import connection
from django.utils import timezone

from accounts.actor import Actor
from memoryapp.domain.policy import DEFAULT_POLICY
from memoryapp.management.benchmarks.given_embedder import DIMENSIONS, MODEL, vector_of
from memoryapp.management.benchmarks.recall import TOP_K, compared
from memoryapp.management.benchmarks.tenants import Owner, load, measured_owners, question
from memoryapp.management.benchmarks.timing import Case
from memoryapp.retrieval import candidates, vector_indexes
from memoryapp.retrieval.lexical import query_terms
from memoryapp.retrieval.meaning import meaning, prepare_scan
from memoryapp.retrieval.vector_indexes import VectorIndex
from memoryapp.services import vector_index
from memoryapp.services.recall import POOL
from memoryapp.services.scope import tenant_scope

TOPICS = 200
SPREAD = 0.6
"""How far a text lies from the middle of its topic, as a share of that middle's own length."""
QUESTIONS = 20

Vector = list[float]


def measured(actor: Actor, superuser_url: str, sizes: Sequence[int], rounds: int) -> dict[str, Any]:
    """Each size is an owner of its own; all of them stand in one table when the first is measured."""
    owners = measured_owners(actor.tenant_id, sizes)
    load(superuser_url, owners, seed=0)
    for owner in owners:
        _own_vectors(superuser_url, owner)
    return {f"{owner.size} memories of one owner": _measured(actor, owner, rounds) for owner in owners}


def _measured(actor: Actor, owner: Owner, rounds: int) -> dict[str, Any]:
    started = time.perf_counter()
    index = vector_index.create(actor, "person", owner.key)
    seconds = round(time.perf_counter() - started, 1)
    found = vector_index.recall_of(index)
    share = {"recall@10 of stored vectors": round(found.share, 4), "recall@10 of questions": _share(actor, owner)}
    half = compared([_half(actor, owner, indexes) for indexes in ((index,), ())], rounds)
    whole = compared([_whole(actor, owner, exact) for exact in (False, True)], rounds)
    return {"seconds to build": seconds, **share, "the half by meaning": half, "the whole search": whole}


def _half(actor: Actor, owner: Owner, indexes: tuple[VectorIndex, ...]) -> Case:
    """The part of the statement that goes by meaning, alone."""
    statement = f"WITH {meaning(DIMENSIONS, indexes, POOL)} SELECT id FROM meaning"
    values: dict[str, Any] = {"tenant": actor.tenant_id, "spaces": [owner.space_id], "model": MODEL, "allowed": None}
    values |= {"dimensions": DIMENSIONS, "pool": POOL, "indexed": [one.space_id for one in indexes]}
    asked = [str(_near(n)) for n in range(QUESTIONS)]

    def call(number: int) -> object:
        with tenant_scope(actor), connection.cursor() as cursor:
            if indexes:
                prepare_scan(POOL)
            cursor.execute(statement, {**values, "vector": asked[number % QUESTIONS], "now": timezone.now()})
            return cursor.fetchall()

    return Case("index" if indexes else "exact", call)


def _whole(actor: Actor, owner: Owner, exact: bool) -> Case:
    """Words, weights, meaning and the rows themselves."""
    asked = [_near(n) for n in range(QUESTIONS)]

    def call(number: int) -> object:
        place = number % QUESTIONS
        return _found(actor, owner, asked[place], exact, query_terms(question(place)))

    return Case("exact" if exact else "index", call)


def _found(
    actor: Actor, owner: Owner, vector: Vector, exact: bool, terms: Sequence[str] = (), pool: int = POOL
) -> list[Any]:
    bound = owner.size if exact else DEFAULT_POLICY.exact_up_to
    spaces = [owner.space_id]
    vector_indexes.note_size(spaces, owner.size, bound)
    with tenant_scope(actor):
        now = timezone.now()
        search = candidates.Search(actor.tenant_id, spaces, terms, vector, MODEL, now, pool, exact_up_to=bound)
        found = candidates.look(search)
    return sorted(found.candidates, key=lambda one: -(one.cosine or 0.0))


def _share(actor: Actor, owner: Owner) -> float:
    """Of the ten nearest of each question, those that the search by index has among its pool's ten nearest."""

    def best(vector: Vector, exact: bool) -> set[Any]:
        return {one.id for one in _found(actor, owner, vector, exact)[:TOP_K]}

    shares = [len(best(v, True) & best(v, False)) / TOP_K for v in map(_near, range(QUESTIONS))]
    return round(sum(shares) / len(shares), 4)


def _near(number: int) -> Vector:
    return next(_vectors(random.Random(f"question {number}"), _middles()))


def _middles() -> list[Vector]:
    return [vector_of(f"topic {n}") for n in range(TOPICS)]


def _vectors(chance: random.Random, middles: Sequence[Vector]) -> Iterator[Vector]:
    """Texts lie around topics; the distance of cosines does not ask for their length."""
    spread = SPREAD / DIMENSIONS**0.5
    draw: Callable[[float, float], float] = chance.gauss
    while True:
        yield [round(value + draw(0, spread), 4) for value in chance.choice(middles)]


def _own_vectors(superuser_url: str, owner: Owner) -> None:
    """A vector of its own for each of the owner's rows; the load shares two thousand among all."""
    with psycopg.connect(superuser_url, autocommit=True) as server:
        rows = server.execute(
            "SELECT id FROM memoryapp_retrievalentry WHERE space_id = %s", [owner.space_id]
        ).fetchall()
        server.execute(f"CREATE TEMP TABLE own (id uuid, v halfvec({DIMENSIONS}))")
        with server.cursor() as cursor, cursor.copy("COPY own FROM STDIN") as copy:
            vectors = _vectors(random.Random(owner.key), _middles())
            for (item_id,), vector in zip(rows, vectors, strict=False):
                copy.write_row((item_id, str(vector)))
        server.execute("UPDATE memoryapp_retrievalentry e SET embedding = own.v FROM own WHERE own.id = e.id")
        server.execute("DROP TABLE own")
        server.execute("VACUUM (ANALYZE) memoryapp_retrievalentry")
