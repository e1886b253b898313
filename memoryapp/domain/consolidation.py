"""Consolidation: paraphrases become one, contradictions are raised, episodes gain a summary that keeps them linked.

Planning is pure and repeatable: planning again after half of a plan was carried out yields the other half. Distinct
facts never grow together: a merge keeps the text of one of its members, word for word.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from memoryapp.domain.language import language_of
from memoryapp.domain.paraphrase import Gist, gist, line_key, same_fact
from memoryapp.domain.policy import Policy
from memoryapp.domain.types import Kind, Status

FEWEST_EPISODES = 3
"""Episodes that a summary must stand on."""
MOST_SHOWN = 60
MOST_SUMMARIES = 5
_NEGATIONS = frozenset(
    [
        "不再",
        "不是",
        "不用",
        "不要",
        "不能",
        "不会",
        "不",
        "没",
        "没有",
        "未",
        "别",
        "勿",
        "莫",
        "无",
        "非",
        "禁止",
        "拒绝",
        "避免",
        "停止",
        "取消",
        "讨厌",
        "反对",
        "not",
        "never",
        "no",
        "nor",
        "none",
        "without",
        "stop",
        "stops",
        "stopped",
        "avoid",
        "avoids",
        "avoided",
        "hate",
        "hates",
        "dislike",
        "dislikes",
        "cannot",
        "n't",
        "n’t",
    ]
)
_NEGATING_WORDS = (
    frozenset(
        [
            "不",
            "没",
            "未",
            "别",
            "勿",
            "莫",
            "无",
            "非",
            "再",
            "是",
            "用",
            "要",
            "能",
            "会",
            "有",
            "t",
            "don",
            "doesn",
            "didn",
            "isn",
            "aren",
            "won",
            "can",
        ]
    )
    | _NEGATIONS
)
"""What a negation leaves among the words of a gist."""
_FIGURE_OR_NAME = re.compile(r"\d+(?:[.:/-]\d+)*|\b[A-Z][\w.-]+|[A-Za-z]+[_./-][\w./-]+")


class StepKind(StrEnum):
    MERGE = "merge"
    PROMOTE = "promote"
    CONFLICT = "conflict"
    SUMMARISE = "summarise"


@dataclass(frozen=True, slots=True)
class Fact:
    """One item as consolidation sees it. `sources` are the sessions and days that it was said in."""

    id: UUID
    content: str
    kind: Kind
    scope: str
    status: Status
    importance: float
    pinned: bool
    said_at: datetime
    version: int
    sources: frozenset[str] = frozenset()
    pending_reason: str = ""
    conflicts_with: UUID | None = None
    """The item that it was found to contradict, decided about or not."""


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """`target` is the survivor of a merge, the promoted item, or the older side of a conflict; `members` are all items
    concerned, with the versions that were looked at, so that a step over changed items is left out."""

    kind: StepKind
    target: UUID | None
    members: tuple[tuple[UUID, int], ...]
    content: str = ""


@dataclass(frozen=True, slots=True)
class ConsolidationPlan:
    """`skipped` names what was not looked at and why (`llm_missing`, `llm_failed`, `budget`)."""

    steps: tuple[PlannedStep, ...] = ()
    skipped: tuple[str, ...] = ()


def plan_consolidation(facts: Sequence[Fact]) -> tuple[PlannedStep, ...]:
    """What can be decided without a language model, over one space's active and pending items."""
    gists = {fact.id: gist(fact.content) for fact in facts}
    active = [fact for fact in facts if fact.status is Status.ACTIVE]
    merges = [_merge(group) for group in _groups(active, gists) if len(group) > 1]
    gone = {item for step in merges for item, _ in step.members if item != step.target}
    left = [fact for fact in active if fact.id not in gone]
    promotions = [_step(StepKind.PROMOTE, fact, fact) for fact in facts if _ripe(fact)]
    return (*merges, *promotions, *_conflicts(left, gists))


def _groups(facts: Sequence[Fact], gists: Mapping[UUID, Gist]) -> list[list[Fact]]:
    """Complete linkage: a fact joins a group only when it says the same as every member, so that nothing drifts."""
    groups: dict[tuple[object, ...], list[list[Fact]]] = {}
    for fact in sorted(facts, key=lambda f: f.id):
        one = gists[fact.id]
        room = groups.setdefault((fact.scope, fact.kind, language_of(fact.content), one.turns, one.content), [])
        home = next((g for g in room if all(_same(fact, other, gists) for other in g)), None)
        if home is None:
            room.append([fact])
        else:
            home.append(fact)
    return [group for room in groups.values() for group in room]


def _same(a: Fact, b: Fact, gists: Mapping[UUID, Gist]) -> bool:
    return line_key(a.content) == line_key(b.content) or same_fact(gists[a.id], gists[b.id])


def _merge(group: Sequence[Fact]) -> PlannedStep:
    survivor = max(group, key=lambda f: (f.pinned, len(f.sources), f.said_at, f.id))
    return PlannedStep(StepKind.MERGE, survivor.id, tuple((f.id, f.version) for f in group))


def _step(kind: StepKind, target: Fact, *members: Fact) -> PlannedStep:
    return PlannedStep(kind, target.id, tuple((f.id, f.version) for f in members))


def _ripe(fact: Fact) -> bool:
    """A candidate that two independent sources told; what waits for consent waits on."""
    return fact.status is Status.PENDING and fact.pending_reason == "below_threshold" and len(fact.sources) >= 2


def _conflicts(facts: Sequence[Fact], gists: Mapping[UUID, Gist]) -> list[PlannedStep]:
    """Pairs that say the same but for a negation: shown to the person, decided by nobody else."""
    found = []
    rooms: dict[tuple[str, frozenset[str]], list[Fact]] = {}
    for fact in facts:
        topic = gists[fact.id].content - _NEGATING_WORDS
        if len(topic) >= 2 and not fact.pending_reason:
            rooms.setdefault((fact.scope, topic), []).append(fact)
    for room in rooms.values():
        ordered = sorted(room, key=lambda f: (f.said_at, f.id))
        for older, newer in zip(ordered, ordered[1:], strict=False):
            differing = set(gists[older.id].turns) ^ set(gists[newer.id].turns)
            known = older.conflicts_with == newer.id or newer.conflicts_with == older.id
            if differing and differing <= _NEGATIONS and not known:
                found.append(_step(StepKind.CONFLICT, older, older, newer))
    return found


_ASK: Mapping[str, str] = {
    "zh": (
        "下面是同一个人的若干经历，每行一个编号。若至少三条共同说明一件稳定的事（习惯、偏好、反复出现的情况），"
        "写成一句话的概括。只用这些行里的内容，名称和数字逐字保留，不要猜测。"
        '只输出 JSON：{"summaries": [{"ids": [0, 2, 5], "content": "……"}]}；没有就输出 {"summaries": []}。'
    ),
    "en": (
        "Below are experiences of one person, one numbered line each. Where at least three of them together show one "
        "stable thing (a habit, a preference, a recurring situation), write it as one sentence. Use only what the lines "
        "say, keep names and figures verbatim, guess nothing. Answer with JSON only: "
        '{"summaries": [{"ids": [0, 2, 5], "content": "…"}]}, or {"summaries": []} when there is none.'
    ),
}


def summaries_prompt(episodes: Sequence[Fact], language: str) -> list[dict[str, str]]:
    """The messages that ask a language model what episodes have in common."""
    lines = "\n".join(
        f"[{n}] {fact.said_at:%Y-%m-%d} {' '.join(fact.content.split())}" for n, fact in enumerate(episodes)
    )
    return [{"role": "system", "content": _ASK["zh" if language == "zh" else "en"]}, {"role": "user", "content": lines}]


def read_summaries(answer: str, episodes: Sequence[Fact], policy: Policy) -> tuple[PlannedStep, ...]:
    """The usable summaries of an answer. What names unknown lines, too few of them, another language, or figures and
    names that no line holds is dropped: a summary may leave out, never add."""
    found = []
    for entry in _entries(answer):
        members = _members(entry.get("ids"), episodes)
        content = " ".join(str(entry.get("content") or "").split())
        if len(members) >= FEWEST_EPISODES and _stands_on(content, members, policy):
            found.append(PlannedStep(StepKind.SUMMARISE, None, tuple((f.id, f.version) for f in members), content))
    return tuple(found[:MOST_SUMMARIES])


def _entries(answer: str) -> list[Mapping[str, object]]:
    match = re.search(r"\{.*\}", answer, re.DOTALL)
    try:
        read = json.loads(match.group()) if match else {}
    except (ValueError, RecursionError):
        return []
    summaries = read.get("summaries") if isinstance(read, Mapping) else None
    return [entry for entry in summaries if isinstance(entry, Mapping)] if isinstance(summaries, list) else []


def _members(numbers: object, episodes: Sequence[Fact]) -> tuple[Fact, ...]:
    if not isinstance(numbers, list):
        return ()
    known = {n for n in numbers if isinstance(n, int) and not isinstance(n, bool) and 0 <= n < len(episodes)}
    return tuple(episodes[n] for n in sorted(known)) if len(known) == len(numbers) else ()


def _stands_on(content: str, members: Sequence[Fact], policy: Policy) -> bool:
    told = "\n".join(fact.content for fact in members)
    if not policy.min_length <= len(content) <= policy.max_length or len(content) >= len(told):
        return False
    first, *rest = _FIGURE_OR_NAME.findall(content) or [""]
    opening = [] if content.startswith(first) and first.isalpha() else [first]
    invented = [word for word in (*opening, *rest) if word not in told]
    return not invented and language_of(content) == language_of(told)
