"""Search by meaning against the comparison of every row: nothing is lost, at any size and whoever else is there."""

from __future__ import annotations

from uuid import UUID

import pytest
from django.utils import timezone

from memoryapp.management.benchmarks.tenants import Owner
from memoryapp.providers import registry
from memoryapp.retrieval import candidates
from memoryapp.services import recall
from memoryapp.services.scope import tenant_scope
from tests.cast import Cast, make_cast
from tests.retrieval.library import DIMENSIONS, MODEL, Library, loaded, random_vectors

pytestmark = pytest.mark.django_db(transaction=True)

K = 10
QUESTIONS = 5
SIZES = (1, 7, 300, 5_000, 20_000)


class NearSomething:
    """An embedder whose questions are vectors near a stored one."""

    model = MODEL
    dimensions = DIMENSIONS

    def __init__(self, vector: list[float]) -> None:
        self._vector = vector

    def embed_query(self, text: str) -> list[float]:
        return self._vector

    def embed_passages(self, texts: list[str]) -> list[list[float]]:
        return [self._vector for _ in texts]

    def calibrate(self, cosine: float) -> float:
        return max(cosine, 0.0)


def nearest(cast: Cast, spaces: list[UUID], question: list[float]) -> dict[UUID, float]:
    with tenant_scope(cast.agent):
        search = candidates.Search(cast.agent.tenant_id, spaces, (), question, MODEL, timezone.now(), K)
        found = candidates.look(search).candidates
    return {one.id: one.cosine or 0.0 for one in found}


def test_recall_at_ten_is_whole_up_to_twenty_thousand_items_of_one_owner(
    transactional_db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    cast = make_cast()
    own = [Owner(cast.agent.tenant_id, UUID(int=size), f"person-{size}", size) for size in SIZES]
    others = [
        Owner(cast.charlie.tenant_id, UUID(int=90_001), "neighbour", 4_000),
        Owner(cast.agent.tenant_id, UUID(int=90_002), "colleague", 4_000),
    ]
    libraries = loaded([*own, *others], seed=11)
    strange = libraries[-2].vectors
    for library in libraries[: len(own)]:
        for question in [*random_vectors(QUESTIONS - 1, library.owner.size), strange[0]]:
            asked = [float(value) for value in question]
            exact = library.nearest(asked, K)
            found = nearest(cast, [library.owner.space_id], asked)
            assert len(found) == min(K, library.owner.size)
            assert set(found) == set(exact), library.owner.size
            assert found == pytest.approx(exact, abs=1e-3)
    _over_several_spaces(cast, libraries)
    _through_the_service(cast, libraries, monkeypatch)


def _over_several_spaces(cast: Cast, libraries: list[Library]) -> None:
    """Two owners' spaces in one question: the ten nearest of both."""
    few, many = libraries[2], libraries[3]
    asked = [float(value) for value in random_vectors(1, seed=5)[0]]
    both = {**few.nearest(asked, K), **many.nearest(asked, K)}
    best = sorted(both, key=lambda one: -both[one])[:K]
    assert set(nearest(cast, [few.owner.space_id, many.owner.space_id], asked)) == set(best)


def _through_the_service(cast: Cast, libraries: list[Library], monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole answer: as many hits as there can be, all of the person, the nearest among them."""
    for library in libraries[: len(SIZES)]:
        asked = [float(value) for value in library.vectors[0]]
        monkeypatch.setattr(registry._built, "embedder", NearSomething(asked))
        hits = recall.search(cast.agent, library.owner.key, f"Frage {library.owner.size}", top_k=K)
        assert len(hits) == min(K, library.owner.size)
        assert {hit.item.id for hit in hits} <= set(library.ids)
        assert hits[0].item.id in library.nearest(asked, 3)
