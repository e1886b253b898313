"""Explicit requests through the real services with a judge that never answers: the rules alone honour them."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoryapp.management.evaluation.cases import WriteCase, read_cases
from memoryapp.management.evaluation.write import run_cases

pytestmark = pytest.mark.django_db

CASES = Path(__file__).parent / "cases"
FILE, LOSS = CASES / "write_fresh.jsonl", CASES / "write_loss_held.jsonl"
LEAST = 0.72
"""Share of the explicit requests of `wl`, a strangers batch and its probes that must come out right."""

LEAST_OF_LOSS = 0.5
"""Share of the conversations about combined and similar items that come out right in every respect without a judge."""


def test_without_a_judge_requests_are_honoured_and_junk_is_not_stored() -> None:
    cases = [case for case in read_cases([FILE]) if isinstance(case, WriteCase) and case.id.startswith("wl-")]
    results, _ = run_cases(tuple(case for case in cases if case.expected.stage != "candidate"), "no")
    asked = [each for each in results if each.case.expected.stage == "write"]
    wrong = [each.case.id for each in asked if each.faults]
    stored = [each.case.id for each in results if each not in asked and each.ran.actions & {"ADD", "UPDATE", "DELETE"}]
    assert len(asked) >= 150
    assert 1 - len(wrong) / len(asked) >= LEAST, wrong
    assert stored == []


def test_nothing_is_lost_that_nobody_asked_to_lose() -> None:
    """Corrections and wishes over items that say several things, or speak of one of two."""
    cases = tuple(case for case in read_cases([LOSS]) if isinstance(case, WriteCase))
    assert len(cases) >= 60 and all(case.expected.must_keep for case in cases)
    results, _ = run_cases(cases, "no")
    assert [each.case.id for each in results if "lost" in each.faults] == []
    right = sum(not each.faults for each in results)
    assert right / len(results) >= LEAST_OF_LOSS
