"""Runs whose workers die: a bounded number of times, visibly, and again when somebody asks."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.conf import settings
from django.utils import timezone

from memoryapp.models import Run
from memoryapp.services import events, pipeline
from memoryapp.services.results import EventView
from memoryapp.services.scope import tenant_scope
from tests.cast import Cast, make_cast, say, texts

pytestmark = pytest.mark.django_db


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


def lose_worker(cast: Cast, event: EventView, attempt: int) -> None:
    """As a worker leaves a run that was killed in its middle; its lease has ended."""
    with tenant_scope(cast.agent):
        ended = timezone.now() - timedelta(seconds=1)
        Run.objects.filter(pk=event.id).update(state="running", attempt=attempt, lease_until=ended)


@pytest.mark.parametrize("text", ["Remember: the spare key is at the bakery.", "记住：备用钥匙在面包店。"])
def test_a_run_that_kills_its_workers_fails_visibly_and_can_be_tried_again(cast: Cast, text: str) -> None:
    event = say(cast.agent, "alice", text)
    lose_worker(cast, event, settings.MEMORYAPP.run_attempts)
    pipeline.extract(cast.agent.tenant_id, event.id)
    failed = events.event(cast.agent, event.id)
    assert (failed.status, [e.reason for e in failed.entries]) == ("failed", ["worker_lost"])
    events.retry(cast.agent, event.id)
    pipeline.extract(cast.agent.tenant_id, event.id)
    assert events.event(cast.agent, event.id).status == "succeeded"
    assert len(texts(cast.agent, "alice")) == 1


def test_a_run_whose_worker_was_lost_once_is_simply_finished_by_the_next(cast: Cast) -> None:
    event = say(cast.agent, "alice", "记住：周三晚上有合唱排练。")
    lose_worker(cast, event, 1)
    pipeline.extract(cast.agent.tenant_id, event.id)
    assert events.event(cast.agent, event.id).status == "succeeded"


def test_a_worker_of_another_tenant_cannot_take_the_run(cast: Cast) -> None:
    event = say(cast.agent, "alice", "Remember: choir practice is on Wednesdays.")
    pipeline.extract(cast.charlie.tenant_id, event.id)
    assert events.event(cast.agent, event.id).status == "pending"
