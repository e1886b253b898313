"""Connections of the pool: looked at without asking the server, and never handed out when the server has ended them."""

from __future__ import annotations

import typing
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime

import psycopg
import pytest
from django.db import connection, connections, transaction
from django.db.utils import ProgrammingError
from django.utils import timezone
from psycopg import _queries
from psycopg.pq import Format

from accounts.lookup import actor_of_key
from memoryapp.models import Space
from memoryapp.postgres.base import DatabaseWrapper, still_open
from memoryapp.services.scope import tenant_scope
from tests.cast import make_cast


@pytest.fixture
def raw(superuser: psycopg.Connection) -> Iterator[psycopg.Connection]:
    given = connection.get_connection_params()
    place = {name: given[name] for name in ("host", "port", "user", "password", "dbname") if given.get(name)}
    with closing(psycopg.connect(**place)) as server:
        yield server


def test_a_living_connection_passes(raw: psycopg.Connection) -> None:
    still_open(raw)
    raw.execute("DO $$ BEGIN RAISE NOTICE 'something to read'; END $$")
    still_open(raw)


def test_a_connection_that_the_server_has_ended_does_not(
    raw: psycopg.Connection, superuser: psycopg.Connection
) -> None:
    superuser.execute("SELECT pg_terminate_backend(%s, 5000)", [raw.info.backend_pid])
    with pytest.raises(psycopg.OperationalError):
        still_open(raw)


@pytest.mark.django_db(transaction=True)
def test_a_first_statement_that_fails_is_an_error_of_the_database() -> None:
    wrapper = typing.cast(DatabaseWrapper, connections["default"])
    with pytest.raises(ProgrammingError), transaction.atomic():
        wrapper.begin("SELECT no_such_thing")
    with transaction.atomic():
        assert wrapper.begin("SELECT 1; SELECT 'the last'") == "the last"
    with transaction.atomic():
        assert wrapper.begin("SELECT NULL") is None


def ended(superuser: psycopg.Connection) -> int:
    """The server ends this process's connection in the moment after it was looked at."""
    connection.ensure_connection()
    pid: int = connection.connection.info.backend_pid
    superuser.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])
    return pid


@pytest.mark.django_db(transaction=True)
def test_a_transaction_begins_on_another_connection_when_its_own_was_just_ended(superuser: psycopg.Connection) -> None:
    actor = make_cast().agent
    gone = ended(superuser)
    with tenant_scope(actor):
        assert connection.in_atomic_block
        Space.objects.create(tenant_id=actor.tenant_id, kind="person", key="alice")
    assert connection.connection.info.backend_pid != gone
    with pytest.raises(RuntimeError), tenant_scope(actor):
        Space.objects.create(tenant_id=actor.tenant_id, kind="person", key="bob")
        raise RuntimeError
    with tenant_scope(actor):
        assert list(Space.objects.filter(kind="person").values_list("key", flat=True)) == ["alice"]


@pytest.mark.django_db(transaction=True)
def test_a_key_is_looked_up_on_another_connection_when_its_own_was_just_ended(superuser: psycopg.Connection) -> None:
    cast = make_cast()
    ended(superuser)
    assert actor_of_key(cast.key, timezone.now()) == cast.agent


def test_a_long_statement_is_taken_apart_once(db: None) -> None:
    statement = f"SELECT {', '.join(['%s::int'] * 120)} -- {'x' * 6000}"

    def ask() -> None:
        with connection.cursor() as cursor:
            cursor.execute(statement, list(range(120)))

    ask()
    known = _queries._query2pg.cache_info().hits
    ask()
    assert _queries._query2pg.cache_info().hits == known + 1


@pytest.mark.django_db
def test_moments_are_read_in_utc_by_the_compiled_loader() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT '2026-03-01 12:00:00.25+08'::timestamptz, NULL::timestamptz")
        read, nothing = cursor.fetchone()
        loader = cursor.connection.adapters.get_loader(cursor.description[0].type_code, Format.TEXT)
    assert read == datetime(2026, 3, 1, 4, 0, 0, 250_000, tzinfo=UTC)
    assert read.tzinfo is UTC
    assert nothing is None
    assert loader.__module__ == "psycopg_binary._psycopg"


@pytest.mark.django_db
def test_rows_that_are_read_in_parts_have_the_same_moments() -> None:
    actor = make_cast().agent
    with tenant_scope(actor):
        Space.objects.create(tenant_id=actor.tenant_id, kind="person", key="in-parts")
        (read,) = Space.objects.filter(key="in-parts").values_list("created_at", flat=True).iterator()
    assert read.tzinfo is UTC
