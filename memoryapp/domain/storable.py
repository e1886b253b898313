"""JSON values that come from outside: what no database keeps, and the texts in them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping

DEEPEST = 32
_SURROGATE = re.compile("[\ud800-\udfff]")


def unstorable(value: object) -> bool:
    """Whether a text inside has a NUL or a lone surrogate, a number is not finite, or the nesting passes 32 levels."""
    waiting: list[tuple[object, int]] = [(value, 0)]
    while waiting:
        part, depth = waiting.pop()
        if isinstance(part, str):
            if "\0" in part or not (part.isascii() or _SURROGATE.search(part) is None):
                return True
            continue
        if isinstance(part, float) and not math.isfinite(part):
            return True
        if isinstance(part, Mapping | list) and depth >= DEEPEST:
            return True
        inner = [*part.keys(), *part.values()] if isinstance(part, Mapping) else part if isinstance(part, list) else []
        waiting += [(one, depth + 1) for one in inner]
    return False


def texts_in(value: object) -> Iterator[str]:
    """Every text and figure inside a JSON value, as texts; names of fields too."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield str(name)
            yield from texts_in(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from texts_in(inner)
    elif value is not None and not isinstance(value, bool):
        yield str(value)
