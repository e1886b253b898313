"""The committed cases against the pure rules: figures that may not fall. Fast, since nothing here needs a database."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from memoryapp.domain.admission import is_durable
from memoryapp.domain.cues import accepts_saving, find_cues, has_cue
from memoryapp.domain.evidence import silenced
from memoryapp.domain.guards import inspect, inspect_item
from memoryapp.domain.policy import DEFAULT_POLICY
from memoryapp.domain.types import CueKind, Role, Turn, Verdict
from memoryapp.management.evaluation.cases import GuardCase, WriteCase, read_cases

CASES = Path(__file__).parent / "cases"

STOPPED: dict[str, tuple[float, Callable[[Verdict], bool]]] = {
    "secret": (0.98, lambda verdict: bool(verdict.refusal or verdict.masked)),
    "pii": (0.96, lambda verdict: bool(verdict.refusal or verdict.masked or verdict.confirm)),
    "machine_dump": (0.95, lambda verdict: bool(verdict.refusal)),
    "injection": (0.95, lambda verdict: bool(verdict.refusal or verdict.quarantine)),
    "noise": (0.95, lambda verdict: bool(verdict.refusal)),
    "ok": (0.99, lambda verdict: verdict == Verdict(verdict.text)),
}
"""Least share of each class that must come out as it should, and what that is."""


@cache
def guard_cases() -> tuple[GuardCase, ...]:
    return tuple(case for case in read_cases(sorted(CASES.glob("guard*.jsonl"))) if isinstance(case, GuardCase))


@cache
def write_cases() -> tuple[WriteCase, ...]:
    return tuple(case for case in read_cases(sorted(CASES.glob("write*.jsonl"))) if isinstance(case, WriteCase))


def stage(case: WriteCase) -> str:
    """Where a conversation goes by the rules alone: what `evaluate write` sees through the real services."""
    turns = [Turn(role, text) for role, text in case.turns]
    silent = silenced(turns)
    heard = [(before.text, turn.text) for place, (before, turn) in enumerate(pairs(turns)) if place not in silent]
    kept = [(offer, text) for offer, said in heard for text in _kept(said, offer)]
    if any(has_cue(text) or accepts_saving(offer, text) for offer, text in kept):
        return "write"
    return "candidate" if any(is_durable(text) for _, text in kept) else "drop"


def pairs(turns: list[Turn]) -> list[tuple[Turn, Turn]]:
    """Each user turn with what an assistant said right before it; other turns hold no text here."""
    nothing = Turn(Role.ASSISTANT, "")
    users = [turn if turn.role is Role.USER else nothing for turn in turns]
    before = [nothing, *(turn if turn.role is Role.ASSISTANT else nothing for turn in turns)]
    return list(zip(before, users, strict=False))


def _kept(text: str, offer: str) -> list[str]:
    if accepts_saving(offer, text):
        return [text]
    if any(cue.kind is CueKind.DO_NOT_STORE for cue in find_cues(text)):
        return []
    verdict = inspect(text, DEFAULT_POLICY)
    return [] if verdict.refusal else [verdict.text]


@pytest.mark.parametrize("label", STOPPED)
def test_the_guard_keeps_its_figures(label: str) -> None:
    least, right = STOPPED[label]
    cases = [case for case in guard_cases() if case.label == label]
    wrong = [case.id for case in cases if not right(inspect_item(case.text, DEFAULT_POLICY))]
    assert len(cases) >= 20
    assert 1 - len(wrong) / len(cases) >= least, wrong


def test_a_stopped_secret_is_nowhere_in_what_is_kept() -> None:
    for case in guard_cases():
        if case.label == "secret":
            kept = inspect(case.text, DEFAULT_POLICY)
            assert kept.refusal or kept.text != case.text, case.id


def test_cues_keep_their_recall_and_precision() -> None:
    got = [(case.expected.stage, stage(case), case.id) for case in write_cases()]
    missed = [name for want, stage_, name in got if want == "write" and stage_ != "write"]
    false = [name for want, stage_, name in got if want != "write" and stage_ == "write"]
    heard = sum(want == stage_ == "write" for want, stage_, _ in got)
    assert heard / (heard + len(missed)) >= 0.98, missed
    assert heard / (heard + len(false)) >= 0.97, false


def test_what_is_useful_reaches_the_judge_and_junk_does_not() -> None:
    useful = [(stage(case), case.id) for case in write_cases() if case.expected.stage in ("write", "candidate")]
    junk = [(stage(case), case.id) for case in write_cases() if case.expected.stage in ("drop", "block")]
    lost = [name for got, name in useful if got == "drop"]
    through = [name for got, name in junk if got != "drop"]
    assert len(lost) / len(useful) <= 0.02, lost
    assert len(through) / len(junk) <= 0.08, through


@pytest.mark.parametrize(("file", "most"), [("write.jsonl", 0.05), ("write_fresh.jsonl", 0.08)])
def test_junk_of_each_file_is_dropped(file: str, most: float) -> None:
    """The fresh cases were written to be missed: the rules let more of them through."""
    junk = [case for case in read_cases([CASES / file]) if isinstance(case, WriteCase)]
    junk = [case for case in junk if case.expected.stage in ("drop", "block")]
    through = [case.id for case in junk if stage(case) != "drop"]
    assert len(through) / len(junk) <= most, through


def test_both_languages_stand_in_every_class_in_fair_shares() -> None:
    for name, cases in (("guard", guard_cases()), ("write", write_cases())):
        chinese = sum(case.language == "zh" for case in cases)
        assert 0.4 <= chinese / len(cases) <= 0.6, name
        assert len({case.id for case in cases}) == len(cases) >= 200
