"""The report as plain text: every figure stands beside what it is measured against."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def text_of(report: Mapping[str, Any]) -> str:
    return "\n".join(_lines(report, ""))


def _lines(part: Mapping[Any, Any], margin: str) -> Iterator[str]:
    for name, value in part.items():
        if isinstance(value, Mapping) and _is_flat(value):
            yield f"{margin}{name}: " + ", ".join(f"{key} {one}" for key, one in value.items())
        elif isinstance(value, Mapping):
            yield f"{margin}{name}"
            yield from _lines(value, margin + "  ")
        else:
            yield f"{margin}{name}: {value}"


def _is_flat(part: Mapping[Any, Any]) -> bool:
    return not any(isinstance(value, Mapping) for value in part.values())
