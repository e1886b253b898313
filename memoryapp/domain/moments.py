"""One written form of a moment, for answers and receipts, and the bounds of those that are taken in."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

EARLIEST_YEAR = 1900
CLOCK_SKEW = timedelta(minutes=5)
"""How far ahead of ours somebody else's clock may be (CONTRACT, `said_at`)."""


def in_calendar(value: datetime) -> bool:
    """Whether a moment has its offset and, once it is turned into UTC, lies in the years from 1900 to 9999."""
    try:
        return value.tzinfo is not None and value.astimezone(UTC).year >= EARLIEST_YEAR
    except OverflowError:
        return False


def moment(value: datetime | None) -> str | None:
    """RFC 3339 in UTC; None stays None."""
    if value is None:
        return None
    return f"{(value if value.tzinfo is UTC else value.astimezone(UTC)).isoformat()[:-6]}Z"
