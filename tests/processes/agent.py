"""An agent of a running instance: talks to it over HTTP only, while a judge that the test holds in its hand answers."""

from __future__ import annotations

import json
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import psutil
import psycopg
import redis

from tests.instance import family_of, ready, wait_for
from tests.llm_stub import LLMStub

_SAID = re.compile(r"(?:Remember: |记住：)(locker \d+ belongs to \w+|\d+号储物柜归\w+)")
ENDED = ("succeeded", "failed")


def judge(body: dict[str, Any]) -> list[dict[str, Any]]:
    """What a good judge answers: one ADD for each fact that was asked to be remembered."""
    facts = dict.fromkeys(_SAID.findall(body["messages"][1]["content"]))
    return [
        {"action": "ADD", "content": fact, "kind": "note", "confidence": 0.9, "quote": fact, "reason": "asked for"}
        for fact in facts
    ]


@dataclass
class Gate:
    """Holds the judge's next answers back until `open`; `waiting` counts the judgements that stand before it."""

    answers: Any = judge
    waiting: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _opened: threading.Event = field(default_factory=threading.Event)

    def __call__(self, body: dict[str, Any]) -> Any:
        with self._lock:
            self.waiting += 1
        self._opened.wait(60)
        return self.answers(body)

    def open(self) -> None:
        self._opened.set()


@dataclass
class Instance:
    """A running `up` whose judge and embedder are `llm`."""

    pid: int
    folder: Path
    llm: LLMStub
    client: httpx.Client

    def post(self, person: str, text: str, *, session: str = "") -> httpx.Response:
        body = {"user_id": person, "session_id": session, "messages": [{"role": "user", "content": text}]}
        return self.client.post("memories", json=body)

    def say(self, person: str, text: str, *, session: str = "") -> str:
        """The id of the event of an accepted message."""
        answer = self.post(person, text, session=session)
        assert answer.status_code == 202, self.log()
        return str(answer.json()["event_id"])

    def say_together(self, person: str, texts: list[str]) -> list[str]:
        """Every text from a thread of its own, all let go in one moment."""
        start = threading.Barrier(len(texts))

        def one(text: str) -> str:
            start.wait(30)
            return self.say(person, text)

        with ThreadPoolExecutor(len(texts)) as pool:
            return list(pool.map(one, texts))

    def event(self, event_id: str) -> dict[str, Any]:
        answer = self.client.get(f"events/{event_id}")
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def finished(self, *events: str, seconds: float = 90) -> list[dict[str, Any]]:
        """The events, once each of them has ended."""
        wait_for(lambda: all(self.event(e)["status"] in ENDED for e in events), seconds)
        return [self.event(e) for e in dict.fromkeys(events)]

    def memories(self, person: str) -> list[str]:
        answer = self.client.get("memories", params={"user_id": person, "limit": 200})
        assert answer.status_code == 200, answer.text
        return sorted(row["content"] for row in answer.json()["results"])

    def children(self) -> dict[str, psutil.Process]:
        return family_of(self.pid)

    def log(self, lines: int = 80) -> str:
        return "\n".join((self.folder / "memoryapp.log").read_text().splitlines()[-lines:])

    def urls(self) -> dict[str, str]:
        found: dict[str, str] = json.loads((self.folder / "services.json").read_text())
        return found

    def superuser(self) -> psycopg.Connection:
        return psycopg.connect(self.urls()["database_superuser_url"], autocommit=True)

    def valkey(self) -> redis.Redis:
        return redis.Redis.from_url(self.urls()["cache_url"])

    def settled(self) -> bool:
        """Everything runs and is ready; what a test broke has come back."""
        try:
            with self.superuser(), self.valkey() as cache:
                cache.ping()
            return len(self.children()) == 5 and ready(self.client.base_url.port or 0)
        except (psycopg.OperationalError, redis.RedisError):
            return False
