"""Boot of the test run, before Django's settings load; then the fixtures that every test may use."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

import django
import django.test
import psycopg
import pytest
from django.conf import settings
from django.db import connections
from pydantic import SecretStr
from pytest_django.plugin import DjangoDbBlocker

from tests import boot
from tests.llm_stub import LLMStub

boot.boot()
# pytest-django sets Django up in its own configure step when the settings are loaded by then.
assert settings.DATABASES
django.setup()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes(specs: list[Any]) -> None:
    """Each worker starts with an environment of its own, before it imports anything."""
    for spec in specs:
        spec.env.update(boot.worker_environment(spec.id))


@pytest.fixture(scope="session")
def tables_filled_by_migrations(django_db_blocker: DjangoDbBlocker) -> frozenset[str]:
    """Makes this worker's database, and names the tables that cleaning must keep."""
    with django_db_blocker.unblock():
        boot.make_database()
    with boot.superuser_connection() as server:
        return boot.filled_tables(server)


@pytest.fixture(scope="session")
def django_db_setup(tables_filled_by_migrations: frozenset[str]) -> Iterator[None]:
    """A clone of the migrated template instead of Django's test database, which would be made by the wrong role.

    After a committed test Django empties the tables through the application's connection. That role must not be able
    to TRUNCATE, and the audit trail refuses DELETE, so the superuser cleans instead, in the one method that Django
    has for it; tests inside a transaction still roll back.
    """

    def clean(case: django.test.TransactionTestCase) -> None:
        connections.close_all()
        with boot.superuser_connection() as server:
            boot.clean(server, tables_filled_by_migrations)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(django.test.TransactionTestCase, "_fixture_teardown", clean)
        yield


@pytest.fixture
def superuser(django_db_setup: None) -> Iterator[psycopg.Connection]:
    """This worker's database without row-level security, for looking behind the application's back."""
    with boot.superuser_connection() as server:
        yield server


@pytest.fixture
def clean_database(superuser: psycopg.Connection, tables_filled_by_migrations: frozenset[str]) -> Iterator[None]:
    """Empty tables before and after a test whose rows are committed by other processes or threads."""
    boot.clean(superuser, tables_filled_by_migrations)
    yield
    boot.clean(superuser, tables_filled_by_migrations)


@pytest.fixture
def llm(monkeypatch: pytest.MonkeyPatch) -> Iterator[LLMStub]:
    """A real HTTP server that answers as a language model would; the judge of this process asks it."""
    registry = importlib.import_module("memoryapp.providers.registry")
    with LLMStub() as stub:
        monkeypatch.setattr(settings.MEMORYAPP, "llm_base_url", stub.base_url)
        monkeypatch.setattr(settings.MEMORYAPP, "llm_model", "stub")
        monkeypatch.setattr(settings.MEMORYAPP, "llm_api_key", SecretStr("stub"))
        registry.reset()
        yield stub
    registry.reset()
