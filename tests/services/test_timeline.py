"""What was true, what was known, and how it came to be."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from memoryapp.domain.errors import DomainError
from memoryapp.services import changes
from memoryapp.services.ingest import Incoming, accept
from memoryapp.services.timeline import When, as_of, timeline
from tests.cast import Cast, finish, make_cast
from tests.llm_stub import LLMStub

pytestmark = pytest.mark.django_db


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


def told(cast: Cast, text: str, said_at: datetime) -> None:
    event = accept(cast.agent, "alice", [Incoming("user", text, said_at=said_at)])
    finish(cast.agent, event)


def contents(cast: Cast, when: When) -> list[str]:
    return [i.content for i in as_of(cast.agent, "alice", when)]


@pytest.mark.parametrize(
    ("old", "new", "quotes"),
    [
        ("我在青石科技上班", "我跳槽到白鹭传媒了", ("在青石科技上班", "在白鹭传媒上班")),
        ("I work at Greystone", "I moved to Heron Media", ("works at Greystone", "works at Heron Media")),
    ],
)
def test_what_was_true_on_a_date_is_the_text_of_that_date(
    cast: Cast, llm: LLMStub, old: str, new: str, quotes: tuple[str, str]
) -> None:
    now = timezone.now()
    first, second = now - timedelta(days=60), now - timedelta(days=10)
    add = {"action": "ADD", "content": old, "kind": "profile", "confidence": 0.9, "quote": old}
    llm.answer([add])
    told(cast, old if old.startswith("我") else f"Remember: {old}", first)
    llm.answer([{"action": "UPDATE", "target_id": 0, "content": new, "confidence": 0.9, "quote": new}])
    told(cast, new, second)
    assert contents(cast, When(now)) == [new]
    assert contents(cast, When(now - timedelta(days=30))) == [old]
    assert contents(cast, When(now - timedelta(days=90))) == []


def test_what_was_known_is_not_what_was_true(cast: Cast) -> None:
    before = timezone.now() - timedelta(seconds=1)
    changes.add(cast.agent, "alice", changes.NewItem("Likes jazz."))
    assert contents(cast, When(timezone.now())) == ["Likes jazz."]
    assert contents(cast, When(timezone.now(), known=before)) == []


def test_what_was_forgotten_is_gone_from_every_date(cast: Cast) -> None:
    item, _, _ = changes.add(cast.agent, "alice", changes.NewItem("Likes jazz."))
    then = timezone.now()
    changes.forget(cast.agent, item.id)
    assert contents(cast, When(then)) == []
    assert timeline(cast.agent, "alice").changes == ()


def test_a_timeline_shows_each_change_with_the_text_before_it(cast: Cast) -> None:
    item, _, _ = changes.add(cast.agent, "alice", changes.NewItem("喜欢爵士"))
    changes.edit(cast.agent, item.id, {"content": "喜欢蓝调"}, expected_version=None)
    seen = timeline(cast.agent, "alice", limit=1)
    assert (seen.total, seen.changes[0].content, seen.changes[0].before) == (2, "喜欢蓝调", "喜欢爵士")
    rest = timeline(cast.agent, "alice", limit=1, cursor=seen.cursor)
    assert (rest.changes[0].content, rest.changes[0].before, rest.cursor) == ("喜欢爵士", None, None)
    assert timeline(cast.charlie, "alice").total == 0
    with pytest.raises(DomainError):
        timeline(cast.agent, "")
