"""What a context leaves out because it was said: in the messages, or earlier in the session; and what is noise."""

from __future__ import annotations

from typing import Any

import pytest

from memoryapp.models import MemoryItem, NoiseFlag
from memoryapp.services import access, valkey
from memoryapp.services.scope import tenant_scope
from tests.api.http import call, refused
from tests.cast import Cast

FACTS = ["Alice lives in Lyon", "Alice plays the cello", "爱丽丝对花生过敏"]


@pytest.fixture
def library(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Ids of three facts; the cache is not resting after another test's failure."""
    monkeypatch.setattr(valkey, "_not_before", 0.0)
    return [remember(cast, fact) for fact in FACTS]


def remember(cast: Cast, content: str, **more: Any) -> str:
    made = call(cast.key, "POST", "memories", {"user_id": "alice", "content": content, **more})
    return str(made.json()["results"][0]["id"])


def context(cast: Cast, **asked: Any) -> dict[str, Any]:
    body = {"user_id": "alice", "query": "What do you know about me?", "explain": True, **asked}
    answer = call(cast.key, "POST", "context", body)
    assert answer.status_code == 200, answer.content
    found: dict[str, Any] = answer.json()
    return found


def given(answer: dict[str, Any]) -> set[str]:
    return {item["id"] for item in answer["items"]}


def reasons(answer: dict[str, Any]) -> dict[str, str]:
    return {left["id"]: left["reason"] for left in answer["excluded"]}


def test_a_session_is_not_given_the_same_memory_twice(cast: Cast, library: list[str]) -> None:
    assert given(context(cast, dedupe="session", session_id="trip")) == set(library)
    again = context(cast, dedupe="session", session_id="trip")
    assert (given(again), again["context"]) == (set(), "")
    assert reasons(again) == dict.fromkeys(library, "given_before")


def test_what_is_new_pinned_or_changed_is_given_all_the_same(cast: Cast, library: list[str]) -> None:
    pinned = remember(cast, "Alice must be called Dr. Meyer", pinned=True)
    context(cast, dedupe="session", session_id="trip")
    new = remember(cast, "Alice flies to Oslo on Friday")
    call(cast.key, "PATCH", f"memories/{library[0]}", {"content": "Alice lives in Marseille"})
    assert given(context(cast, dedupe="session", session_id="trip")) == {pinned, new, library[0]}


def test_another_session_or_another_person_knows_nothing_of_it(cast: Cast, library: list[str]) -> None:
    context(cast, dedupe="session", session_id="trip")
    assert given(context(cast, dedupe="session", session_id="work")) == set(library)
    bobs = remember(cast, "Bob keeps bees", user_id="bob")
    assert given(context(cast, dedupe="session", session_id="trip", user_id="bob")) == {bobs}


def test_another_agent_in_the_same_session_knows_nothing_of_it(cast: Cast, library: list[str]) -> None:
    context(cast, dedupe="session", session_id="trip")
    other, _ = access.create_key(cast.agent, "another agent")
    body = {"user_id": "alice", "query": "What do you know about me?", "dedupe": "session", "session_id": "trip"}
    assert given(call(other, "POST", "context", body).json()) == set(library)


def test_an_agent_that_replaces_its_block_gets_it_whole_every_turn(cast: Cast, library: list[str]) -> None:
    for _ in range(2):
        assert given(context(cast, session_id="trip")) == set(library)


def test_without_the_cache_a_memory_is_repeated_and_never_lost(
    cast: Cast, library: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    context(cast, dedupe="session", session_id="trip")
    monkeypatch.setattr(valkey, "_client", unreachable)
    assert given(context(cast, dedupe="session", session_id="trip")) == set(library)


def unreachable() -> object:
    raise OSError


def test_repeating_by_session_needs_its_name(cast: Cast) -> None:
    body = {"user_id": "alice", "query": "hello", "dedupe": "session"}
    errors = refused(call(cast.key, "POST", "context", body), 400, "invalid")["errors"]
    assert [error["field"] for error in errors] == ["dedupe"]


def test_suspected_noise_is_found_by_search_and_goes_into_no_prompt(cast: Cast, library: list[str]) -> None:
    noisy, cello = library[0], library[1]
    with tenant_scope(cast.agent):
        item = MemoryItem.objects.get(content=FACTS[0])
        NoiseFlag.objects.create(tenant=item.tenant, item=item, reasons=["noise.chatter"], policy_version=2)
    asked = context(cast)
    assert noisy not in given(asked)
    assert FACTS[0] not in asked["context"]
    assert reasons(asked) == {noisy: "suspected_noise"}
    found = call(cast.key, "POST", "memories/search", {"user_id": "alice", "query": "Lyon"}).json()["results"]
    assert {hit["id"]: hit["noise"] for hit in found}[noisy] == ["noise.chatter"]
    assert cello in given(asked)
    body = {"action": "not_noise", "ids": [noisy]}
    assert call(cast.key, "POST", "memories/batch", body).status_code == 200
    assert noisy in given(context(cast))


def test_what_was_written_of_a_kept_library_reads_as_it_did(cast: Cast, library: list[str]) -> None:
    first, *others = [context(cast, explain=False)["items"] for _ in range(3)]
    assert {item["id"] for item in first} == set(library)
    assert others == [first, first]
    call(cast.key, "PATCH", f"memories/{library[0]}", {"content": "Alice lives in Nice"})
    assert "Alice lives in Nice" in {item["content"] for item in context(cast, explain=False)["items"]}


def test_a_number_that_the_quick_writer_refuses_comes_back_whole(cast: Cast, library: list[str]) -> None:
    huge = remember(cast, "Alice counts the stars", metadata={"stars": 2**70})
    for _ in range(3):
        told = {item["id"]: item["metadata"] for item in context(cast, explain=False)["items"]}
        assert told == {**{one: {} for one in library}, huge: {"stars": 2**70}}
