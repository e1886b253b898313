"""Taking messages in: what is refused before anything is stored, what leaves no trace, and what it costs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta, timezone

import psycopg
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memoryapp.domain.errors import DomainError
from memoryapp.services import events, ingest, memories
from memoryapp.services.ingest import Incoming, accept
from memoryapp.services.results import EventView, ListFilter
from memoryapp.services.scope import tenant_scope
from tests.cast import Cast, make_cast, say

pytestmark = pytest.mark.django_db


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


@contextmanager
def application_statements() -> Iterator[list[str]]:
    """What the application asks the database, without the statements that open and close a scope."""
    found: list[str] = []
    with CaptureQueriesContext(connection) as captured:
        yield found
    frame = ("SELECT set_config", "SAVEPOINT", "RELEASE", "SET LOCAL")
    found += [q["sql"] for q in captured.captured_queries if not q["sql"].startswith(frame)]


@pytest.mark.parametrize("lines", ["Remember: the office closes at six.", "记住：周五下午三点开周会。"])
def test_ten_messages_cost_as_many_statements_as_twenty(cast: Cast, lines: str) -> None:
    say(cast.agent, "alice", "hello, are you there?")
    counts = []
    for many in (10, 20):
        with application_statements() as asked:
            say(cast.agent, "alice", *(f"{lines} ({n})" for n in range(many)), session=f"talk {many}")
        counts.append(len(asked))
    assert counts[0] == counts[1] <= 22


def test_messages_are_guarded_and_keys_read_while_no_transaction_of_the_call_is_open(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The test's own transaction is the only one then: the depth of savepoints tells."""
    outside = len(connection.savepoint_ids)
    depths: list[int] = []
    read, key = ingest._guarded, ingest.tombstone_key

    def guarded(*a: object) -> object:
        depths.append(len(connection.savepoint_ids))
        return read(*a)  # type: ignore[arg-type]

    def keyed(*a: object) -> object:
        depths.append(len(connection.savepoint_ids))
        return key(*a)  # type: ignore[arg-type]

    monkeypatch.setattr(ingest, "_guarded", guarded)
    monkeypatch.setattr(ingest, "tombstone_key", keyed)
    say(cast.agent, "alice", "Remember that the shop is shut on Mondays.")
    assert depths == [outside, outside]


@pytest.mark.parametrize(
    "said_at",
    [
        datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14))),
        datetime(9999, 12, 31, 23, 59, tzinfo=timezone(-timedelta(hours=12))),
        timedelta(minutes=6),
    ],
    ids=["before the calendar", "after the calendar", "six minutes ahead"],
)
def test_an_impossible_time_is_refused_and_nothing_is_stored(
    cast: Cast, superuser: psycopg.Connection, said_at: datetime | timedelta
) -> None:
    said_at = datetime.now(UTC) + said_at if isinstance(said_at, timedelta) else said_at
    with pytest.raises(DomainError) as refusal:
        accept(cast.agent, "alice", [Incoming("user", "记住：我住在杭州。", said_at=said_at)])
    assert refusal.value.code == "invalid"
    assert events.list_events(cast.agent, "alice") == ()


def tables_with(cast: Cast, pattern: str) -> set[str]:
    with tenant_scope(cast.agent), connection.cursor() as cursor:
        cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        found = set()
        for (table,) in cursor.fetchall():
            cursor.execute(f'SELECT count(*) FROM "{table}" t WHERE t::text ~ %s', [pattern])
            found |= {table} if cursor.fetchone() != (0,) else set()
        return found


@pytest.mark.parametrize("text", ["记住：我的幸运数字是十七。", "Remember that my lucky number is seventeen."])
def test_a_temporary_conversation_leaves_its_event_and_nothing_that_was_said(cast: Cast, text: str) -> None:
    def send(temporary: bool) -> EventView:
        message = Incoming("user", text, id="canary-id", name="canary-name")
        named = {"session": "canary-session", "scope": "canary-scope", "metadata": {"canary": "metadata"}}
        return accept(cast.agent, "alice", [message], temporary=temporary, **named)  # type: ignore[arg-type]

    found = events.event(cast.agent, send(temporary=True).id)
    assert (found.status, [e.reason for e in found.entries]) == ("succeeded", ["temporary"])
    assert memories.list_items(cast.agent, "alice", ListFilter()).total == 0
    assert tables_with(cast, f"canary|{text[3:12]}") == set()
    send(temporary=False)
    assert tables_with(cast, "canary") == {"memoryapp_message", "memoryapp_session", "memoryapp_run"}


@pytest.mark.parametrize("field", ["session", "agent_id", "project_id", "scope"])
def test_a_secret_as_a_name_is_refused(cast: Cast, field: str) -> None:
    token = "gh" + "p_" + "q7Zx" * 9
    with pytest.raises(DomainError) as refusal:
        accept(cast.agent, "alice", [Incoming("user", "hello")], **{field: token})
    assert (refusal.value.code, token in refusal.value.detail) == ("guard_refused", False)


def test_a_secret_as_a_person_is_refused_by_reads_too(cast: Cast) -> None:
    with pytest.raises(DomainError) as refusal:
        memories.list_items(cast.agent, "gh" + "p_" + "q7Zx" * 9, ListFilter())
    assert refusal.value.code == "guard_refused"
