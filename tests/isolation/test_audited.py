"""The database itself refuses a change of a memory without its event, whatever statement makes it."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

import psycopg
import pytest
from django.db import connection
from psycopg.errors import InsufficientPrivilege

from memoryapp.services import changes
from memoryapp.services.changes import NewItem
from tests.cast import Cast, make_cast

CHANGES = {
    "a text": "UPDATE memoryapp_memoryitem SET content = 'x' WHERE id = %(there)s",
    "all at once": "UPDATE memoryapp_memoryitem SET pinned = true",
    "in a part of a statement": "WITH a AS (UPDATE memoryapp_memoryitem SET pinned = true RETURNING 1) SELECT * FROM a",
    "a version": "UPDATE memoryapp_memoryversion SET content = 'x' WHERE item_id = %(there)s",
    "a version goes": "DELETE FROM memoryapp_memoryversion WHERE item_id = %(there)s",
    "a version more": """
        INSERT INTO memoryapp_memoryversion (id, tenant_id, item_id, number, content, kind, status, changed_fields,
            reason, actor_kind, actor_ref, valid_from, created_at)
        SELECT gen_random_uuid(), tenant_id, item_id, 9, content, kind, status, changed_fields, reason, actor_kind,
            actor_ref, valid_from, created_at FROM memoryapp_memoryversion WHERE item_id = %(there)s
    """,
    "a stone is lifted": "UPDATE memoryapp_tombstone SET lifted_at = now() WHERE item_id = %(gone)s",
    "a stone goes": "DELETE FROM memoryapp_tombstone WHERE item_id = %(gone)s",
}
"""What the application's role may write at all, without one word of ours around it."""
EVENT = """
INSERT INTO memoryapp_auditevent (id, tenant_id, occurred_at, actor_kind, action, target_kind, target_ids, outcome,
    reason, changed_fields, request_id, body, leaf_hash, transaction_id, system_identifier, actor_id)
SELECT gen_random_uuid(), tenant_id, now(), actor_kind, action, target_kind, %(ids)s::uuid[], outcome, reason,
    changed_fields, request_id, body, leaf_hash, pg_current_xact_id()::text::bigint, system_identifier, actor_id
FROM memoryapp_auditevent LIMIT 1
"""
PIN = CHANGES["all at once"]


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast()


@pytest.fixture
def known(cast: Cast) -> dict[str, UUID]:
    """A memory of Alice that is there, and one that she forgot."""
    gone, _, _ = changes.add(cast.agent, "alice", NewItem("The old shed is green"))
    changes.forget(cast.agent, gone.id)
    return {"there": changes.add(cast.agent, "alice", NewItem("The shed needs a new roof"))[0].id, "gone": gone.id}


@pytest.fixture
def raw(cast: Cast, known: dict[str, UUID]) -> Iterator[psycopg.Connection]:
    """A bare connection of the application's role in the agent's tenant."""
    given = connection.get_connection_params()
    place = {name: given[name] for name in ("host", "port", "user", "password", "dbname") if given.get(name)}
    with psycopg.connect(**place) as server:
        assert server.execute("SELECT current_user").fetchone() == ("memoryapp_app",)
        server.execute("SELECT set_config('app.tenant', %s, false)", [str(cast.agent.tenant_id)])
        server.commit()
        yield server
        server.rollback()


def tell(raw: psycopg.Connection, *ids: UUID) -> None:
    assert raw.execute(EVENT, {"ids": list(ids)}).rowcount == 1


def refused(raw: psycopg.Connection) -> bool:
    try:
        raw.commit()
    except psycopg.IntegrityError as error:
        return "without its audit event" in str(error)
    return False


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_without_an_event_does_not_commit(
    raw: psycopg.Connection, known: dict[str, UUID], change: str
) -> None:
    assert raw.execute(CHANGES[change], known).rowcount > 0
    assert refused(raw)


@pytest.mark.parametrize("change", CHANGES)
def test_an_event_of_the_same_transaction_lets_it_commit_before_and_after(
    raw: psycopg.Connection, known: dict[str, UUID], change: str
) -> None:
    tell(raw, *known.values())
    raw.execute(CHANGES[change], known)
    raw.commit()
    raw.execute(PIN)
    tell(raw, *known.values())
    raw.commit()


def test_an_event_must_name_every_memory_that_changed(raw: psycopg.Connection, known: dict[str, UUID]) -> None:
    tell(raw, known["there"])
    raw.execute(PIN)
    assert refused(raw)
    raw.execute(PIN)
    tell(raw, known["gone"])
    assert refused(raw)


def test_the_event_of_another_transaction_does_not_count(raw: psycopg.Connection, known: dict[str, UUID]) -> None:
    tell(raw, *known.values())
    raw.commit()
    raw.execute(PIN)
    assert refused(raw)


def test_an_event_that_was_taken_back_does_not_count(raw: psycopg.Connection, known: dict[str, UUID]) -> None:
    raw.execute("SAVEPOINT one")
    tell(raw, *known.values())
    raw.execute("ROLLBACK TO SAVEPOINT one")
    raw.execute(PIN)
    assert refused(raw)


def test_a_change_that_was_taken_back_needs_no_event(raw: psycopg.Connection) -> None:
    raw.execute("SAVEPOINT one")
    raw.execute(PIN)
    raw.execute("ROLLBACK TO SAVEPOINT one")
    raw.commit()


def test_the_check_can_be_asked_for_before_the_commit(raw: psycopg.Connection) -> None:
    raw.execute(PIN)
    with pytest.raises(psycopg.IntegrityError, match="without its audit event"):
        raw.execute("SET CONSTRAINTS ALL IMMEDIATE")


@pytest.mark.parametrize(
    "way",
    [
        "DELETE FROM door.unaudited",
        "TRUNCATE door.unaudited",
        "INSERT INTO door.unaudited (tenant_id, ids) VALUES (gen_random_uuid(), '{}')",
        "ALTER TABLE memoryapp_memoryitem DISABLE TRIGGER ALL",
        "SET session_replication_role = replica",
    ],
)
def test_the_application_cannot_get_around_the_check(raw: psycopg.Connection, way: str) -> None:
    raw.execute(PIN)
    with pytest.raises(InsufficientPrivilege):
        raw.execute(way)


def test_nothing_is_left_over_of_the_check(
    raw: psycopg.Connection, known: dict[str, UUID], superuser: psycopg.Connection
) -> None:
    raw.execute(PIN)
    tell(raw, *known.values())
    raw.commit()
    assert superuser.execute("SELECT count(*) FROM door.unaudited").fetchone() == (0,)
