"""Replay 70: whoever wants their own data gets all of it, can read it, and can take it to another place whole."""

from __future__ import annotations

import io
import json
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from accounts.actor import Actor
from memoryapp import audit
from memoryapp.domain.hashing import fingerprint, norm_hash
from memoryapp.domain.public_ids import parsed
from memoryapp.keyring import tombstone_key
from memoryapp.models import Evidence, MemoryItem, MemoryVersion, Space
from memoryapp.providers.script_folding import to_simplified
from memoryapp.services import exports
from memoryapp.services.scope import tenant_scope
from memoryapp.services.spaces import ensure_space
from tests.replays.door import Door

MANY = 2_350
STATUSES = ("active", "pending", "active", "paused", "active", "archived", "active", "superseded", "active", "expired")
BEGAN = datetime(2023, 1, 5, 9, 30, tzinfo=UTC)
EXPIRE = datetime(2099, 1, 1, tzinfo=UTC)
LINES = (
    "第{n}号柜子里放着{n}张航海图",
    "{n}号桌的客人爱喝「铁观音」，不加糖",
    "编号 {n} 的镜头有划痕；已报修（保修期内）",
    "排练室{n}:\n- 周二\n- 周五",
    "第 {n} 株多肉叫“团团”🌵",
    "Locker {n} holds a chart of bay {n}",
    'Guest {n} takes "no sugar" in tea',
    "| lens {n} | *scratched* | <repaired> & back |",
    "Rehearsal room {n}:\u2028Tuesdays",
    "Cactus {n} is called Zoë\u0301 — not Zoe\t",
)
"""Five in each language, with what files and Markdown might lose: breaks, quotes, marks, accents."""


@dataclass(frozen=True)
class Life:
    """A memory with all that it leaves behind."""

    item: MemoryItem
    versions: list[MemoryVersion]
    quote: Evidence


def lives(space: Space) -> Iterator[Life]:
    """Rows of any status, kind and weight; every fifth had another text before."""
    key, older = tombstone_key(space.tenant_id, space.pk), None
    for n in range(MANY):
        text, said_at = LINES[n % 10].format(n=n).strip(), BEGAN + timedelta(hours=7 * n)
        status = STATUSES[n // 10 % len(STATUSES)]
        item = MemoryItem(
            tenant_id=space.tenant_id,
            space=space,
            content=text,
            norm_hash=norm_hash(text, to_simplified),
            fingerprint=fingerprint(key, text, to_simplified),
            status=status,
            kind=("note", "preference", "event", "profile")[n % 4],
            pending_reason="below_threshold" if status == "pending" else "",
            superseded_by=older if status == "superseded" else None,
            importance=n % 7 / 8,
            confidence=n % 5 / 4,
            pinned=n % 11 == 0,
            scope="boat" if n % 13 == 0 else "",
            speaker="Ilse" if n % 3 == 0 else "",
            agent_id="helper" if n % 17 == 0 else "",
            metadata={"第": n, "tags": ["a", None], "sha": f"{n:064x}"} if n % 7 == 0 else {},
            said_at=said_at,
            valid_from=said_at,
            expires_at=EXPIRE if n % 19 == 0 else None,
            valid_until=said_at + timedelta(days=1) if status == "superseded" else None,
        )
        older = item if status == "active" else older
        yield Life(item, list(versions(item, (f"{text} (?)", text) if n % 5 == 0 else (text,))), quote(item))


def versions(item: MemoryItem, texts: Sequence[str]) -> Iterator[MemoryVersion]:
    item.version = len(texts)
    for number, text in enumerate(texts, start=1):
        yield MemoryVersion(
            tenant_id=item.tenant_id,
            item=item,
            number=number,
            content=text,
            kind=item.kind,
            status=item.status,
            actor_kind="key",
            actor_ref="agent",
            valid_from=item.said_at,
        )


def quote(item: MemoryItem) -> Evidence:
    return Evidence(
        tenant_id=item.tenant_id,
        item=item,
        item_version=1,
        quote=f"你听好：{item.content}",
        role="user",
        speaker=item.speaker,
        said_at=item.said_at,
        door="idle",
        policy_version=1,
    )


def settle(door: Door, person: str) -> None:
    """Write the rows at once, with the one event that the database asks for."""
    actor = door.cast.agent
    with tenant_scope(actor):
        made = list(lives(ensure_space(actor, "person", person)))
        added = audit.Target("memory", tuple(life.item.pk for life in made))
        audit.record(actor, "memory.added", added, person=person)
        MemoryItem.objects.bulk_create([life.item for life in made], batch_size=500)
        MemoryVersion.objects.bulk_create([v for life in made for v in life.versions], batch_size=500)
        Evidence.objects.bulk_create([life.quote for life in made], batch_size=500)


def exported(door: Door, actor: Actor, form: str) -> bytes:
    job = door.good("POST", "exports", {"user_id": "mia", "format": form})["id"]
    exports.run(actor.tenant_id, parsed("exp", job))
    return b"".join(door.call("GET", f"exports/{job}/download").streaming_content)


def records(archive: bytes) -> list[dict[str, Any]]:
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        return [json.loads(line) for line in opened.read("memories.jsonl").decode().split("\n") if line]


ROW = (
    *("content", "kind", "status", "space", "project_id", "scope", "subject", "predicate", "object", "importance"),
    *("confidence", "sensitivity", "pinned", "speaker", "agent_id", "pending_reason", "metadata", "said_at"),
    *("valid_until", "review_after"),
)


def rows(memories: Sequence[dict[str, Any]]) -> list[str]:
    """What a person would miss: fields, every text in turn, every quote, and what replaced it; without ids.

    A candidate waits anew for as long as the policy lets it, so when it lapses is not compared.
    """
    texts = {memory["id"]: memory["content"] for memory in memories}
    told = (
        {
            **{name: memory[name] for name in ROW},
            "texts": [(v["content"], v["kind"], v["valid_from"]) for v in memory["versions"]],
            "quotes": [(q["quote"], q["role"], q["speaker"], q["said_at"]) for q in memory["evidence"]],
            "ends": None if memory["status"] == "pending" else memory["expires_at"],
            "replaced_by": texts.get(memory["superseded_by"]),
        }
        for memory in memories
    )
    return sorted(json.dumps(row, ensure_ascii=False, sort_keys=True) for row in told)


def readable(text: str) -> str:
    """A text as it stands in one line of Markdown."""
    return " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;")


def test_all_that_is_kept_can_be_read_and_goes_into_an_empty_tenant_whole(
    door: Door, charlie: Door, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:  # 70
    settle(door, "mia")
    listed = door.good("GET", f"memories?user_id=mia&status={','.join(sorted(set(STATUSES)))}")["total"]
    file = tmp_path / "mine.zip"
    file.write_bytes(exported(door, door.cast.agent, "jsonl"))
    mine = records(file.read_bytes())
    assert len(mine) == listed == MANY
    page = exported(door, door.cast.agent, "markdown").decode().split("\n")
    assert Counter(f"- {readable(memory['content'])}" for memory in mine) <= Counter(page)
    earlier = [memory["versions"][0]["content"] for memory in mine if len(memory["versions"]) == 2]
    assert len(earlier) == MANY // 5
    assert {readable(text) for text in earlier} <= {line.partition("): ")[2] for line in page}
    waiting = sum(memory["status"] == "pending" for memory in mine)
    call_command("import_memories", str(file), "--tenant", "theirs", "--user-id", "mia")
    told = f"{MANY - waiting} added {waiting} pending (below_threshold)"
    assert " ".join(capsys.readouterr().out.split()) == told
    theirs = records(exported(charlie, charlie.cast.charlie, "jsonl"))
    assert rows(theirs) == rows(mine)
    assert not {memory["id"] for memory in theirs} & {memory["id"] for memory in mine}
