"""Forgetting by policy: what is little used and old leaves the reach of recall, step by step, never what is pinned.

active → archived → forgotten; what is forgotten is erased when its trash period ends.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from memoryapp.domain.policy import Policy
from memoryapp.domain.types import Kind, Status

HALF_LIFE_DAYS: Mapping[str, int] = {
    Kind.PROFILE: 730,
    Kind.PREFERENCE: 365,
    Kind.INSTRUCTION: 365,
    Kind.DECISION: 180,
    Kind.LESSON: 180,
    Kind.PROJECT: 90,
    Kind.NOTE: 60,
    Kind.EVENT: 14,
}
"""Days after which an unused memory of that kind counts half; a policy's `half_life_days` overrides single kinds."""

USE_WEIGHT = 0.1
NOTED_FACTORS: Mapping[str, float] = {"helpful": 1.5, "wrong": 0.25, "outdated": 0.25}
"""What a person's or an agent's newest note on an item does to its score."""


class Reason(StrEnum):
    LITTLE_USED = "little_used"
    ARCHIVED_LONG_AGO = "archived_long_ago"
    OVER_LIMIT = "over_limit"


@dataclass(frozen=True, slots=True)
class Aged:
    """What ageing looks at. `last_used` is the latest of creation, change and use; `uses` counts recalls; `note` is
    the newest feedback (`helpful`, `wrong`, `outdated` or empty)."""

    id: UUID
    kind: str
    status: str
    importance: float
    pinned: bool
    last_used: datetime
    status_since: datetime
    uses: int = 0
    note: str = ""
    review_after: datetime | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One proposed change of status, with the score (0–1) that led to it."""

    id: UUID
    after: Status
    score: float
    reason: Reason


@dataclass(frozen=True, slots=True)
class AgeingPlan:
    """`steps` are carried out; `suggestions` are over the space's limit and only shown: a limit never locks."""

    steps: tuple[Step, ...] = ()
    suggestions: tuple[Step, ...] = ()


def retention_score(item: Aged, now: datetime, policy: Policy) -> float:
    """importance × 0.5^(days since last use ÷ half-life of the kind) × (1 + 0.1 × uses), moved by the newest note; 0–1.

    The formula is the one of FEATURES E4; the half-life of semantic kinds is longer than that of events.
    """
    days = max((now - item.last_used).total_seconds() / 86_400, 0.0)
    half_life = policy.half_life_days.get(item.kind, HALF_LIFE_DAYS[item.kind])
    kept = item.importance * 0.5 ** (days / half_life) * (1 + USE_WEIGHT * item.uses)
    return float(min(kept * NOTED_FACTORS.get(item.note, 1.0), 1.0))


def plan_ageing(items: Sequence[Aged], now: datetime, policy: Policy) -> AgeingPlan:
    """Which items of one space take their next step. Pinned ones and those with a review still to come never do."""
    movable = [item for item in items if not item.pinned and not (item.review_after and item.review_after > now)]
    steps = tuple(step for item in movable if (step := _step(item, now, policy)))
    moved = {step.id for step in steps}
    active = [item for item in items if item.status == Status.ACTIVE and item.id not in moved]
    return AgeingPlan(steps, _over_limit(active, now, policy))


def _step(item: Aged, now: datetime, policy: Policy) -> Step | None:
    score = retention_score(item, now, policy)
    days = (now - item.status_since).total_seconds() / 86_400
    if item.status == Status.ACTIVE and policy.archive_below > 0 and score < policy.archive_below:
        return Step(item.id, Status.ARCHIVED, score, Reason.LITTLE_USED)
    waited = policy.forget_archived_days > 0 and days >= policy.forget_archived_days
    if item.status == Status.ARCHIVED and waited:
        return Step(item.id, Status.FORGOTTEN, score, Reason.ARCHIVED_LONG_AGO)
    return None


def _over_limit(active: Sequence[Aged], now: datetime, policy: Policy) -> tuple[Step, ...]:
    extra = len(active) - policy.space_limit if policy.space_limit else 0
    if extra <= 0:
        return ()
    scored = sorted((retention_score(i, now, policy), str(i.id), i.id) for i in active if not i.pinned)
    return tuple(Step(item, Status.ARCHIVED, score, Reason.OVER_LIMIT) for score, _, item in scored[:extra])
