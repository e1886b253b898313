"""Fifty invented secrets in the shapes that people paste, and every door that takes a text."""

from __future__ import annotations

import json
import random
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import httpx

LETTERS = string.ascii_letters + string.digits
SHAPES = (
    "gh" + "p_{36}",
    "sk-" + "proj-{48}",
    "AK" + "IA{16U}",
    "xox" + "b-{12D}-{12D}-{24}",
    "gl" + "pat-{20}",
    "后台口令：{9}#x7",
    "WiFi 密码是 {9}!q4",
    "admin password: {10}$h3",
    "postgres" + "://svc:{14}@db.internal/app",
    "Authorization: Bearer {40}",
)


@dataclass(frozen=True)
class Secret:
    """What is sent, and the part of it that must be nowhere afterwards."""

    text: str
    value: str


def secrets(count: int = 50) -> list[Secret]:
    dice = random.Random(20270418)
    return [_made(SHAPES[n % len(SHAPES)], dice) for n in range(count)]


def _made(shape: str, dice: random.Random) -> Secret:
    text, values = "", []
    for literal, name, _, _ in string.Formatter().parse(shape):
        text += literal
        if name:
            alphabet = {"U": string.ascii_uppercase + string.digits, "D": string.digits}.get(name[-1], LETTERS)
            values.append(
                "".join(dice.choice(alphabet) for _ in range(int(name.rstrip("UD")) - 1)) + dice.choice("23456789")
            )
            text += values[-1]
    return Secret(text, max(values, key=len))


Send = Callable[[httpx.Client, str, str], httpx.Response]


def _messages(client: httpx.Client, **more: Any) -> httpx.Response:
    message = {"role": "user", "content": "Remember: the harbour clock is slow", **more.pop("message", {})}
    return client.post("memories", json={"user_id": "vault", "messages": [message], **more})


def _content(client: httpx.Client, **more: Any) -> httpx.Response:
    return client.post("memories", json={"user_id": "vault", "content": "The harbour clock is slow", **more})


DOORS: dict[str, Send] = {
    "cue": lambda c, s, i: _messages(c, message={"content": f"记住：{s}"}),
    "chat": lambda c, s, i: _messages(c, message={"content": f"Here you go: {s}\n谢谢"}),
    "parts": lambda c, s, i: _messages(c, message={"content": [{"type": "text", "text": s}]}),
    "tool output": lambda c, s, i: _messages(c, message={"role": "tool", "content": f"env: {s}"}),
    "assistant": lambda c, s, i: _messages(c, message={"role": "assistant", "content": f"Your value is {s}"}),
    "name of a speaker": lambda c, s, i: _messages(c, message={"name": s}),
    "id of a message": lambda c, s, i: _messages(c, message={"id": s}),
    "temporary": lambda c, s, i: _messages(c, message={"content": s}, temporary=True),
    "session": lambda c, s, i: _messages(c, session_id=s),
    "agent": lambda c, s, i: _messages(c, agent_id=s),
    "scope": lambda c, s, i: _messages(c, scope=s[:64]),
    "project": lambda c, s, i: _messages(c, space="project", project_id=s),
    "metadata of messages": lambda c, s, i: _messages(c, metadata={"note": s}),
    "unknown field": lambda c, s, i: _messages(c, **{s: s}),
    "unknown role": lambda c, s, i: _messages(c, message={"role": s}),
    "content": lambda c, s, i: _content(c, content=s),
    "subject": lambda c, s, i: _content(c, subject=s),
    "metadata": lambda c, s, i: _content(c, metadata={"list": [{"深": s}]}),
    "name in metadata": lambda c, s, i: _content(c, metadata={s: 1}),
    "person": lambda c, s, i: _content(c, user_id=s),
    "kind": lambda c, s, i: _content(c, kind=s),
    "idempotency key": lambda c, s, i: c.post(
        "memories", json={"user_id": "vault", "content": f"密码 {s}"}, headers={"Idempotency-Key": _plain(s)}
    ),
    "edit": lambda c, s, i: c.patch(f"memories/{i}", json={"content": s}),
    "edit of metadata": lambda c, s, i: c.patch(f"memories/{i}", json={"metadata": {"x": s}}),
    "search": lambda c, s, i: c.post("memories/search", json={"user_id": "vault", "query": s}),
    "filter": lambda c, s, i: c.post(
        "memories/search", json={"user_id": "vault", "query": "clock", "filters": {"speaker": s, s: 1}}
    ),
    "context": lambda c, s, i: c.post(
        "context", json={"user_id": "vault", "query": s, "messages": [{"role": "user", "content": s}]}
    ),
    "list": lambda c, s, i: c.get("memories", params={"user_id": "vault", "contains": s, "scope": s}),
    "list of a person": lambda c, s, i: c.get("memories", params={"user_id": s}),
    "events": lambda c, s, i: c.get("events", params={"user_id": s}),
    "audit": lambda c, s, i: c.get("audit/events", params={"person": s, "action": s, "actor": s}),
    "feedback": lambda c, s, i: c.post(f"memories/{i}/feedback", json={"value": s}),
    "batch": lambda c, s, i: c.post("memories/batch", json={"ids": [s], "action": s}),
    "request id": lambda c, s, i: c.get(f"memories/{i}", headers={"X-Request-Id": _plain(s)[-64:]}),
    "address": lambda c, s, i: c.get(f"memories/{_plain(s)}"),
    "broken body": lambda c, s, i: c.post(
        "memories", content=json.dumps({"user_id": s})[:-1], headers={"Content-Type": "application/json"}
    ),
    "wrong key": lambda c, s, i: c.get("me", headers={"Authorization": f"Bearer {_plain(s)}"}),
}


def _plain(secret: str) -> str:
    """What may stand in a header or a path."""
    return "".join(c for c in secret if c.isascii() and (c.isalnum() or c in "_-."))


NARROW = frozenset({"idempotency key", "request id", "address", "wrong key"})
"""Doors of headers and paths: a label in words cannot stand there, and without it a password is a word like any other."""


def attempts() -> Iterator[tuple[str, Secret, Send]]:
    """Each secret at three doors, so that every door meets several."""
    names = list(DOORS)
    for n, secret in enumerate(secrets()):
        for step in range(3):
            name = names[(3 * n + step) % len(names)]
            if name in NARROW and _plain(secret.text) != secret.text:
                name = "chat"
            yield name, secret, DOORS[name]
