"""Faults that a pattern can have without failing to compile."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any

from memoryapp import domain
from memoryapp.domain.scripts import simplified


def patterns(value: object, depth: int = 0) -> Iterator[str]:
    if isinstance(value, re.Pattern):
        yield str(value.pattern)
    elif depth < 4 and isinstance(value, dict):
        yield from (each for part in value.values() for each in patterns(part, depth + 1))
    elif depth < 4 and isinstance(value, tuple | list):
        yield from (each for part in value for each in patterns(part, depth + 1))


def test_no_bound_of_a_pattern_was_eaten_by_an_f_string() -> None:
    for module in pkgutil.iter_modules(domain.__path__):
        for name, value in vars(importlib.import_module(f"memoryapp.domain.{module.name}")).items():
            broken = [each for each in patterns(value) if re.search(r"\(\d+, \d+\)", each)]
            assert not broken, f"{module.name}.{name}"


def test_folding_of_scripts_keeps_offsets() -> None:
    text = "請記住：我對蝦過敏，別忘記 abc"
    assert simplified(text).startswith("请记住：我对") and len(simplified(text)) == len(text)
    assert simplified("plain") == "plain" and simplified("简体") == "简体"


MANY = 20
"""Repeats from which a repeat within a repeat costs a noticeable time when the whole does not match."""


def parts(item: tuple[Any, Any]) -> list[Any]:
    """The sequences within one item of a parsed pattern."""
    kind, value = item
    if kind is sre.BRANCH:
        return list(value[1])
    if kind in (sre.MAX_REPEAT, sre.MIN_REPEAT):
        return [value[2]]
    return [value[-1]] if kind is sre.SUBPATTERN else [value[1]] if kind in (sre.ASSERT, sre.ASSERT_NOT) else []


def repeats(item: tuple[Any, Any]) -> bool:
    return item[0] in (sre.MAX_REPEAT, sre.MIN_REPEAT) and item[1][1] >= MANY


def nested(sequence: Any) -> Iterator[str]:
    """Repeats of something that may be one repeat and nothing else, (a+|b)+: a text is cut in exponentially many ways."""
    for item in sequence:
        for part in parts(item):
            yield from nested(part)
            yield from (str(each) for each in choices(part) if repeats(item) and is_one_repeat(each))


def choices(sequence: Any) -> Iterator[Any]:
    inner = parts(sequence[0]) if len(sequence) == 1 and not repeats(sequence[0]) else []
    yield from (each for part in inner for each in choices(part)) if inner else (sequence,)


def is_one_repeat(sequence: Any) -> bool:
    return len(sequence) == 1 and repeats(sequence[0])


def test_no_pattern_repeats_a_repeat() -> None:
    assert list(nested(_parser.parse(r"x(?:(?:a+|bc)|d)+")))
    for module in pkgutil.iter_modules(domain.__path__):
        for name, value in vars(importlib.import_module(f"memoryapp.domain.{module.name}")).items():
            found = [each for pattern in patterns(value) for each in nested(_parser.parse(pattern))]
            assert not found, f"{module.name}.{name}: {found[0]}"
