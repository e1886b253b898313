"""Ageing, pure: the score falls by half each half-life, use and importance hold it up, and what is pinned stays."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from memoryapp.domain.errors import DomainError
from memoryapp.domain.forgetting import HALF_LIFE_DAYS, Aged, Reason, plan_ageing, retention_score
from memoryapp.domain.policy import DEFAULT_POLICY, from_mapping
from memoryapp.domain.types import Kind, Status

NOW = datetime(2026, 5, 4, tzinfo=UTC)


def item(days: float, number: int = 1, **fields: object) -> Aged:
    then = NOW - timedelta(days=days)
    return replace(Aged(UUID(int=number), Kind.NOTE, Status.ACTIVE, 0.5, False, then, then), **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", list(Kind))
def test_every_kind_has_a_half_life_and_counts_half_after_it(kind: Kind) -> None:
    fresh, old = (retention_score(item(d, kind=kind), NOW, DEFAULT_POLICY) for d in (0, HALF_LIFE_DAYS[kind]))
    assert old == pytest.approx(fresh / 2)


def test_an_event_is_archived_long_before_a_preference() -> None:
    event, preference = item(120, 1, kind=Kind.EVENT), item(120, 2, kind=Kind.PREFERENCE)
    (step,) = plan_ageing([event, preference], NOW, DEFAULT_POLICY).steps
    assert (step.id, step.after, step.reason) == (event.id, Status.ARCHIVED, Reason.LITTLE_USED)


def test_use_importance_and_notes_move_the_score_within_0_and_1() -> None:
    base = retention_score(item(30), NOW, DEFAULT_POLICY)
    assert retention_score(item(30, uses=10), NOW, DEFAULT_POLICY) == pytest.approx(2 * base)
    assert retention_score(item(30, importance=1.0), NOW, DEFAULT_POLICY) == pytest.approx(2 * base)
    assert retention_score(item(30, note="wrong"), NOW, DEFAULT_POLICY) < base
    assert retention_score(item(0, uses=1000, importance=1.0), NOW, DEFAULT_POLICY) == 1.0


def test_what_is_pinned_or_waits_for_its_review_stays() -> None:
    kept = [item(9999, 1, pinned=True), item(9999, 2, review_after=NOW + timedelta(days=1))]
    assert plan_ageing(kept, NOW, DEFAULT_POLICY).steps == ()


def test_an_archived_item_is_forgotten_only_when_the_policy_says_so() -> None:
    archived = item(400, status=Status.ARCHIVED)
    assert plan_ageing([archived], NOW, DEFAULT_POLICY).steps == ()
    (step,) = plan_ageing([archived], NOW, from_mapping(2, {"forget_archived_days": 90})).steps
    assert step.after is Status.FORGOTTEN


def test_a_limit_suggests_the_least_useful_and_locks_nothing() -> None:
    items = [item(days, number) for number, days in enumerate((1, 30, 60, 90), start=1)]
    plan = plan_ageing(items, NOW, from_mapping(2, {"space_limit": 3}))
    assert plan.steps == ()
    assert [s.id for s in plan.suggestions] == [UUID(int=4)]


@pytest.mark.parametrize("bad", [{"half_life_days": {"mood": 3}}, {"half_life_days": {"note": 0}}])
def test_a_policy_with_an_impossible_half_life_is_refused(bad: dict[str, object]) -> None:
    with pytest.raises(DomainError):
        from_mapping(2, bad)
