"""A door per test, and stand-ins for the judge and the embedder where an outcome depends on them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from django.conf import settings
from django.db import connection
from pydantic import SecretStr

from memoryapp.providers import registry
from memoryapp.services.scope import tenant_scope
from tests.cast import Cast, make_cast
from tests.llm_stub import LLMStub
from tests.replays.door import Door


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


@pytest.fixture
def door(cast: Cast) -> Door:
    return Door(cast, cast.key)


@pytest.fixture
def charlie(cast: Cast) -> Door:
    return Door(cast, cast.charlie_key)


@pytest.fixture
def stub() -> Iterator[LLMStub]:
    with LLMStub() as stub:
        yield stub


@pytest.fixture
def judge(stub: LLMStub, monkeypatch: pytest.MonkeyPatch) -> Iterator[LLMStub]:
    """A language model judges, as scripted."""
    monkeypatch.setattr(settings.MEMORYAPP, "llm_base_url", stub.base_url)
    monkeypatch.setattr(settings.MEMORYAPP, "llm_model", "stub")
    monkeypatch.setattr(settings.MEMORYAPP, "llm_api_key", SecretStr("stub"))
    registry.reset()
    yield stub
    registry.reset()


@pytest.fixture
def embedder(stub: LLMStub, monkeypatch: pytest.MonkeyPatch) -> Iterator[LLMStub]:
    """An embedding service that can fail."""
    monkeypatch.setattr(settings.MEMORYAPP, "embedding_base_url", stub.base_url)
    monkeypatch.setattr(settings.MEMORYAPP, "embedding_model", "stub-embedder")
    monkeypatch.setattr(settings.MEMORYAPP, "embedding_api_key", SecretStr("stub"))
    registry.reset()
    yield stub
    registry.reset()


@pytest.fixture
def words_only(embedder: LLMStub) -> LLMStub:
    """No vector is ever made: what is found is found by words."""
    embedder.failing_texts = {""}
    return embedder


@pytest.fixture
def rows_of(cast: Cast) -> Callable[[str], list[str]]:
    """All rows of a table of the first tenant, as text."""

    def rows(table: str) -> list[str]:
        with tenant_scope(cast.agent), connection.cursor() as cursor:
            cursor.execute(f'SELECT t::text FROM "{table}" t')
            return [str(row[0]) for row in cursor.fetchall()]

    return rows
