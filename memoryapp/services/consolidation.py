"""Consolidation of a space: look, plan, log every step, then carry each out in a transaction of its own.

A step is logged before it is done and marked in the transaction that does it, so killing the worker at any line leaves
a library that is whole, and the next round plans what is left. The language model works outside every transaction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import F, Q
from django.utils import timezone

from accounts.actor import Actor, system_actor
from accounts.models import new_id
from memoryapp import audit
from memoryapp.domain.consolidation import (
    FEWEST_EPISODES,
    MOST_SHOWN,
    ConsolidationPlan,
    Fact,
    PlannedStep,
    StepKind,
    plan_consolidation,
    read_summaries,
    summaries_prompt,
)
from memoryapp.domain.errors import NotFound, ProviderError
from memoryapp.domain.guards import inspect_item
from memoryapp.domain.hashing import fingerprint, norm_hash
from memoryapp.domain.language import language_of
from memoryapp.domain.planned import CONFLICT
from memoryapp.domain.policy import Policy
from memoryapp.domain.tombstones import Standing, Wording
from memoryapp.domain.types import Door, Kind, Status
from memoryapp.domain.write_plan import PlannedText, WritePlan
from memoryapp.failpoints import failpoint
from memoryapp.keyring import tombstone_key
from memoryapp.models import ConsolidationRun, ConsolidationStep, Derivation, Evidence, MemoryItem, Space
from memoryapp.providers import registry
from memoryapp.providers.script_folding import to_simplified
from memoryapp.services.origins import Origin
from memoryapp.services.scope import tenant_scope
from memoryapp.services.spaces import active_policy, check_person, ensure_space, find_space, lock
from memoryapp.services.tombstones import graveyard
from memoryapp.services.vectors import embed_later, wake
from memoryapp.services.write_door import activate, apply_write_plan, change, seal

LEASE = timedelta(minutes=10)
LARGEST_SPACE = 20_000


@dataclass(frozen=True, slots=True)
class ConsolidationView:
    """A round as clients see it: `steps` with their state and reason, `skipped` names what was not looked at."""

    id: UUID | None
    state: str
    steps: tuple[tuple[str, tuple[UUID, ...], str, str], ...]
    skipped: tuple[str, ...]
    created_at: datetime | None = None
    finished_at: datetime | None = None


def preview(actor: Actor, person: str) -> ConsolidationView:
    """What a round would do without a language model; writes nothing."""
    whose = check_person(actor, person)
    with tenant_scope(actor):
        space = find_space(actor, "person", whose)
        steps = plan_consolidation(_facts(space)) if space else ()
        audit.record(
            actor, "consolidation.previewed", audit.Target("space", (space.pk,) if space else ()), person=whose
        )
    lines = tuple((s.kind.value, tuple(i for i, _ in s.members), "planned", "") for s in steps)
    return ConsolidationView(
        None, "planned", lines, ("llm_not_asked",) if registry.llm_configured() else ("llm_missing",)
    )


def start(actor: Actor, person: str) -> ConsolidationView:
    """Queue a round over a person's space; joins the one that is open."""
    whose = check_person(actor, person)
    with tenant_scope(actor):
        space = ensure_space(actor, "person", whose)
        run = _opened(actor, space)
        audit.record(actor, "consolidation.requested", audit.Target("consolidation", (run.pk,)), person=whose)
        wake("memoryapp.consolidate", actor.tenant_id, run.pk)
        return _view(run)


def status(actor: Actor, run_id: UUID) -> ConsolidationView:
    with tenant_scope(actor):
        run = ConsolidationRun.objects.filter(tenant_id=actor.tenant_id, pk=run_id).select_related("space").first()
        if run is None or (actor.user_key and run.space.key != actor.user_key):
            raise NotFound
        return _view(run)


def nightly(tenant_id: UUID) -> int:
    """Open rounds for the spaces that changed most since their last one; answers how many."""
    actor = system_actor(tenant_id, "consolidation")
    with tenant_scope(actor):
        changed = Space.objects.filter(tenant_id=tenant_id, revision__gt=F("consolidated_revision"))
        most = active_policy(actor).consolidation_spaces
        spaces = list(changed.order_by(F("consolidated_revision") - F("revision"), "pk")[:most])
        for space in spaces:
            wake("memoryapp.consolidate", tenant_id, _opened(actor, space).pk)
        return len(spaces)


def consolidate(tenant_id: UUID, run_id: UUID) -> None:
    """Carry one round out, if nobody else has it. A round whose worker died is planned anew."""
    actor = system_actor(tenant_id, "consolidation")
    claimed = _claimed(actor, run_id)
    if claimed is None:
        return
    failpoint("consolidation.claimed")
    run, space, policy, facts = claimed
    plan = _planned(actor, facts, policy)
    failpoint("consolidation.planned")
    steps = _logged(actor, run, plan)
    failpoint("consolidation.logged")
    for step in steps:
        _carry_out(actor, run, space, step)
        failpoint(f"consolidation.{step.kind}_done")
    _finish(actor, run, space, plan.skipped)


def _opened(actor: Actor, space: Space) -> ConsolidationRun:
    made = ConsolidationRun(tenant_id=actor.tenant_id, space=space)
    ConsolidationRun.objects.bulk_create([made], ignore_conflicts=True)
    return ConsolidationRun.objects.get(space=space, state__in=["pending", "running"])


def _claimed(actor: Actor, run_id: UUID) -> tuple[ConsolidationRun, Space, Policy, list[Fact]] | None:
    now = timezone.now()
    with tenant_scope(actor):
        free = Q(state="pending") | Q(state="running", lease_until__lt=now)
        mine = ConsolidationRun.objects.filter(free, pk=run_id)
        if not mine.update(state="running", attempt=F("attempt") + 1, lease_until=now + LEASE):
            return None
        run = ConsolidationRun.objects.select_related("space").get(pk=run_id)
        ConsolidationStep.objects.filter(run=run, state="planned").update(
            state="skipped", reason="planned_anew", content=""
        )
        return run, run.space, active_policy(actor), _facts(run.space)


def _facts(space: Space) -> list[Fact]:
    """The active and pending items of a space, each with the sessions and days that told it."""
    told: dict[UUID, set[str]] = {}
    rows = Evidence.objects.filter(item__space=space, item__status__in=[Status.ACTIVE, Status.PENDING])
    for item, session, said_at in rows.values_list("item_id", "session_id", "said_at"):
        told.setdefault(item, set()).add(f"{session} {said_at:%Y-%m-%d}")
    items = MemoryItem.objects.filter(space=space, status__in=[Status.ACTIVE, Status.PENDING]).order_by("id")
    return [
        Fact(
            i.pk,
            i.content,
            Kind(i.kind),
            i.scope,
            Status(i.status),
            i.importance,
            i.pinned,
            i.said_at,
            i.version,
            frozenset(told.get(i.pk, ())),
            i.pending_reason,
            i.conflicts_with_id,
        )
        for i in items[:LARGEST_SPACE]
    ]


def _planned(actor: Actor, facts: Sequence[Fact], policy: Policy) -> ConsolidationPlan:
    steps = plan_consolidation(facts)
    gone = {item for step in steps if step.kind is StepKind.MERGE for item, _ in step.members if item != step.target}
    with tenant_scope(actor):
        known = set(Derivation.objects.filter(relation="summarised").values_list("source_id", flat=True))
    episodes = [
        f
        for f in facts
        if f.kind is Kind.EVENT and f.status is Status.ACTIVE and f.id not in gone and f.id not in known
    ]
    if len(episodes) < FEWEST_EPISODES:
        return ConsolidationPlan(steps)
    summaries, skipped = _summaries(actor, episodes[-MOST_SHOWN:], policy)
    return ConsolidationPlan((*steps, *summaries), skipped)


def _summaries(
    actor: Actor, episodes: Sequence[Fact], policy: Policy
) -> tuple[tuple[PlannedStep, ...], tuple[str, ...]]:
    writer = registry.writer()
    if writer is None:
        return (), ("llm_missing",)
    with tenant_scope(actor):
        since = timezone.now() - timedelta(hours=20)
        spent = sum(ConsolidationRun.objects.filter(created_at__gte=since).values_list("llm_calls", flat=True))
    if spent >= policy.consolidation_llm_calls:
        return (), ("budget",)
    language = language_of(" ".join(f.content for f in episodes))
    try:
        answer = writer.write(summaries_prompt(episodes, language))
    except ProviderError:
        return (), ("llm_failed",)
    return read_summaries(answer, episodes, policy), ()


def _logged(actor: Actor, run: ConsolidationRun, plan: ConsolidationPlan) -> list[ConsolidationStep]:
    asked = registry.llm_configured() and "budget" not in plan.skipped
    with tenant_scope(actor):
        first = ConsolidationStep.objects.filter(run=run).count()
        rows = [
            ConsolidationStep(
                tenant_id=run.tenant_id,
                run=run,
                position=first + n,
                kind=step.kind,
                target_id=step.target,
                member_ids=[i for i, _ in step.members],
                member_versions=[v for _, v in step.members],
                content=step.content,
            )
            for n, step in enumerate(plan.steps)
        ]
        ConsolidationRun.objects.filter(pk=run.pk).update(llm_calls=F("llm_calls") + int(asked))
        return ConsolidationStep.objects.bulk_create(rows)


def _carry_out(actor: Actor, run: ConsolidationRun, space: Space, step: ConsolidationStep) -> None:
    """One step in one transaction: re-checked under the space's lock, done, and marked."""
    with tenant_scope(actor):
        lock(space.pk)
        policy, now = active_policy(actor), timezone.now()
        ConsolidationRun.objects.filter(pk=run.pk).update(lease_until=now + LEASE)
        versions = dict(zip(step.member_ids, step.member_versions, strict=True))
        items = list(MemoryItem.objects.filter(pk__in=versions).alive())
        if {i.pk: i.version for i in items} != versions:
            step.state, step.reason = "skipped", "changed"
        else:
            origin = Origin(space, Door.CONSOLIDATION, policy, now, space.key if space.kind == "person" else "")
            step.result_id, step.reason = _DO[StepKind(step.kind)](actor, step, items, origin)
            step.state = "done" if not step.reason else "skipped"
            failpoint(f"consolidation.{step.kind}_unmarked")
            seal()
        step.content = ""
        step.save(update_fields=["state", "reason", "result_id", "content"])
        failpoint(f"consolidation.{step.kind}_marked")


def _merge(
    actor: Actor, step: ConsolidationStep, items: Sequence[MemoryItem], origin: Origin
) -> tuple[UUID | None, str]:
    """The survivor keeps its own text; the others are superseded by it, with their evidence and history."""
    (survivor,) = [i for i in items if i.pk == step.target_id]
    others = [i for i in items if i.pk != step.target_id]
    survivor.importance = max(i.importance for i in items)
    change(actor, survivor, origin, ("importance",), "merged")
    failpoint("consolidation.merge_half")
    for other in others:
        other.status, other.superseded_by, other.valid_until = Status.SUPERSEDED, survivor, origin.now
        change(actor, other, origin, ("status",), "merged_away")
    _derive(survivor.pk, others, "merged")
    return survivor.pk, ""


def _promote(
    actor: Actor, step: ConsolidationStep, items: Sequence[MemoryItem], origin: Origin
) -> tuple[UUID | None, str]:
    item = items[0]
    activate(actor, item, origin)
    change(actor, item, origin, ("status",), "promoted")
    return item.pk, ""


def _raise_conflict(
    actor: Actor, step: ConsolidationStep, items: Sequence[MemoryItem], origin: Origin
) -> tuple[UUID | None, str]:
    (older,) = [i for i in items if i.pk == step.target_id]
    (newer,) = [i for i in items if i.pk != step.target_id]
    older.pending_reason, older.conflicts_with_id = CONFLICT, newer.pk
    change(actor, older, origin, ("pending_reason",), "conflict_raised")
    return older.pk, ""


def _summarise(
    actor: Actor, step: ConsolidationStep, items: Sequence[MemoryItem], origin: Origin
) -> tuple[UUID | None, str]:
    """A new semantic item beside its episodes, through the same guard and tombstones as every other text."""
    verdict = inspect_item(step.content, origin.policy)
    if verdict.refusal or verdict.confirm or verdict.quarantine:
        return None, verdict.refusal or "guard"
    text = _summary_text(verdict.text, items, origin)
    ruling = graveyard(origin.space).rule(Wording(text.content), text.said_at, False, to_simplified)
    if ruling.standing is not Standing.FREE:
        return None, str(ruling.standing)
    twin = MemoryItem.objects.saying(origin.space.pk, text.scope, text.norm_hash).alive().first()
    if twin is not None:
        return None, "duplicate"
    (entry,) = apply_write_plan(actor, WritePlan(adds=(text,)), origin)
    if entry.id is None:
        return None, entry.reason
    failpoint("consolidation.summarise_half")
    _derive(entry.id, items, "summarised")
    embed_later(actor)
    return entry.id, ""


def _summary_text(content: str, items: Sequence[MemoryItem], origin: Origin) -> PlannedText:
    return PlannedText(
        content=content,
        kind=Kind.NOTE,
        status=Status.ACTIVE,
        norm_hash=norm_hash(content, to_simplified),
        fingerprint=fingerprint(tombstone_key(origin.space.tenant_id, origin.space.pk), content, to_simplified),
        said_at=max(i.said_at for i in items),
        importance=max(i.importance for i in items),
        confidence=min(i.confidence for i in items),
        scope=items[0].scope,
        extractor="consolidation",
    )


def _derive(item: UUID, sources: Iterable[MemoryItem], relation: str) -> None:
    Derivation.objects.bulk_create(
        [Derivation(id=new_id(), tenant_id=s.tenant_id, item_id=item, source=s, relation=relation) for s in sources],
        ignore_conflicts=True,
    )


_DO = {
    StepKind.MERGE: _merge,
    StepKind.PROMOTE: _promote,
    StepKind.CONFLICT: _raise_conflict,
    StepKind.SUMMARISE: _summarise,
}


def _finish(actor: Actor, run: ConsolidationRun, space: Space, skipped: Sequence[str]) -> None:
    with tenant_scope(actor):
        counts = Counter(
            f"{kind}.{state}" for kind, state in ConsolidationStep.objects.filter(run=run).values_list("kind", "state")
        )
        Space.objects.filter(pk=space.pk).update(consolidated_revision=F("revision"))
        ConsolidationRun.objects.filter(pk=run.pk).update(
            state="succeeded",
            report={"counts": dict(counts), "skipped": list(skipped)},
            finished_at=timezone.now(),
            lease_until=None,
        )
        failpoint("consolidation.finish_open")
        person = space.key if space.kind == "person" else ""
        audit.record(actor, "consolidation.finished", audit.Target("consolidation", (run.pk,)), person=person)


def _view(run: ConsolidationRun) -> ConsolidationView:
    steps = ConsolidationStep.objects.filter(run=run).order_by("position")
    return ConsolidationView(
        run.pk,
        run.state,
        tuple((s.kind, tuple(s.member_ids), s.state, s.reason) for s in steps),
        tuple(run.report.get("skipped", ())),
        run.created_at,
        run.finished_at,
    )
