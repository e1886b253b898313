"""A rerank endpoint (`POST {base}/rerank` with model, query, documents), as vLLM, TEI gateways and hosted ones speak it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

from django.conf import settings

from memoryapp.domain.errors import ProviderError
from memoryapp.environment import Environment
from memoryapp.providers.endpoint import Address, Endpoint


def configured() -> bool:
    environment: Environment = settings.MEMORYAPP
    return bool(environment.rerank_base_url)


def scores(query: str, texts: Sequence[str]) -> list[float]:
    """One number per text, in order, higher is nearer. Raises ProviderError: away, late, or an answer without them."""
    environment: Environment = settings.MEMORYAPP
    key = environment.rerank_api_key.get_secret_value() if environment.rerank_api_key else ""
    endpoint = _endpoint(environment.rerank_base_url, environment.rerank_model, key, environment.rerank_timeout_seconds)
    body: dict[str, object] = {"model": environment.rerank_model, "query": query, "documents": list(texts)}
    answer = endpoint.post("rerank", body)
    rows = answer.get("results")
    found = dict(_numbered(row) for row in rows) if isinstance(rows, list) else {}
    if set(found) != set(range(len(texts))):
        raise ProviderError("rerank_invalid", "The reranker did not answer for every text.", transient=True)
    return [found[n] for n in range(len(texts))]


def _numbered(row: object) -> tuple[object, float]:
    index = row.get("index") if isinstance(row, dict) else None
    value = row.get("relevance_score", row.get("score")) if isinstance(row, dict) else None
    if not isinstance(value, int | float) or not math.isfinite(value):
        return None, 0.0
    return index, float(value)


@cache
def _endpoint(base_url: str, model: str, key: str, timeout: float) -> Endpoint:
    return Endpoint(Address(family="rerank", base_url=base_url, model=model, timeout=timeout, api_key=key))
