"""The ground that every other test stands on: own database, the application's role, clean tables."""

from __future__ import annotations

import os

import psycopg
import pytest
from django.contrib.contenttypes.models import ContentType
from django.core.cache import cache
from django.db import connection, transaction
from django.db.utils import ProgrammingError


def _role() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user")
        return str(cursor.fetchone()[0])


@pytest.mark.django_db
def test_tests_connect_as_the_application_and_not_as_the_owner() -> None:
    assert _role() == "memoryapp_app"
    with pytest.raises(ProgrammingError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("TRUNCATE django_session")


@pytest.mark.django_db
def test_each_worker_has_a_database_of_its_own(superuser: psycopg.Connection) -> None:
    worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
    assert connection.settings_dict["NAME"] == f"memoryapp_{worker}"
    assert superuser.info.dbname == f"memoryapp_{worker}"


def test_the_cache_is_a_real_one() -> None:
    cache.set("word", "值", 5)
    assert cache.get("word") == "值"


@pytest.mark.django_db(transaction=True)
def test_a_committed_row_is_seen_by_another_connection(superuser: psycopg.Connection) -> None:
    _insert_session()
    assert superuser.execute("SELECT count(*) FROM django_session").fetchone() == (1,)


@pytest.mark.django_db
def test_committed_rows_are_gone_in_the_next_test_but_what_migrations_made_stays(superuser: psycopg.Connection) -> None:
    assert superuser.execute("SELECT count(*) FROM django_session").fetchone() == (0,)
    assert ContentType.objects.exists()


def _insert_session() -> None:
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO django_session VALUES ('key', 'text', now())")
