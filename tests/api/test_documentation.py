"""docs/api.md and the code say the same."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from memoryapp.api.problems import FAILURES, PROBLEMS
from tests.api.test_charlie import OPEN, routes

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "api.md").read_text("utf-8")


def test_every_code_is_documented_with_its_status_and_meaning() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (\d{3}) \| (.+) \|$", PAGE, re.M)
    assert {code: (int(status), title) for code, status, title in rows} == dict(PROBLEMS)


def test_every_reason_of_a_failed_event_is_documented() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (\D.+) \|$", PAGE.partition("## Reasons of failed events")[2], re.M)
    assert dict(rows) == dict(FAILURES)


def test_every_failure_that_a_provider_can_report_is_in_the_table() -> None:
    found = set()
    for file in (ROOT / "memoryapp").rglob("*.py"):
        for call in (n for n in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(n, ast.Call)):
            name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
            first = call.args[0].value if call.args and isinstance(call.args[0], ast.Constant) else None
            if name in ("ProviderError", "EndpointError") and isinstance(first, str):
                found.add(first)
            if name in ("_error", "_code") and file.name == "endpoint.py" and isinstance(first, str):
                found |= {f"llm_{first}", f"embedding_{first}"}
    assert "llm_timeout" in found
    never_ends_a_run = {"rerank_invalid"}
    assert found - never_ends_a_run <= set(FAILURES)


def test_every_route_is_named_on_the_page() -> None:
    for route, _ in routes():
        if route in OPEN:
            continue
        words = [w for w in re.sub(r"<[^>]*>|\(.*?\)\)?", "", route.split("(")[0]).split("/") if w]
        assert all(word in PAGE for word in words), route
    assert all(verb in PAGE for verb in ("restore", "confirm", "reject", "pause", "resume"))
