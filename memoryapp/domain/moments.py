"""One written form of a moment, for answers and receipts."""

from __future__ import annotations

from datetime import UTC, datetime


def moment(value: datetime | None) -> str | None:
    """RFC 3339 in UTC; None stays None."""
    return value.astimezone(UTC).isoformat().replace("+00:00", "Z") if value else None
