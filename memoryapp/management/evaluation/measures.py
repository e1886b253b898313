"""Figures over what ran: confusion of stages, cues, reach of the judge, escapes and over-blocks, right answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from memoryapp.management.evaluation.cases import LABELS, STAGES, GuardCase, WriteCase
from memoryapp.management.evaluation.scratch import Guarded, Ran

_USEFUL = ("write", "candidate")
_STOPS = ("secret.", "pii.", "machine_dump.", "prompt_injection.", "noise.")


@dataclass(frozen=True, slots=True)
class WriteResult:
    """A write case with what it led to. `faults` is empty when action, target and content are right."""

    case: WriteCase
    ran: Ran
    faults: tuple[str, ...]
    escaped: bool


@dataclass(frozen=True, slots=True)
class GuardResult:
    """A guard case with what it led to; `right` means stopped, or for `ok` let through unmarked."""

    case: GuardCase
    guarded: Guarded
    right: bool


@dataclass(frozen=True, slots=True)
class Share:
    """`part` of `whole`; its value is 1 when there is nothing to measure."""

    part: int
    whole: int

    @property
    def value(self) -> float:
        return self.part / self.whole if self.whole else 1.0

    def __str__(self) -> str:
        return f"{self.value:.3f} ({self.part}/{self.whole})"


@dataclass(frozen=True, slots=True)
class Figures:
    """All that is reported of one run of the cases."""

    shares: dict[str, Share] = field(default_factory=dict)
    matrix: dict[str, dict[str, int]] = field(default_factory=dict)
    categories: dict[str, Share] = field(default_factory=dict)
    guard: dict[str, Share] = field(default_factory=dict)


def judged(case: WriteCase, ran: Ran) -> WriteResult:
    faults = tuple(name for name, right in _CHECKS if not right(case, ran))
    escaped = case.expected.stage == "block" and ("content" in faults or _wrote_actively(case, ran))
    return WriteResult(case, ran, faults, escaped)


def guarded(case: GuardCase, outcome: Guarded) -> GuardResult:
    stopped = outcome.status != "active" or any(reason.startswith("secret.") for reason in outcome.reasons)
    flagged = any(reason.startswith(_STOPS) for reason in outcome.reasons)
    return GuardResult(case, outcome, not (stopped or flagged) if case.label == "ok" else stopped)


def _right_action(case: WriteCase, ran: Ran) -> bool:
    """Cases that accept only NONE accept a pending row with a reason as well; nothing written is NONE."""
    accept = case.expected.accept | ({"REVIEW"} if case.expected.accept == {"NONE"} else set())
    return (ran.actions or frozenset({"NONE"})) <= accept


def _right_target(case: WriteCase, ran: Ran) -> bool:
    everything = frozenset(each.id for each in case.existing)
    wanted = everything if "*" in case.expected.targets else case.expected.targets
    if not ran.actions & {"UPDATE", "DELETE"} or not wanted:
        return True
    return ran.touched == wanted


def _right_content(case: WriteCase, ran: Ran) -> bool:
    text = "\n".join(ran.written).casefold()
    says = not ran.written or all(
        any(each.casefold() in text for each in group) for group in case.expected.must_contain
    )
    kept = ran.stored if case.expected.guard == "secret" else ran.active
    return says and not any(each in one for each in case.expected.must_not_contain for one in kept)


def _nothing_lost(case: WriteCase, ran: Ran) -> bool:
    kept = "\n".join(ran.active).casefold()
    return all(each.casefold() in kept for each in case.expected.must_keep)


_CHECKS: tuple[tuple[str, Callable[[WriteCase, Ran], bool]], ...] = (
    ("action", _right_action),
    ("target", _right_target),
    ("content", _right_content),
    ("lost", _nothing_lost),
)


def _wrote_actively(case: WriteCase, ran: Ran) -> bool:
    return bool(ran.actions & {"ADD", "UPDATE"}) and not case.expected.accept & {"ADD", "UPDATE"}


def figures(writes: Sequence[WriteResult], guards: Sequence[GuardResult]) -> Figures:
    """Shares between 0 and 1. Junk is what should be dropped or blocked; useful is what should be written or judged."""
    counted = Figures(guard={label: _of(guards, label) for label in LABELS if _of(guards, label).whole})
    if writes:
        counted.shares.update(_stage_shares(writes))
        counted.matrix.update(_matrix(writes))
        for category in dict.fromkeys(result.case.category for result in writes):
            of_it = [not result.faults for result in writes if result.case.category == category]
            counted.categories[category] = _share(of_it)
    return counted


def _of(guards: Sequence[GuardResult], label: str) -> Share:
    return _share(result.right for result in guards if result.case.label == label)


def _share(values: Iterable[bool]) -> Share:
    counted = Counter(values)
    return Share(counted[True], counted[True] + counted[False])


def _stage_shares(writes: Sequence[WriteResult]) -> dict[str, Share]:
    pairs = [(result.case.expected.stage, result.ran.stage) for result in writes]
    junk = [result for result in writes if result.case.expected.stage not in _USEFUL]
    return {
        "right": _share(not result.faults for result in writes),
        "cue recall": _share(got == "write" for want, got in pairs if want == "write"),
        "cue precision": _share(want in _USEFUL for want, got in pairs if got == "write"),
        "cue precision, strict": _share(want == "write" for want, got in pairs if got == "write"),
        "candidate recall": _share(got in _USEFUL for want, got in pairs if want == "candidate"),
        "useful that reach the judge": _share(got in _USEFUL for want, got in pairs if want in _USEFUL),
        "junk that reaches the judge": _share(got in _USEFUL for want, got in pairs if want not in _USEFUL),
        "junk stored as active": _share(bool(result.ran.actions & {"ADD", "UPDATE"}) for result in junk),
        "escapes": _share(result.escaped for result in writes if result.case.expected.stage == "block"),
        "over-blocks": _share(got == "block" for want, got in pairs if want in _USEFUL),
    }


def _matrix(writes: Sequence[WriteResult]) -> dict[str, dict[str, int]]:
    counted = Counter((result.case.expected.stage, result.ran.stage) for result in writes)
    return {want: {got: counted[want, got] for got in STAGES} for want in STAGES}
