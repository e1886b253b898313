"""Which items a wish to forget means, by the rules alone."""

from __future__ import annotations

from uuid import UUID

import pytest

from memoryapp.domain.naming import named_items
from memoryapp.domain.types import Kind, Shown

LIBRARY = (
    "用户住在天津河西区",
    "用户的老家在保定",
    "用户是A型血",
    "用户的前女友叫小雯",
    "用户体重81公斤",
    "用户身高172厘米",
    "User has asthma",
    "User's mum lives at 22 Station Road",
    "User is afraid of dentists",
    "User likes crosswords",
)


def shown(*texts: str) -> tuple[Shown, ...]:
    return tuple(Shown(n, UUID(int=n + 1), text, Kind.NOTE) for n, text in enumerate(texts))


@pytest.mark.parametrize(
    ("body", "meant"),
    [
        ("我的血型", "用户是A型血"),
        ("我家住址你就别再记着了，老家那条留着没事", "用户住在天津河西区"),
        ("我前女友的事，从你的记忆里", "用户的前女友叫小雯"),
        ("我的体重", "用户体重81公斤"),
        ("my medical history", "User has asthma"),
        ("my mum's address from memory, mine can stay", "User's mum lives at 22 Station Road"),
        ("that note about me being scared of dentists, I got over it ages ago", "User is afraid of dentists"),
    ],
)
def test_a_name_a_topic_or_a_rare_word_finds_the_one_item(body: str, meant: str) -> None:
    assert [item.content for item in named_items(body, shown(*LIBRARY))] == [meant]


@pytest.mark.parametrize("body", ["我养的乌龟", "my stamp collection", "这条", "that"])
def test_what_names_no_item_finds_none(body: str) -> None:
    assert named_items(body, shown(*LIBRARY)) == []


@pytest.mark.parametrize(
    "body", ["你存的我的东西统统", "all memories you hold about me", "所有关于我的信息，一条都别留"]
)
def test_everything_is_everything(body: str) -> None:
    assert len(named_items(body, shown(*LIBRARY))) == len(LIBRARY)


def test_a_pronoun_means_what_was_said_right_before_it() -> None:
    before = "Since I have you saved as afraid of dentists, start with a friendly one."
    assert [i.content for i in named_items("that from your memory", shown(*LIBRARY), before)] == [LIBRARY[8]]
    assert named_items("that from your memory", shown(*LIBRARY), "Anything else?") == []
