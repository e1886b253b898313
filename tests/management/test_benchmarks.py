"""The benchmark's own arithmetic: what it reports must be what was measured."""

from __future__ import annotations

from uuid import uuid4

import pytest

from memoryapp.management.benchmarks.given_embedder import DIMENSIONS, GivenEmbedder, vector_of
from memoryapp.management.benchmarks.report import text_of
from memoryapp.management.benchmarks.same_sql import Statement, heart_of, statements_of
from memoryapp.management.benchmarks.tenants import filling_owners, measured_owners, question
from memoryapp.management.benchmarks.timing import Case, Timings, interleave, quantile, ratio
from memoryapp.services import changes, recall
from tests.cast import make_cast


def test_every_case_is_called_in_every_round_and_none_is_always_first() -> None:
    calls: list[tuple[str, int]] = []
    cases = [Case(name, lambda number, name=name: calls.append((name, number))) for name in "abc"]  # type: ignore[misc]
    timings = interleave(cases, rounds=6, warm_up=3)
    assert all(len(one.wall) == 6 for one in timings.values())
    assert sorted(calls) == sorted((name, number) for name in "abc" for number in range(-3, 6))
    firsts = [calls[3 * place][0] for place in range(9)]
    assert set(firsts) == {"a", "b", "c"}


def test_a_ratio_pairs_the_rounds_so_that_a_busy_moment_counts_for_both() -> None:
    ours, theirs = Timings(wall=[2.0, 20.0, 2.0]), Timings(wall=[1.0, 10.0, 2.0])
    assert ratio(ours, theirs) == {"paired": 2.0, "min": 2.0}


def test_quantiles_are_values_that_were_measured() -> None:
    values = [float(n) for n in range(1, 101)]
    assert (quantile(values, 0.5), quantile(values, 0.95), quantile(values, 1.0)) == (51.0, 96.0, 100.0)


@pytest.mark.parametrize("rows", [3_870, 93_870])
def test_owners_are_skewed_and_add_up(rows: int) -> None:
    owners = filling_owners(rows, 0)
    assert rows - 100 < sum(owner.size for owner in owners) <= rows
    assert len({owner.space_id for owner in owners}) == len(owners)
    assert max(owner.size for owner in owners) == (5_000 if rows > 50_000 else 100)
    assert [owner.size for owner in measured_owners(uuid4(), (30, 100))] == [30, 100]


def test_given_vectors_depend_on_the_text_only() -> None:
    vector = GivenEmbedder().embed_query(question(1))
    assert len(vector) == DIMENSIONS
    assert vector == vector_of(question(1)) != vector_of(question(2))
    assert sum(value * value for value in vector) == pytest.approx(1, abs=0.01)


@pytest.mark.django_db
def test_the_statement_that_the_minimal_view_runs_is_the_one_of_the_search() -> None:
    cast = make_cast()
    changes.add(cast.agent, "alice", changes.NewItem("Likes jazz."))
    heart = heart_of(lambda: recall.search(cast.agent, "alice", "jazz"))
    assert "<=>" in heart.sql and heart.values
    everything = statements_of(lambda: recall.search(cast.agent, "alice", "jazz"))
    assert heart.sql in [one.sql for one in everything] and len(everything) > 1
    assert all(isinstance(one, Statement) and one.seconds > 0 for one in everything)


def test_the_report_says_every_figure() -> None:
    text = text_of({"total 10": {"search": {100: {"ms": {"p50": 1.5, "min": 1.0}}}}, "memory": {"resident": 7}})
    assert text.splitlines() == ["total 10", "  search", "    100", "      ms: p50 1.5, min 1.0", "memory: resident 7"]
