"""`manage.py evaluate recall`: what it prints, what it refuses, and the bar that our own sets must hold."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from uuid import UUID

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from memoryapp.management.evaluation import recall_figures as figures
from memoryapp.management.evaluation.recall import setting_of
from memoryapp.management.evaluation.recall_figures import Ranking
from memoryapp.models import MemoryItem

OWN = settings.BASE_DIR / "benchmarks" / "recall"
BARS = {"own_zh": 0.891, "own_en": 0.878, "own_turns": 0.696, "own_tastes": 0.528}
"""Measured (0.911, 0.898, 0.716 and 0.548) less 0.02."""


def evaluated(*arguments: str) -> dict[str, object]:
    out = StringIO()
    call_command("evaluate", "recall", *arguments, "--json", stdout=out)
    found: dict[str, object] = json.loads(out.getvalue())
    return found


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """Three memories, two with one text and one without a date, and two questions."""
    memories = [
        {"user_id": "u", "memory_id": "1", "text": "阿禾在学皮划艇", "created_at": "2031-02-03", "kind": "爱好"},
        {"user_id": "u", "memory_id": "2", "text": "阿禾在学皮划艇", "created_at": "2031-02-04"},
        {"user_id": "u", "memory_id": "3", "text": "The boiler is checked in May", "kind": "event"},
    ]
    queries = [
        {"user_id": "u", "query_id": "a", "query": "谁在学皮划艇？", "gold": ["2"], "category": "fact"},
        {"user_id": "u", "query_id": "b", "query": "When is the boiler checked?", "gold": ["3"], "category": "date"},
    ]
    for name, rows in (("memories", memories), ("queries", queries)):
        lines = [json.dumps(row, ensure_ascii=False) for row in rows]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path


@pytest.mark.django_db
@pytest.mark.parametrize("name", BARS)
def test_our_own_sets_stay_above_their_bar(name: str) -> None:
    (told,) = evaluated(str(OWN / name), "--contexts", "3")["sets"]  # type: ignore[misc]
    assert told["questions"] >= 60
    assert told["memories"] >= 60
    assert told["quality"]["nDCG@10"]["value"] >= BARS[name]


@pytest.mark.django_db
def test_equal_texts_are_one_answer_and_nothing_stays_behind(small: Path) -> None:
    (told,) = evaluated(str(small))["sets"]  # type: ignore[misc]
    assert told["quality"]["recall@1"]["value"] == 1
    assert set(told["categories"]) == {"fact", "date"}
    assert told["use"]["tokens a context"] > 0
    assert MemoryItem.objects.count() == 0


@pytest.mark.django_db
def test_two_settings_stand_side_by_side_in_a_readable_report(small: Path, tmp_path: Path) -> None:
    for name in ("report.html", "report.md"):
        target = tmp_path / name
        call_command(
            "evaluate",
            "recall",
            str(small),
            "--compare",
            "rrf",
            "words=0.5",
            "--report",
            str(target),
            stdout=StringIO(),
        )
        text = target.read_text(encoding="utf-8")
        assert "<svg" in text
        assert "rrf" in text
        assert "words=0.5" in text
        assert "style=" not in text


def test_a_folder_without_a_set_and_an_unknown_setting_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="memories"):
        call_command("evaluate", "recall", str(tmp_path), stdout=StringIO())
    with pytest.raises(CommandError, match="sugar"):
        setting_of("sugar=1")
    (tmp_path / "memories.jsonl").write_text("{]\n", encoding="utf-8")
    with pytest.raises(CommandError, match=r"memories\.jsonl:1"):
        call_command("evaluate", "recall", str(tmp_path), stdout=StringIO())


def test_figures_count_as_the_books_say() -> None:
    a, b, c, d = (UUID(int=n) for n in range(4))
    ranking = Ranking("q", "all", frozenset({a, b}), frozenset({d}), frozenset(), (c, a, d, b))
    assert figures.recall_at(1)(ranking) == 0
    assert figures.recall_at(5)(ranking) == 1
    assert figures.reciprocal_rank(ranking) == 0.5
    assert figures.ndcg(ranking) == pytest.approx((1 / 1.58496 + 1 / 2.32193) / (1 + 1 / 1.58496), abs=1e-4)
    assert figures.stale_first(ranking) == 0
    assert figures.stale_first(Ranking("q", "all", frozenset({a}), frozenset({d}), frozenset(), (d, a))) == 1
    spread = figures.figure([0.0, 1.0] * 50)
    assert spread.low < spread.value == 0.5 < spread.high
