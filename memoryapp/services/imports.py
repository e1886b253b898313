"""Whole chat histories taken in: each session's new messages become runs of the door `import`, within a budget.

A history is recognised by its source, a message by its id, its time and text, or its text alone, so that taking it in
again adds nothing. The runs are rows: whatever ends this process, what was taken in is extracted all the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from django.db.models import QuerySet
from django.utils import timezone

from accounts.actor import Actor
from accounts.models import new_id
from memoryapp import audit
from memoryapp.domain.errors import DomainError, NotFound
from memoryapp.domain.extraction import JudgeRequest, build_prompt
from memoryapp.domain.language import language_of
from memoryapp.domain.policy import Policy
from memoryapp.domain.ranking import estimate_tokens
from memoryapp.domain.types import Door, Role, RunState, Turn
from memoryapp.keyring import tombstone_key
from memoryapp.models import ImportJob, Message, Run, Session, Space
from memoryapp.services.histories import History, source_of
from memoryapp.services.ingest import ReadMessage, heard_before, message_row, read_messages, session_of, warnings_of
from memoryapp.services.scope import tenant_scope
from memoryapp.services.spaces import active_policy, check_person, ensure_space, find_space, refuse_secret_names
from memoryapp.services.vectors import wake

UNFINISHED = (RunState.PENDING, RunState.RUNNING)


@dataclass(frozen=True, slots=True)
class ImportView:
    """A job with its progress. `counts` sums the outcomes of its runs by section, `refused` messages by reason."""

    id: UUID | None
    state: str
    sessions: int = 0
    messages: int = 0
    duplicates: int = 0
    refused: Mapping[str, int] = field(default_factory=dict)
    runs: int = 0
    runs_done: int = 0
    runs_failed: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)
    skipped: Mapping[str, int] = field(default_factory=dict)
    token_budget: int | None = None
    tokens_used: int = 0
    tokens_expected: int = 0
    created_at: datetime | None = None


def start(actor: Actor, histories: Sequence[History], *, token_budget: int | None = None) -> ImportView:
    """Take in a whole history; the runs are extracted by the workers. The same history again is the same job."""
    for history in histories:
        _check_names(actor, history)
    job_id = open_job(actor, source_of(histories, actor.ref), token_budget)
    for history in histories:
        take_in(actor, job_id, history)
    return close_job(actor, job_id)


def _check_names(actor: Actor, history: History) -> str:
    """The person of a history. Names are stored as they come, so a secret in one is refused before anything is."""
    refuse_secret_names(session_id=history.session, agent_id=history.agent_id)
    return check_person(actor, history.person)


def open_job(actor: Actor, source: str, token_budget: int | None) -> UUID:
    """The job of a source, made at its first use; a new budget replaces the old one."""
    with tenant_scope(actor):
        made = ImportJob(
            id=new_id(), tenant_id=actor.tenant_id, source=source, requested_by=actor.ref, token_budget=token_budget
        )
        ImportJob.objects.bulk_create([made], ignore_conflicts=True)
        job = ImportJob.objects.get(tenant_id=actor.tenant_id, source=source)
        ImportJob.objects.filter(pk=job.pk).update(
            token_budget=token_budget, accepted=False, sessions=0, messages=0, duplicates=0, refused={}
        )
        audit.record(actor, "import.started", audit.Target("import", (job.pk,)))
        return job.pk


def close_job(actor: Actor, job_id: UUID) -> ImportView:
    """Say that everything was taken in; from now on the job ends with its last run."""
    with tenant_scope(actor):
        ImportJob.objects.filter(pk=job_id).update(accepted=True)
    return status(actor, job_id)


def take_in(actor: Actor, job_id: UUID, history: History) -> tuple[UUID, ...]:
    """Store one session's unheard messages with their runs, in one transaction; answers the runs it opened."""
    whose = _check_names(actor, history)
    with tenant_scope(actor):
        policy, now = active_policy(actor), timezone.now()
        home = ensure_space(actor, "person", whose)
        job = ImportJob.objects.select_for_update(no_key=True).get(pk=job_id)
        read, refused = _read(history, policy, tombstone_key(home.tenant_id, home.pk), now)
        if home.learning_paused:
            read, refused = [], Counter({"learning_paused": len(history.messages)})
        session = session_of(actor, home, history.session, history.agent_id)
        fresh = _unheard(home, session, read)
        refused.update(reason for m in fresh if not m.text for reason in m.refused or ("no_text",))
        runs = [_open_run(actor, job, session, part, now) for part in _parts([m for m in fresh if m.text], policy)]
        _count(job, history, len(read) - len(fresh), refused)
        audit.record(actor, "messages.imported", audit.Target("run", tuple(runs)), person=whose)
        for run in runs:
            wake("memoryapp.extract", actor.tenant_id, run)
        return tuple(runs)


def _read(history: History, policy: Policy, key: bytes, now: datetime) -> tuple[list[ReadMessage], Counter[str]]:
    """Every message read by itself: one that is refused for its shape or size does not hold the others back."""
    read: list[ReadMessage] = []
    refused: Counter[str] = Counter()
    for message in history.messages:
        try:
            read += read_messages([message], policy, key, now)
        except DomainError as error:
            refused[error.code] += 1
    return read, refused


def _unheard(home: Space, session: Session | None, read: Sequence[ReadMessage]) -> list[ReadMessage]:
    """What the person's sessions do not hold yet. A message without a time is known by its text alone: the past is told
    once."""
    ids, times = heard_before(home.pk, session, read)
    fresh: list[ReadMessage] = []
    for m in read:
        known_text = m.text_hash in times and (not m.said_at_known or m.said_at in times[m.text_hash])
        if not known_text and not (m.id and m.id in ids):
            fresh.append(m)
            ids.add(m.id)
    return fresh


def _parts(messages: Sequence[ReadMessage], policy: Policy) -> Iterator[Sequence[ReadMessage]]:
    size = max(1, policy.import_messages_per_run)
    return (messages[start : start + size] for start in range(0, len(messages), size))


def _open_run(actor: Actor, job: ImportJob, session: Session, part: Sequence[ReadMessage], now: datetime) -> UUID:
    run = Run(
        id=new_id(),
        tenant_id=actor.tenant_id,
        space_id=session.space_id,
        target_space_id=session.space_id,
        session=session,
        import_job=job,
        door=Door.IMPORT,
        due_at=now,
        warnings=warnings_of(part),
    )
    run.save(force_insert=True)
    Message.objects.bulk_create([message_row(actor, session, run, place, m) for place, m in enumerate(part)])
    return run.pk


def _count(job: ImportJob, history: History, duplicates: int, refused: Counter[str]) -> None:
    job.sessions += 1
    job.messages += len(history.messages)
    job.duplicates += duplicates
    job.refused = dict(Counter(job.refused) + refused)
    job.save(update_fields=["sessions", "messages", "duplicates", "refused"])


# --- progress ---


def status(actor: Actor, job_id: UUID) -> ImportView:
    with tenant_scope(actor):
        return _view(_job(actor, job_id))


def list_imports(actor: Actor, limit: int = 50) -> tuple[ImportView, ...]:
    """Newest first; a key that is bound to one person sees its own."""
    with tenant_scope(actor):
        return tuple(_view(job) for job in _jobs(actor)[:limit])


def unfinished_runs(actor: Actor, job_id: UUID) -> tuple[UUID, ...]:
    with tenant_scope(actor):
        runs = Run.objects.filter(import_job=_job(actor, job_id), state__in=UNFINISHED).order_by("due_at", "id")
        return tuple(runs.values_list("pk", flat=True))


def _jobs(actor: Actor) -> QuerySet[ImportJob]:
    rows = ImportJob.objects.filter(tenant_id=actor.tenant_id).order_by("-id")
    return rows.filter(requested_by=actor.ref) if actor.user_key else rows


def _job(actor: Actor, job_id: UUID) -> ImportJob:
    job = _jobs(actor).filter(pk=job_id).first()
    if job is None:
        raise NotFound
    return job


def _view(job: ImportJob) -> ImportView:
    runs = list(Run.objects.filter(import_job=job).values_list("state", "outcome"))
    entries = [entry for _, outcome in runs for entry in outcome]
    states = Counter(state for state, _ in runs)
    done = states[RunState.SUCCEEDED] + states[RunState.FAILED]
    return ImportView(
        id=job.pk,
        state=_state(job, len(runs), done, states[RunState.FAILED]),
        sessions=job.sessions,
        messages=job.messages,
        duplicates=job.duplicates,
        refused=job.refused,
        runs=len(runs),
        runs_done=done,
        runs_failed=states[RunState.FAILED],
        counts=Counter(str(e["section"]) for e in entries),
        skipped=Counter(str(e.get("reason", "")) for e in entries if e["section"] == "skipped"),
        token_budget=job.token_budget,
        tokens_used=job.tokens_used,
        created_at=job.created_at,
    )


def _state(job: ImportJob, runs: int, done: int, failed: int) -> str:
    if not job.accepted or done < runs:
        return "running"
    return "failed" if runs and failed == runs else "succeeded"


# --- what it would cost ---


def preview(actor: Actor, histories: Iterable[History]) -> ImportView:
    """What taking a history in would mean: new and known messages, refusals, runs, tokens. Writes nothing."""
    total, refused = Counter[str](), Counter[str]()
    for history in histories:
        whose = _check_names(actor, history)
        with tenant_scope(actor):
            policy, now, home = active_policy(actor), timezone.now(), find_space(actor, "person", whose)
            read, wrong = _read(history, policy, tombstone_key(home.tenant_id, home.pk) if home else b"", now)
            fresh = _unheard(home, _known_session(home, history), read) if home else list(read)
        parts = list(_parts([m for m in fresh if m.text], policy))
        refused += wrong + Counter(r for m in fresh if not m.text for r in m.refused or ("no_text",))
        total.update(sessions=1, messages=len(history.messages), duplicates=len(read) - len(fresh), runs=len(parts))
        total.update(tokens=sum(map(_tokens, parts)))
    with tenant_scope(actor):
        audit.record(actor, "import.dry_run", audit.Target("import"))
    return ImportView(
        id=None,
        state="dry_run",
        sessions=total["sessions"],
        messages=total["messages"],
        duplicates=total["duplicates"],
        refused=refused,
        runs=total["runs"],
        tokens_expected=total["tokens"],
    )


def _known_session(home: Space, history: History) -> Session | None:
    return Session.objects.filter(space=home, agent_id=history.agent_id, name=history.session).first()


def _tokens(part: Sequence[ReadMessage]) -> int:
    """Estimate of the tokens of one prompt, without the existing memories that it will show."""
    turns = tuple(Turn(m.role, m.text, said_at=m.said_at, said_at_known=m.said_at_known) for m in part)
    language = language_of(" ".join(m.text for m in part if m.role is Role.USER))
    return sum(estimate_tokens(m["content"]) for m in build_prompt(JudgeRequest(turns, (), Door.IMPORT, language)))
