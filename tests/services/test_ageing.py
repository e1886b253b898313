"""Ageing on the database: what is archived leaves recall, comes back when asked for, and a dry run changes nothing."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

import psycopg
import pytest
from django.utils import timezone

from memoryapp.domain.errors import DomainError
from memoryapp.services import access, ageing, changes, recall
from tests.cast import Cast, make_cast, texts

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast()


def aged(superuser: psycopg.Connection, item: UUID, days: int) -> None:
    then = timezone.now() - timedelta(days=days)
    superuser.execute("SET session_replication_role = replica")
    superuser.execute("UPDATE memoryapp_memoryitem SET updated_at = %s WHERE id = %s", [then, item])
    superuser.execute("SET session_replication_role = origin")


def test_an_old_unused_event_is_archived_and_comes_back_when_it_is_said_again(
    cast: Cast, superuser: psycopg.Connection
) -> None:
    old, _, _ = changes.add(cast.agent, "alice", changes.NewItem("周三去看了牙医", kind="event"))
    changes.add(cast.agent, "alice", changes.NewItem("喜欢爬山", kind="preference"))
    aged(superuser, old.id, 300)
    (step,) = ageing.age(cast.agent, "alice").plan.steps
    assert step.id == old.id
    assert len(texts(cast.agent, "alice")) == 2
    assert ageing.age(cast.agent, "alice", dry_run=False).applied
    assert texts(cast.agent, "alice") == ["喜欢爬山"]
    assert old.id not in [h.item.id for h in recall.search(cast.agent, "alice", "牙医")]
    assert texts(cast.agent, "alice", statuses=("archived",)) == ["周三去看了牙医"]
    changes.add(cast.agent, "alice", changes.NewItem("周三去看了牙医"))
    assert len(texts(cast.agent, "alice")) == 2


def test_what_was_archived_long_ago_is_forgotten_by_policy_and_stays_dead_for_a_key(
    cast: Cast, superuser: psycopg.Connection
) -> None:
    access.activate_policy(cast.agent, {"forget_archived_days": 90})
    old, _, _ = changes.add(cast.agent, "alice", changes.NewItem("The plumber came on Friday", kind="event"))
    aged(superuser, old.id, 300)
    assert ageing.age_tenant(cast.agent.tenant_id) == 1
    aged(superuser, old.id, 100)
    assert ageing.age_tenant(cast.agent.tenant_id) == 1
    assert texts(cast.agent, "alice", trash=True) == ["The plumber came on Friday"]
    with pytest.raises(DomainError):
        changes.add(cast.agent, "alice", changes.NewItem("The plumber came on Friday"))


def test_a_recall_counts_as_use_and_other_tenants_are_left_alone(cast: Cast, superuser: psycopg.Connection) -> None:
    ours, _, _ = changes.add(cast.agent, "alice", changes.NewItem("The plumber came on Friday", kind="event"))
    theirs, _, _ = changes.add(cast.charlie, "zoe", changes.NewItem("The plumber came on Friday", kind="event"))
    for item in (ours, theirs):
        aged(superuser, item.id, 300)
    recall.search(cast.agent, "alice", "plumber on Friday")
    assert ageing.age_tenant(cast.agent.tenant_id) == 0
    assert texts(cast.charlie, "zoe") == ["The plumber came on Friday"]
    assert ageing.age(cast.agent, "nobody", dry_run=False).plan.steps == ()
