"""The form of our own log lines."""

from __future__ import annotations

import logging

from memoryapp.domain.credentials import redact


class MaskedFormatter(logging.Formatter):
    """Masks secrets: an address that somebody asked for is part of a line, and may be a token pasted into it."""

    def format(self, record: logging.LogRecord) -> str:
        return redact(super().format(record))
