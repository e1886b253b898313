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
from memoryapp.models import Message
from memoryapp.services import events, ingest, memories
from memoryapp.services.ingest import Incoming, accept
from memoryapp.services.results import EventView, ListFilter
from memoryapp.services.scope import tenant_scope
from tests.cast import Cast, make_cast, say
from tests.services.talk import lines as lines_of
from tests.services.talk import talked

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

    def guarded(*a: object, **more: object) -> object:
        depths.append(len(connection.savepoint_ids))
        return read(*a, **more)  # type: ignore[arg-type]

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


SAID = "我去年做过胆囊手术。"


@pytest.mark.parametrize(
    "wish", ["刚才那句不要保存", "please don't keep that last bit", "别记这个", "this chat is off the record"]
)
def test_a_wish_for_silence_takes_back_what_was_said_in_the_same_call_and_before_it(cast: Cast, wish: str) -> None:
    together = [Incoming("user", SAID), Incoming("assistant", "饮食上建议低脂。"), Incoming("user", wish)]
    accept(cast.agent, "alice", together, session="one")
    waiting = accept(cast.agent, "alice", [Incoming("user", SAID)], session="two")
    accept(cast.agent, "alice", [Incoming("user", wish)], session="two")
    with tenant_scope(cast.agent):
        assert not any("胆囊" in text for text in Message.objects.values_list("text", flat=True))
    assert ("skipped", "do_not_store") in lines_of(events.event(cast.agent, waiting.id))


def test_a_wish_about_what_comes_leaves_what_was_said(cast: Cast) -> None:
    accept(cast.agent, "alice", [Incoming("user", SAID)], session="one")
    accept(cast.agent, "alice", [Incoming("user", "接下来我说的别记")], session="one")
    with tenant_scope(cast.agent):
        assert SAID in Message.objects.values_list("text", flat=True)


@pytest.mark.parametrize(
    ("said", "offer", "answer"),
    [
        ("我们组的发布窗口是每周三晚上九点。", "明白了，需要我记住吗？", "要的"),
        ("We're on Postgres 15.", "Understood. Want me to remember that?", "yes please"),
    ],
)
def test_a_yes_to_the_offer_to_remember_is_an_explicit_request(cast: Cast, said: str, offer: str, answer: str) -> None:
    turns = [Incoming("user", said), Incoming("assistant", offer), Incoming("user", answer)]
    event = talked(cast, *turns)
    assert event.door == "cue"
    assert [entry.content for entry in event.entries if entry.section == "added"] == [said.rstrip("。.")]
    assert accept(cast.agent, "alice", [turns[0], turns[2]], session="other").door == "idle"
