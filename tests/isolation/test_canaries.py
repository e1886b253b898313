"""Alice, Bob and Charlie use the public door in any order; nobody ever meets a word that is another's."""

from __future__ import annotations

import json
import uuid
from typing import Any

import pytest
from django.test import Client
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from accounts.actor import Actor, ActorKind
from memoryapp.domain.public_ids import parsed
from memoryapp.services import access, pipeline

ALICE, BOB, CHARLIE = "alice", "bob", "charlie"
BIRDS = {ALICE: ("heron", "苍鹭"), BOB: ("magpie", "喜鹊"), CHARLIE: ("pelican", "鹈鹕")}
USER_ID = {ALICE: "alice", BOB: "bob", CHARLIE: "alice"}
"""Charlie's tenant calls its person like Alice: a name alone must not join them."""

people = st.sampled_from([ALICE, BOB, CHARLIE])
languages = st.sampled_from([0, 1])
chance = st.integers(0, 1000)


class Doors(RuleBasedStateMachine):
    """Each person has a key bound to them; Alice and Bob share a tenant."""

    @initialize()
    def open_two_tenants(self) -> None:
        ours, theirs = (access.create_tenant(uuid.uuid4().hex) for _ in range(2))
        self.keys: dict[str, str] = {}
        self.actors: dict[str, Actor] = {}
        for who, made in ((ALICE, ours), (BOB, ours), (CHARLIE, theirs)):
            self.keys[who], row = access.create_key(made.actor, who, user_key=USER_ID[who])
            self.actors[who] = Actor(made.tenant.pk, ActorKind.KEY, row.public_id, tuple(row.scopes), USER_ID[who])
        self.items: dict[str, list[str]] = {who: [] for who in BIRDS}
        self.events: dict[str, list[str]] = {who: [] for who in BIRDS}
        self.number = 0

    def call(self, who: str, method: str, path: str, body: Any = None) -> Any:
        """One request with the person's key; its answer holds nobody else's words."""
        client = Client(headers={"Authorization": f"Bearer {self.keys[who]}"})
        sent = "" if body is None else json.dumps(body)
        answer = client.generic(method, f"/api/v1/{path}", sent, "application/json")
        text = json.dumps(answer.json(), ensure_ascii=False) + str(dict(answer.headers))
        for other, birds in BIRDS.items():
            assert other == who or not any(bird in text for bird in birds), f"{who} saw {other} at {method} {path}"
        assert answer.status_code < 500
        return answer

    def fact(self, who: str, language: int) -> str:
        self.number += 1
        bird = BIRDS[who][language]
        return (f"The {bird} nests at pond {self.number}.", f"{bird}在{self.number}号池塘筑巢。")[language]

    def any_item(self, who: str, pick: int) -> str:
        return self.items[who][pick % len(self.items[who])]

    @rule(who=people, language=languages)
    def add(self, who: str, language: int) -> None:
        answer = self.call(who, "POST", "memories", {"user_id": USER_ID[who], "content": self.fact(who, language)})
        assert answer.status_code == 201
        self.items[who].append(answer.json()["results"][0]["id"])

    @rule(who=people, language=languages)
    def say(self, who: str, language: int) -> None:
        text = ("Remember: ", "记住：")[language] + self.fact(who, language)
        body = {"user_id": USER_ID[who], "messages": [{"role": "user", "content": text}]}
        event = self.call(who, "POST", "memories", body).json()["event_id"]
        pipeline.extract(self.actors[who].tenant_id, parsed("evt", event))
        added = self.call(who, "GET", f"events/{event}").json()["added"]
        self.items[who] += [entry["id"] for entry in added]
        self.events[who].append(event)

    @rule(who=people, pick=chance, language=languages)
    @precondition(lambda self: all(self.items.values()))
    def edit(self, who: str, pick: int, language: int) -> None:
        item = self.any_item(who, pick)
        self.call(who, "PATCH", f"memories/{item}", {"content": self.fact(who, language)})

    @rule(who=people, pick=chance, verb=st.sampled_from(["restore", "confirm", "reject", "pause", "resume", "forget"]))
    def move(self, who: str, pick: int, verb: str) -> None:
        if self.items[who]:
            item = self.any_item(who, pick)
            method, path = ("DELETE", "") if verb == "forget" else ("POST", f"/{verb}")
            self.call(who, method, f"memories/{item}{path}")

    @rule(who=people, of=people, language=languages)
    def search(self, who: str, of: str, language: int) -> None:
        query = BIRDS[of][language]
        answer = self.call(who, "POST", "memories/search", {"user_id": USER_ID[who], "query": "pond 池塘"})
        assert answer.status_code == 200
        hits = self.call(who, "POST", "memories/search", {"user_id": USER_ID[who], "query": query}).json()["results"]
        assert of == who or not any(query in hit["content"] for hit in hits)

    @rule(who=people)
    def context(self, who: str) -> None:
        body = {"user_id": USER_ID[who], "query": "Which bird? 哪种鸟？", "explain": True}
        assert self.call(who, "POST", "context", body).status_code == 200

    @rule(who=people)
    def review(self, who: str) -> None:
        for view in ("", "&trash=true", "&status=pending,paused,superseded,archived", "&noise=true"):
            assert self.call(who, "GET", f"memories?user_id={USER_ID[who]}{view}").status_code == 200
        for path in ("events", "audit/events", "me"):
            assert self.call(who, "GET", path).status_code == 200

    @rule(who=people, of=people, pick=chance, method=st.sampled_from(["GET", "PATCH", "DELETE", "POST"]))
    def reach_over(self, who: str, of: str, pick: int, method: str) -> None:
        """With another's ids: the answer for an id that does not exist."""
        if who == of or not self.items[of]:
            return
        body = {"content": "mine now"} if method == "PATCH" else None
        path = "/restore" if method == "POST" else ""
        theirs, nobodys = self.any_item(of, pick), "mem_" + "0" * 32
        answers = [self.call(who, method, f"memories/{item}{path}", body) for item in (theirs, nobodys)]
        assert [a.status_code for a in answers] == [404, 404]
        assert answers[0].content == answers[1].content
        for event in self.events[of][-1:]:
            assert self.call(who, "GET", f"events/{event}").status_code == 404

    @rule(who=people, of=people)
    def pose_as(self, who: str, of: str) -> None:
        """A key that is bound to one person is refused before anything is looked up."""
        if USER_ID[who] == USER_ID[of]:
            return
        for path in ("memories/search", "context"):
            answer = self.call(who, "POST", path, {"user_id": USER_ID[of], "query": "bird"})
            assert (answer.status_code, answer.json()["code"]) == (403, "user_not_allowed")

    @invariant()
    def counts_are_ones_own(self) -> None:
        for who, items in getattr(self, "items", {}).items():
            total = self.call(who, "GET", f"memories?user_id={USER_ID[who]}&limit=1").json()["total"]
            assert total <= len(items)


@pytest.mark.django_db
def test_whatever_the_order_of_calls_nobody_meets_the_words_of_another() -> None:
    bounded = settings(
        max_examples=8,
        stateful_step_count=14,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(Doors, settings=bounded)  # type: ignore[no-untyped-call]
