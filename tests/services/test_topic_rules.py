"""A standing wish not to keep a topic is kept as an instruction and obeyed, until its person asks otherwise."""

from __future__ import annotations

import pytest

from memoryapp.models import MemoryItem
from memoryapp.services import changes
from memoryapp.services.ingest import Incoming, accept
from memoryapp.services.scope import tenant_scope
from tests.cast import Cast, finish, make_cast
from tests.llm_stub import LLMStub
from tests.services.talk import add, ids, lines, talked, told

pytestmark = pytest.mark.django_db

RULES = [
    ("以后不要记我的健康信息", "我上个月查出了糖尿病", "我住在苏州"),
    ("以后凡是跟我孩子有关的都别存", "我女儿今年上小学二年级", "我老婆是护士"),
    ("Never store anything about my kids.", "My daughter Mia has started school.", "My wife works as a nurse."),
    ("Please make it a rule not to record my salary.", "I earn 62,000 a year at the clinic.", "I work at the clinic."),
    ("stop logging my workouts in memory", "I go to the gym every Tuesday evening.", "I'm allergic to peanuts."),
]


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


@pytest.mark.parametrize(("rule", "under", "beside"), RULES)
def test_what_falls_under_a_rule_is_not_written_and_the_event_says_why(
    cast: Cast, llm: LLMStub, rule: str, under: str, beside: str
) -> None:
    llm.answer([], [add(under)], [add(beside)])
    told(cast, rule)
    (kept,) = ids(cast, "active")
    with tenant_scope(cast.agent):
        assert MemoryItem.objects.get(pk=kept).kind == "instruction"
    event = told(cast, under, session="later")
    assert ("skipped", "owner_asked_not_to") in lines(event)
    assert ids(cast, "active", "pending") == [kept]
    told(cast, beside, session="later still")
    assert len(ids(cast, "active")) == 2


@pytest.mark.parametrize(("rule", "under", "beside"), RULES)
def test_a_judge_that_says_yes_to_everything_writes_the_rule_and_nothing_under_it(
    cast: Cast, llm: LLMStub, rule: str, under: str, beside: str
) -> None:
    llm.answer([add(rule, kind="instruction"), add(under), add(beside)])
    talked(cast, Incoming("user", rule), Incoming("user", under), Incoming("user", beside))
    with tenant_scope(cast.agent):
        assert set(MemoryItem.objects.values_list("content", flat=True)) == {rule, beside}


@pytest.mark.parametrize(
    ("rule", "wanted"),
    [
        ("以后不要记我的健康信息", "记住：我对青霉素过敏，住院要用。"),
        ("Never store anything about my kids.", "Remember that my son Leo is allergic to nuts."),
    ],
)
def test_an_explicit_wish_to_remember_overrides_the_rule(cast: Cast, llm: LLMStub, rule: str, wanted: str) -> None:
    told(cast, rule)
    llm.answer([add(wanted)])
    told(cast, wanted, session="later")
    assert len(ids(cast, "active")) == 2


def test_a_forgotten_rule_holds_no_longer(cast: Cast, llm: LLMStub) -> None:
    told(cast, "以后不要记我的健康信息")
    (rule,) = ids(cast, "active")
    changes.forget(cast.agent, rule)
    llm.answer([add("我上个月查出了糖尿病")])
    told(cast, "我上个月查出了糖尿病", session="later")
    assert len(ids(cast, "active")) == 1


def test_a_rule_of_the_person_holds_in_a_project_too(cast: Cast, llm: LLMStub) -> None:
    told(cast, "Never store anything about my kids.")
    llm.answer([add("My daughter Mia has started school.")])
    said = [Incoming("user", "My daughter Mia has started school.")]
    event = accept(cast.agent, "alice", said, space="project", project_id="apollo", session="later")
    finish(cast.agent, event)
    with tenant_scope(cast.agent):
        assert MemoryItem.objects.filter(space__kind="project").count() == 0


def test_what_stands_beside_a_rule_in_its_message_is_not_active(cast: Cast, llm: LLMStub) -> None:
    llm.answer([add("I have HIV"), add("Never store anything about my health", kind="instruction")])
    told(cast, "I have HIV. Never store anything about my health.")
    with tenant_scope(cast.agent):
        active = MemoryItem.objects.filter(status="active").values_list("content", flat=True)
        assert list(active) == ["Never store anything about my health"]


@pytest.mark.parametrize(
    "said", ["以后不要存钱了，要多花点", "I'd never keep a snake as a pet.", "Never put onions in my food."]
)
def test_what_only_sounds_like_a_rule_forbids_nothing(cast: Cast, llm: LLMStub, said: str) -> None:
    told(cast, said)
    llm.answer([add("I have a pet snake and some onions 我存了三万块钱")])
    told(cast, "I have a pet snake and some onions 我存了三万块钱", session="later")
    with tenant_scope(cast.agent):
        assert MemoryItem.objects.filter(content__startswith="I have a pet snake", status="active").exists()
