"""Whatever changes a text changes its words and its vector with it: what is found is the present text only."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

import pytest
from django.urls import reverse

from memoryapp import audit
from memoryapp.models import MemoryItem, RetrievalEntry
from memoryapp.providers import registry
from memoryapp.retrieval import lexical
from memoryapp.services import access, changes, consolidation, recall, vectors
from memoryapp.services.scope import tenant_scope
from tests.api.http import call
from tests.cast import Cast, finish, make_cast, say
from tests.llm_stub import LLMStub
from tests.web.stage import PASSWORD, browser_of

pytestmark = pytest.mark.django_db
OLD, NEW = "Collects porcelain teapots", "Breeds racing pigeons"


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


def by_api(cast: Cast, item: UUID, llm: LLMStub) -> None:
    assert call(cast.key, "PATCH", f"memories/mem_{item.hex}", {"content": NEW}).status_code == 200


def by_page(cast: Cast, item: UUID, llm: LLMStub) -> None:
    alice = browser_of(access.add_person(cast.agent, "a@example.org", "member", "alice", password=PASSWORD))
    form = {"content": NEW, "kind": "note", "version": "1"}
    assert alice.post(reverse("edit_memory", args=[f"mem_{item.hex}"]), form).status_code == 302


def by_old_version(cast: Cast, item: UUID, llm: LLMStub) -> None:
    """The first text was the new one; it is brought back."""
    with tenant_scope(cast.agent):
        audit.record(cast.agent, "test.older_text", audit.Target("memory", (item,)))
        changes.MemoryVersion.objects.filter(item_id=item).update(content=NEW)
    changes.restore_version(cast.agent, item, 1)


def by_decision(cast: Cast, item: UUID, llm: LLMStub) -> None:
    """A candidate that is accepted in other words."""
    with tenant_scope(cast.agent):
        audit.record(cast.agent, "test.set", audit.Target("memory", (item,)))
        MemoryItem.objects.filter(pk=item).update(status="pending", pending_reason="below_threshold")
    changes.confirm(cast.agent, item, NEW)


def by_judge(cast: Cast, item: UUID, llm: LLMStub) -> None:
    said = "Not teapots any more, I breed racing pigeons."
    operation = {
        "action": "UPDATE",
        "target_id": shown_as(cast, item),
        "content": NEW,
        "confidence": 0.95,
        "quote": said,
    }
    llm.answer([operation])
    finish(cast.agent, say(cast.agent, "alice", said))


def shown_as(cast: Cast, item: UUID) -> int:
    """The number under which the judge is shown an item: the order of the ids."""
    with tenant_scope(cast.agent):
        return list(MemoryItem.objects.order_by("id").values_list("pk", flat=True)).index(item)


WAYS: dict[str, Callable[[Cast, UUID, LLMStub], None]] = {
    "api": by_api,
    "page": by_page,
    "restore of a version": by_old_version,
    "decision in the inbox": by_decision,
    "judge": by_judge,
}


def found(cast: Cast, query: str) -> list[str]:
    return [h.item.content for h in recall.search(cast.agent, "alice", query, threshold=0.3)]


def entry(item: UUID, cast: Cast) -> tuple[set[str], list[float] | None]:
    """The words of an item in the index, and its vector."""
    with tenant_scope(cast.agent):
        row = RetrievalEntry.objects.get(pk=item)
        terms = {part.partition(":")[0].strip("'") for part in str(row.terms).split()}
        return terms, None if row.embedding is None else [float(x) for x in row.embedding]


@pytest.mark.parametrize("way", WAYS)
def test_what_is_found_is_the_present_text_by_words_and_by_meaning(cast: Cast, llm: LLMStub, way: str) -> None:
    changes.add(cast.agent, "alice", changes.NewItem("Plays chess on Sundays"))
    item = changes.add(cast.agent, "alice", changes.NewItem(OLD))[0].id
    vectors.sync_vectors(cast.agent.tenant_id)
    before = entry(item, cast)[1]
    assert before is not None
    WAYS[way](cast, item, llm)
    terms, vector = entry(item, cast)
    assert terms == {*lexical.terms(NEW)} and vector != before
    vectors.sync_vectors(cast.agent.tenant_id)
    vector = entry(item, cast)[1]
    wanted = registry.embedder().embed_passages([NEW])[0]
    assert vector == pytest.approx(wanted, abs=2e-3)
    assert found(cast, "racing pigeons") == [NEW]
    assert found(cast, "porcelain teapots") == []
    assert recall.search(cast.agent, "alice", "Which birds do I raise?")[0].item.id == item


def test_what_consolidation_merged_away_is_found_by_no_way(cast: Cast) -> None:
    items = [changes.add(cast.agent, "alice", changes.NewItem(t))[0].id for t in ("先跑测试再提交", "提交前先跑测试")]
    vectors.sync_vectors(cast.agent.tenant_id)
    run = consolidation.start(cast.agent, "alice").id
    assert run is not None
    consolidation.consolidate(cast.agent.tenant_id, run)
    with tenant_scope(cast.agent):
        (kept,) = RetrievalEntry.objects.values_list("pk", flat=True)
    assert kept in items and len(found(cast, "提交前先跑测试")) == 1
