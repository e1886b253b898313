"""Extraction: claim a run, look, judge, decide, embed, then write in one short transaction.

No LLM or embedding call happens inside a transaction. A run is claimed by conditional update, its lease ends a dead
claim, the attempt number fences the final write, and a changed revision means looking and judging again.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from itertools import repeat
from uuid import UUID

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.models import F
from django.utils import timezone

from accounts.actor import Actor, system_actor
from memoryapp import audit
from memoryapp.domain.admission import EPHEMERAL
from memoryapp.domain.errors import InvalidAnswer, ProviderError
from memoryapp.domain.tombstones import Graveyard
from memoryapp.domain.types import Answer, Door, Judgement, RunState, Turn, Usage
from memoryapp.domain.write_plan import WritePlan
from memoryapp.models import ImportJob, Message, Run
from memoryapp.providers import registry
from memoryapp.services.counters import run_closed
from memoryapp.services.embedding_choice import answering
from memoryapp.services.events import stored_entry
from memoryapp.services.judging import Look, decided, focused, judged, look_at, prompt_tokens, turn_of
from memoryapp.services.leases import kept
from memoryapp.services.origins import Cut, Origin, Said, cut
from memoryapp.services.results import Entry
from memoryapp.services.scope import tenant_scope
from memoryapp.services.spaces import active_policy, lock
from memoryapp.services.tombstones import graveyard
from memoryapp.services.vectors import embed_later, wake
from memoryapp.services.write_door import apply_write_plan


class RevisionChanged(Exception):
    """Somebody wrote into the space between looking and writing."""


class FenceLost(Exception):
    """Another attempt owns the run now; this one may not write."""


@dataclass(frozen=True, slots=True)
class _Seen:
    """A run with what its judgement looks at."""

    run: Run
    look: Look
    said: tuple[Said, ...]


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
        with kept(partial(_renew, actor, run_id, attempt)):
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


def _renew(actor: Actor, run_id: UUID, attempt: int, lease: timedelta) -> None:
    with tenant_scope(actor):
        mine = Run.objects.filter(pk=run_id, attempt=attempt, state=RunState.RUNNING)
        mine.update(lease_until=timezone.now() + lease)


def _judged_and_written(actor: Actor, run_id: UUID, attempt: int) -> None:
    """Look, judge, decide, embed, write; again from the start when somebody wrote into the space meanwhile."""
    with tenant_scope(actor):
        attempts = active_policy(actor).rejudge_attempts
    for _ in range(attempts):
        seen = _look(actor, run_id)
        judgement = _judge(seen)
        plan = decided(seen.look, judgement)
        made = _vectors(actor, plan)
        try:
            _finish(actor, seen, attempt, judgement, plan, made)
        except RevisionChanged:
            continue
        return
    raise ProviderError("conflict", "The space kept changing.", transient=True)


def _look(actor: Actor, run_id: UUID) -> _Seen:
    with tenant_scope(actor):
        run = Run.objects.select_related("target_space", "space", "session", "import_job").get(pk=run_id)
        messages = list(Message.objects.filter(run=run).order_by("position"))
        yard = graveyard(run.target_space, home=run.space)
        turns = [turn_of(m, yard) for m in messages]
        look = look_at(
            run.target_space,
            active_policy(actor),
            turns,
            Door(run.door),
            person=run.space.key,
            session=str(run.session_id),
            scope=run.scope,
            yard=yard,
            home=run.space,
        )
        look = replace(look, unreadable=sum(map(_unreadable, messages, turns, repeat(yard))))
    said = tuple(Said(m.role, m.said_at, m.pk, m.speaker, m.offset_minutes) for m in messages)
    return _Seen(run, focused(actor, look), said)


def _unreadable(message: Message, turn: Turn, yard: Graveyard) -> bool:
    """Something of this message was forgotten and may not be read again."""
    return turn.text != message.text or (not message.text and yard.covers(bytes(message.text_hash)))


def _judge(seen: _Seen) -> Judgement:
    """The judgement, or an answer that only says why there is none when trying again cannot help."""
    if _over_budget(seen):
        return Judgement(Answer(), OVER_BUDGET)
    extractor = registry.extractor()
    try:
        return judged(seen.look)
    except InvalidAnswer as error:
        if seen.run.attempt < 2:
            raise ProviderError(error.code, error.detail, transient=True) from error
        return Judgement(Answer(rejected=(error.code,)), extractor.name, extractor.model)
    except ProviderError as error:
        if error.transient and seen.run.attempt < settings.MEMORYAPP.run_attempts:
            raise
        return Judgement(Answer(rejected=(error.code,)), extractor.name, extractor.model)


OVER_BUDGET = "budget"
"""Stands for the extractor of a run that its import could not pay for any more."""


def _over_budget(seen: _Seen) -> bool:
    job = seen.run.import_job
    if job is None or job.token_budget is None:
        return False
    return bool(job.tokens_used + prompt_tokens(seen.look) > job.token_budget)


@dataclass(frozen=True, slots=True)
class _Made:
    """Vectors of new texts by their hash, the model that made them, and warnings for those that were refused."""

    vectors: dict[bytes, list[float]]
    model: str
    warnings: list[dict[str, object]]


def _vectors(actor: Actor, plan: WritePlan) -> _Made:
    """Vectors of the new texts. A refused embedding is a warning: the item is kept and its vector follows."""
    embedder = answering(actor.tenant_id)
    made = _Made({}, embedder.model, [])
    for text in (*plan.adds, *plan.updates):
        try:
            made.vectors[text.norm_hash] = list(embedder.embed_passages([text.content])[0])
        except ProviderError:
            made.warnings.append({"reason": "embedding", "retrying": True, "text": text.norm_hash.hex()})
    return made


def _finish(actor: Actor, seen: _Seen, attempt: int, judgement: Judgement, plan: WritePlan, made: _Made) -> None:
    texts = (part for text in (*plan.adds, *plan.updates) for part in (text.subject[:200], text.content))
    terms = cut(actor.tenant_id, *texts)
    with tenant_scope(actor):
        if lock(seen.run.target_space_id) != seen.look.revision:
            raise RevisionChanged
        run = Run.objects.select_for_update(no_key=True).get(pk=seen.run.pk)
        if run.attempt != attempt or run.state != RunState.RUNNING:
            raise FenceLost
        entries = apply_write_plan(actor, plan, _origin(seen, judgement, made, terms, timezone.now()))
        _close(actor, run, seen.look, judgement, entries, made.warnings)
        wake("memoryapp.summarise", actor.tenant_id, run.session_id)
        if made.warnings or registry.second_embedder() is not None:
            embed_later(actor)


def _origin(seen: _Seen, judgement: Judgement, made: _Made, terms: Cut, now: datetime) -> Origin:
    run, look = seen.run, seen.look
    return Origin(
        space=run.target_space,
        door=look.door,
        policy=look.policy,
        now=now,
        person=look.person,
        run_id=run.pk,
        session_id=run.session_id,
        agent_id=run.session.agent_id,
        model=judgement.model,
        turns=seen.said,
        metadata=run.metadata,
        vectors=made.vectors,
        embedding_model=made.model if made.vectors else "",
        scope=run.scope,
        cut=terms,
    )


def _close(
    actor: Actor,
    run: Run,
    look: Look,
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
    usage = judgement.usage
    _charge(run, look, usage)
    run_closed(outcome, judgement.model, usage.prompt_tokens, usage.completion_tokens)
    audit.record(
        actor,
        "run.finished",
        audit.Target("run", (run.pk,)),
        person=look.person,
        outcome="ok" if run.state == RunState.SUCCEEDED else "error",
        reason=run.error_code,
        policy_version=look.policy.version,
    )


def _charge(run: Run, look: Look, usage: Usage) -> None:
    """What a judgement cost its import; estimated where the provider does not say."""
    if run.import_job_id is None or not usage.calls:
        return
    spent = usage.prompt_tokens + usage.completion_tokens or prompt_tokens(look)
    ImportJob.objects.filter(pk=run.import_job_id).update(tokens_used=F("tokens_used") + spent)


def _nothing(judgement: Judgement) -> str:
    reasons = {
        "none": "no_user_text",
        "admission": EPHEMERAL,
        "rules": "no_explicit_statement",
        OVER_BUDGET: OVER_BUDGET,
    }
    return reasons.get(judgement.extractor, "nothing_durable")


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
        cursor.execute("SELECT * FROM door.due_consolidations(%s, %s)", [timezone.now(), most])
        consolidations = cursor.fetchall()
    for tenant_id, run_id in runs:
        wake("memoryapp.extract", tenant_id, run_id)
    for (tenant_id,) in tenants:
        wake("memoryapp.sync_vectors", tenant_id)
    for tenant_id, export_id in exports:
        wake("memoryapp.export_audit", tenant_id, export_id)
    for tenant_id, consolidation_id in consolidations:
        wake("memoryapp.consolidate", tenant_id, consolidation_id)
    return len(runs)
