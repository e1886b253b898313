"""Give a failing provider rest instead of asking it again and again."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


class CircuitBreaker:
    """Opens after `threshold` transient failures in a row and lets nothing through for `rest` seconds.

    After that one call may try (half-open): its success closes the breaker, its failure opens it for another rest.
    A try that never reports back frees its place after one more rest. Thread-safe; `clock` counts seconds.
    """

    def __init__(self, threshold: int = 5, rest: float = 30.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._threshold = threshold
        self._rest = rest
        self._clock = clock
        self._lock = threading.Lock()
        self._failures = 0
        self._closed_until_try = 0.0

    def wait(self) -> float:
        """Seconds until a call may go out; 0.0 takes the permission, so whoever gets it must report the outcome."""
        with self._lock:
            if self._failures < self._threshold:
                return 0.0
            left = self._closed_until_try - self._clock()
            if left > 0:
                return left
            self._closed_until_try = self._clock() + self._rest
            return 0.0

    def succeeded(self) -> None:
        with self._lock:
            self._failures = 0

    def failed(self) -> None:
        with self._lock:
            self._failures += 1
            if self._failures >= self._threshold:
                self._closed_until_try = self._clock() + self._rest

    @property
    def is_open(self) -> bool:
        """Whether a call would be turned away now."""
        with self._lock:
            return self._failures >= self._threshold and self._closed_until_try > self._clock()
