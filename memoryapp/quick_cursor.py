"""A cursor for statements that answer with many moments."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection
from django.db.backends.utils import CursorWrapper


@contextmanager
def quick_cursor() -> Iterator[CursorWrapper]:
    """Django's cursor; connections read moments by the driver's compiled loader (`memoryapp.postgres`)."""
    with connection.cursor() as cursor:
        yield cursor
