"""One OpenAI-compatible HTTP API: posts JSON, and turns every way to fail into one named error.

Neither what was sent nor what came back is ever part of an error's text, since both hold what people said.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx

from memoryapp.domain.errors import ProviderError
from memoryapp.providers.breaker import CircuitBreaker
from memoryapp.providers.deadline import DeadlineTransport, deadline

LARGEST_BODY = 32 * 1024 * 1024
"""Bytes of an answer that are read before it is refused."""

JsonObject = dict[str, object]

_BREAKERS: dict[tuple[str, str, str], CircuitBreaker] = {}
_BREAKERS_LOCK = threading.Lock()


class EndpointError(ProviderError):
    """`retry_after`: seconds the provider asked us to wait, None when it said nothing. `status`: HTTP, None if none."""

    def __init__(
        self, code: str, detail: str, *, transient: bool, retry_after: float | None = None, status: int | None = None
    ) -> None:
        super().__init__(code, detail, transient=transient)
        self.retry_after = retry_after
        self.status = status


class OptionRefused(EndpointError):
    """The provider does not know some optional part of the request. `words` are the lower-case words it used."""

    def __init__(self, code: str, detail: str, status: int, words: frozenset[str]) -> None:
        super().__init__(code, detail, transient=False, status=status)
        self.words = words

    def names(self, *options: str) -> bool:
        return not self.words or bool(self.words.intersection(options))


@dataclass(frozen=True, slots=True)
class Address:
    """Where a provider answers. `family` begins its error codes: `llm`, `embedding` or `rerank`. `timeout` is seconds a call."""

    family: str
    base_url: str
    model: str
    timeout: float
    api_key: str = field(default="", repr=False)


class Endpoint:
    """Posts to one address over kept connections. Usable from many threads; one per process and provider."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self.breaker = breaker_for(address)
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if address.api_key:
            headers["Authorization"] = f"Bearer {address.api_key}"
        self._client = httpx.Client(transport=DeadlineTransport(), headers=headers, trust_env=False, timeout=None)

    def post(self, path: str, body: Mapping[str, object]) -> JsonObject:
        """Send `body` and return the JSON object of the answer, within the timeout in all.

        Raises OptionRefused (400, 422 or 501 that may concern an optional part) and EndpointError for the rest:
        `<family>_rate_limited`, `_unavailable`, `_timeout` are transient, `_auth` and `_rejected` are not.
        """
        wait = self.breaker.wait()
        if wait > 0:
            raise self._error("unavailable", "rests after repeated failures", transient=True, retry_after=wait)
        try:
            answer = self._exchange(path, body)
        except EndpointError as error:
            self._report(error)
            raise
        self.breaker.succeeded()
        return answer

    def close(self) -> None:
        self._client.close()

    def _report(self, error: EndpointError) -> None:
        if error.transient:
            self.breaker.failed()
        else:
            self.breaker.succeeded()

    def _exchange(self, path: str, body: Mapping[str, object]) -> JsonObject:
        url = f"{self.address.base_url.rstrip('/')}/{path}"
        sent = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        try:
            with deadline(self.address.timeout), self._client.stream("POST", url, content=sent) as response:
                content = self._read(response)
        except httpx.TimeoutException:
            raise self._error("timeout", f"did not answer within {self.address.timeout:g} s", transient=True) from None
        except (httpx.InvalidURL, httpx.UnsupportedProtocol):
            raise self._error("rejected", "has an address that is no http(s) URL", transient=False) from None
        except (httpx.TransportError, httpx.DecodingError):
            raise self._error("unavailable", "could not be reached or broke off", transient=True) from None
        if response.status_code >= 300:
            raise self._refusal(response, content)
        return self._json_object(content)

    def _read(self, response: httpx.Response) -> bytes:
        parts: list[bytes] = []
        size = 0
        for part in response.iter_bytes():
            size += len(part)
            if size > LARGEST_BODY:
                raise self._error("rejected", "sent an answer that is too large", transient=False)
            parts.append(part)
        return b"".join(parts)

    def _json_object(self, content: bytes) -> JsonObject:
        try:
            answer = json.loads(content)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            raise self._error("unavailable", "answered 200 without a JSON object", transient=True, status=200)
        return answer

    def _refusal(self, response: httpx.Response, content: bytes) -> EndpointError:
        status = response.status_code
        if status in (400, 422, 501):
            said = frozenset(re.findall(r"[a-z_]+|不支持", content[:20_000].decode("utf-8", "replace").lower()))
            return OptionRefused(self._code("rejected"), self._detail(f"refused the request ({status})"), status, said)
        if status in (401, 403):
            return self._error("auth", f"refused the key ({status})", transient=False, status=status)
        if status == 429:
            wait = seconds_to_wait(response.headers.get("retry-after"))
            return self._error("rate_limited", "is limiting us (429)", transient=True, retry_after=wait, status=status)
        if status >= 500 or status in (408, 409, 425):
            wait = seconds_to_wait(response.headers.get("retry-after"))
            return self._error("unavailable", f"failed ({status})", transient=True, retry_after=wait, status=status)
        return self._error("rejected", f"refused the request ({status})", transient=False, status=status)

    def _error(
        self, what: str, detail: str, *, transient: bool, retry_after: float | None = None, status: int | None = None
    ) -> EndpointError:
        return EndpointError(
            self._code(what), self._detail(detail), transient=transient, retry_after=retry_after, status=status
        )

    def _code(self, what: str) -> str:
        return f"{self.address.family}_{what}"

    def _detail(self, what: str) -> str:
        return f"The {'LLM' if self.address.family == 'llm' else self.address.family} provider {what}."


def seconds_to_wait(header: str | None) -> float | None:
    """`Retry-After`, seconds or date (RFC 9110 §10.2.3) → seconds from now, 0–3600; None when absent or unreadable."""
    if not header:
        return None
    try:
        seconds = float(header)
    except ValueError:
        seconds = _seconds_until(header)
    return min(max(seconds, 0.0), 3600.0) if seconds == seconds else None


def _seconds_until(date: str) -> float:
    try:
        moment = parsedate_to_datetime(date)
    except ValueError:
        return float("nan")
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (aware - datetime.now(UTC)).total_seconds()


def breaker_for(address: Address) -> CircuitBreaker:
    """The breaker that everything of this process shares for one provider."""
    key = (address.family, address.base_url, address.model)
    with _BREAKERS_LOCK:
        return _BREAKERS.setdefault(key, CircuitBreaker())


def close_breakers() -> None:
    """Forget every provider's failures, e.g. after its address was mended."""
    with _BREAKERS_LOCK:
        _BREAKERS.clear()
