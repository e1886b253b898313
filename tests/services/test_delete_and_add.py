"""A judge that deletes the old statement and adds the new one: one of them is current, the other is history."""

from __future__ import annotations

import pytest

from memoryapp.services import changes
from tests.cast import Cast, make_cast, texts
from tests.llm_stub import LLMStub
from tests.services.talk import told

pytestmark = pytest.mark.django_db

CASES = [
    ("用户喜欢吃中餐", "我现在讨厌中餐了", "用户讨厌中餐"),
    ("我在青石科技上班", "我上个月跳槽到白鹭传媒了", "我在白鹭传媒上班"),
    ("User is a vegetarian", "I ate a steak yesterday, I am no vegetarian any more", "User is no longer a vegetarian"),
    ("I live in Lyon", "I moved to Porto last week", "I live in Porto"),
]


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


@pytest.mark.parametrize(("old", "said", "new"), CASES)
@pytest.mark.parametrize("order", [1, -1])
def test_one_is_current_and_one_is_history(cast: Cast, llm: LLMStub, old: str, said: str, new: str, order: int) -> None:
    changes.add(cast.agent, "alice", changes.NewItem(old))
    operations = [
        {"action": "DELETE", "target_id": 0, "confidence": 0.9, "quote": said},
        {"action": "ADD", "content": new, "confidence": 0.9, "quote": said},
    ]
    llm.answer(operations[::order])
    told(cast, said)
    assert texts(cast.agent, "alice") == [new]
    assert texts(cast.agent, "alice", statuses=("superseded",)) == [old]
