"""A database that has just started: PostgreSQL's buffers are empty and the kernel holds none of its files."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import psycopg

WAIT = 60.0


def cold_by_warm(
    superuser_url: str, waken: Callable[[], object], call: Callable[[], object], times: int
) -> dict[str, float]:
    """Milliseconds of `call` on a cold database and again at once, in the middle, and the ratio of the two.

    `waken` goes first and touches other rows: connections, catalogue and plans are there again, `call`'s rows are not.
    """
    cold, warm = [], []
    for _ in range(times):
        chill(superuser_url)
        waken()
        cold.append(_took(call))
        call()
        warm.append(_took(call))
    figures = {"cold": median(cold), "warm": median(warm), "ratio": median(cold) / median(warm)}
    return {name: round(value, 2) for name, value in figures.items()}


def chill(superuser_url: str) -> None:
    """Empty both caches. The server starts its memory anew when one of its processes is killed."""
    with psycopg.connect(superuser_url, autocommit=True) as server:
        server.execute("CHECKPOINT")
        folder = server.execute("SHOW data_directory").fetchall()[0][0]
        os.kill(server.info.backend_pid, signal.SIGKILL)
    _wait(superuser_url)
    for file in (Path(folder) / "base").glob("*/*"):
        _forget(file)


def _forget(file: Path) -> None:
    descriptor = os.open(file, os.O_RDONLY)
    try:
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(descriptor)


def _wait(superuser_url: str) -> None:
    end = time.monotonic() + WAIT
    while time.monotonic() < end:
        time.sleep(0.1)
        try:
            psycopg.connect(superuser_url, connect_timeout=5).close()
        except psycopg.OperationalError:
            continue
        return
    raise RuntimeError("the database did not come back")


def _took(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return (time.perf_counter() - started) * 1000
