"""Sessions: where one left off is found without long-term memory, and it ends."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.conf import settings
from django.utils import timezone

from memoryapp.domain.errors import DomainError, NotFound
from memoryapp.models import WorkingMemory
from memoryapp.services import changes, erasure, working_memory
from memoryapp.services.scope import tenant_scope
from memoryapp.services.working_memory import Address, SessionChanges
from tests.cast import Cast, finish, make_cast, only, say, texts
from tests.llm_stub import Failure, LLMStub

pytestmark = pytest.mark.django_db


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


def put(cast: Cast, name: str = "trip", **changes: object) -> working_memory.SessionView:
    return working_memory.change(cast.agent, Address(name, "alice"), SessionChanges(**changes))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "said", ["登录接口在回调时报 403，还没查到原因。", "The login callback fails with a 403, cause still open."]
)
def test_a_session_tells_what_was_said_and_nothing_of_it_is_a_memory(cast: Cast, said: str) -> None:
    event = say(cast.agent, "alice", said, session="bug")
    seen = working_memory.session(cast.agent, Address("bug", "alice"))
    assert (seen.summary, seen.messages, seen.summary_source) == (said, 1, "extractive")
    assert working_memory.summarise(cast.agent.tenant_id, seen.id)
    assert not working_memory.summarise(cast.agent.tenant_id, seen.id)
    assert working_memory.session(cast.agent, Address(event.session, "alice")).summary == said
    assert texts(cast.agent, "alice") == []


def test_continuing_finds_the_session_that_shares_words_first(cast: Cast) -> None:
    for name, said in (("a", "我们在修登录回调的 bug，卡在签名校验。"), ("b", "帮我排周末去莫干山的行程。")):
        say(cast.agent, "alice", said, session=name)
        found = working_memory.session(cast.agent, Address(name, "alice"))
        working_memory.summarise(cast.agent.tenant_id, found.id)
    assert working_memory.recent(cast.agent, "alice", "继续昨天的登录 bug")[0].session == "a"
    assert working_memory.recent(cast.agent, "alice", "莫干山的行程继续")[0].session == "b"
    assert working_memory.recent(cast.agent, "bob", "继续昨天的登录 bug") == ()


def test_task_state_keeps_one_value_with_its_past(cast: Cast) -> None:
    put(cast, task_state={"budget": 500, "city": "Osaka"})
    seen = put(cast, task_state={"budget": 800}, reasons={"budget": "flights included"})
    assert {key: value.value for key, value in seen.task_state.items()} == {"budget": 800, "city": "Osaka"}
    assert seen.task_state["budget"].earlier[0].value == 500


def test_a_secret_in_the_task_state_is_refused_and_nothing_changes(cast: Cast) -> None:
    put(cast, task_state={"city": "Osaka"})
    with pytest.raises(DomainError) as refused:
        put(cast, task_state={"note": "password: " + "Tr0ub4dor&3xq"})
    assert refused.value.code == "guard_refused"
    assert set(put(cast).task_state) == {"city"}


def test_another_person_and_another_tenant_find_no_session(cast: Cast) -> None:
    seen = put(cast, task_state={"city": "Osaka"})
    public = f"ses_{seen.id.hex}"
    for actor in (cast.charlie, cast.person("bob")):
        with pytest.raises((NotFound, DomainError)):
            working_memory.session(actor, Address(public))
        with pytest.raises((NotFound, DomainError)):
            working_memory.change(actor, Address(public), SessionChanges(summary="x"))
    with pytest.raises(NotFound):
        working_memory.session(cast.charlie, Address("trip", "alice"))


def test_an_ended_or_lapsed_session_is_gone(cast: Cast) -> None:
    put(cast, "one", summary="half done")
    working_memory.end(cast.agent, Address("one", "alice"))
    assert working_memory.session(cast.agent, Address("one", "alice")).summary == ""
    put(cast, "two", summary="half done")
    with tenant_scope(cast.agent):
        WorkingMemory.objects.update(expires_at=timezone.now() - timedelta(minutes=1))
    with pytest.raises(NotFound):
        working_memory.session(cast.agent, Address("two", "alice"))
    assert working_memory.recent(cast.agent, "alice", "half done") == ()
    assert working_memory.end_lapsed(cast.agent.tenant_id) == 1


def test_a_summary_given_by_the_client_is_not_overwritten(cast: Cast) -> None:
    say(cast.agent, "alice", "We are moving the site to a new host.", session="trip")
    seen = put(cast, summary="Move to the new host; DNS is open.")
    working_memory.summarise(cast.agent.tenant_id, seen.id)
    assert working_memory.session(cast.agent, Address("trip", "alice")).summary == "Move to the new host; DNS is open."


def test_a_language_model_rolls_the_summary_and_its_failure_falls_back(
    cast: Cast, llm: LLMStub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings.MEMORYAPP, "session_summaries", "llm")
    say(cast.agent, "alice", "We fix the login bug. The callback fails.", session="bug")
    found = working_memory.session(cast.agent, Address("bug", "alice"))
    llm.answer("<think>hm</think>Fixing the login bug; the callback fails.")
    working_memory.summarise(cast.agent.tenant_id, found.id)
    seen = working_memory.session(cast.agent, Address("bug", "alice"))
    assert (seen.summary, seen.summary_source) == ("Fixing the login bug; the callback fails.", "llm")
    say(cast.agent, "alice", "It was the clock of the server.", session="bug")
    llm.answer(*[Failure(500)] * 4)
    working_memory.summarise(cast.agent.tenant_id, found.id)
    after = working_memory.session(cast.agent, Address("bug", "alice"))
    assert after.summary_source == "extractive"
    assert "clock of the server" in after.summary
    assert "callback fails" in after.summary


@pytest.mark.parametrize(
    ("said", "gone", "stays"),
    [
        ("我们在修登录回调。记住：我对芝麻过敏。", "芝麻", "登录回调"),
        ("We fix the login callback. Remember that I am allergic to sesame.", "sesame", "login callback"),
    ],
)
@pytest.mark.parametrize("erased", [False, True])
def test_a_summary_forgets_what_was_forgotten(cast: Cast, said: str, gone: str, stays: str, erased: bool) -> None:
    event = say(cast.agent, "alice", said, session="bug")
    finish(cast.agent, event)
    found = working_memory.session(cast.agent, Address("bug", "alice"))
    working_memory.summarise(cast.agent.tenant_id, found.id)
    assert gone in working_memory.session(cast.agent, Address("bug", "alice")).summary
    item = only(cast.agent, "alice")
    if erased:
        erasure.run(cast.agent.tenant_id, erasure.erase_item(cast.agent, item))
    else:
        changes.forget(cast.agent, item)
    for _ in range(2):
        seen = working_memory.session(cast.agent, Address("bug", "alice"))
        assert gone not in seen.summary and gone not in " ".join(seen.labels)
        assert stays in seen.summary
        working_memory.summarise(cast.agent.tenant_id, found.id)
