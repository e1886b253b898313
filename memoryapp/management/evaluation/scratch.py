"""One case through the real services, in a tenant that never existed afterwards.

Each case runs in a transaction of its own that is rolled back, keys included: no row, no audit event and no task stays.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from uuid import UUID, uuid4

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from accounts.actor import Actor
from memoryapp.domain.errors import DomainError
from memoryapp.domain.guards import inspect
from memoryapp.domain.hashing import fingerprint, norm_hash
from memoryapp.domain.policy import DEFAULT_POLICY
from memoryapp.domain.types import Door, Role, RunState, Status
from memoryapp.domain.write_plan import PlannedText, WritePlan
from memoryapp.keyring import tombstone_key
from memoryapp.management.evaluation.cases import Existing, GuardCase, WriteCase
from memoryapp.management.evaluation.judges import StubJudge
from memoryapp.models import Evidence, MemoryItem, Message, Run
from memoryapp.providers.script_folding import to_simplified
from memoryapp.services import access, changes, events, pipeline
from memoryapp.services.ingest import Incoming, accept
from memoryapp.services.origins import Origin, Said
from memoryapp.services.results import Entry, EventView
from memoryapp.services.scope import tenant_scope
from memoryapp.services.spaces import active_policy, ensure_space, lock
from memoryapp.services.write_door import apply_write_plan

PERSON = "case"
_GUARDED = ("secret.", "pii.", "machine_dump.", "prompt_injection.", "noise.", "length.")
_BLOCKING = frozenset({"do_not_store", "untrusted_source", "too_large", "too_short", "too_long"})


@dataclass(frozen=True, slots=True)
class Ran:
    """What happened to a conversation. `touched` are the case's ids of existing memories changed, deleted or marked.

    `stored` is every text that the database holds afterwards: items of any status, quotes, messages.
    """

    stage: str
    actions: frozenset[str]
    touched: frozenset[str]
    written: tuple[str, ...]
    active: tuple[str, ...]
    pending: tuple[str, ...]
    stored: tuple[str, ...]
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Guarded:
    """What became of a text given to memory word for word: active, pending or refused; with all reasons."""

    status: str
    content: str
    reasons: tuple[str, ...]


@contextmanager
def scratch_tenant() -> Iterator[Actor]:
    """A tenant inside a transaction that is rolled back at the end, with its keys."""
    with transaction.atomic():
        made = access.create_tenant(f"evaluation-{uuid4()}")
        try:
            yield made.actor
        finally:
            shutil.rmtree(settings.MEMORYAPP.keys_folder / str(made.tenant.pk), ignore_errors=True)
            transaction.set_rollback(True)


def run_write_case(case: WriteCase, judge: StubJudge) -> Ran:
    with scratch_tenant() as actor:
        judge.expected, judge.calls = case.expected, 0
        known = _remember(actor, case.existing)
        judge.numbers = {name: item_id.hex for name, item_id in known.items()}
        try:
            event = _converse(actor, case)
        except DomainError as error:
            return Ran("block", frozenset(), frozenset(), (), (), (), (), (error.code,))
        return _ran(actor, event, judge.calls, known)


def run_guard_case(case: GuardCase) -> Guarded:
    with scratch_tenant() as actor:
        try:
            item, section, masked = changes.add(actor, PERSON, changes.NewItem(case.text))
        except DomainError as error:
            return Guarded("refused", "", (str(error.extra.get("reason", error.code)),))
        verdict = inspect(case.text, DEFAULT_POLICY)
        reasons = (*masked, *verdict.confirm, *verdict.quarantine, *verdict.flags)
        return Guarded("pending" if section == "pending" else "active", item.content, tuple(dict.fromkeys(reasons)))


def _remember(actor: Actor, existing: tuple[Existing, ...]) -> dict[str, UUID]:
    """Put what is there already through the write door, as an import would, without asking the guard."""
    with tenant_scope(actor):
        space = ensure_space(actor, "person", PERSON)
        lock(space.pk)
        now, key = timezone.now(), tombstone_key(actor.tenant_id, space.pk)
        texts = tuple(
            PlannedText(
                content=each.text,
                kind=each.kind,
                status=Status.ACTIVE,
                norm_hash=norm_hash(each.text, to_simplified),
                fingerprint=fingerprint(key, each.text, to_simplified),
                said_at=now,
                quote=each.text,
                turn=0,
                extractor="verbatim",
            )
            for each in existing
        )
        origin = Origin(space, Door.IMPORT, active_policy(actor), now, PERSON, turns=(Said("user", now),))
        entries = apply_write_plan(actor, WritePlan(adds=texts), origin)
    return {each.id: entry.id for each, entry in zip(existing, entries, strict=True) if entry.id}


def _converse(actor: Actor, case: WriteCase) -> EventView:
    """Post the conversation and run its extraction until it has an outcome, as often as a worker would."""
    event = accept(actor, PERSON, [Incoming(role, text) for role, text in case.turns])
    for _ in range(settings.MEMORYAPP.run_attempts):
        with tenant_scope(actor):
            due = Run.objects.filter(pk=event.id, state=RunState.PENDING).update(due_at=event.created_at)
        if not due:
            break
        pipeline.extract(actor.tenant_id, event.id)
    return events.event(actor, event.id)


def _ran(actor: Actor, event: EventView, calls: int, known: dict[str, UUID]) -> Ran:
    reasons = tuple(entry.reason for entry in event.entries if entry.reason)
    names = {item_id: name for name, item_id in known.items()}
    changed = [e for e in event.entries if e.section in ("added", "updated", "deleted", "pending")]
    with tenant_scope(actor):
        items = list(MemoryItem.objects.values_list("pk", "status", "content"))
        quotes = list(Evidence.objects.values_list("quote", flat=True))
        messages = list(Message.objects.values_list("text", flat=True))
    return Ran(
        stage=_stage(event, calls, reasons),
        actions=frozenset(filter(None, map(_action, event.entries))),
        touched=frozenset(names[i] for e in changed for i in (e.id, e.superseded_id) if i in names),
        written=tuple(e.content for e in changed if e.section != "deleted" and e.content),
        active=tuple(text for _, status, text in items if status == Status.ACTIVE),
        pending=tuple(text for _, status, text in items if status == Status.PENDING),
        stored=(*(text for *_, text in items), *quotes, *messages),
        reasons=reasons,
    )


def _action(entry: Entry) -> str:
    """The case file's word for what an entry did; "" when it did nothing."""
    return {"added": "ADD", "updated": "UPDATE", "deleted": "DELETE", "pending": "REVIEW"}.get(entry.section, "")


def _stage(event: EventView, calls: int, reasons: tuple[str, ...]) -> str:
    blocked = any(reason in _BLOCKING or reason.startswith(_GUARDED) for reason in reasons)
    if event.door == Door.CUE:
        return "write"
    if calls:
        return "candidate"
    return "block" if blocked else "drop"


def user_texts(case: WriteCase) -> tuple[str, ...]:
    return tuple(text for role, text in case.turns if role is Role.USER)
