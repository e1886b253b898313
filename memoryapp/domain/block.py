"""The block that carries memories into a prompt: how it reads, what it costs, and why no memory can leave it."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cache
from typing import Protocol

from memoryapp.domain.messages import HEADERS, INJECTION_END, INJECTION_START, MORE, clean_text
from memoryapp.domain.tokens import Measure, measure, token_bound


class Format(StrEnum):
    LIST = "list"
    CARDS = "cards"
    JSON = "json"


class Line(Protocol):
    """What a line shows of an item. `line` is its content by `safe_line`, `cost` the measure of that."""

    @property
    def line(self) -> str: ...
    @property
    def cost(self) -> Measure: ...
    @property
    def label(self) -> str: ...
    @property
    def confidence(self) -> float: ...
    @property
    def scope(self) -> str: ...
    @property
    def said_at(self) -> datetime | None: ...
    @property
    def updated_at(self) -> datetime | None: ...


@dataclass(frozen=True, slots=True)
class Layout:
    """A format in a language (`zh`, else English)."""

    form: Format = Format.LIST
    language: str = "en"

    @property
    def header(self) -> str:
        return HEADERS["zh" if self.language == "zh" else "en"]

    @property
    def more(self) -> str:
        return MORE["zh" if self.language == "zh" else "en"]

    @property
    def frame_cost(self) -> int:
        """Tokens of a block around its lines; the breaks between its lines are counted."""
        brackets = 3 if self.form is Format.JSON else 0
        return sum(token_bound(line) + 1 for line in (INJECTION_START, self.header, INJECTION_END)) + brackets

    @property
    def more_cost(self) -> int:
        return token_bound(self.more) + 1

    def line(self, item: Line) -> str:
        if self.form is Format.JSON:
            return json.dumps(_card(item), ensure_ascii=False)
        if self.form is Format.CARDS:
            facts = [item.label, f"{item.confidence:.2f}", _date(item), _bare(item.scope)]
            return f"- [{' | '.join(fact for fact in facts if fact)}] {item.line}"
        return f"{_mark(item.label)}{item.line}"

    def cost(self, item: Line, line: str) -> Measure:
        """What the line of an item costs, without its break or comma."""
        return _cost_of_mark(item.label).plus(item.cost) if self.form is Format.LIST else measure(line)

    def bound(self, costs: Sequence[Measure], more: bool) -> int:
        """`token_bound` of the whole block of lines that cost this: a break or comma between two of them costs one."""
        if not costs:
            return 0
        frame = measure(self.block([""], more))
        narrow, wide, far = (sum(parts) for parts in zip(frame, *costs, strict=True))
        return Measure(narrow + len(costs) - 1, wide, far).bound

    def block(self, lines: Sequence[str], more: bool = False) -> str:
        """The whole block; empty without lines. `more` says that it holds a part only."""
        if not lines:
            return ""
        body = [f"[{', '.join(lines)}]"] if self.form is Format.JSON else list(lines)
        return "\n".join([INJECTION_START, self.header, *body, *([self.more] if more else []), INJECTION_END])


def _mark(label: str) -> str:
    return f"- [{label}] "


@cache
def _cost_of_mark(label: str) -> Measure:
    return measure(_mark(label))


def _card(item: Line) -> dict[str, object]:
    card: dict[str, object] = {"kind": item.label, "content": item.line}
    card |= {"confidence": round(item.confidence, 2), "date": _date(item)}
    return card | ({"scope": safe_line(item.scope)} if item.scope else {})


def _date(item: Line) -> str:
    known = item.said_at or item.updated_at
    return known.date().isoformat() if known else ""


def _bare(scope: str) -> str:
    """A label cannot end the brackets that it stands in, nor add a field."""
    return re.sub(r"[\[\]|【】［］｜]", " ", safe_line(scope)).strip()


_OWN_BRACKETS = re.compile(r"[<＜﹤《〈]|&lt;", re.IGNORECASE)
_TAG = re.compile(
    r"[<＜﹤](?=[\s/]*(?:system|assistant|user|human|developer|tool\w*|function\w*|memor\w*|context\w*|instructions?|prompt"
    r"|im_start|im_end|s|sys|\|[^<>|\n]{1,40}\|)\s*[\w\s=\"'-]{0,80}[>＞﹥])",
    re.IGNORECASE,
)
_FENCE = re.compile(r"`{3,}|~{3,}")
_TURN_MARK = re.compile(r"\[(/?)(INST|SYSTEM|SYS)\]", re.IGNORECASE)
_EXCHANGES = (
    (("```", "~~~"), _FENCE, "'''"),
    (("<", "＜", "﹤"), _TAG, "‹"),
    (("[",), _TURN_MARK, r"(\1\2)"),
)
"""What could pass for a turn or a fence: a cheap look, the pattern, what stands there instead."""


def safe_line(text: str) -> str:
    """The text on one line, without invisible characters, and unable to end our block or to pass for a turn.

    Where our markers' name stands in it, in whatever width or case, its angle brackets are exchanged; so are those of
    tags and turn marks that chat templates know. Code fences become plain quotes. Everything else stays as it was said.
    """
    flat = " ".join(clean_text(text).split())
    if "memoryapp" in unicodedata.normalize("NFKC", flat).casefold():
        flat = _OWN_BRACKETS.sub("‹", flat)
    for needles, pattern, plain in _EXCHANGES:
        if any(needle in flat for needle in needles):
            flat = pattern.sub(plain, flat)
    return flat
