"""Ids as clients and addresses show them: a prefix for the kind and 32 hexadecimal digits."""

from __future__ import annotations

import re
from uuid import UUID

from memoryapp.domain.errors import NotFound

_HEX = re.compile(r"[0-9a-f]{32}")


def public(prefix: str, value: UUID) -> str:
    return f"{prefix}_{value.hex}"


def parsed(prefix: str, text: str) -> UUID:
    """The UUID behind a public id. A malformed one is NotFound, like an unknown one."""
    head, _, digits = text.partition("_")
    if head != prefix or not _HEX.fullmatch(digits):
        raise NotFound
    return UUID(hex=digits)
