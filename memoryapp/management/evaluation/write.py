"""`manage.py evaluate write`: case files through the real write path, with a stub in place of the judge."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from django.core.management.base import CommandError, CommandParser, OutputWrapper

from memoryapp.management.evaluation import measures
from memoryapp.management.evaluation.cases import STAGES, Case, CaseError, GuardCase, WriteCase, read_cases
from memoryapp.management.evaluation.judges import NAMES, StubJudge
from memoryapp.management.evaluation.measures import Figures, GuardResult, WriteResult
from memoryapp.management.evaluation.scratch import run_guard_case, run_write_case
from memoryapp.providers import registry

HELP = "Run write-path and guard cases (JSON lines) through the real services, and count what goes right."


def add_arguments(parser: CommandParser) -> None:
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="case files, one JSON object a line")
    parser.add_argument(
        "--judge",
        choices=NAMES,
        default="none",
        help="none: the rules alone; yes: adds every sentence; no: never adds; oracle: knows the right answer; "
        "malformed: prose and half JSON",
    )
    parser.add_argument("--json", type=Path, metavar="OUT", help="write figures and single results to this file")
    parser.add_argument("--quiet", action="store_true", help="leave out the list of faults")


def run(options: Mapping[str, object], stdout: OutputWrapper) -> None:
    """Run all cases of the files. Raises CommandError for a file or line that is no case."""
    files = options["files"]
    try:
        cases = read_cases([Path(str(each)) for each in files] if isinstance(files, list) else [])
    except CaseError as error:
        raise CommandError(str(error)) from error
    writes, guards = run_cases(cases, str(options["judge"]))
    figures = measures.figures(writes, guards)
    for line in _report(figures, () if options["quiet"] else _faults(writes, guards)):
        stdout.write(line)
    if options["json"]:
        report = _as_json(str(options["judge"]), figures, writes, guards)
        Path(str(options["json"])).write_text(json.dumps(report, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def run_cases(cases: tuple[Case, ...], judge_name: str) -> tuple[list[WriteResult], list[GuardResult]]:
    """Results in the order of the cases, write cases and guard cases apart."""
    judge = StubJudge(judge_name)
    with registry.judged_by(judge):
        writes = [measures.judged(each, run_write_case(each, judge)) for each in cases if isinstance(each, WriteCase)]
        guards = [measures.guarded(each, run_guard_case(each)) for each in cases if isinstance(each, GuardCase)]
    return writes, guards


def _report(figures: Figures, faults: Iterator[str] | tuple[()]) -> Iterator[str]:
    if figures.matrix:
        yield "expected \\ got  " + "".join(f"{stage:>11}" for stage in STAGES)
        for want, row in figures.matrix.items():
            yield f"{want:<16}" + "".join(f"{row[got]:>11}" for got in STAGES)
        yield ""
    for title, table in (("", figures.shares), ("right by category", figures.categories), ("guard", figures.guard)):
        if table and title:
            yield f"-- {title}"
        yield from (f"{name:<30} {share}" for name, share in table.items())
        if table:
            yield ""
    yield from faults


def _faults(writes: list[WriteResult], guards: list[GuardResult]) -> Iterator[str]:
    for each in writes:
        ran, wanted = each.ran, each.case.expected
        if each.faults or ran.stage != wanted.stage:
            wrong = ", ".join(each.faults) or "stage"
            got = f"{'+'.join(sorted(ran.actions)) or 'NONE'} at {ran.stage}"
            yield f"{each.case.id}: {wrong}: {wanted.action} at {wanted.stage} wanted, {got} {', '.join(ran.reasons)}"
    for guard in guards:
        if not guard.right:
            reasons = ", ".join(guard.guarded.reasons)
            yield f"{guard.case.id}: {guard.case.label} ({guard.case.kind}) is {guard.guarded.status} {reasons}"


def _as_json(judge: str, figures: Figures, writes: list[WriteResult], guards: list[GuardResult]) -> dict[str, object]:
    def table(shares: Mapping[str, measures.Share]) -> dict[str, dict[str, float]]:
        return {name: {"value": each.value, "part": each.part, "whole": each.whole} for name, each in shares.items()}

    return {
        "judge": judge,
        "figures": table(figures.shares),
        "stages": figures.matrix,
        "categories": table(figures.categories),
        "guard": table(figures.guard),
        "cases": [*map(_write_row, writes), *map(_guard_row, guards)],
    }


def _write_row(each: WriteResult) -> dict[str, object]:
    return {
        "id": each.case.id,
        "category": each.case.category,
        "stage": {"expected": each.case.expected.stage, "got": each.ran.stage},
        "actions": sorted(each.ran.actions),
        "faults": list(each.faults),
        "escaped": each.escaped,
        "reasons": list(each.ran.reasons),
    }


def _guard_row(each: GuardResult) -> dict[str, object]:
    return {
        "id": each.case.id,
        "label": each.case.label,
        "kind": each.case.kind,
        "status": each.guarded.status,
        "right": each.right,
        "reasons": list(each.guarded.reasons),
    }
