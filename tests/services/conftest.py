"""The cast, and a language model that answers as it is told."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.conf import settings
from pydantic import SecretStr

from memoryapp.providers import registry
from tests.cast import Cast, make_cast
from tests.llm_stub import LLMStub


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


@pytest.fixture
def llm(monkeypatch: pytest.MonkeyPatch) -> Iterator[LLMStub]:
    with LLMStub() as stub:
        monkeypatch.setattr(settings.MEMORYAPP, "llm_base_url", stub.base_url)
        monkeypatch.setattr(settings.MEMORYAPP, "llm_model", "stub")
        monkeypatch.setattr(settings.MEMORYAPP, "llm_api_key", SecretStr("stub"))
        registry.reset()
        yield stub
    registry.reset()
