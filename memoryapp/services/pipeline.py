"""Extraction: claim a run, look, judge, decide, embed, then write in one short transaction.

No LLM or embedding call happens inside a transaction. A run is claimed by conditional update, its lease ends a dead
claim, the attempt number fences the final write, and a changed revision means looking and judging again.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import DatabaseError, connection
from django.utils import timezone

from accounts.actor import Actor, system_actor
from memoryapp import audit
from memoryapp.domain.errors import InvalidAnswer, ProviderError
from memoryapp.domain.extraction import JudgeRequest
from memoryapp.domain.language import language_of
from memoryapp.domain.policy import Policy
from memoryapp.domain.statements import explicit_statements
from memoryapp.domain.types import Action, Answer, Door, Judgement, Kind, Operation, Role, RunState, Shown, Status, Turn
from memoryapp.domain.write_plan import Ground, WritePlan, grams, plan
from memoryapp.keyring import tombstone_key
from memoryapp.models import MemoryItem, Message, Run, Space
from memoryapp.providers import registry
from memoryapp.providers.script_folding import to_simplified
from memoryapp.services.events import stored_entry
from memoryapp.services.results import Entry
from memoryapp.services.scope import tenant_scope
from memoryapp.services.spaces import active_policy, lock
from memoryapp.services.vectors import embed_later, wake
from memoryapp.services.write_door import Origin, Said, apply_write_plan, tombstones_of

SHOWN_STATUSES = (Status.ACTIVE, Status.PENDING, Status.PAUSED)


class RevisionChanged(Exception):
    """Somebody wrote into the space between looking and writing."""


class FenceLost(Exception):
    """Another attempt owns the run now; this one may not write."""


@dataclass(frozen=True, slots=True)
class _Snapshot:
    """What one judgement looks at, all values."""

    run: Run
    person: str
    space: Space
    revision: int
    policy: Policy
    turns: tuple[Turn, ...]
    said: tuple[Said, ...]
    shown: tuple[Shown, ...]
    tombstones: dict[bytes, datetime]


def extract(tenant_id: UUID, run_id: UUID) -> None:
    """Bring one run to an outcome, if it is due and nobody else has it. A vanished run is fine."""
    actor = system_actor(tenant_id, "extractor")
    claim = _claim(actor, run_id)
    if claim is None:
        return
    attempt, lost = claim
    try:
        if lost and attempt > settings.MEMORYAPP.run_attempts:
            raise ProviderError("worker_lost", "Its workers ended before it did, again and again.", transient=False)
        _judged_and_written(actor, run_id, attempt)
    except ProviderError as error:
        _put_back(actor, run_id, attempt, error)
    except DatabaseError:
        _put_back(actor, run_id, attempt, ProviderError("database", "The database refused.", transient=True))
        raise
    except FenceLost:
        return


def _claim(actor: Actor, run_id: UUID) -> tuple[int, bool] | None:
    """Take the run when it is due or its lease ended.

    Answers the attempt number, which fences the write, and whether the attempt before was lost with its worker.
    """
    now = timezone.now()
    lease = now + timedelta(seconds=settings.MEMORYAPP.run_lease_seconds)
    with tenant_scope(actor), connection.cursor() as cursor:
        cursor.execute(
            "UPDATE memoryapp_run SET state = 'running', attempt = attempt + 1, lease_until = %s, "
            "error_code = CASE state WHEN 'running' THEN 'worker_lost' ELSE '' END WHERE id = %s AND tenant_id = %s AND "
            "((state = 'pending' AND due_at <= %s) OR (state = 'running' AND lease_until < %s)) "
            "RETURNING attempt, error_code <> ''",
            [lease, run_id, actor.tenant_id, now, now],
        )
        row = cursor.fetchone()
    return (int(row[0]), bool(row[1])) if row else None


def _judged_and_written(actor: Actor, run_id: UUID, attempt: int) -> None:
    with tenant_scope(actor):
        attempts = active_policy(actor).rejudge_attempts
    for _ in range(attempts):
        with tenant_scope(actor):
            look = _look(actor, run_id)
        judgement = _judge(look)
        decided = _decide(look, judgement)
        vectors, warnings = _vectors(decided)
        try:
            _finish(actor, look, attempt, judgement, decided, vectors, warnings)
        except RevisionChanged:
            continue
        return
    raise ProviderError("conflict", "The space kept changing.", transient=True)


def _look(actor: Actor, run_id: UUID) -> _Snapshot:
    run = Run.objects.select_related("target_space", "space", "session").get(pk=run_id)
    messages = list(Message.objects.filter(run=run).order_by("position"))
    space = run.target_space
    return _Snapshot(
        run=run,
        person=run.space.key,
        space=space,
        revision=space.revision,
        policy=active_policy(actor),
        turns=tuple(_turn(m) for m in messages),
        said=tuple(Said(m.role, m.said_at, m.pk, m.speaker, m.offset_minutes) for m in messages),
        shown=_shown(space),
        tombstones=tombstones_of(space),
    )


def _turn(message: Message) -> Turn:
    return Turn(
        role=Role(message.role),
        text=message.text,
        id=str(message.pk),
        speaker=message.speaker,
        said_at=message.said_at,
        said_at_known=message.said_at_known,
        cue=message.cue,
    )


def _shown(space: Space) -> tuple[Shown, ...]:
    rows = MemoryItem.objects.filter(space=space, status__in=[s.value for s in SHOWN_STATUSES]).order_by("id")
    return tuple(
        Shown(
            number=number,
            id=i.pk,
            content=i.content,
            kind=Kind(i.kind),
            status=Status(i.status),
            scope=i.scope,
            subject=i.subject,
            predicate=i.predicate,
            object=i.object,
            norm_hash=bytes(i.norm_hash),
            said_at=i.said_at,
            pinned=i.pinned,
            importance=i.importance,
            content_version=i.version,
        )
        for number, i in enumerate(rows)
    )


def _judge(look: _Snapshot) -> Judgement:
    """Ask the judge; only user turns can found a fact, so without one nobody is asked."""
    if not any(t.role is Role.USER and t.text for t in look.turns):
        return Judgement(Answer(), "none")
    language = language_of(" ".join(t.text for t in look.turns if t.role is Role.USER))
    request = JudgeRequest(look.turns, look.shown, Door(look.run.door), "zh" if language == "zh" else "en")
    extractor = registry.extractor()
    try:
        return extractor.judge(request)
    except InvalidAnswer as error:
        if look.run.attempt < 2:
            raise ProviderError(error.code, error.detail, transient=True) from error
        return Judgement(Answer(rejected=(error.code,)), extractor.name, extractor.model)
    except ProviderError as error:
        if error.transient and look.run.attempt < settings.MEMORYAPP.run_attempts:
            raise
        return Judgement(Answer(rejected=(error.code,)), extractor.name, extractor.model)


def _decide(look: _Snapshot, judgement: Judgement) -> WritePlan:
    ground = Ground(
        shown=look.shown,
        turns=look.turns,
        policy=look.policy,
        door=Door(look.run.door),
        now=timezone.now(),
        key=tombstone_key(look.space.tenant_id, look.space.pk),
        fold=to_simplified,
        tombstones=look.tombstones,
        extractor=judgement.extractor,
    )
    decided = plan(judgement.answer, ground)
    missed = _missed(look.turns, judgement.answer)
    if not missed:
        return decided
    extra = plan(Answer(missed), replace(ground, extractor="rules"))
    texts = {t.norm_hash for t in (*decided.adds, *decided.updates)}
    adds = tuple(t for t in extra.adds if t.norm_hash not in texts)
    return replace(
        decided,
        adds=decided.adds + adds,
        refreshes=decided.refreshes + extra.refreshes,
        refusals=decided.refusals + extra.refusals,
    )


def _missed(turns: Sequence[Turn], answer: Answer) -> tuple[Operation, ...]:
    """Explicit cue clauses that the judge neither used nor refused with a reason."""
    used = [grams(f"{o.quote} {o.content}") for o in answer.operations]
    refused = any(o.action is Action.NONE and o.reason for o in answer.operations)
    if refused:
        return ()
    return tuple(
        o
        for o in explicit_statements(turns)
        if not any(len(grams(o.content) & u) >= max(1, len(grams(o.content)) // 2) for u in used)
    )


def _vectors(decided: WritePlan) -> tuple[dict[bytes, list[float]], list[dict[str, object]]]:
    """Vectors of the new texts. A refused embedding is a warning: the item is kept and its vector follows."""
    vectors: dict[bytes, list[float]] = {}
    warnings: list[dict[str, object]] = []
    for text in (*decided.adds, *decided.updates):
        try:
            vectors[text.norm_hash] = list(registry.embedder().embed_passages([text.content])[0])
        except ProviderError:
            warnings.append({"reason": "embedding", "retrying": True, "text": text.norm_hash.hex()})
    return vectors, warnings


def _finish(
    actor: Actor,
    look: _Snapshot,
    attempt: int,
    judgement: Judgement,
    decided: WritePlan,
    vectors: dict[bytes, list[float]],
    warnings: list[dict[str, object]],
) -> None:
    now = timezone.now()
    with tenant_scope(actor):
        if lock(look.space.pk) != look.revision:
            raise RevisionChanged
        run = Run.objects.select_for_update(no_key=True).get(pk=look.run.pk)
        if run.attempt != attempt or run.state != RunState.RUNNING:
            raise FenceLost
        origin = _origin(look, judgement, vectors, now)
        entries = apply_write_plan(actor, decided, origin)
        _close(actor, run, look, judgement, entries, warnings)
        if warnings:
            embed_later(actor)


def _origin(look: _Snapshot, judgement: Judgement, vectors: dict[bytes, list[float]], now: datetime) -> Origin:
    return Origin(
        space=look.space,
        door=Door(look.run.door),
        policy=look.policy,
        now=now,
        person=look.person,
        run_id=look.run.pk,
        session_id=look.run.session_id,
        agent_id=look.run.session.agent_id,
        model=judgement.model,
        turns=look.said,
        metadata=look.run.metadata,
        vectors=vectors,
        embedding_model=registry.embedder().model if vectors else "",
        scope=look.run.scope,
    )


def _close(
    actor: Actor,
    run: Run,
    look: _Snapshot,
    judgement: Judgement,
    entries: tuple[Entry, ...],
    warnings: list[dict[str, object]],
) -> None:
    outcome = [*run.outcome, *(stored_entry(e) for e in entries)]
    failed = [e for e in outcome if e["section"] == "failed"]
    good = [e for e in outcome if e["section"] in ("added", "updated", "deleted", "pending")]
    if not outcome:
        outcome = [{"section": "skipped", "action": "NONE", "reason": _nothing(judgement)}]
    run.state = RunState.FAILED if failed and not good else RunState.SUCCEEDED
    run.error_code = str(failed[0].get("reason", "")) if run.state == RunState.FAILED else ""
    run.outcome, run.finished_at, run.lease_until = outcome, timezone.now(), None
    run.warnings = [*run.warnings, *({k: v for k, v in w.items() if k != "text"} for w in warnings)]
    run.policy_version, run.extractor, run.model = look.policy.version, judgement.extractor, judgement.model
    run.llm_calls += judgement.usage.calls
    run.prompt_tokens += judgement.usage.prompt_tokens
    run.completion_tokens += judgement.usage.completion_tokens
    run.save()
    audit.record(
        actor,
        "run.finished",
        audit.Target("run", (run.pk,)),
        person=look.person,
        outcome="ok" if run.state == RunState.SUCCEEDED else "error",
        reason=run.error_code,
        policy_version=look.policy.version,
    )


def _nothing(judgement: Judgement) -> str:
    return {"none": "no_user_text", "rules": "no_explicit_statement"}.get(judgement.extractor, "nothing_durable")


def _put_back(actor: Actor, run_id: UUID, attempt: int, error: ProviderError) -> None:
    """Back to the queue with jittered backoff, or failed when that cannot help."""
    ends = not error.transient or attempt >= settings.MEMORYAPP.run_attempts
    wait = max(settings.MEMORYAPP.retry_base_seconds * 2 ** (attempt - 1), getattr(error, "retry_after", None) or 0)
    due = timezone.now() + timedelta(seconds=wait * random.uniform(0.8, 1.2))
    with tenant_scope(actor):
        mine = Run.objects.filter(pk=run_id, attempt=attempt, state=RunState.RUNNING)
        if ends:
            run = mine.select_for_update(no_key=True).first()
            if run is not None:
                run.outcome = [*run.outcome, {"section": "failed", "action": "NONE", "reason": error.code}]
                run.state, run.error_code, run.finished_at = RunState.FAILED, error.code, timezone.now()
                run.save()
            return
        mine.update(state=RunState.PENDING, due_at=due, error_code=error.code, lease_until=None)


def dispatch_due(most: int = 100) -> int:
    """Wake workers for what is due or whose lease ended; answers how many were sent."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM door.due_runs(%s, %s)", [timezone.now(), most])
        runs = cursor.fetchall()
        cursor.execute("SELECT * FROM door.tenants_without_vectors()")
        tenants = cursor.fetchall()
        cursor.execute("SELECT * FROM door.due_exports(%s, %s)", [timezone.now(), most])
        exports = cursor.fetchall()
    for tenant_id, run_id in runs:
        wake("memoryapp.extract", tenant_id, run_id)
    for (tenant_id,) in tenants:
        wake("memoryapp.sync_vectors", tenant_id)
    for tenant_id, export_id in exports:
        wake("memoryapp.export_audit", tenant_id, export_id)
    return len(runs)
