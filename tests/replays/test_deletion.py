"""Replays of deletions that deleted nothing, everything, or somebody else's."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memoryapp.services import vectors
from tests.llm_stub import LLMStub
from tests.replays.door import Door, add

PAIRS = [("Sings in the harbour choir", "唱港口合唱团"), ("对薰衣草过敏", "Is allergic to lavender")]


@pytest.mark.parametrize("facts", PAIRS)
def test_two_people_may_say_the_same_and_one_of_them_forget_it_all(
    door: Door, charlie: Door, facts: tuple[str, str]
) -> None:  # 31
    for who in (door, charlie):
        for person in ("mia", "bob"):
            for fact in facts:
                who.keep(person, fact)
    ids = [row["id"] for row in door.rows("mia")]
    done = door.good("POST", "memories/batch", {"action": "forget", "ids": ids})
    assert (done["done"], done["failed"]) == (2, [])
    assert door.listed("mia") == []
    assert door.listed("bob") == charlie.listed("mia") == charlie.listed("bob") == sorted(facts)


@pytest.mark.parametrize("facts", PAIRS)
def test_what_is_forgotten_is_gone_from_every_read_at_once(door: Door, facts: tuple[str, str]) -> None:  # 49, 51
    gone, stays = (door.keep("mia", fact) for fact in facts)
    vectors.sync_vectors(door.cast.agent.tenant_id)
    assert facts[0] in door.found("mia", facts[0])
    door.good("DELETE", f"memories/{gone}")
    reads = [
        *(
            door.call("POST", "memories/search", {"user_id": "mia", "query": q})
            for q in (facts[0], facts[0][:4], "choir 过敏")
        ),
        *(door.call("POST", "context", {"user_id": "mia", "query": q}) for q in (facts[0], "")),
        *(
            door.call("GET", f"memories?user_id=mia{q}")
            for q in ("", "&status=active,paused,pending,superseded", "&contains=a")
        ),
        door.call("GET", "events?user_id=mia"),
    ]
    for read in reads:
        assert read.status_code == 200
        assert facts[0] not in read.content.decode("unicode_escape") + str(read.json())
    for path in ("", "/history", "/evidence"):
        assert door.call("GET", f"memories/{gone}{path}").status_code == 404
    assert door.call("PATCH", f"memories/{gone}", {"content": "x y z"}).status_code == 404
    assert door.good("GET", "memories?user_id=mia")["total"] == 1
    assert door.call("GET", f"memories/{stays}").status_code == 200
    assert door.rows("mia", "&trash=true")[0]["content"] == facts[0]


@pytest.mark.parametrize("fact", ["Sings in the harbour choir", "对薰衣草过敏"])
def test_forgetting_keeps_no_word_and_no_vector_to_find_it_by(
    door: Door, rows_of: Callable[[str], list[str]], fact: str
) -> None:  # 51
    item = door.keep("mia", fact)
    vectors.sync_vectors(door.cast.agent.tenant_id)
    door.good("DELETE", f"memories/{item}")
    assert rows_of("memoryapp_retrievalentry") == []
    (stone,) = rows_of("memoryapp_tombstone")
    assert fact not in stone


@pytest.mark.parametrize("empty", ["", None])
def test_an_empty_person_is_refused_and_nobodys_memories_are_touched(door: Door, empty: str | None) -> None:  # 56
    people = ("mia", "bob", "小何")
    for person in people:
        door.keep(person, "Keeps a diary 写日记")
    for method, path, body in (
        (
            "POST",
            "memories",
            {"user_id": empty, "messages": [{"role": "user", "content": "忘掉所有记忆，forget everything"}]},
        ),
        ("POST", "memories/search", {"user_id": empty, "query": "diary"}),
        ("GET", f"memories?user_id={empty or ''}", None),
    ):
        assert door.call(method, path, body).status_code == 400
    assert door.call("POST", "memories/batch", {"action": "forget", "ids": []}).status_code == 400
    assert door.call("DELETE", "memories/").status_code in (404, 405)
    assert door.call("DELETE", "memories").status_code == 405
    assert [len(door.listed(person)) for person in people] == [1, 1, 1]


@pytest.mark.parametrize("said", ["Please forget that I keep a diary", "忘掉我写日记这件事"])
def test_one_persons_request_to_forget_reaches_only_their_own(door: Door, judge: LLMStub, said: str) -> None:  # 56, 31
    for person in ("mia", "bob"):
        door.keep(person, "Keeps a diary 写日记")
    judge.answer([{"action": "DELETE", "target_id": 0, "confidence": 0.9, "quote": said}])
    event = door.told("mia", said)
    assert len(event["deleted"]) == 1
    assert (door.listed("mia"), door.listed("bob")) == ([], ["Keeps a diary 写日记"])


@pytest.mark.parametrize(
    ("old", "new"), [("Rides a red bicycle", "Rides a green bicycle"), ("骑红色的自行车", "骑绿色的自行车")]
)
def test_a_new_text_keeps_its_metadata_by_whatever_door(door: Door, judge: LLMStub, old: str, new: str) -> None:  # 62
    item = door.keep("mia", old, metadata={"source": "crm", "名": [1, {"x": None}]})
    changed = door.good("PATCH", f"memories/{item}", {"content": new})
    assert changed["metadata"] == {"source": "crm", "名": [1, {"x": None}]}
    judge.answer([{**add(old), "action": "UPDATE", "target_id": 0}])
    door.told("mia", f"记住：{old}" if old[0] > "z" else f"Remember: {old}")
    (row,) = door.rows("mia")
    assert (row["content"], row["metadata"]) == (old, {"source": "crm", "名": [1, {"x": None}]})


@pytest.mark.parametrize(
    "metadata",
    [{"user_id": "bob", "tenant_id": "theirs"}, {"space": "organisation", "所有者": "bob", "id": "mem_" + "0" * 32}],
)
def test_metadata_never_moves_a_memory_to_somebody_else(
    door: Door, charlie: Door, metadata: dict[str, str]
) -> None:  # 63
    item = door.keep("mia", "Owns a kayak 有一只皮艇")
    changed = door.good("PATCH", f"memories/{item}", {"metadata": metadata})
    assert (changed["id"], changed["space"], changed["metadata"]) == (item, "person", metadata)
    for field in ("user_id", "tenant_id", "space", "space_id", "status", "version", "norm_hash"):
        refused = door.call("PATCH", f"memories/{item}", {field: "bob"})
        assert (refused.status_code, refused.json()["code"]) == (400, "unknown_field")
    assert door.found("mia", "kayak 皮艇") == ["Owns a kayak 有一只皮艇"]
    assert door.listed("bob") == charlie.listed("bob") == charlie.listed("mia") == []
