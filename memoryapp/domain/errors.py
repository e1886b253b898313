"""Domain errors. Each carries a stable code; `memoryapp.api.problems` maps codes to HTTP statuses."""

from __future__ import annotations

from collections.abc import Mapping


class DomainError(Exception):
    """A refusal that the caller can understand and mend.

    `code` is stable and documented, `detail` is a sentence for a person (never memory text),
    `extra` holds further JSON members of the problem document.
    """

    def __init__(self, code: str, detail: str, extra: Mapping[str, object] | None = None) -> None:
        super().__init__(code)
        self.code = code
        self.detail = detail
        self.extra: Mapping[str, object] = extra or {}


class NotFound(DomainError):
    """The thing does not exist, or the actor may not know that it does."""

    def __init__(self) -> None:
        super().__init__("not_found", "There is nothing at this address, or it is not yours to see.")


class InvalidAnswer(DomainError):
    """An LLM answer that cannot be read even after repair (`llm_parse`)."""

    def __init__(self, detail: str) -> None:
        super().__init__("llm_parse", detail)


class ProviderError(DomainError):
    """An LLM or embedding endpoint failed. `transient` says whether trying again can help."""

    def __init__(self, code: str, detail: str, *, transient: bool) -> None:
        super().__init__(code, detail)
        self.transient = transient
