"""The committed cases against rules and classifiers, which were mended by them and learnt from them, and those that are
held back: figures that may not fall. Fast, since nothing here needs a database.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from memoryapp.domain.admission import is_durable
from memoryapp.domain.guards import inspect, inspect_item
from memoryapp.domain.offers import accepts_saving
from memoryapp.domain.policy import DEFAULT_POLICY
from memoryapp.domain.silence import Wish, asks_at_once, heard, silence, wants_silence
from memoryapp.domain.types import Role, Turn, Verdict
from memoryapp.management.evaluation.cases import GuardCase, WriteCase, read_cases

CASES = Path(__file__).parent / "cases"

STOPPED: dict[str, tuple[float, Callable[[Verdict], bool]]] = {
    "secret": (0.98, lambda verdict: bool(verdict.refusal or verdict.masked)),
    "pii": (0.96, lambda verdict: bool(verdict.refusal or verdict.masked or verdict.confirm)),
    "machine_dump": (0.95, lambda verdict: bool(verdict.refusal)),
    "injection": (0.95, lambda verdict: bool(verdict.refusal or verdict.quarantine)),
    "noise": (0.95, lambda verdict: bool(verdict.refusal or verdict.confirm)),
    "ok": (0.99, lambda verdict: verdict == Verdict(verdict.text)),
}
"""Least share of each class that must come out as it should, and what that is."""


def learnt_from(family: str) -> list[Path]:
    """The files by which rules were mended and classifiers taught: all but the one that is held back."""
    return [file for file in sorted(CASES.glob(f"{family}*.jsonl")) if not file.stem.endswith("_held")]


@cache
def guard_cases() -> tuple[GuardCase, ...]:
    return tuple(case for case in read_cases(learnt_from("guard")) if isinstance(case, GuardCase))


@cache
def write_cases() -> tuple[WriteCase, ...]:
    return tuple(case for case in read_cases(learnt_from("write")) if isinstance(case, WriteCase))


def stage(case: WriteCase) -> str:
    """Where a conversation goes by the rules alone: what `evaluate write` sees through the real services."""
    turns = [Turn(role, text) for role, text in case.turns]
    silent = silence(turns)
    told = [
        (before.text, turn.text, place in silent.likely)
        for place, (before, turn) in enumerate(pairs(turns))
        if place not in silent.sure
    ]
    kept = [(offer, text, doubted) for offer, said, doubted in told for text in _kept(said, offer)]
    if any(asks_at_once(text, doubted=doubted) or accepts_saving(offer, text) for offer, text, doubted in kept):
        return "write"
    return "candidate" if any(is_durable(text) for _, text, _ in kept) else "drop"


def pairs(turns: list[Turn]) -> list[tuple[Turn, Turn]]:
    """Each user turn with what an assistant said right before it; other turns hold no text here."""
    nothing = Turn(Role.ASSISTANT, "")
    users = [turn if turn.role is Role.USER else nothing for turn in turns]
    before = [nothing, *(turn if turn.role is Role.ASSISTANT else nothing for turn in turns)]
    return list(zip(before, users, strict=False))


def _kept(text: str, offer: str) -> list[str]:
    if accepts_saving(offer, text):
        return [text]
    if wants_silence(text):
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
    """Where a case has a value of a published format (`{+}` splits it in the files), no piece of it is left."""
    marked = {
        row["id"]: row["text"]
        for file in learnt_from("guard")
        for row in map(json.loads, file.read_text().splitlines())
    }
    looked_for = 0
    for case in guard_cases():
        kept = inspect(case.text, DEFAULT_POLICY)
        if case.label == "secret" and (kept.masked or kept.refusal):
            for before, after in _SPLIT.findall(marked[case.id]):
                looked_for += 1
                assert before + after not in kept.text, case.id
    assert looked_for >= 40


_SPLIT = re.compile(r"([\w-]*)\{\+\}([\w-]{12,})")


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


# What strangers wrote and nothing learns from: the bars are lower, and say how new text is met.

HELD: dict[str, dict[str, float]] = {
    "guard_held.jsonl": {
        "secret": 0.93,
        "pii": 0.90,
        "machine_dump": 0.92,
        "injection": 0.86,
        "noise": 0.85,
        "ok": 0.96,
    },
    "guard_g_held.jsonl": {
        "secret": 0.96,
        "pii": 0.92,
        "machine_dump": 0.90,
        "injection": 0.90,
        "noise": 0.85,
        "ok": 0.99,
    },
}
"""The first is harder than what people mostly write; the second is of ordinary difficulty, with our goals as its bars."""


@pytest.mark.parametrize(("file", "label"), [(file, label) for file, bars in HELD.items() for label in bars])
def test_the_guard_meets_texts_that_nothing_learnt_from(file: str, label: str) -> None:
    _, right = STOPPED[label]
    cases = [case for case in read_cases([CASES / file]) if isinstance(case, GuardCase) and case.label == label]
    wrong = [case.id for case in cases if not right(inspect_item(case.text, DEFAULT_POLICY))]
    assert len(cases) >= 25
    assert 1 - len(wrong) / len(cases) >= HELD[file][label], wrong


@pytest.mark.parametrize(
    ("file", "heard", "lost", "through"),
    [
        ("write_held.jsonl", 0.89, 0.08, 0.24),
        ("write_g_held.jsonl", 0.90, 0.08, 0.20),
        ("write_j_held.jsonl", 0.95, 0.05, 0.20),
    ],
)
def test_requests_and_facts_that_nothing_learnt_from_are_heard(
    file: str, heard: float, lost: float, through: float
) -> None:
    cases = [case for case in read_cases([CASES / file]) if isinstance(case, WriteCase)]
    stages = [(case.expected.stage, stage(case)) for case in cases]
    asked = [got for want, got in stages if want == "write"]
    useful = [got for want, got in stages if want in ("write", "candidate")]
    junk = [got for want, got in stages if want in ("drop", "block")]
    assert asked.count("write") / len(asked) >= heard
    assert useful.count("drop") / len(useful) <= lost
    assert 1 - junk.count("drop") / len(junk) <= through
    assert junk.count("write") / len(junk) <= 0.08


def wish_of(case: WriteCase) -> Wish:
    return heard(next(text for role, text in case.turns if role is Role.USER)).wish


def test_of_wishes_not_to_store_hardly_any_is_left_to_the_judge() -> None:
    cases = [case for case in read_cases([CASES / "write_silence.jsonl"]) if isinstance(case, WriteCase)]
    wishes = [(wish_of(case), case.id) for case in cases if case.category == "do_not_store"]
    active = [name for wish, name in wishes if wish is Wish.NONE]
    waiting = [name for wish, name in wishes if wish is Wish.LIKELY]
    assert len(wishes) >= 250
    assert len(active) / len(wishes) <= 0.01, active
    assert len(waiting) / len(wishes) <= 0.08, waiting


def test_hardly_anything_else_is_taken_for_a_wish_not_to_store() -> None:
    """Harmless texts and the single messages of useful conversations, those that are held back among them."""
    files = [*learnt_from("guard"), CASES / "guard_held.jsonl", *learnt_from("write"), CASES / "write_held.jsonl"]
    cases = read_cases(files)
    texts = [case.text for case in cases if isinstance(case, GuardCase) and case.label == "ok"]
    texts += [case.turns[0][1] for case in cases if isinstance(case, WriteCase) and _is_useful_alone(case)]
    wishes = [heard(text).wish for text in texts]
    assert len(wishes) >= 2_000
    assert wishes.count(Wish.SURE) / len(wishes) <= 0.003
    assert wishes.count(Wish.LIKELY) / len(wishes) <= 0.02


def _is_useful_alone(case: WriteCase) -> bool:
    return len(case.turns) == 1 and case.turns[0][0] is Role.USER and case.expected.stage in ("write", "candidate")
