"""Connections of the pool: looked at without asking the server, and never handed out when the server has ended them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import cast

import psycopg
import pytest
from django.db import connection, connections, transaction
from django.db.utils import ProgrammingError

from memoryapp.postgres.base import DatabaseWrapper, still_open


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
    wrapper = cast(DatabaseWrapper, connections["default"])
    with pytest.raises(ProgrammingError), transaction.atomic():
        wrapper.begin("SELECT no_such_thing")
    with transaction.atomic():
        assert wrapper.begin("SELECT 1; SELECT 'the last'") == "the last"
    with transaction.atomic():
        assert wrapper.begin("SELECT NULL") is None
