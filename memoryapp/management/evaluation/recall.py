"""`manage.py evaluate recall`: sets of memories and questions through the real write door and the real search."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path

from django.core.management.base import CommandError, CommandParser, OutputWrapper

from accounts.actor import Actor
from memoryapp.domain.ranking import Fusion, Weights
from memoryapp.management.evaluation import recall_figures as figures
from memoryapp.management.evaluation import recall_report as report
from memoryapp.management.evaluation.recall_figures import Ranking
from memoryapp.management.evaluation.recall_sets import Loaded, Query, RecallSet, SetError, VectorCache, load, read_sets
from memoryapp.management.evaluation.scratch import scratch_tenant
from memoryapp.services import injection, recall

HELP = "Measure search on sets (memories.jsonl, queries.jsonl) loaded into a scratch tenant that is gone afterwards."
DEPTH = max(figures.DEPTHS)
NAMED: Mapping[str, Weights] = {
    "weighted": Weights(),
    "rrf": Weights(fusion=Fusion.RRF),
    "words": Weights(meaning=0.0, words=1.0),
    "meaning": Weights(meaning=1.0, words=0.0),
    "plain": Weights(date=0.0, episode=0.0, beside=0.0, answer=0.0, advice=0.0, speaker=0.0, question=0.0, brief=0.0),
}


def add_arguments(parser: CommandParser) -> None:
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR", help="a set, or a folder of sets")
    known = ", ".join(NAMED)
    parser.add_argument(
        "--compare",
        nargs=2,
        metavar=("A", "B"),
        help=f"two settings side by side: {known}, or like `words=0.5,date=0`",
    )
    parser.add_argument("--half", type=int, choices=(0, 1), help="only the questions of one half (by hash of the id)")
    parser.add_argument(
        "--contexts", type=int, default=20, help="questions of each set that get a context (default 20)"
    )
    parser.add_argument("--cache", type=Path, metavar="FILE", help="keep vectors of memories between runs")
    parser.add_argument("--json", nargs="?", const="-", metavar="OUT", help="figures as JSON, to a file or the output")
    parser.add_argument("--report", type=Path, metavar="OUT", help="a readable report: .html, or Markdown")


def run(options: Mapping[str, object], stdout: OutputWrapper) -> None:
    """Run all sets. Raises CommandError for a folder that is no set or a setting that is none."""
    folders, compared = options["folders"], options["compare"]
    try:
        sets = read_sets([Path(str(f)) for f in folders] if isinstance(folders, list) else [])
    except SetError as error:
        raise CommandError(str(error)) from error
    names = [str(name) for name in compared] if isinstance(compared, list) else ["weighted"]
    settings = {name: setting_of(name) for name in names}
    half, contexts = options["half"], int(str(options["contexts"]))
    cache = VectorCache(Path(str(options["cache"])) if options["cache"] else None)
    try:
        measured = [_measured(each, settings, half, contexts, cache) for each in sets]
    finally:
        cache.close()
    reports = [one for found, _ in measured for one in found]
    comparisons = [one for _, one in measured if one is not None]
    _tell(options, stdout, reports, comparisons)


def setting_of(name: str) -> Weights:
    """A named setting, or changes of the default such as `words=0.5,date=0`."""
    if name in NAMED:
        return NAMED[name]
    numbers = {f.name for f in fields(Weights) if f.name != "fusion"}
    changed: dict[str, float] = {}
    for part in name.split(","):
        key, _, value = part.partition("=")
        if key not in numbers:
            raise CommandError(
                f"{name} is no setting: {', '.join(NAMED)}, or {', '.join(sorted(numbers))} with numbers."
            )
        try:
            changed[key] = float(value)
        except ValueError as error:
            raise CommandError(f"{part}: {value!r} is no number.") from error
    return replace(Weights(), **changed)  # type: ignore[arg-type]


def _measured(
    wanted: RecallSet, settings: Mapping[str, Weights], half: object, contexts: int, cache: VectorCache
) -> tuple[list[report.SetReport], report.Comparison | None]:
    queries = [q for q in wanted.queries if half is None or q.half == half]
    with scratch_tenant() as actor:
        loaded = load(actor, wanted, cache)
        noise = {m.person: frozenset[str]() for m in wanted.memories}
        noise |= {p: frozenset(m.id for m in wanted.memories if m.person == p and m.noise) for p in noise}
        rankings: dict[str, list[Ranking]] = {}
        seconds: dict[str, float] = {}
        for name, weights in settings.items():
            started = time.perf_counter()
            rankings[name] = [_asked(actor, loaded, q, weights, noise.get(q.person, frozenset())) for q in queries]
            seconds[name] = time.perf_counter() - started
        first = next(iter(rankings))
        rankings[first][:contexts] = [
            _with_context(actor, q, r) for q, r in zip(queries[:contexts], rankings[first], strict=False)
        ]
    reports = [_set_report(wanted, name, found, seconds[name]) for name, found in rankings.items()]
    if len(rankings) < 2:
        return reports, None
    one, other = rankings.values()
    return reports, report.Comparison(wanted.name, figures.difference(one, other))


def _asked(actor: Actor, loaded: Loaded, query: Query, weights: Weights, noise: frozenset[str]) -> Ranking:
    answer = recall.answer(actor, query.person, query.text, recall.Wanted(top_k=DEPTH, weights=weights))
    return Ranking(
        query.id,
        query.category,
        loaded.of(query.person, query.gold),
        loaded.of(query.person, query.stale),
        loaded.of(query.person, noise),
        tuple(hit.item.id for hit in answer.hits),
    )


def _with_context(actor: Actor, query: Query, ranking: Ranking) -> Ranking:
    given = injection.context(actor, query.person, query=query.text)
    return replace(ranking, context=tuple(item.id for item in given.items), tokens=given.tokens)


def _set_report(wanted: RecallSet, setting: str, rankings: Sequence[Ranking], seconds: float) -> report.SetReport:
    return report.SetReport(
        wanted.name,
        setting,
        len(rankings),
        len(wanted.memories),
        figures.quality(rankings),
        figures.by_category(rankings),
        figures.use(rankings),
        1_000 * seconds / max(len(rankings), 1),
    )


def _tell(
    options: Mapping[str, object],
    stdout: OutputWrapper,
    reports: Sequence[report.SetReport],
    comparisons: Sequence[report.Comparison],
) -> None:
    told = json.dumps(report.as_json(reports, comparisons), ensure_ascii=False, indent=1)
    if options["json"] == "-":
        stdout.write(told)
    else:
        for line in report.lines(reports, comparisons):
            stdout.write(line)
        if options["json"]:
            Path(str(options["json"])).write_text(told + "\n", encoding="utf-8")
    if options["report"]:
        target = Path(str(options["report"]))
        render = report.html if target.suffix == ".html" else report.markdown
        target.write_text(render(reports, comparisons), encoding="utf-8")
