"""Replays of writes that came at the same moment."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connections

from memoryapp.models import Run
from memoryapp.services import pipeline
from memoryapp.services.ingest import Incoming, accept
from memoryapp.services.scope import tenant_scope
from tests.cast import make_cast, only
from tests.services.talk import ids

DRESSED = [
    ["我喜欢喝Latte", "我喜欢喝Ｌａｔｔｅ。", "我喜歡喝 latte！", "我喜欢喝 LATTE", "我喜欢喝latte～"],
    ["I like oat milk", "I like oat milk.", "I LIKE oat milk!", "I like  oat milk", "Ｉ like oat milk…"],
]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("dressed", DRESSED, ids=["zh", "en"])
def test_the_same_event_five_times_at_once_becomes_one_item(clean_database: None, dressed: list[str]) -> None:  # 27
    cast, cue = make_cast(), "Remember: " if dressed[0].startswith("I ") else "记住："

    def post(text: str) -> None:
        try:
            event = accept(cast.agent, "alice", [Incoming("user", f"{cue}{text}")], session=text)
            pipeline.extract(cast.agent.tenant_id, event.id)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(5) as pool:
        list(pool.map(post, dressed))
    with tenant_scope(cast.agent):
        Run.objects.filter(state="pending").update(due_at="2026-01-01T00:00:00Z")
        waiting = list(Run.objects.exclude(state="succeeded").values_list("pk", flat=True))
    for run in waiting:
        pipeline.extract(cast.agent.tenant_id, run)
    item = only(cast.agent, "alice")
    assert ids(cast, "active", "pending", "superseded") == [item]
    with tenant_scope(cast.agent):
        assert list(Run.objects.values_list("state", flat=True)) == ["succeeded"] * 5
