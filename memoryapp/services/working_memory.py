"""Working memory of sessions: task state, summary, labels. It ends with the session and is no long-term memory."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.utils import timezone

from accounts.actor import Actor, system_actor
from memoryapp import audit
from memoryapp.domain.errors import DomainError, NotFound, ProviderError
from memoryapp.domain.guards import holds_secret
from memoryapp.domain.language import language_of
from memoryapp.domain.policy import Policy
from memoryapp.domain.public_ids import parsed, public
from memoryapp.domain.routing import SIGNALS
from memoryapp.domain.tombstones import BLANK, Graveyard
from memoryapp.domain.types import Role, RunState, Turn
from memoryapp.domain.working_memory import (
    LONGEST_SUMMARY,
    StateValue,
    changed_state,
    extractive_summary,
    labels_of,
    state_from_json,
    state_to_json,
    summary_prompt,
)
from memoryapp.models import Message, Session, WorkingMemory
from memoryapp.providers import registry
from memoryapp.retrieval import lexical
from memoryapp.services.results import SessionView
from memoryapp.services.scope import tenant_scope
from memoryapp.services.spaces import (
    active_policy,
    check_person,
    ensure_space,
    refuse_secret_names,
    refuse_secrets,
)
from memoryapp.services.tombstones import graveyard

LARGEST_STATE = 16_384
"""Characters of a task state as JSON."""
RECENT = 5


@dataclass(frozen=True, slots=True)
class Address:
    """Which session: its public id (`ses_…`), or the client's own name with the person and the agent."""

    name: str
    person: str = ""
    agent_id: str = ""


@dataclass(frozen=True, slots=True)
class SessionChanges:
    """What to set; None leaves it as it is. In `task_state` a null value removes its key; `reasons` go by key."""

    summary: str | None = None
    task_state: Mapping[str, object] | None = None
    reasons: Mapping[str, str] = field(default_factory=dict)
    labels: Sequence[str] | None = None
    expires_at: datetime | None = None


def session(actor: Actor, address: Address) -> SessionView:
    """One session. Raises NotFound for unknown, foreign and ended ones."""
    with tenant_scope(actor):
        row = _find(actor, address)
        if row is None:
            raise NotFound
        memory = WorkingMemory.objects.filter(session=row).first()
        now = timezone.now()
        if memory is not None and memory.expires_at <= now:
            raise NotFound
        audit.record(actor, "session.read", audit.Target("session", (row.pk,)), person=row.space.key)
        return _view(row, memory, active_policy(actor))


def change(actor: Actor, address: Address, changes: SessionChanges) -> SessionView:
    """Set parts of a session's working memory; the session is made when the client names a new one."""
    _check(changes)
    with tenant_scope(actor):
        row = _find(actor, address) or _made(actor, address)
        policy, now = active_policy(actor), timezone.now()
        memory = _locked(row, now + timedelta(days=policy.session_days))
        fields = _apply(memory, changes, now)
        memory.version += 1
        memory.updated_at = now
        memory.save()
        audit.record(
            actor, "session.changed", audit.Target("session", (row.pk,)), person=row.space.key, changed_fields=fields
        )
        return _view(row, memory, policy)


def end(actor: Actor, address: Address) -> None:
    """Close a session: its working memory goes, and the texts of its messages that no run still needs."""
    with tenant_scope(actor):
        row = _find(actor, address)
        if row is None:
            raise NotFound
        WorkingMemory.objects.filter(session=row).delete()
        done = Message.objects.filter(session=row, run__state__in=[RunState.SUCCEEDED, RunState.FAILED])
        done.exclude(text="").update(text="")
        audit.record(actor, "session.ended", audit.Target("session", (row.pk,)), person=row.space.key)


def recent(actor: Actor, person: str, asked: str, *, most: int = RECENT) -> tuple[SessionView, ...]:
    """Sessions of a person that have not ended, those that share words with `asked` first, then the latest.

    “Continue where we left off” is answered from these without touching long-term memory (FEATURES D6, L1 and L2).
    """
    whose = check_person(actor, person)
    wanted = frozenset(lexical.query_terms(asked))
    with tenant_scope(actor):
        rows = WorkingMemory.objects.filter(
            tenant_id=actor.tenant_id, space__kind="person", space__key=whose, expires_at__gt=timezone.now()
        )
        found = list(rows.select_related("session", "space").order_by("-updated_at")[:50])
        policy = active_policy(actor)
        ranked = sorted(found, key=lambda memory: -len(wanted & _words(memory)))
        return tuple(_view(memory.session, memory, policy) for memory in ranked[:most])


def left_off(actor: Actor, person: str, asked: str, name: str = "") -> SessionView | None:
    """The session that was named, or that a wish to go on means (“继续昨天的登录 bug”, “continue with the trip”).

    None for other questions, and for a name that is not known or has ended.
    """
    if name:
        return _known(actor, Address(name, person))
    if not SIGNALS["continue"].search(asked):
        return None
    found = recent(actor, person, asked, most=1)
    return found[0] if found else None


def _known(actor: Actor, address: Address) -> SessionView | None:
    try:
        return session(actor, address)
    except NotFound:
        return None


def summarise(tenant_id: UUID, session_id: UUID) -> bool:
    """Bring a session's summary and labels up to its newest message; answers whether anything was new.

    With SESSION_SUMMARIES=llm the summary rolls (old summary plus what is new); otherwise, and when the model fails, whole
    sentences are chosen. No transaction is open while the model works.
    """
    actor = system_actor(tenant_id, "summary")
    with tenant_scope(actor):
        row = Session.objects.filter(pk=session_id).select_related("space").first()
        memory = WorkingMemory.objects.filter(session_id=session_id).first()
        since = memory.summarised_until if memory else None
        turns, newest = _turns(row, since) if row else ([], None)
        policy = active_policy(actor)
    if row is None or newest is None:
        return False
    text, source = _summary(memory.summary if memory else "", turns)
    with tenant_scope(actor):
        memory = _locked(row, newest + timedelta(days=policy.session_days))
        if memory.summarised_until != since:
            return False
        if memory.summary_source != "client":
            memory.summary, memory.summary_source = text, source
        memory.summarised_until, memory.updated_at = newest, timezone.now()
        memory.labels = memory.labels or list(_labels(turns))
        memory.expires_at = max(memory.expires_at, newest + timedelta(days=policy.session_days))
        memory.save()
    return True


def end_lapsed(tenant_id: UUID) -> int:
    """Remove working memory whose time is over; answers how many sessions ended."""
    actor = system_actor(tenant_id, "housekeeping")
    with tenant_scope(actor):
        lapsed = WorkingMemory.objects.filter(tenant_id=tenant_id, expires_at__lte=timezone.now())
        ids = tuple(lapsed.values_list("session_id", flat=True)[:1000])
        if ids:
            WorkingMemory.objects.filter(session_id__in=ids).delete()
            audit.record(actor, "session.expired", audit.Target("session", ids))
        return len(ids)


def _find(actor: Actor, address: Address) -> Session | None:
    rows = Session.objects.filter(tenant_id=actor.tenant_id, space__kind="person").select_related("space")
    if address.name.startswith("ses_"):
        found = rows.filter(pk=parsed("ses", address.name)).first()
        return found if found and actor.user_key in ("", found.space.key) else None
    whose = check_person(actor, address.person)
    return rows.filter(space__key=whose, agent_id=address.agent_id or actor.agent_id, name=address.name).first()


def _made(actor: Actor, address: Address) -> Session:
    if address.name.startswith("ses_"):
        raise NotFound
    refuse_secret_names(session_id=address.name, agent_id=address.agent_id)
    space = ensure_space(actor, "person", check_person(actor, address.person))
    row = Session(
        tenant_id=actor.tenant_id, space=space, agent_id=address.agent_id or actor.agent_id, name=address.name
    )
    Session.objects.bulk_create([row], ignore_conflicts=True)
    return Session.objects.select_related("space").get(
        tenant_id=actor.tenant_id, space=space, agent_id=row.agent_id, name=row.name
    )


def _locked(row: Session, expires_at: datetime) -> WorkingMemory:
    made = WorkingMemory(tenant_id=row.tenant_id, session=row, space_id=row.space_id, expires_at=expires_at)
    WorkingMemory.objects.bulk_create([made], ignore_conflicts=True)
    return WorkingMemory.objects.select_for_update(no_key=True).get(session=row)


def _check(changes: SessionChanges) -> None:
    state = json.dumps(changes.task_state or {}, ensure_ascii=False, default=str)
    if len(state) > LARGEST_STATE:
        raise DomainError("too_large", f"`task_state` may have {LARGEST_STATE} characters as JSON.")
    refuse_secrets(changes.task_state)
    refuse_secrets(dict(changes.reasons))
    if holds_secret(changes.summary or "") or any(holds_secret(label) for label in changes.labels or ()):
        raise DomainError("guard_refused", "Working memory holds a secret.", {"reason": "secret.session"})
    if changes.expires_at is not None and changes.expires_at <= timezone.now():
        raise DomainError("invalid", "`expires_at` lies in the past; DELETE ends a session.")


def _apply(memory: WorkingMemory, changes: SessionChanges, now: datetime) -> list[str]:
    fields = []
    if changes.summary is not None:
        memory.summary, memory.summary_source = changes.summary, "client" if changes.summary else ""
        fields.append("summary")
    if changes.task_state is not None:
        before = state_from_json(memory.task_state)
        memory.task_state = state_to_json(changed_state(before, changes.task_state, changes.reasons, now))
        fields.append("task_state")
    if changes.labels is not None:
        memory.labels = list(dict.fromkeys(changes.labels))
        fields.append("labels")
    if changes.expires_at is not None:
        memory.expires_at = changes.expires_at
        fields.append("expires_at")
    return fields


def _turns(row: Session, since: datetime | None) -> tuple[list[Turn], datetime | None]:
    """The messages that are still held, in order, those that arrived after `since`; and when the last one arrived.

    What founded something that was forgotten is left out of them.
    """
    rows = Message.objects.filter(session=row).exclude(text="").order_by("id")
    found = list((rows.filter(created_at__gt=since) if since else rows)[:500])
    yard = graveyard(row.space) if found else Graveyard()
    turns = [Turn(Role(m.role), _readable(m, yard)) for m in found]
    return [turn for turn in turns if turn.text], found[-1].created_at if found else None


def _readable(message: Message, yard: Graveyard) -> str:
    text = yard.readable(message.role, message.text, bytes(message.text_hash), message.said_at, message.cue)
    return text.replace(BLANK, "").strip()


def _summary(before: str, turns: Sequence[Turn]) -> tuple[str, str]:
    text = "\n".join(t.text for t in turns if t.role is Role.USER)
    writer = registry.writer() if settings.MEMORYAPP.session_summaries == "llm" else None
    if writer is not None and text:
        try:
            found = writer.write(summary_prompt(before, turns, language_of(text)))[:LONGEST_SUMMARY]
        except ProviderError:
            found = ""
        if found and not holds_secret(found):
            return found, "llm"
    earlier = [Turn(Role.USER, before)] if before else []
    return extractive_summary([*earlier, *turns]), "extractive"


def _labels(turns: Sequence[Turn]) -> tuple[str, ...]:
    return labels_of(term for t in turns if t.role is Role.USER for term in lexical.query_terms(t.text))


def _words(memory: WorkingMemory) -> frozenset[str]:
    state = " ".join(f"{key} {entry.get('value')}" for key, entry in memory.task_state.items())
    return frozenset(lexical.terms(f"{' '.join(memory.labels)} {memory.summary} {state}"))


def _view(row: Session, memory: WorkingMemory | None, policy: Policy) -> SessionView:
    turns, newest = _turns(row, memory.summarised_until if memory else None)
    said = Message.objects.filter(session=row)
    last = newest or (memory.summarised_until if memory else None)
    fresh = extractive_summary(turns)
    summary = "\n".join(part for part in (memory.summary if memory else "", fresh) if part)
    state: Mapping[str, StateValue] = state_from_json(memory.task_state) if memory else {}
    return SessionView(
        id=row.pk,
        session=row.name or public("ses", row.pk),
        person=row.space.key,
        agent_id=row.agent_id,
        summary=summary,
        summary_source=(memory.summary_source if memory else "") or ("extractive" if fresh else ""),
        task_state=state,
        labels=tuple(memory.labels) if memory and memory.labels else _labels(turns),
        messages=said.count(),
        last_said_at=last,
        expires_at=memory.expires_at if memory else (last or row.created_at) + timedelta(days=policy.session_days),
    )
