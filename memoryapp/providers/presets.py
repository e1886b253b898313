"""Addresses and habits of well-known OpenAI-compatible providers, so that a name is enough to use one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Preset:
    """`llm_model` and `embedding_model` are defaults; an empty embedding model means that it offers none.

    `needs_key`: calls without an API key are refused there. `embedding_batch`: most texts in one call.
    """

    name: str
    base_url: str
    llm_model: str
    embedding_model: str = ""
    embedding_batch: int = 64
    needs_key: bool = True
    notes: str = ""


_ALL = (
    Preset(
        "openai",
        "https://api.openai.com/v1",
        llm_model="gpt-4.1-mini",
        embedding_model="text-embedding-3-small",
        notes="JSON schema answers. EMBEDDING_DIMENSIONS may shorten the text-embedding-3 vectors.",
    ),
    Preset(
        "deepseek",
        "https://api.deepseek.com/v1",
        llm_model="deepseek-chat",
        notes="No JSON schema; tool calls are used. No embeddings: keep the built-in embedder.",
    ),
    Preset(
        "qwen",
        "https://dashscope.aliyuncs.com/compatible-mode/v1",
        llm_model="qwen-plus",
        embedding_model="text-embedding-v4",
        embedding_batch=10,
        notes="DashScope in OpenAI-compatible mode; at most 10 texts an embedding call. "
        "Outside mainland China: https://dashscope-intl.aliyuncs.com/compatible-mode/v1 as LLM_BASE_URL.",
    ),
    Preset(
        "ollama",
        "http://127.0.0.1:11434/v1",
        llm_model="qwen3:8b",
        embedding_model="bge-m3",
        needs_key=False,
        notes="The model must have been pulled. Raise LLM_TIMEOUT_SECONDS on a machine without a GPU.",
    ),
    Preset(
        "vllm",
        "http://127.0.0.1:8000/v1",
        llm_model="Qwen/Qwen3-8B",
        embedding_model="BAAI/bge-m3",
        needs_key=False,
        notes="LLM_MODEL is the name that the server was started with. One server serves one model.",
    ),
)

PRESETS: Mapping[str, Preset] = {preset.name: preset for preset in _ALL}
