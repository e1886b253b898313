"""Work that no answer waits for: one thread of a web process does it in batches.

Services gather what is to be done in memory and ask for it by `soon`. Where no thread runs (workers, commands), they
do it at once. What a killed process had not done yet is lost, so only what may be lost for a moment, or is found
again by others, belongs here.
"""

from __future__ import annotations

import atexit
import logging
import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from django.db import DatabaseError, connection

logger = logging.getLogger(__name__)

PAUSE = 0.25
"""Seconds in which work gathers before a round."""

Job = Callable[[], object]


@dataclass(slots=True)
class _Desk:
    jobs: dict[Job, None] = field(default_factory=dict)
    due: dict[Job, float] = field(default_factory=dict)
    """When a job is to be done, in seconds of the monotonic clock."""
    lock: threading.Lock = field(default_factory=threading.Lock)
    wake: threading.Event = field(default_factory=threading.Event)
    thread: threading.Thread | None = None


_desk = _Desk()


def soon(job: Job) -> bool:
    """Have the thread call `job` within a moment, once however often it is asked for; False when there is no thread."""
    if _desk.thread is None:
        return False
    with _desk.lock:
        _desk.jobs[job] = None
    _desk.wake.set()
    return True


def later(job: Job, seconds: float) -> None:
    """Have the thread call `job` when the time has passed, once however often it is asked for; the earliest time counts.

    Without a thread nobody calls it.
    """
    with _desk.lock:
        at = time.monotonic() + seconds
        sooner = at < _desk.due.get(job, math.inf)
        if sooner:
            _desk.due[job] = at
    if sooner:
        _desk.wake.set()


def start() -> None:
    """Start the thread; once per process, after its fork. What is left is done as the process ends."""
    if _desk.thread is None:
        _desk.thread = threading.Thread(target=_work_on, name="afterwards", daemon=True)
        _desk.thread.start()
        atexit.register(work)


def work() -> None:
    """Do what waits now."""
    with _desk.lock:
        ripe = [job for job, at in _desk.due.items() if at <= time.monotonic()]
        jobs = [*_desk.jobs, *(job for job in ripe if job not in _desk.jobs)]
        _desk.jobs.clear()
        for job in ripe:
            del _desk.due[job]
    for job in jobs:
        try:
            job()
        except DatabaseError:
            logger.warning("%s: the database does not answer", getattr(job, "__name__", "a job"))


def _wait() -> float | None:
    """Seconds until the next job is due; None when there is none."""
    with _desk.lock:
        return max(0.0, min(_desk.due.values()) - time.monotonic()) if _desk.due else None


def _work_on() -> None:
    while True:
        _desk.wake.wait(_wait())
        threading.Event().wait(PAUSE)
        _desk.wake.clear()
        try:
            work()
        finally:
            connection.close()
