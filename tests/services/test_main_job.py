"""The main job through the services, on the real database, with the rules as extractor."""

from __future__ import annotations

from uuid import UUID

import pytest
from django.db import DatabaseError, connection

from memoryapp.domain.errors import DomainError, NotFound
from memoryapp.models import MemoryItem, RetrievalEntry
from memoryapp.services import changes, events, injection, memories, recall
from memoryapp.services.scope import tenant_scope
from memoryapp.services.vectors import sync_vectors
from tests.cast import Cast, finish, make_cast, only, say, texts

pytestmark = pytest.mark.django_db


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


def sections(cast: Cast, event_id: object) -> list[tuple[str, str]]:
    return [(e.section, e.reason) for e in events.event(cast.agent, event_id).entries]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "said", ["记住：以后代码示例优先 TypeScript", "Remember that I prefer TypeScript for code examples."]
)
def test_a_cue_becomes_one_memory_with_its_evidence(cast: Cast, said: str) -> None:
    event = say(cast.agent, "alice", said)
    assert event.door == "cue"
    finish(cast.agent, event)
    assert [s for s, _ in sections(cast, event.id)] == ["added"]
    item = only(cast.agent, "alice")
    (evidence,) = memories.evidence(cast.agent, item)
    assert evidence.quote in said
    assert evidence.door == "cue"


def test_the_same_statement_again_adds_nothing(cast: Cast) -> None:
    for _ in range(3):
        finish(cast.agent, say(cast.agent, "alice", "记住：我对花生过敏"))
    assert len(texts(cast.agent, "alice")) == 1


def test_a_chat_without_a_cue_waits_for_silence_and_runs_once(cast: Cast) -> None:
    event = say(cast.agent, "alice", "今天天气真不错，我们出去走走吧")
    assert event.door == "idle"
    assert (event.due_at - event.created_at).total_seconds() == pytest.approx(45, abs=2)
    again = say(cast.agent, "alice", "顺便看看路上有什么好吃的")
    assert again.id == event.id


def test_forgetting_by_words_takes_the_memory_out_of_every_read(cast: Cast) -> None:
    finish(cast.agent, say(cast.agent, "alice", "记住：我住在苏州工业园区"))
    finish(cast.agent, say(cast.agent, "alice", "忘掉我的住址"))
    assert texts(cast.agent, "alice") == []
    assert recall.search(cast.agent, "alice", "苏州") == ()
    assert injection.context(cast.agent, "alice", query="我住在哪").block == ""


def test_a_forgotten_memory_stays_dead_for_a_key_and_lives_again_when_the_person_says_so(cast: Cast) -> None:
    item, _, _ = changes.add(cast.agent, "alice", changes.NewItem("喜欢爬山"))
    changes.forget(cast.agent, item.id)
    with pytest.raises(DomainError) as refused:
        changes.add(cast.agent, "alice", changes.NewItem("喜欢 爬山。"))
    assert refused.value.code == "tombstoned"
    changes.add(cast.person("alice"), "alice", changes.NewItem("喜欢爬山"))
    assert texts(cast.agent, "alice") == ["喜欢爬山"]


def test_forget_can_be_undone(cast: Cast) -> None:
    item, _, _ = changes.add(cast.agent, "alice", changes.NewItem("Likes jazz."))
    assert changes.forget(cast.agent, item.id).undo_until is not None
    with pytest.raises(NotFound):
        memories.item(cast.agent, item.id)
    changes.restore(cast.agent, item.id)
    assert texts(cast.agent, "alice") == ["Likes jazz."]


def test_a_secret_is_refused_with_its_reason_and_stored_nowhere(cast: Cast) -> None:
    event = say(cast.agent, "alice", "记住我的数据库密码是 Qz!7fake_Passw0rd")
    finish(cast.agent, event)
    assert any(reason.startswith("secret.") for _, reason in sections(cast, event.id))
    with tenant_scope(cast.agent), connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM memoryapp_message WHERE text LIKE '%%Passw0rd%%'")
        assert cursor.fetchone()[0] == 0
    assert texts(cast.agent, "alice") == []


@pytest.mark.parametrize("query", ["榛子拿铁", "年糕", "苏州"])
def test_chinese_is_found_by_words(cast: Cast, query: str) -> None:
    for text in ("我喜欢喝榛子拿铁和年糕汤", "阿宁住在苏州，养了一只猫叫年糕", "每周五把周报发给经理"):
        changes.add(cast.agent, "alice", changes.NewItem(text))
    hits = recall.search(cast.agent, "alice", query)
    assert query in hits[0].item.content


def test_the_same_text_scores_one_and_scores_fall(cast: Cast) -> None:
    for text in ("The staging cluster is rebuilt every Sunday", "I am a vegetarian", "My cat is called Mochi"):
        changes.add(cast.agent, "alice", changes.NewItem(text))
    hits = recall.search(cast.agent, "alice", "The staging cluster is rebuilt every Sunday")
    scores = [h.score for h in hits]
    assert scores[0] == 1.0
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("query", ["AND OR NOT", "!!!", "%_\\'", "' | '", "a:*b & !c"])
def test_operators_and_punctuation_are_harmless(cast: Cast, query: str) -> None:
    changes.add(cast.agent, "alice", changes.NewItem("I am a vegetarian"))
    recall.search(cast.agent, "alice", query)


def test_an_unknown_filter_is_refused(cast: Cast) -> None:
    with pytest.raises(DomainError) as refused:
        recall.search(cast.agent, "alice", "x", filters={"kind": "preference", "no_such": 1})
    assert refused.value.code == "unknown_filter"


def test_charlie_sees_nothing_and_cannot_touch_anything(cast: Cast) -> None:
    item, _, _ = changes.add(cast.agent, "alice", changes.NewItem("Likes jazz."))
    assert texts(cast.charlie, "alice") == []
    for call in (memories.item, memories.history, changes.forget, changes.restore, changes.confirm):
        with pytest.raises(NotFound):
            call(cast.charlie, item.id)
    assert texts(cast.agent, "alice") == ["Likes jazz."]


def test_bob_has_a_library_of_his_own(cast: Cast) -> None:
    for person in ("alice", "bob"):
        changes.add(cast.agent, person, changes.NewItem("Likes jazz."))
    changes.forget(cast.agent, only(cast.agent, "alice"))
    assert texts(cast.agent, "bob") == ["Likes jazz."]


def test_an_edit_on_an_old_version_is_refused_with_the_current_state(cast: Cast) -> None:
    item, _, _ = changes.add(cast.agent, "alice", changes.NewItem("Likes jazz.", metadata={"src": "crm"}))
    edited = changes.edit(cast.agent, item.id, {"content": "Likes free jazz."}, expected_version=1)
    assert edited.metadata == {"src": "crm"}
    with pytest.raises(DomainError) as refused:
        changes.edit(cast.agent, item.id, {"content": "Hates jazz."}, expected_version=1)
    assert refused.value.code == "stale_version"
    assert [v.content for v in memories.history(cast.agent, item.id)] == ["Likes free jazz.", "Likes jazz."]


@pytest.mark.django_db(transaction=True)
def test_the_database_refuses_a_change_without_its_audit_event(cast: Cast) -> None:
    item, _, _ = changes.add(cast.agent, "alice", changes.NewItem("Likes jazz."))
    with pytest.raises(DatabaseError, match="audit"), tenant_scope(cast.agent), connection.cursor() as cursor:
        MemoryItem.objects.filter(pk=item.id).update(content="tampered")
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def test_without_the_codes_filters_the_database_still_hides_the_neighbour(cast: Cast) -> None:
    changes.add(cast.agent, "alice", changes.NewItem("Likes jazz."))
    with tenant_scope(cast.charlie):
        assert MemoryItem.objects.count() == 0


def test_a_change_that_leaves_the_text_alone_keeps_its_vector(cast: Cast) -> None:
    item, _, _ = changes.add(cast.agent, "alice", changes.NewItem("Likes jazz."))
    sync_vectors(cast.agent.tenant_id)
    changes.edit(cast.agent, item.id, {"pinned": True}, expected_version=None)
    changes.add(cast.agent, "alice", changes.NewItem("likes JAZZ"))
    assert has_vector(cast, item.id)
    changes.edit(cast.agent, item.id, {"content": "Likes blues."}, expected_version=None)
    assert not has_vector(cast, item.id)
    assert recall.search(cast.agent, "alice", "jazz", threshold=0.5) == ()


def has_vector(cast: Cast, item: UUID) -> bool:
    with tenant_scope(cast.agent):
        return RetrievalEntry.objects.filter(pk=item, embedding__isnull=False).exists()


def test_a_key_cannot_edit_a_memory_into_one_that_was_forgotten(cast: Cast) -> None:
    gone, _, _ = changes.add(cast.agent, "alice", changes.NewItem("喜欢爬山"))
    kept, _, _ = changes.add(cast.agent, "alice", changes.NewItem("Likes jazz."))
    changes.forget(cast.agent, gone.id)
    with pytest.raises(DomainError) as refused:
        changes.edit(cast.agent, kept.id, {"content": "喜欢爬山！"}, expected_version=None)
    assert refused.value.code == "tombstoned"
    assert texts(cast.agent, "alice") == ["Likes jazz."]
