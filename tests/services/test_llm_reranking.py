"""Order by the language model: over HTTP, bounded in time, and never more than an order."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.conf import settings

from memoryapp.models import AuditEvent
from memoryapp.providers.endpoint import close_breakers
from memoryapp.services.recall import Wanted, answer, search
from memoryapp.services.scope import tenant_scope
from tests.cast import Cast, make_cast
from tests.llm_stub import Hang, LLMStub
from tests.services.test_recall import add

pytestmark = pytest.mark.django_db


@pytest.fixture
def cast(db: None) -> Cast:
    close_breakers()
    return make_cast()


@pytest.fixture
def model_orders(llm: LLMStub, monkeypatch: pytest.MonkeyPatch) -> LLMStub:
    monkeypatch.setattr(settings.MEMORYAPP, "reranker", "llm")
    monkeypatch.setattr(settings.MEMORYAPP, "rerank_timeout_seconds", 5)
    return llm


def test_the_language_model_may_order_and_what_it_leaves_out_stays_behind(cast: Cast, model_orders: LLMStub) -> None:
    add(cast, "苗圃在城北", "花店在城南", "苗圃周一休息")
    model_orders.answer(lambda body: f"<think>1？</think>[{numbers_in(body)['花店在城南']}]")
    hits = search(cast.agent, "alice", "苗圃在哪")
    assert hits[0].item.content == "花店在城南"
    assert {h.item.content for h in hits[1:]} == {"苗圃在城北", "苗圃周一休息"}
    assert [h.parts["rerank"] for h in hits] == [1.0, 0.0, 0.0]
    assert len(model_orders.requests) == 1


def test_the_audit_names_what_was_given_after_the_model_chose(cast: Cast, model_orders: LLMStub) -> None:
    add(cast, "苗圃在城北", "花店在城南", "苗圃周一休息")
    model_orders.answer(lambda body: f"[{numbers_in(body)['花店在城南']}]")
    (hit,) = search(cast.agent, "alice", "苗圃在哪", top_k=1)
    with tenant_scope(cast.agent):
        (event,) = AuditEvent.objects.filter(action="memory.searched")
    assert event.target_ids == [hit.item.id]


@pytest.mark.parametrize("bad", ["", "我不知道", "9999", 500, 429, Hang(60)])
def test_a_model_that_gives_no_order_is_skipped_in_time(
    cast: Cast, model_orders: LLMStub, monkeypatch: pytest.MonkeyPatch, bad: Any
) -> None:
    monkeypatch.setattr(settings.MEMORYAPP, "rerank_timeout_seconds", 0.3)
    add(cast, "苗圃在城北", "花店在城南")
    model_orders.answer(bad)
    told = answer(cast.agent, "alice", "苗圃在哪", Wanted())
    assert told.hits[0].item.content == "苗圃在城北"
    assert told.notes == ("rerank_skipped",)


def test_a_model_that_finds_nothing_useful_changes_nothing(cast: Cast, model_orders: LLMStub) -> None:
    add(cast, "苗圃在城北", "花店在城南")
    model_orders.answer("0")
    told = answer(cast.agent, "alice", "苗圃在哪", Wanted())
    assert (told.hits[0].item.content, told.notes) == ("苗圃在城北", ())


def numbers_in(body: dict[str, Any]) -> dict[str, int]:
    """The numbers under which the prompt shows each memory."""
    lines = re.findall(r"^\[(\d+)\] (.+)$", body["messages"][-1]["content"], re.M)
    return {text: int(number) for number, text in lines}
