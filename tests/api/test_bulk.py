"""One action over many memories: by id, by filter, by question; partial failures are named and undo works."""

from __future__ import annotations

from typing import Any

import pytest

from memoryapp import audit
from memoryapp.domain.hashing import fingerprint, norm_hash
from memoryapp.keyring import tombstone_key
from memoryapp.models import AuditEvent, MemoryItem, MemoryVersion, NoiseFlag, Tombstone
from memoryapp.providers.script_folding import to_simplified
from memoryapp.services import access, changes
from memoryapp.services.scope import tenant_scope
from memoryapp.services.spaces import ensure_space
from tests.api.http import call, every, refused
from tests.cast import Cast, texts


def add(cast: Cast, person: str, *contents: str, **more: Any) -> list[str]:
    made = [changes.add(cast.agent, person, changes.NewItem(text, **more))[0] for text in contents]
    return [f"mem_{item.id.hex}" for item in made]


def load(cast: Cast, person: str, amount: int) -> None:
    """Many memories at once, with the one event that the database asks for."""
    texts = [f"Note number {n} of the archive" for n in range(amount)]
    with tenant_scope(cast.agent):
        space = ensure_space(cast.agent, "person", person)
        key = tombstone_key(space.tenant_id, space.pk)
        rows = [
            MemoryItem(
                tenant_id=space.tenant_id,
                space=space,
                content=text,
                norm_hash=norm_hash(text, to_simplified),
                fingerprint=fingerprint(key, text, to_simplified),
            )
            for text in texts
        ]
        audit.record(cast.agent, "memory.added", audit.Target("memory", tuple(r.pk for r in rows)), person=person)
        MemoryItem.objects.bulk_create(rows, batch_size=500)


def events_of(cast: Cast, action: str) -> list[AuditEvent]:
    with tenant_scope(cast.agent):
        return list(AuditEvent.objects.filter(action=action).order_by("id"))


def test_what_changed_meanwhile_is_left_and_named_and_the_rest_can_be_undone(cast: Cast) -> None:
    """37 ticked over two pages, one of them changed by somebody else before the button was pressed."""
    load(cast, "alice", 37)
    pages = [call(cast.key, "GET", "memories?user_id=alice&limit=20").json()]
    pages.append(call(cast.key, "GET", f"memories?user_id=alice&limit=20&cursor={pages[0]['next_cursor']}").json())
    ticked = [{"id": r["id"], "version": r["version"]} for page in pages for r in page["results"]]
    changed = ticked[25]["id"]
    call(cast.key, "PATCH", f"memories/{changed}", {"pinned": True})
    done = call(cast.key, "POST", "memories/batch", {"ids": ticked, "action": "forget"}).json()
    assert (done["matched"], done["done"], done["failed"]) == (37, 36, [{"id": changed, "reason": "changed"}])
    (event,) = events_of(cast, "memory.forgotten")
    assert {f"mem_{i.hex}" for i in event.target_ids} == {t["id"] for t in ticked} - {changed}
    assert event.actor_kind == "key"
    assert done["undo_until"] is not None
    undone = call(cast.key, "POST", "memories/batch", {"ids": done["ids"], "action": "restore"}).json()
    assert (undone["done"], undone["failed"]) == (36, [])
    assert len(every(cast.key, "memories?user_id=alice")) == 37
    assert len(events_of(cast, "memory.restored")) == 1


def test_all_of_2350_memories_go_and_lists_tell_the_truth_before_and_after(cast: Cast) -> None:
    load(cast, "alice", 2350)
    add(cast, "bob", "Bob likes jazz.")
    assert len(every(cast.key, "memories?user_id=alice&limit=200")) == 2350
    asked = {"user_id": "alice", "filters": {}, "action": "forget"}
    seen = call(cast.key, "POST", "memories/batch", {**asked, "dry_run": True}).json()
    assert (seen["matched"], seen["done"]) == (2350, 0)
    done = call(cast.key, "POST", "memories/batch", asked).json()
    assert (done["done"], done["failed"]) == (2350, [])
    assert call(cast.key, "GET", "memories?user_id=alice").json() == {"results": [], "next_cursor": None, "total": 0}
    assert call(cast.key, "GET", "memories?user_id=alice&trash=true").json()["total"] == 2350
    assert texts(cast.agent, "bob") == ["Bob likes jazz."]
    (event,) = events_of(cast, "memory.forgotten")
    with tenant_scope(cast.agent):
        assert len(event.target_ids) == 2350
        assert Tombstone.objects.count() == 2350


@pytest.mark.parametrize("person", [{"user_id": ""}, {"user_id": None}, {}, {"user_id": 0}, {"user_id": []}])
@pytest.mark.parametrize("path", ["memories/batch", "memories/forget"])
def test_nobody_is_not_everybody(cast: Cast, person: dict[str, Any], path: str) -> None:
    for name in ("alice", "bob", "carol"):
        add(cast, name, f"{name} likes jazz.")
    action = {"action": "forget"} if path.endswith("batch") else {"dry_run": False}
    answer = call(cast.key, "POST", path, {**person, **action, "filters": {}})
    if person == {"user_id": 0}:
        assert answer.json()["matched"] == 0  # a number is taken as the name "0"
    else:
        assert answer.status_code == 400
    for name in ("alice", "bob", "carol"):
        assert texts(cast.agent, name) == [f"{name} likes jazz."]


def test_a_filter_takes_what_a_list_and_a_search_take(cast: Cast) -> None:
    add(cast, "alice", "Likes jazz.", "Likes blues.", kind="preference")
    add(cast, "alice", "Works in Hamburg.", kind="profile")
    call(cast.key, "POST", "memories/batch", {"user_id": "alice", "filters": {"contains": "jazz"}, "action": "pause"})
    assert texts(cast.agent, "alice", statuses=("paused",)) == ["Likes jazz."]
    wanted = {"AND": [{"kind": {"in": ["preference"]}}], "status": "active"}
    done = call(cast.key, "POST", "memories/batch", {"user_id": "alice", "filters": wanted, "action": "forget"}).json()
    assert done["done"] == 1
    assert set(texts(cast.agent, "alice")) == {"Likes jazz.", "Works in Hamburg."}


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"action": "forget"}, 400, "invalid"),
        ({"ids": ["x"], "filters": {}, "action": "forget"}, 400, "invalid"),
        ({"ids": [], "action": "forget"}, 400, "invalid"),
        ({"ids": [{"id": "x", "colour": 1}], "action": "forget"}, 400, "invalid"),
        ({"ids": [{"id": "x", "version": True}], "action": "forget"}, 400, "invalid"),
        ({"ids": ["x"], "action": "explode"}, 400, "invalid"),
        ({"ids": ["x"], "action": "edit"}, 400, "invalid"),
        ({"ids": ["x"], "action": "forget", "params": {"pinned": True}}, 400, "invalid"),
        ({"ids": ["x"], "action": "edit", "params": {"content": "new"}}, 400, "unknown_field"),
        ({"user_id": "alice", "filters": {"no_such": 1}, "action": "forget"}, 400, "unknown_filter"),
        ({"user_id": "alice", "filters": {"status": "forgotten"}, "action": "forget"}, 400, "invalid"),
        ({"user_id": "alice", "filters": {"status": []}, "action": "forget"}, 400, "invalid"),
        ({"user_id": "alice", "filters": {"noise": "yes"}, "action": "forget"}, 400, "invalid"),
        ({"user_id": "alice", "filters": {"importance": "much"}, "action": "forget"}, 400, "invalid"),
        ({"user_id": "alice", "filters": [], "action": "forget"}, 400, "invalid"),
        ({"user_id": "alice", "filters": {}, "action": "forget", "space": "project"}, 400, "invalid"),
    ],
)
def test_what_makes_no_sense_changes_nothing(cast: Cast, body: dict[str, Any], status: int, code: str) -> None:
    add(cast, "alice", "Likes jazz.")
    refused(call(cast.key, "POST", "memories/batch", body), status, code)
    assert texts(cast.agent, "alice") == ["Likes jazz."]


def test_unknown_malformed_and_foreign_ids_fail_alike_and_the_rest_goes_on(cast: Cast) -> None:
    (mine,) = add(cast, "alice", "Likes jazz.")
    theirs, _, _ = changes.add(cast.charlie, "eve", changes.NewItem("Eve likes techno."))
    odd = [f"mem_{theirs.id.hex}", "mem_" + "0" * 32, "nonsense"]
    done = call(cast.key, "POST", "memories/batch", {"ids": [mine, *odd], "action": "forget"}).json()
    assert (done["done"], done["ids"]) == (1, [mine])
    assert done["failed"] == [{"id": i, "reason": "not_found"} for i in odd]
    assert texts(cast.charlie, "eve") == ["Eve likes techno."]


def test_a_bound_key_reaches_only_its_own_person(cast: Cast) -> None:
    (bobs,) = add(cast, "bob", "Bob likes jazz.")
    add(cast, "alice", "Alice likes jazz.")
    key, _ = access.create_key(cast.agent, "alice's", user_key="alice")
    done = call(key, "POST", "memories/batch", {"ids": [bobs], "action": "forget"}).json()
    assert done["failed"] == [{"id": bobs, "reason": "not_found"}]
    asked = {"user_id": "bob", "filters": {}, "action": "forget"}
    refused(call(key, "POST", "memories/batch", asked), 403, "user_not_allowed")
    refused(
        call(key, "POST", "memories/batch", {"user_id": "bob", "ids": [bobs], "action": "forget"}),
        403,
        "user_not_allowed",
    )
    assert call(key, "POST", "memories/batch", {"filters": {}, "action": "forget"}).json()["done"] == 1
    assert texts(cast.agent, "bob") == ["Bob likes jazz."]


def test_a_named_person_narrows_the_ids(cast: Cast) -> None:
    (bobs,) = add(cast, "bob", "Bob likes jazz.")
    asked = {"user_id": "alice", "ids": [bobs], "action": "forget"}
    assert call(cast.key, "POST", "memories/batch", asked).json()["done"] == 0


def test_ids_of_two_people_make_one_event_for_each(cast: Cast) -> None:
    ids = add(cast, "alice", "Likes jazz.", "Likes blues.") + add(cast, "bob", "Likes rock.")
    assert call(cast.key, "POST", "memories/batch", {"ids": ids, "action": "forget"}).json()["done"] == 3
    assert sorted(len(e.target_ids) for e in events_of(cast, "memory.forgotten")) == [1, 2]


def test_every_change_in_bulk_has_its_version(cast: Cast) -> None:
    ids = add(cast, "alice", "Likes jazz.", "Likes blues.")
    edit = {"ids": ids, "action": "edit", "params": {"kind": "preference", "pinned": True, "importance": 0.9}}
    assert call(cast.key, "POST", "memories/batch", edit).json()["done"] == 2
    for mem_id in ids:
        item = call(cast.key, "GET", f"memories/{mem_id}").json()
        assert (item["kind"], item["pinned"], item["importance"], item["version"]) == ("preference", True, 0.9, 2)
        newest = call(cast.key, "GET", f"memories/{mem_id}/history").json()["results"][0]
        assert newest["changed_fields"] == ["importance", "kind", "pinned"]
    with tenant_scope(cast.agent):
        assert MemoryVersion.objects.count() == 4


def test_each_action_moves_only_what_it_may(cast: Cast) -> None:
    ids = add(cast, "alice", "Likes jazz.", "Likes blues.")

    def act(action: str) -> tuple[int, list[str]]:
        done = call(cast.key, "POST", "memories/batch", {"ids": ids, "action": action}).json()
        return done["done"], [f["reason"] for f in done["failed"]]

    assert act("pause") == (2, [])
    assert act("pause") == (2, [])
    assert act("confirm") == (0, ["invalid_transition"] * 2)
    assert act("resume") == (2, [])
    assert act("reject") == (0, ["invalid_transition"] * 2)
    assert act("forget") == (2, [])
    assert act("pause") == (0, ["not_found"] * 2)
    assert act("restore") == (2, [])
    assert len(events_of(cast, "memory.paused")) == 1


def test_pending_ones_are_confirmed_or_rejected_for_good_by_filter(cast: Cast) -> None:
    add(cast, "alice", "我的手机号是 13912345678，方便联系")
    add(cast, "alice", "Likes jazz.")
    assert len(texts(cast.agent, "alice", statuses=("pending",))) == 1
    asked = {"user_id": "alice", "filters": {}, "action": "reject"}
    assert call(cast.key, "POST", "memories/batch", asked).json()["done"] == 1
    assert texts(cast.agent, "alice", statuses=("pending",)) == []
    assert texts(cast.agent, "alice") == ["Likes jazz."]
    again = call(cast.key, "POST", "memories", {"user_id": "alice", "content": "我的手机号是 13912345678，方便联系"})
    refused(again, 409, "tombstoned")


def test_not_noise_is_remembered(cast: Cast) -> None:
    ids = add(cast, "alice", "Likes jazz.")
    with tenant_scope(cast.agent):
        NoiseFlag.objects.create(
            tenant_id=cast.agent.tenant_id, item_id=ids[0].removeprefix("mem_"), reasons=["vague"], policy_version=1
        )
    assert call(cast.key, "GET", "memories?user_id=alice&noise=true").json()["total"] == 1
    assert call(cast.key, "POST", "memories/batch", {"ids": ids, "action": "not_noise"}).json()["done"] == 1
    assert call(cast.key, "GET", "memories?user_id=alice&noise=true").json()["total"] == 0


def test_of_two_equal_texts_in_the_trash_one_comes_back(cast: Cast) -> None:
    (first,) = add(cast, "alice", "Likes jazz.")
    call(cast.key, "DELETE", f"memories/{first}")
    call(cast.key, "POST", f"memories/{first}/restore", {})
    call(cast.key, "DELETE", f"memories/{first}")
    person = cast.person("alice")
    second = changes.add(person, "alice", changes.NewItem("likes jazz"))[0]
    call(cast.key, "DELETE", f"memories/mem_{second.id.hex}")
    ids = [first, f"mem_{second.id.hex}"]
    done = call(cast.key, "POST", "memories/batch", {"ids": ids, "action": "restore"}).json()
    assert (done["ids"], done["failed"]) == ([first], [{"id": ids[1], "reason": "duplicate_of"}])


def test_forgetting_by_question_shows_first_and_forgets_when_told(cast: Cast) -> None:
    add(cast, "alice", "The staging server runs in Falkenstein.", "Likes jazz.")
    asked = {"user_id": "alice", "query": "staging server Falkenstein"}
    seen = call(cast.key, "POST", "memories/forget", asked).json()
    assert (seen["dry_run"], seen["done"], [r["content"] for r in seen["results"]]) == (
        True,
        0,
        ["The staging server runs in Falkenstein."],
    )
    assert len(texts(cast.agent, "alice")) == 2
    done = call(cast.key, "POST", "memories/forget", {**asked, "dry_run": False}).json()
    assert done["done"] == 1
    assert texts(cast.agent, "alice") == ["Likes jazz."]


def test_forgetting_by_filter_is_dry_by_default(cast: Cast) -> None:
    add(cast, "alice", "Likes jazz.", kind="preference")
    add(cast, "alice", "Works in Hamburg.", kind="profile")
    asked = {"user_id": "alice", "filters": {"kind": "preference"}}
    assert call(cast.key, "POST", "memories/forget", asked).json()["matched"] == 1
    assert call(cast.key, "POST", "memories/forget", {**asked, "dry_run": False}).json()["done"] == 1
    assert texts(cast.agent, "alice") == ["Works in Hamburg."]
    refused(call(cast.key, "POST", "memories/forget", {"user_id": "alice"}), 400, "invalid")
    refused(call(cast.key, "POST", "memories/forget", {"user_id": "alice", "query": ""}), 400, "invalid")


def test_an_unknown_person_has_nothing_to_forget_and_is_not_made(cast: Cast) -> None:
    asked = {"user_id": "nobody", "filters": {}, "action": "forget"}
    assert call(cast.key, "POST", "memories/batch", asked).json()["matched"] == 0
    assert call(cast.key, "GET", "users").json()["total"] == 0
