"""Consolidation: paraphrases become one, what differs stays apart, and a killed round leaves nothing half done."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

import pytest

from memoryapp.models import ConsolidationRun, ConsolidationStep, Derivation
from memoryapp.services import bulk, changes, consolidation, inbox, memories, recall, write_door
from memoryapp.services.changes import NewItem
from memoryapp.services.consolidation import ConsolidationView
from memoryapp.services.scope import tenant_scope
from tests.cast import Cast, make_cast, texts
from tests.llm_stub import Failure, LLMStub

pytestmark = pytest.mark.django_db


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


def keep(cast: Cast, *contents: str, kind: str = "note", person: str = "alice") -> list[UUID]:
    return [changes.add(cast.agent, person, NewItem(c, kind=kind))[0].id for c in contents]


def consolidated(cast: Cast, person: str = "alice") -> ConsolidationView:
    started = consolidation.start(cast.agent, person)
    assert started.id is not None
    consolidation.consolidate(cast.agent.tenant_id, started.id)
    return consolidation.status(cast.agent, started.id)


PARAPHRASES = {
    "zh": (
        [
            "先跑测试再提交",
            "提交前先跑测试",
            "跑完测试再提交",
            "提交之前要先跑测试",
            "提交代码前必须先运行测试",
            "先执行测试，然后再提交",
        ],
        "不要先跑测试再提交",
    ),
    "en": (
        [
            "Run the tests before committing",
            "Before committing, run the tests",
            "Always run tests before you commit",
            "Once the tests have run, commit",
            "Run the tests, then commit",
            "After running the tests, commit",
        ],
        "Never run the tests before committing",
    ),
}


@pytest.mark.parametrize("language", ["zh", "en"])
def test_six_paraphrases_become_one_and_the_contradiction_stays_apart(cast: Cast, language: str) -> None:
    same, opposite = PARAPHRASES[language]
    keep(cast, *same, opposite, kind="instruction")
    seen = consolidated(cast)
    left = texts(cast.agent, "alice")
    assert opposite in left
    assert len(left) == 2, left
    assert "merge" in {kind for kind, _, state, _ in seen.steps if state == "done"}
    with tenant_scope(cast.agent):
        assert Derivation.objects.filter(relation="merged").count() == 5


@pytest.mark.parametrize(
    "opposites", [("喜欢喝冰美式咖啡", "不喜欢喝冰美式咖啡"), ("Likes iced coffee", "Doesn't like iced coffee")]
)
def test_opposites_are_raised_in_the_inbox_and_both_stay(cast: Cast, opposites: tuple[str, str]) -> None:
    keep(cast, *opposites)
    seen = consolidated(cast)
    assert [(kind, state) for kind, _, state, _ in seen.steps] == [("conflict", "done")]
    assert len(texts(cast.agent, "alice")) == 2
    (waits,) = inbox.inbox(cast.agent, "alice", "conflict").entries
    assert waits.other is not None
    assert (waits.item.content, waits.other.content) == opposites


def raised(cast: Cast) -> tuple[UUID, UUID]:
    older, newer = keep(cast, "Likes iced coffee", "Doesn't like iced coffee")
    consolidated(cast)
    return older, newer


def test_keeping_both_sides_settles_it_for_good(cast: Cast) -> None:
    older, _ = raised(cast)
    changes.keep_both(cast.agent, older)
    assert inbox.inbox(cast.agent, "alice").total == 0
    assert consolidated(cast).steps == ()
    assert len(texts(cast.agent, "alice")) == 2


def test_confirming_the_older_side_replaces_the_newer_and_can_be_undone(cast: Cast) -> None:
    older, newer = raised(cast)
    changes.confirm(cast.agent, older)
    assert texts(cast.agent, "alice") == ["Likes iced coffee"]
    assert memories.item(cast.agent, newer).superseded_by == older
    changes.undo(cast.agent, older)
    assert len(texts(cast.agent, "alice")) == 2
    assert [e.item.id for e in inbox.inbox(cast.agent, "alice", "conflict").entries] == [older]


@pytest.mark.parametrize("many", [False, True])
def test_rejecting_the_older_side_leaves_the_newer(cast: Cast, many: bool) -> None:
    older, _ = raised(cast)
    if many:
        assert bulk.batch(cast.agent, [older], "reject").done == (older,)
    else:
        changes.reject(cast.agent, older)
    assert texts(cast.agent, "alice") == ["Doesn't like iced coffee"]


def test_a_second_round_finds_nothing_to_do(cast: Cast) -> None:
    keep(cast, *PARAPHRASES["zh"][0])
    assert len(consolidated(cast).steps) == 1
    assert consolidated(cast).steps == ()
    assert consolidation.nightly(cast.agent.tenant_id) == 0


def test_what_merged_is_found_once_and_its_history_remains(cast: Cast) -> None:
    items = keep(cast, *PARAPHRASES["zh"][0])
    consolidated(cast)
    hits = recall.search(cast.agent, "alice", "提交之前先跑测试")
    assert len(hits) == 1
    gone = next(i for i in items if i != hits[0].item.id)
    assert memories.item(cast.agent, gone).superseded_by == hits[0].item.id


def test_a_dry_run_tells_and_changes_nothing(cast: Cast) -> None:
    keep(cast, *PARAPHRASES["en"][0])
    seen = consolidation.preview(cast.agent, "alice")
    assert [(kind, state) for kind, _, state, _ in seen.steps] == [("merge", "planned")]
    assert seen.skipped == ("llm_missing",)
    assert len(texts(cast.agent, "alice")) == 6


def test_without_a_language_model_episodes_are_left_and_that_is_said(cast: Cast) -> None:
    keep(cast, "周一去爬了香山", "周三去爬了泰山", "周五去爬了黄山", kind="event")
    assert consolidated(cast).skipped == ("llm_missing",)
    assert len(texts(cast.agent, "alice")) == 3


def test_episodes_gain_one_summary_that_keeps_them_linked(cast: Cast, llm: LLMStub) -> None:
    items = keep(cast, "周一去爬了香山", "周三去爬了泰山", "周五去爬了黄山", kind="event")
    llm.answer('好的：{"summaries": [{"ids": [0, 1, 2], "content": "经常去爬山"}]}')
    seen = consolidated(cast)
    assert [(kind, state) for kind, _, state, _ in seen.steps] == [("summarise", "done")]
    assert sorted(texts(cast.agent, "alice")) == sorted(
        ["周一去爬了香山", "周三去爬了泰山", "周五去爬了黄山", "经常去爬山"]
    )
    with tenant_scope(cast.agent):
        assert set(Derivation.objects.values_list("source_id", flat=True)) == set(items)
    assert consolidated(cast).steps == ()


@pytest.mark.parametrize(
    "answer",
    [
        '{"summaries": [{"ids": [0, 1], "content": "经常去爬山"}]}',
        '{"summaries": [{"ids": [0, 1, 9], "content": "经常去爬山"}]}',
        '{"summaries": [{"ids": [0, 1, 2], "content": "Often goes hiking"}]}',
        '{"summaries": [{"ids": [0, 1, 2], "content": "去年爬了37座山"}]}',
        '{"summaries": [{"ids": [0, 1, 2], "content": "password: Tr0ub4dor&3xq"}]}',
        "爬山",
        '{"summaries": ',
    ],
)
def test_a_summary_that_its_episodes_do_not_carry_is_not_written(cast: Cast, llm: LLMStub, answer: str) -> None:
    keep(cast, "周一去爬了香山", "周三去爬了泰山", "周五去爬了黄山", kind="event")
    llm.answer(answer)
    consolidated(cast)
    assert len(texts(cast.agent, "alice")) == 3


def test_a_language_model_that_fails_leaves_the_rest_done(cast: Cast, llm: LLMStub) -> None:
    keep(cast, "周一去爬了香山", "周三去爬了泰山", "周五去爬了黄山", kind="event")
    keep(cast, *PARAPHRASES["zh"][0])
    llm.answer(*[Failure(500)] * 4)
    seen = consolidated(cast)
    assert (seen.state, seen.skipped) == ("succeeded", ("llm_failed",))
    assert len(texts(cast.agent, "alice")) == 4


@contextmanager
def _dying(monkeypatch: pytest.MonkeyPatch, after: int) -> Iterator[None]:
    """The write door dies after so many changes, as a killed worker would."""
    left = [after]
    real = write_door.change

    def change(*args: object, **named: object) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt
        real(*args, **named)  # type: ignore[arg-type]

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(consolidation, "change", change)
        yield


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("after", [0, 1, 3, 7])
def test_a_round_killed_anywhere_leaves_whole_groups_and_is_finished_by_the_next(
    transactional_db: None, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    cast = make_cast()
    keep(cast, *PARAPHRASES["zh"][0])
    keep(cast, *PARAPHRASES["en"][0])
    started = consolidation.start(cast.agent, "alice")
    assert started.id is not None
    with _dying(monkeypatch, after):
        consolidation.consolidate(cast.agent.tenant_id, started.id)
    assert len(texts(cast.agent, "alice")) in (12, 7)
    consolidation.consolidate(cast.agent.tenant_id, started.id)
    assert consolidation.status(cast.agent, started.id).state == "running"
    with tenant_scope(cast.agent):
        ConsolidationRun.objects.update(lease_until=ConsolidationRun.objects.get().created_at)
    consolidation.consolidate(cast.agent.tenant_id, started.id)
    assert consolidation.status(cast.agent, started.id).state == "succeeded"
    assert len(texts(cast.agent, "alice")) == 2
    with tenant_scope(cast.agent):
        assert not ConsolidationStep.objects.filter(state="planned").exists()


def test_an_item_that_changed_meanwhile_is_left_out(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    first, *_ = keep(cast, *PARAPHRASES["zh"][0])
    real = consolidation._logged

    def logged(*args: object) -> object:
        changes.edit(cast.agent, first, {"content": "以后用方案乙"}, expected_version=None)
        return real(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(consolidation, "_logged", logged)
    (step,) = consolidated(cast).steps
    assert step[2:] == ("skipped", "changed")
    assert len(texts(cast.agent, "alice")) == 6


def test_other_people_and_tenants_are_left_alone(cast: Cast) -> None:
    keep(cast, *PARAPHRASES["zh"][0], person="bob")
    keep(cast, *PARAPHRASES["zh"][0])
    consolidated(cast)
    assert len(texts(cast.agent, "bob")) == 6
    started = consolidation.start(cast.agent, "alice")
    assert started.id is not None
    with pytest.raises(consolidation.NotFound):
        consolidation.status(cast.charlie, started.id)
