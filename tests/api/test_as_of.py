"""What was true and what was known on a date, by list, search and context."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from memoryapp.services import pipeline
from memoryapp.services.ingest import Incoming, accept
from tests.api.http import call, refused
from tests.cast import Cast

MARCH, MAY, JULY = "2026-03-01T09:00:00+08:00", "2026-05-01T09:00:00+08:00", "2026-07-01T09:00:00+08:00"
MOVED = {
    "zh": ("我在青石科技上班", "我跳槽到白鹭传媒了", "青石", "白鹭"),
    "en": ("I live in Bergen", "I live in Odense now", "Bergen", "Odense"),
}


@pytest.fixture(params=["zh", "en"])
def story(request: Any, cast: Cast) -> tuple[str, str]:
    """Where Alice worked or lived in March, and since June; answers the two names."""
    before, after, old, new = MOVED[request.param]
    for text, month in ((before, 3), (after, 6)):
        said = timezone.now().replace(year=2026, month=month, day=1)
        event = accept(
            cast.agent,
            "alice",
            [Incoming("user", f"记住：{text}" if request.param == "zh" else f"Remember: {text}", said_at=said)],
        )
        pipeline.extract(cast.agent.tenant_id, event.id)
    return old, new


def reads(cast: Cast, old: str, new: str, **when: str) -> list[str]:
    """What the three reads tell, as text."""
    body = {"user_id": "alice", "query": f"{old} {new}", **when}
    query = "&".join(["memories?user_id=alice", *(f"{n}={v.replace('+', '%2B')}" for n, v in when.items())])
    listed = call(cast.key, "GET", query)
    found = call(cast.key, "POST", "memories/search", body)
    block = call(cast.key, "POST", "context", body)
    assert (listed.status_code, found.status_code, block.status_code) == (200, 200, 200)
    assert listed.json()["total"] == len(listed.json()["results"])
    return [
        " ".join(i["content"] for i in listed.json()["results"]),
        " ".join(h["content"] for h in found.json()["results"]),
        block.json()["context"],
    ]


def test_every_read_tells_what_was_true_on_a_date(cast: Cast, story: tuple[str, str]) -> None:
    old, new = story
    assert all(old in text and new not in text for text in reads(cast, old, new, as_of=MAY))
    assert all(new in text and old not in text for text in reads(cast, old, new, as_of=JULY))
    assert all(new in text and old not in text for text in reads(cast, old, new))


def test_nothing_was_known_before_it_was_told(cast: Cast, story: tuple[str, str]) -> None:
    early = (timezone.now() - timedelta(days=1)).isoformat()
    assert not any(name in text for name in story for text in reads(cast, *story, as_of=JULY, known_at=early))
    assert not any(name in text for name in story for text in reads(cast, *story, known_at=early))


def test_what_was_forgotten_is_told_for_no_date_and_an_unknown_person_is_empty(
    cast: Cast, story: tuple[str, str]
) -> None:
    for item in call(cast.key, "GET", "memories?user_id=alice&status=active,superseded").json()["results"]:
        call(cast.key, "DELETE", f"memories/{item['id']}")
    assert not any(name in text for name in story for text in reads(cast, *story, as_of=MAY))
    nobody = {"user_id": "nobody", "query": story[0], "as_of": MAY}
    assert call(cast.key, "POST", "memories/search", nobody).json() == {"results": []}


def test_a_moment_needs_its_offset_and_today_s_states_do_not_go_with_it(cast: Cast) -> None:
    refused(call(cast.key, "GET", "memories?user_id=alice&as_of=2026-05-01T09:00:00"), 400, "invalid")
    refused(call(cast.key, "GET", f"memories?user_id=alice&trash=true&as_of={MAY.replace('+', '%2B')}"), 400, "invalid")
    empty = {"user_id": "alice", "query": " ", "as_of": MAY}
    refused(call(cast.key, "POST", "memories/search", empty), 400, "invalid")
