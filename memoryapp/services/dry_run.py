"""What an extraction would do with some messages and why. Nothing is stored; only the dry run itself is audited."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from django.utils import timezone

from accounts.actor import Actor
from memoryapp import audit
from memoryapp.domain.errors import InvalidAnswer, NotFound, ProviderError
from memoryapp.domain.planned import DELETE_UNASKED, REST, PlannedText, Refresh, WritePlan
from memoryapp.domain.public_ids import parsed
from memoryapp.domain.types import Answer, Door, Judgement, Status, Turn
from memoryapp.keyring import tombstone_key
from memoryapp.models import Session, Space
from memoryapp.providers import registry
from memoryapp.services.ingest import Incoming, ReadMessage, check_attached, read_messages, unheard
from memoryapp.services.judging import Look, decided, focused, judged, look_at
from memoryapp.services.results import Entry
from memoryapp.services.scope import tenant_scope
from memoryapp.services.spaces import active_policy, check_person, find_space, space_key


@dataclass(frozen=True, slots=True)
class DryRun:
    """The outcome as an event would tell it; entries carry the content that would be stored."""

    door: Door
    entries: tuple[Entry, ...]


def dry_run(
    actor: Actor,
    person: str,
    messages: Sequence[Incoming],
    *,
    session: str = "",
    agent_id: str = "",
    space: str = "person",
    project_id: str = "",
    scope: str = "",
    metadata: object = None,
) -> DryRun:
    """Read, look, judge and decide as a run would, and write nothing. Raises what `accept` raises."""
    whose = check_person(actor, person)
    check_attached(metadata, session_id=session, agent_id=agent_id, project_id=project_id, scope=scope)
    with tenant_scope(actor):
        policy, now = active_policy(actor), timezone.now()
        home, target = find_space(actor, "person", whose), find_space(actor, space, space_key(space, whose, project_id))
        read = read_messages(messages, policy, tombstone_key(home.tenant_id, home.pk) if home else b"", now)
        known = _session(home, session, agent_id or actor.agent_id)
        fresh = unheard(known, read) if known else read
        skipped = [_skip("duplicate")] * (len(read) - len(fresh)) + [_skip(r) for m in fresh for r in m.refused]
        turns = [_turn(m) for m in fresh if m.text]
        door = Door.CUE if any(m.asks for m in fresh if m.text) else Door.IDLE
        named = str(known.pk) if known else ""
        look = look_at(target, policy, turns, door, person=whose, session=named, scope=scope, home=home)
        audit.record(actor, "extraction.dry_run", audit.Target("memory"), person=whose, reason=door)
    if home is not None and home.learning_paused:
        return DryRun(door, (_skip("learning_paused"),))
    entries = (*skipped, *_outcome(focused(actor, look))) if turns else tuple(skipped)
    return DryRun(door, entries or (_skip("no_text" if not turns else "nothing_durable"),))


def _session(home: Space | None, name: str, agent_id: str) -> Session | None:
    rows = Session.objects.filter(space=home) if home else Session.objects.none()
    if name.startswith("ses_"):
        found = rows.filter(pk=parsed("ses", name)).first()
        if found is None:
            raise NotFound
        return found
    return rows.filter(agent_id=agent_id, name=name).first()


def _turn(message: ReadMessage) -> Turn:
    return Turn(
        role=message.role,
        text=message.text,
        speaker=message.speaker,
        said_at=message.said_at,
        said_at_known=message.said_at_known,
        cue=message.cue,
    )


def _skip(reason: str) -> Entry:
    return Entry("skipped", "NONE", reason=reason)


def _outcome(look: Look) -> tuple[Entry, ...]:
    """The plan as entries; items that exist are shown with their present text where the plan brings none."""
    known = {item.id: item for item in look.library}
    return tuple(
        replace(e, kind=e.kind or known[e.id].kind, content=e.content or known[e.id].content) if e.id in known else e
        for e in entries_of(decided(look, _judgement(look)))
    )


def _judgement(look: Look) -> Judgement:
    try:
        return judged(look)
    except (InvalidAnswer, ProviderError) as error:
        return Judgement(Answer(rejected=(error.code,)), registry.extractor().name)


def entries_of(plan: WritePlan) -> Iterator[Entry]:
    """A plan as the lines of an event. New items have no id yet."""
    yield from (_added(text) for text in plan.adds)
    for text in plan.updates:
        yield Entry("updated", "UPDATE", text.target, text.kind, text.content)
    yield from (_refreshed(repeat) for repeat in plan.refreshes)
    for forget in plan.forgets:
        yield Entry("deleted", "DELETE", forget.item)
    for item in plan.unasked:
        yield Entry("pending", "DELETE", item, reason=DELETE_UNASKED)
    for refusal in plan.refusals:
        yield Entry(refusal.section, refusal.action, refusal.target, refusal.kind, None, refusal.reason)


def _added(text: PlannedText) -> Entry:
    if text.status is Status.PENDING:
        return Entry("pending", "ADD", None, text.kind, text.content, text.pending_reason)
    if text.supersedes is not None:
        return Entry("updated", "UPDATE", None, text.kind, text.content, "superseded", text.supersedes)
    if text.rest_of is not None:
        return Entry("updated", "UPDATE", None, text.kind, text.content, REST)
    return Entry("added", "ADD", None, text.kind, text.content)


def _refreshed(repeat: Refresh) -> Entry:
    if repeat.promotes:
        return Entry("updated", "UPDATE", repeat.item, reason="promoted")
    return Entry("skipped", "ADD", repeat.item, reason="duplicate")
