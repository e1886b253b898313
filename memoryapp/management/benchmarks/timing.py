"""Interleaved timing. On a machine with other work a figure alone says little: ratios of neighbours in one run do."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median


@dataclass(frozen=True, slots=True)
class Case:
    """One way to do a thing. `call` takes the number of the round; `process` is whose CPU time counts (0: none)."""

    name: str
    call: Callable[[int], object]
    process: int = 0


@dataclass(slots=True)
class Timings:
    """Milliseconds of one case, in the order of the rounds; `cpu` those of its server process, summed over threads."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    def figures(self) -> dict[str, float]:
        """p50, p95, p99, the minimum, and the CPU time in the middle, in milliseconds."""
        return {
            "p50": _rounded(quantile(self.wall, 0.50)),
            "p95": _rounded(quantile(self.wall, 0.95)),
            "p99": _rounded(quantile(self.wall, 0.99)),
            "min": _rounded(min(self.wall)),
            "cpu": _rounded(median(self.cpu)) if self.cpu else 0.0,
        }


def quantile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]


WARM_UP = 15
"""Calls of every case before it counts: a connection plans its statements for good after ten."""


def interleave(cases: Sequence[Case], rounds: int, warm_up: int = WARM_UP) -> dict[str, Timings]:
    """Each round calls every case once, beginning with another one each time."""
    timings = {case.name: Timings() for case in cases}
    for number in range(-warm_up, rounds):
        for place in range(len(cases)):
            case = cases[(number + place) % len(cases)]
            before = cpu_of(case.process)
            started = time.perf_counter()
            case.call(number)
            wall = (time.perf_counter() - started) * 1000
            if number >= 0:
                timings[case.name].wall.append(wall)
                timings[case.name].cpu += [(cpu_of(case.process) - before) * 1000] if case.process else []
    return timings


def ratio(ours: Timings, theirs: Timings) -> dict[str, float]:
    """Ours by theirs: the middle of the rounds' own ratios, and that of the two minima and CPU times."""
    pairs = [mine / other for mine, other in zip(ours.wall, theirs.wall, strict=True)]
    ratios = {"paired": round(median(pairs), 2), "min": round(min(ours.wall) / min(theirs.wall), 2)}
    if ours.cpu and theirs.cpu and median(theirs.cpu):
        ratios["cpu"] = round(median(ours.cpu) / median(theirs.cpu), 2)
    return ratios


def cpu_of(process: int) -> float:
    """Seconds that all threads of a process have run (Linux), 0 for process 0."""
    if not process:
        return 0.0
    tasks = Path(f"/proc/{process}/task").glob("*/schedstat")
    return sum(int(text.split()[0]) for text in map(_read, tasks) if text) / 1e9


def memory_of(process: int) -> Mapping[str, float]:
    """Megabytes resident, and of them those that no other process shares (Linux)."""
    text = _read(Path(f"/proc/{process}/smaps_rollup"))
    kilobytes = {parts[0].rstrip(":"): int(parts[1]) for line in text.splitlines() if len(parts := line.split()) == 3}
    own = kilobytes.get("Private_Clean", 0) + kilobytes.get("Private_Dirty", 0)
    return {"resident": round(kilobytes.get("Rss", 0) / 1024, 1), "private": round(own / 1024, 1)}


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii")
    except OSError:  # a thread that ended meanwhile
        return ""


def _rounded(value: float) -> float:
    return round(value, 2)
