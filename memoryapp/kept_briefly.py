"""What a process has read and goes by for some seconds."""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
NEVER = -math.inf


class KeptBriefly(Generic[K, V]):
    """Values by key, of at most `most` keys: the one that was not asked for the longest goes first."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._kept: OrderedDict[K, tuple[float, V]] = OrderedDict()
        self._asked_anew = 0

    def value(self, key: K, seconds: float, read: Callable[[V | None], V]) -> V:
        """The value that was read less than `seconds` ago, or what `read` answers when it is given the last one.

        What was read while somebody called `look_again` is answered and not kept.
        """
        with self._lock:
            at, last = self._kept.get(key, (NEVER, None))
            asked_anew = self._asked_anew
            if last is not None and time.monotonic() - at < seconds:
                self._kept.move_to_end(key)
                return last
        found = read(last)
        with self._lock:
            if asked_anew == self._asked_anew:
                self._keep(key, found)
        return found

    def look_again(self, key: K) -> None:
        """Read this key at its next use."""
        with self._lock:
            self._asked_anew += 1
            if key in self._kept:
                self._kept[key] = (NEVER, self._kept[key][1])

    def drop(self) -> None:
        """Keep nothing of what was read so far."""
        with self._lock:
            self._asked_anew += 1
            self._kept.clear()

    def _keep(self, key: K, value: V) -> None:
        self._kept[key] = (time.monotonic(), value)
        self._kept.move_to_end(key)
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)
