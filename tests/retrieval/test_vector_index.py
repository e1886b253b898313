"""Approximate search is for big spaces, only where an operator made an index, and what it misses is measured."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from memoryapp.management.benchmarks.tenants import Owner
from memoryapp.management.commands import doctor
from memoryapp.models import PolicyVersion
from memoryapp.providers import registry
from memoryapp.retrieval import candidates, meaning, vector_indexes
from memoryapp.services import recall, vector_index
from memoryapp.services.scope import tenant_scope
from tests.cast import Cast, make_cast
from tests.retrieval.library import MODEL, Library, loaded, random_vectors
from tests.retrieval.test_complete import NearSomething

pytestmark = pytest.mark.django_db(transaction=True)

K = 10
BOUND = 2_000
BIG, SMALL = UUID(int=6_000), UUID(int=500)


@pytest.fixture
def cast(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cast]:
    made = make_cast()
    with tenant_scope(made.agent):
        PolicyVersion.objects.create(tenant_id=made.agent.tenant_id, version=1, settings={"exact_up_to": BOUND})
    asked = [float(value) for value in random_vectors(1, seed=3, topics=40)[0]]
    monkeypatch.setattr(registry._built, "embedder", NearSomething(asked))
    vector_indexes.look_again()
    yield made
    vector_index.drop(made.agent, "person", "big")


@pytest.fixture
def libraries(cast: Cast) -> tuple[Library, Library]:
    owners = [
        Owner(cast.agent.tenant_id, BIG, "big", 6_000),
        Owner(cast.agent.tenant_id, SMALL, "small", 500),
        Owner(cast.charlie.tenant_id, UUID(int=90_001), "big", 3_000),
    ]
    big, small, _ = loaded(owners, seed=21, topics=40)
    return big, small


def plan_and_ids(cast: Cast, spaces: list[UUID], question: list[float]) -> tuple[str, list[UUID]]:
    """How the statement of a search is carried out, and what it finds."""
    plans: list[str] = []

    def explained(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if "<=>" in sql and not sql.startswith("EXPLAIN"):
            with connection.cursor() as cursor:
                cursor.execute(f"EXPLAIN {sql}", params)
                plans.append("\n".join(str(row[0]) for row in cursor.fetchall()))
        return execute(sql, params, many, context)

    with tenant_scope(cast.agent), connection.execute_wrapper(explained):
        search = candidates.Search(cast.agent.tenant_id, spaces, (), question, MODEL, timezone.now(), K, None, BOUND)
        found = candidates.look(search).candidates
    return plans[0], [one.id for one in sorted(found, key=lambda one: -(one.cosine or 0.0))]


def test_a_big_space_is_searched_by_its_index_and_the_others_exactly(
    cast: Cast, libraries: tuple[Library, Library]
) -> None:
    big, small = libraries
    name = vector_indexes.name_of(BIG)
    asked = [[float(value) for value in one] for one in random_vectors(20, seed=8, topics=40)]
    assert name not in plan_and_ids(cast, [BIG], asked[0])[0]

    made = vector_index.create(cast.agent, "person", "big")
    assert (made.usable, made.items, made.model) == (True, 6_000, MODEL)
    first, exact = plan_and_ids(cast, [BIG], asked[0])
    assert name not in first
    assert set(exact) == set(big.nearest(asked[0], K))
    plan, found = plan_and_ids(cast, [BIG], asked[0])
    assert f"Index Scan using {name}" in plan
    shares = [len(set(plan_and_ids(cast, [BIG], one)[1]) & set(big.nearest(one, K))) / K for one in asked]
    assert sum(shares) / len(shares) >= vector_index.LEAST_RECALL
    assert len(found) == K

    for _ in range(2):
        plan, found = plan_and_ids(cast, [SMALL], asked[0])
        assert name not in plan
        assert set(found) == set(small.nearest(asked[0], K))
    both = {**big.nearest(asked[1], K), **small.nearest(asked[1], K)}
    plan_and_ids(cast, [BIG, SMALL], asked[1])
    plan, found = plan_and_ids(cast, [BIG, SMALL], asked[1])
    assert f"Index Scan using {name}" in plan
    assert len(set(found) & set(sorted(both, key=lambda one: -both[one])[:K])) >= K - 1
    hits = recall.search(cast.agent, "big", "a question of the big one", top_k=K)
    assert len(hits) == K and {hit.item.id for hit in hits} <= set(big.ids)

    vector_index.drop(cast.agent, "person", "big")
    assert set(plan_and_ids(cast, [BIG], asked[2])[1]) == set(big.nearest(asked[2], K))


def test_an_index_for_a_small_space_is_refused(cast: Cast, libraries: tuple[Library, Library]) -> None:
    with pytest.raises(CommandError, match="holds 500 items"):
        call_command("vector_index", "create", "--tenant", "ours", "--user-id", "small")
    with pytest.raises(CommandError, match="no such space"):
        call_command("vector_index", "create", "--tenant", "ours", "--user-id", "nobody")
    assert vector_indexes.read_catalogue() == ()


def test_the_doctor_measures_what_an_index_misses(
    cast: Cast, libraries: tuple[Library, Library], monkeypatch: pytest.MonkeyPatch
) -> None:
    (untouched,) = doctor.check_vector_indexes()
    assert "searched exactly" in untouched.text and not untouched.mend
    out = io.StringIO()
    call_command("vector_index", "create", "--tenant", "ours", "--user-id", "big", stdout=out)
    assert "6000 items, 64 numbers of library" in out.getvalue()
    (good,) = doctor.check_vector_indexes()
    assert "recall@10 " in good.text and not good.mend
    monkeypatch.setattr(vector_index, "CONNECTIONS", 2)
    monkeypatch.setattr(vector_index, "BUILD_WIDTH", 4)
    monkeypatch.setattr(meaning, "EF_SEARCH", 1)
    poor = vector_index.recall_of(vector_index.create(cast.agent, "person", "big"))
    assert (poor.sampled, poor.enough) == (vector_index.SAMPLE, False)
    (warned,) = doctor.check_vector_indexes()
    assert f"recall@10 {poor.share:.3f}" in warned.text and "drop it" in warned.mend


def test_a_half_made_index_is_not_used_and_is_made_anew(cast: Cast, libraries: tuple[Library, Library]) -> None:
    name = vector_indexes.name_of(BIG)
    with vector_index.owner_connection() as owner:
        owner.execute(f"CREATE INDEX {name} ON memoryapp_retrievalentry (id)")
    (half,) = doctor.check_vector_indexes()
    assert half.mend.startswith("create it again")
    asked = [float(value) for value in random_vectors(1, seed=8, topics=40)[0]]
    plan_and_ids(cast, [BIG], asked)
    assert set(plan_and_ids(cast, [BIG], asked)[1]) == set(libraries[0].nearest(asked, K))
    assert vector_index.create(cast.agent, "person", "big").usable
