"""The public door for replays: HTTP requests with a key, and a worker's run in between."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from django.test import Client

from memoryapp.domain.public_ids import parsed
from memoryapp.models import Run
from memoryapp.services import pipeline
from memoryapp.services.scope import tenant_scope
from tests.cast import Cast

Message = dict[str, Any]


@dataclass
class Door:
    """What an agent with the tenant's key can do. `charlie` is the same for the tenant next door."""

    cast: Cast
    key: str

    def call(self, method: str, path: str, body: Any = None) -> Any:
        client = Client(headers={"Authorization": f"Bearer {self.key}"})
        sent = "" if body is None else json.dumps(body)
        return client.generic(method, f"/api/v1/{path}", sent, "application/json")

    def good(self, method: str, path: str, body: Any = None) -> Any:
        answer = self.call(method, path, body)
        assert answer.status_code < 300, answer.content.decode()
        return answer.json()

    def send(self, person: str, *messages: Message | str, **more: Any) -> str:
        """The id of the event that the messages went to; nothing has been judged yet."""
        turns = [m if isinstance(m, dict) else user(m) for m in messages]
        return str(self.good("POST", "memories", {"user_id": person, "messages": turns, **more})["event_id"])

    def work(self, event: str, times: int = 1) -> Any:
        """The event after a worker took it, due or not, up to `times` times."""
        actor, run_id = self.cast.agent, parsed("evt", event)
        for _ in range(times):
            with tenant_scope(actor):
                created = Run.objects.get(pk=run_id).created_at
                Run.objects.filter(pk=run_id, state="pending").update(due_at=created)
            pipeline.extract(actor.tenant_id, run_id)
        return self.good("GET", f"events/{event}")

    def told(self, person: str, *messages: Message | str, times: int = 1, **more: Any) -> Any:
        return self.work(self.send(person, *messages, **more), times)

    def keep(self, person: str, content: str, **more: Any) -> str:
        """Store a text word for word; its id."""
        answer = self.good("POST", "memories", {"user_id": person, "content": content, **more})
        return str(answer["results"][0]["id"])

    def listed(self, person: str, query: str = "") -> list[str]:
        return sorted(row["content"] for row in self.rows(person, query))

    def rows(self, person: str, query: str = "") -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self.good("GET", f"memories?user_id={person}&limit=200{query}")["results"]
        return rows

    def hits(self, person: str, query: str, **more: Any) -> list[dict[str, Any]]:
        body = {"user_id": person, "query": query, **more}
        rows: list[dict[str, Any]] = self.good("POST", "memories/search", body)["results"]
        return rows

    def found(self, person: str, query: str, **more: Any) -> list[str]:
        return [hit["content"] for hit in self.hits(person, query, **more)]

    def context(self, person: str, query: str) -> str:
        return str(self.good("POST", "context", {"user_id": person, "query": query})["context"])


def user(text: Any, **more: Any) -> Message:
    return {"role": "user", "content": text, **more}


def turn(role: str, text: Any, **more: Any) -> Message:
    return {"role": role, "content": text, **more}


def reasons(event: dict[str, Any], section: str = "skipped") -> list[str]:
    return [entry.get("reason", "") for entry in event[section]]


def add(content: str, quote: str = "", **more: Any) -> dict[str, Any]:
    """An ADD as a judge answers it."""
    return {"action": "ADD", "content": content, "kind": "note", "confidence": 0.9, "quote": quote or content, **more}
