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


def moment_of(given: object) -> datetime | None:
    """The moment that a text writes (ISO 8601) with its offset; None when it is no such text or outside the calendar."""
    try:
        read = datetime.fromisoformat(given) if isinstance(given, str) else None
    except ValueError:
        return None
    return read if read is not None and in_calendar(read) else None


def in_utc(value: datetime | None) -> datetime | None:
    """The same moment in UTC; None stays None. An answer that is rendered writes it as `moment` does."""
    return value if value is None or value.tzinfo is UTC else value.astimezone(UTC)


def moment(value: datetime | None) -> str | None:
    """RFC 3339 in UTC; None stays None."""
    value = in_utc(value)
    return None if value is None else f"{value.isoformat()[:-6]}Z"
