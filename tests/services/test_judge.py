"""Extraction with an LLM that answers well, badly or not at all: a real HTTP server stands in for it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.conf import settings
from pydantic import SecretStr

from memoryapp.providers import registry
from memoryapp.services import changes, events, memories, recall
from memoryapp.services.results import EventView
from tests.cast import Cast, finish, make_cast, only, say, texts
from tests.llm_stub import Failure, LLMStub

pytestmark = pytest.mark.django_db


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


@pytest.fixture
def llm(monkeypatch: pytest.MonkeyPatch) -> Iterator[LLMStub]:
    with LLMStub() as stub:
        monkeypatch.setattr(settings.MEMORYAPP, "llm_base_url", stub.base_url)
        monkeypatch.setattr(settings.MEMORYAPP, "llm_model", "stub")
        monkeypatch.setattr(settings.MEMORYAPP, "llm_api_key", SecretStr("stub"))
        registry.reset()
        yield stub
    registry.reset()


def told(cast: Cast, text: str) -> EventView:
    event = say(cast.agent, "alice", text)
    finish(cast.agent, event)
    return events.event(cast.agent, event.id)


def lines(event: EventView) -> list[tuple[str, str]]:
    return [(e.section, e.reason) for e in event.entries]


def add(content: str, quote: str) -> dict[str, object]:
    return {"action": "ADD", "content": content, "kind": "project", "confidence": 0.9, "quote": quote}


STORY = "这个项目以后都用 pnpm，开发服务跑在 4000 端口。顺便记一下，我不喜欢太客套的回答。"


def test_the_story_of_the_seed(cast: Cast, llm: LLMStub) -> None:
    facts = ["项目使用 pnpm", "开发服务跑在 4000 端口", "不喜欢太客套的回答"]
    quotes = ["这个项目以后都用 pnpm", "开发服务跑在 4000 端口", "我不喜欢太客套的回答"]
    llm.answer([add(f, q) for f, q in zip(facts, quotes, strict=True)])
    assert lines(told(cast, STORY)) == [("added", "")] * 3
    first = recall.search(cast.agent, "alice", "启动开发服务要注意什么？")
    assert first[0].item.content == facts[1]

    llm.answer(
        [{"action": "UPDATE", "target_id": 0, "content": "项目使用 bun", "confidence": 0.9, "quote": "改用 bun"}]
    )
    changed = told(cast, "这个项目不用 pnpm 了，改用 bun")
    assert [e.section for e in changed.entries] == ["updated"]
    assert "项目使用 pnpm" not in texts(cast.agent, "alice")
    item = changed.entries[0].id
    assert item is not None
    assert [v.content for v in memories.history(cast.agent, item)] == ["项目使用 bun", "项目使用 pnpm"]


def test_an_unknown_id_loses_that_operation_only(cast: Cast, llm: LLMStub) -> None:
    said = "记住：我养了一只猫"
    update = {"action": "UPDATE", "target_id": 12, "content": "x y z", "confidence": 0.9}
    llm.answer([update, add("用户养了一只猫", "我养了一只猫")])
    assert lines(told(cast, said)) == [("added", ""), ("skipped", "unknown_id")]


def test_one_operation_an_id_and_a_bounded_number(cast: Cast, llm: LLMStub) -> None:
    changes.add(cast.agent, "alice", changes.NewItem("项目使用 pnpm"))
    same = {"action": "UPDATE", "target_id": 0, "content": "项目使用 bun", "confidence": 0.9, "quote": "改用 bun"}
    llm.answer([same, same, *([{"action": "NONE"}] * 38)])
    reasons = [reason for _, reason in lines(told(cast, "这个项目改用 bun"))]
    assert reasons.count("one_operation_per_id") == 1
    assert reasons.count("too_many_operations") == 20


def test_love_to_hate_never_ends_with_nothing(cast: Cast, llm: LLMStub) -> None:
    changes.add(cast.agent, "alice", changes.NewItem("用户喜欢吃中餐"))
    llm.answer([{"action": "DELETE", "target_id": 0, "confidence": 0.9}])
    told(cast, "我现在讨厌中餐了，以后别再推荐中餐")
    assert any("讨厌中餐" in text for text in texts(cast.agent, "alice"))
    assert texts(cast.agent, "alice", statuses=("superseded",)) == ["用户喜欢吃中餐"]


def test_an_invented_fact_without_evidence_is_not_stored(cast: Cast, llm: LLMStub) -> None:
    llm.answer([add("User owns a yacht in Monaco", "I own a yacht in Monaco")])
    event = told(cast, "Remember that I prefer window seats.")
    assert ("skipped", "unsupported") in lines(event)
    assert texts(cast.agent, "alice") == ["I prefer window seats"]


@pytest.mark.parametrize("bad", ["Sure! I will keep that in mind for you.", '{"operations": [{"action": "ADD"', ""])
def test_an_unreadable_answer_is_reported_and_the_cue_still_honoured(cast: Cast, llm: LLMStub, bad: str) -> None:
    llm.answer(*[bad] * 8)
    event = say(cast.agent, "alice", "Remember that I prefer window seats.")
    finish(cast.agent, event)
    finish(cast.agent, event)
    seen = events.event(cast.agent, event.id)
    assert ("failed", "llm_parse") in lines(seen)
    assert texts(cast.agent, "alice") == ["I prefer window seats"]


@pytest.mark.parametrize("status", [500, 429])
def test_a_provider_that_is_away_is_tried_again(cast: Cast, llm: LLMStub, status: int) -> None:
    llm.answer(Failure(status))
    event = say(cast.agent, "alice", "记住：我养了一只猫")
    finish(cast.agent, event)
    waiting = events.event(cast.agent, event.id)
    assert (waiting.status, waiting.attempt) == ("pending", 1)
    llm.answer([add("我养了一只猫", "我养了一只猫")])
    finish(cast.agent, event)
    assert events.event(cast.agent, event.id).status == "succeeded"
    assert only(cast.agent, "alice")


def test_what_is_said_while_a_run_waits_for_its_provider_is_accepted_and_finished_too(cast: Cast, llm: LLMStub) -> None:
    llm.answer(Failure(500))
    first = say(cast.agent, "alice", "记住：我养了一只猫")
    finish(cast.agent, first)
    second = say(cast.agent, "alice", "记住：我对花生过敏")
    third = say(cast.agent, "alice", "顺便说一句，今天下雨了")
    assert second.id != first.id
    assert third.id == second.id
    llm.answer([add("我对花生过敏", "我对花生过敏")], [add("我养了一只猫", "我养了一只猫")])
    for event in (second, first):
        finish(cast.agent, event)
    assert {events.event(cast.agent, e.id).status for e in (first, second)} == {"succeeded"}
    assert sorted(texts(cast.agent, "alice")) == ["我养了一只猫", "我对花生过敏"]
