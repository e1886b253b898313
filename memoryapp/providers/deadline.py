"""An HTTP transport whose calls end by a total deadline.

httpx bounds each read, so a server that sends one byte a second is never too late. Here every connect, read and write
gets the time that is left of the whole call. Looking a host name up is left to the system's resolver and not bounded.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from ssl import SSLContext
from typing import Any

import httpcore
import httpx


class _Remaining(threading.local):
    """When the call of this thread must be over, on the monotonic clock; None outside a call."""

    ends_at: float | None = None

    def seconds(self, error: type[Exception]) -> float | None:
        if self.ends_at is None:
            return None
        left = self.ends_at - time.monotonic()
        if left <= 0:
            raise error("total deadline")
        return left


_remaining = _Remaining()


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Bound everything that this thread sends and receives inside the block to `seconds` in all."""
    _remaining.ends_at = time.monotonic() + seconds
    try:
        yield
    finally:
        _remaining.ends_at = None


class _Stream(httpcore.NetworkStream):
    def __init__(self, inner: httpcore.NetworkStream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, _remaining.seconds(httpcore.ReadTimeout) or timeout)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, _remaining.seconds(httpcore.WriteTimeout) or timeout)

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        left = _remaining.seconds(httpcore.ConnectTimeout) or timeout
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, left))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class _Backend(httpcore.NetworkBackend):
    def __init__(self) -> None:
        self._inner = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        left = _remaining.seconds(httpcore.ConnectTimeout) or timeout
        return _Stream(self._inner.connect_tcp(host, port, left, local_address, socket_options or ()))


class _Body(httpx.SyncByteStream):
    """The response body; errors of the network are told as httpx tells them."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __iter__(self) -> Iterator[bytes]:
        with _httpx_errors():
            yield from self._stream

    def close(self) -> None:
        self._stream.close()


class DeadlineTransport(httpx.BaseTransport):
    """Keep-alive connections over which `deadline` holds. Certificates: the bundled roots, or SSL_CERT_FILE."""

    def __init__(self, connections: int = 20) -> None:
        self._pool = httpcore.ConnectionPool(
            ssl_context=httpx.create_ssl_context(), max_connections=connections, network_backend=_Backend()
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        url = request.url
        outgoing = httpcore.Request(
            method=request.method,
            url=httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
            headers=request.headers.raw,
            content=request.read(),
            extensions=request.extensions,
        )
        with _httpx_errors():
            answer = self._pool.handle_request(outgoing)
        return httpx.Response(answer.status, headers=answer.headers, stream=_Body(answer.stream))

    def close(self) -> None:
        self._pool.close()


@contextmanager
def _httpx_errors() -> Iterator[None]:
    try:
        yield
    except httpcore.TimeoutException as error:
        raise httpx.TimeoutException("The call took too long.") from error
    except httpcore.UnsupportedProtocol as error:
        raise httpx.UnsupportedProtocol("The address is no http(s) URL.") from error
    except (httpcore.NetworkError, httpcore.ProtocolError) as error:
        raise httpx.TransportError("The connection failed.") from error
