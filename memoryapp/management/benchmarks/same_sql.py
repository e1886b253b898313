"""The statement at the heart of a service call, caught as it is sent: what the minimal views run."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db import connection


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement with its values, and how long it took when it was caught, in seconds."""

    sql: str
    values: Any
    seconds: float


def statements_of(call: Callable[[], object]) -> list[Statement]:
    """Every statement that a call sends, in order."""
    caught: list[Statement] = []

    def catch(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        started = time.perf_counter()
        try:
            return execute(sql, params, many, context)
        finally:
            caught.append(Statement(sql, params, time.perf_counter() - started))

    with connection.execute_wrapper(catch):
        call()
    return caught


def heart_of(call: Callable[[], object]) -> Statement:
    """The statement of a search that reads the vectors, of any other call its longest."""
    caught = statements_of(call)
    searching = [one for one in caught if "<=>" in one.sql]
    return max(searching or caught, key=lambda one: one.seconds)
