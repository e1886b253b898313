"""One written form of a moment, for answers and receipts."""

from __future__ import annotations

from datetime import UTC, datetime


def moment(value: datetime | None) -> str | None:
    """RFC 3339 in UTC; None stays None."""
    if value is None:
        return None
    return f"{(value if value.tzinfo is UTC else value.astimezone(UTC)).isoformat()[:-6]}Z"
