"""Faults that a pattern can have without failing to compile."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator

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
