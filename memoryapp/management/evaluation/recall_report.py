"""The report of a recall evaluation as lines, Markdown or HTML, with a bar chart drawn here (SVG, no script)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from memoryapp.management.evaluation.recall_figures import Figure

BAR, GAP, WIDTH, LABEL = 14, 10, 420, 170
COLOURS = ("#1f6f8b", "#c05621")


@dataclass(frozen=True, slots=True)
class SetReport:
    """Figures of one set under one setting."""

    name: str
    setting: str
    questions: int
    memories: int
    quality: Mapping[str, Figure]
    categories: Mapping[str, tuple[int, float]]
    use: Mapping[str, float]
    milliseconds: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """nDCG@10 of the second setting minus the first."""

    name: str
    difference: Figure


def lines(reports: Sequence[SetReport], comparisons: Sequence[Comparison]) -> Iterator[str]:
    for report in reports:
        yield f"{report.name}  {report.setting}  {report.questions} questions, {report.memories} memories"
        yield from (f"  {name:<24} {value}" for name, value in report.quality.items())
        yield from (f"  {name:<24} {value:.4f}  ({count})" for name, (count, value) in report.categories.items())
        yield from (f"  {name:<24} {value:.3f}" for name, value in report.use.items())
        yield f"  {'milliseconds a search':<24} {report.milliseconds:.1f}"
    yield from (f"{c.name}  second minus first, nDCG@10: {c.difference}" for c in comparisons)


def as_json(reports: Sequence[SetReport], comparisons: Sequence[Comparison]) -> dict[str, object]:
    return {
        "sets": [
            {
                "name": r.name,
                "setting": r.setting,
                "questions": r.questions,
                "memories": r.memories,
                "quality": {n: {"value": f.value, "low": f.low, "high": f.high} for n, f in r.quality.items()},
                "categories": {n: {"questions": c, "nDCG@10": v} for n, (c, v) in r.categories.items()},
                "use": dict(r.use),
                "milliseconds": r.milliseconds,
            }
            for r in reports
        ],
        "comparisons": [
            {"name": c.name, "value": c.difference.value, "low": c.difference.low, "high": c.difference.high}
            for c in comparisons
        ],
    }


def chart(reports: Sequence[SetReport]) -> str:
    """One bar of nDCG@10 for each set and setting, with its interval as a line."""
    settings = list(dict.fromkeys(r.setting for r in reports))
    height = len(reports) * (BAR + GAP) + 30
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LABEL + WIDTH + 80} {height}" role="img" '
        f'aria-label="nDCG@10 of each set" font-family="sans-serif" font-size="11">'
    ]
    for number, report in enumerate(reports):
        figure, top = report.quality["nDCG@10"], number * (BAR + GAP) + 10
        colour = COLOURS[settings.index(report.setting) % len(COLOURS)]
        middle = top + BAR / 2
        label = escape(f"{report.name} · {report.setting}")
        parts += [
            f'<text x="{LABEL - 8}" y="{middle + 4}" text-anchor="end">{label}</text>',
            f'<rect x="{LABEL}" y="{top}" width="{figure.value * WIDTH:.1f}" height="{BAR}" fill="{colour}"/>',
            f'<line x1="{LABEL + figure.low * WIDTH:.1f}" x2="{LABEL + figure.high * WIDTH:.1f}" '
            f'y1="{middle}" y2="{middle}" stroke="#222"/>',
            f'<text x="{LABEL + WIDTH + 6}" y="{middle + 4}">{figure.value:.3f}</text>',
        ]
    return "\n".join([*parts, "</svg>"])


def markdown(reports: Sequence[SetReport], comparisons: Sequence[Comparison]) -> str:
    measures = list(reports[0].quality) if reports else []
    rows = [
        "| set | setting | " + " | ".join(measures) + " |",
        "|---" * (len(measures) + 2) + "|",
        *(
            f"| {r.name} | {r.setting} | " + " | ".join(f"{r.quality[m].value:.3f}" for m in measures) + " |"
            for r in reports
        ),
    ]
    changes = [f"- {c.name}: {c.difference}" for c in comparisons]
    more = ["", "## Second minus first, nDCG@10", "", *changes] if changes else []
    detail = ["", "## In full", "", "```", *lines(reports, comparisons), "```"]
    return "\n".join(["# Recall", "", *rows, *more, "", chart(reports), *detail, ""])


def html(reports: Sequence[SetReport], comparisons: Sequence[Comparison]) -> str:
    measures = list(reports[0].quality) if reports else []
    head = "".join(f"<th>{escape(m)}</th>" for m in measures)
    body = "".join(
        f"<tr><td>{escape(r.name)}</td><td>{escape(r.setting)}</td>"
        + "".join(f"<td>{r.quality[m].value:.3f}</td>" for m in measures)
        + "</tr>"
        for r in reports
    )
    detail = escape("\n".join(lines(reports, comparisons)))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Recall</title></head><body>\n'
        f"<h1>Recall</h1>\n{chart(reports)}\n<table><thead><tr><th>set</th><th>setting</th>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table>\n<pre>{detail}</pre>\n</body></html>\n"
    )
