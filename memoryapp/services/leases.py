"""Keeping a claim while its work goes on, so that a short lease frees what a killed worker held."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

from django.conf import settings
from django.db import DatabaseError, connection


class FenceLost(Exception):
    """Another attempt owns the job now, or it was withdrawn."""


RENEWALS = 3
"""Renewals in the time of one lease."""


@contextmanager
def kept(renew: Callable[[timedelta], None]) -> Iterator[None]:
    """Call `renew` with the length of a lease, from a thread of its own, three times a lease until the block ends.

    A renewal that the database refuses is left to the next one; a claim that is lost is found by its fence.
    """
    lease = timedelta(seconds=settings.MEMORYAPP.run_lease_seconds)
    over = threading.Event()
    keeper = threading.Thread(target=_keep, args=(renew, lease, over), name="lease", daemon=True)
    keeper.start()
    try:
        yield
    finally:
        over.set()
        keeper.join()


def _keep(renew: Callable[[timedelta], None], lease: timedelta, over: threading.Event) -> None:
    while not over.wait(lease.total_seconds() / RENEWALS):
        try:
            renew(lease)
        except DatabaseError:
            continue
        finally:
            connection.close()
