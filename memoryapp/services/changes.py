"""Changes that a person or a key asks for directly: add, edit, forget, restore, confirm, reject, pause, resume."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from uuid import UUID

from django.utils import timezone

from accounts.actor import Actor
from memoryapp import audit
from memoryapp.domain.errors import DomainError, NotFound
from memoryapp.domain.guards import inspect_item
from memoryapp.domain.hashing import norm_hash
from memoryapp.domain.messages import clean_text
from memoryapp.domain.planned import BELOW_THRESHOLD, DELETE_UNASKED, PlannedText, Refresh, WritePlan
from memoryapp.domain.policy import Policy
from memoryapp.domain.public_ids import public
from memoryapp.domain.tombstones import Ruling, Standing, Wording
from memoryapp.domain.types import Door, Kind, Status
from memoryapp.models import MemoryItem, MemoryVersion, NoiseFlag, Space, Use
from memoryapp.providers.script_folding import to_simplified
from memoryapp.services import tombstones
from memoryapp.services.footing import Ground, Held, footing, footing_of_item, ground, held
from memoryapp.services.memories import etag, get_row, shown, view
from memoryapp.services.origins import Origin, Said, cut
from memoryapp.services.results import ItemView
from memoryapp.services.scope import tenant_scope
from memoryapp.services.spaces import (
    check_person,
    refuse_secret_names,
    refuse_secrets,
    space_key,
)
from memoryapp.services.vectors import embed_later
from memoryapp.services.write_door import activate, add_one, apply_write_plan, change, forget_item, seal

TRANSITIONS: Mapping[str, tuple[str, frozenset[str], Status]] = {
    "pause": ("paused", frozenset({Status.ACTIVE}), Status.PAUSED),
    "resume": ("resumed", frozenset({Status.PAUSED, Status.ARCHIVED}), Status.ACTIVE),
}
"""Verb → (its past, statuses it starts from, status it ends in). The end status itself is a no-op; all else is refused."""

EDITABLE = frozenset({"content", "kind", "importance", "pinned", "expires_at", "review_after", "metadata"})


@dataclass(frozen=True, slots=True)
class NewItem:
    """A memory given word for word. `importance` in 0–1."""

    content: str
    kind: str = "note"
    subject: str = ""
    importance: float | None = None
    expires_at: datetime | None = None
    scope: str = ""
    metadata: Mapping[str, object] = field(default_factory=dict)
    pinned: bool = False


def add(
    actor: Actor, person: str, new: NewItem, *, space: str = "person", project_id: str = ""
) -> tuple[ItemView, str, tuple[str, ...]]:
    """Store one text through guard and write door; answers the item, added·refreshed·pending, and masked classes."""
    whose = check_person(actor, person)
    refuse_secret_names(subject=new.subject, scope=new.scope, project_id=project_id)
    terms = cut(actor.tenant_id, new.subject, clean_text(new.content))
    with tenant_scope(actor, planned_once=True):
        at, now = footing(actor, space, space_key(space, whose, project_id), whose), timezone.now()
        text = _guarded(new, at.space, at.policy, now)
        origin = Origin(
            at.space,
            Door.MANUAL,
            at.policy,
            now,
            whose,
            agent_id=actor.agent_id,
            turns=(Said("user" if actor.is_person else "api", now),),
            metadata=new.metadata,
            expires_at=new.expires_at,
            pinned=new.pinned,
            subjects=at.subjects,
            cut=terms,
        )
        met = ground(at.space, text)
        if met.twin is not None:
            return _repeated(actor, met, met.twin, text, origin), "refreshed", text.masked
        text = _ruled(text, tombstones.check(actor, met.graves, _wording(text), now))
        item, outcome = add_one(actor, text, origin)
        embed_later(actor)
        return shown(item, 1, text.flags), outcome, text.masked


def _repeated(actor: Actor, met: Ground, twin: UUID, text: PlannedText, origin: Origin) -> ItemView:
    repeat = Refresh(twin, _speaks_for(actor, met, text), text)
    apply_write_plan(actor, WritePlan(refreshes=(repeat,)), origin)
    return view(get_row(actor, twin))


def _speaks_for(actor: Actor, met: Ground, text: PlannedText) -> bool:
    """Whether saying a candidate again makes it active: by its person always, by a key when only confidence lacked."""
    return text.status is Status.ACTIVE and (actor.is_person or met.twin_reason == BELOW_THRESHOLD)


def _guarded(new: NewItem, space: Space, policy: Policy, now: datetime) -> PlannedText:
    refuse_secrets(new.metadata)
    verdict = inspect_item(new.content, policy)
    if verdict.refusal is not None:
        raise DomainError("guard_refused", "This text may not be stored.", {"reason": verdict.refusal})
    reasons = [*verdict.confirm, *verdict.quarantine]
    return PlannedText(
        content=verdict.text,
        kind=Kind(new.kind),
        status=Status.PENDING if reasons else Status.ACTIVE,
        pending_reason=reasons[0] if reasons else "",
        norm_hash=norm_hash(verdict.text, to_simplified),
        fingerprint=tombstones.marks(space, Wording(verdict.text)).fingerprint,
        said_at=now,
        importance=0.5 if new.importance is None else new.importance,
        confidence=1.0,
        sensitivity=verdict.sensitivity,
        scope=new.scope,
        subject=new.subject,
        quote=verdict.text,
        turn=0,
        flags=verdict.flags,
        masked=verdict.masked,
        extractor="verbatim",
    )


def _wording(text: PlannedText) -> Wording:
    return Wording(text.content, text.subject, text.predicate, text.object)


def _ruled(text: PlannedText, ruling: Ruling) -> PlannedText:
    """The text with the tombstones it lifts; a near repeat of something deleted waits for the person."""
    text = replace(text, lifts=ruling.lifts)
    if ruling.standing is not Standing.SIMILAR or text.status is Status.PENDING:
        return text
    return replace(text, status=Status.PENDING, pending_reason=str(Standing.SIMILAR))


@dataclass(frozen=True, slots=True)
class _Changing:
    """An item under its space's lock, with what the door writes beside it."""

    held: Held
    origin: Origin

    @property
    def view(self) -> ItemView:
        """The item as it stands now. Its evidence and its flag are those that were read with it."""
        return shown(self.held.row, self.held.evidence_count, self.held.noise)


def _under_lock(actor: Actor, item_id: UUID, *, forgotten: bool = False) -> _Changing:
    at = footing_of_item(actor, item_id)
    origin = Origin(at.space, Door.MANUAL, at.policy, timezone.now(), at.person, subjects=at.subjects)
    return _Changing(held(at, item_id, forgotten=forgotten), origin)


def changing(actor: Actor, item_id: UUID, *, forgotten: bool = False) -> tuple[MemoryItem, Origin]:
    """The item under its space's lock, read after the lock was taken, with what the door writes beside it."""
    found = _under_lock(actor, item_id, forgotten=forgotten)
    return found.held.row, found.origin


def edit(
    actor: Actor,
    item_id: UUID,
    changes: Mapping[str, object],
    *,
    expected_version: int | None = None,
    expected_etags: frozenset[str] = frozenset(),
) -> ItemView:
    """Change fields; `stale_version` carries the current state when somebody was faster than what was expected."""
    terms = cut(actor.tenant_id, clean_text(str(changes.get("content", ""))))
    with tenant_scope(actor):
        row, origin = changing(actor, item_id)
        origin = replace(origin, cut=terms)
        stale = expected_version is not None and expected_version != row.version
        if stale or (expected_etags and etag(view(row)) not in expected_etags):
            raise DomainError("stale_version", "This memory changed meanwhile.", {"current": view(row)})
        if unknown := set(changes) - EDITABLE:
            raise DomainError("unknown_field", f"These cannot be changed: {', '.join(sorted(unknown))}.")
        refuse_secrets(changes.get("metadata"))
        for name, value in changes.items():
            setattr(row, name, _merged(row.metadata, value) if name == "metadata" else value)
        if "content" in changes:
            _retext(actor, row, origin)
        change(actor, row, origin, changes, "edited")
        seal()
        if "content" in changes:
            embed_later(actor)
        return view(get_row(actor, item_id))


def _merged(old: Mapping[str, object], new: object) -> dict[str, object]:
    both = {**old, **(new if isinstance(new, Mapping) else {})}
    return {name: value for name, value in both.items() if value is not None}


def _retext(actor: Actor, row: MemoryItem, origin: Origin) -> None:
    new = NewItem(row.content, row.kind, scope=row.scope)
    text = _guarded(new, row.space, origin.policy, origin.now)
    met = ground(row.space, text)
    if met.twin is not None and met.twin != row.pk:
        raise DomainError(
            "duplicate_of", "Another memory already says this.", {"duplicate_of": public("mem", met.twin)}
        )
    text = _ruled(text, tombstones.check(actor, met.graves, _wording(text), origin.now))
    tombstones.lift(actor, text.lifts, by=row.pk)
    row.content, row.norm_hash, row.fingerprint = text.content, text.norm_hash, text.fingerprint
    row.predicate = row.object = ""
    row.triple_fingerprint = None
    row.said_at = origin.now
    if text.status is Status.PENDING:
        row.status, row.pending_reason = Status.PENDING, text.pending_reason


def forget(actor: Actor, item_id: UUID) -> ItemView:
    """Out of use at once, with undo. Repeating it answers the same."""
    with tenant_scope(actor):
        found = _under_lock(actor, item_id, forgotten=True)
        if found.held.row.status != Status.FORGOTTEN:
            forget_item(actor, found.held.row, found.origin, heard=found.held.heard)
        return found.view


def restore(actor: Actor, item_id: UUID) -> ItemView:
    """Undo a forget until `undo_until`; beside a live twin it is refused with `duplicate_of`."""
    with tenant_scope(actor):
        row, origin = changing(actor, item_id, forgotten=True)
        if row.status != Status.FORGOTTEN:
            return view(row)
        if row.undo_until is None or row.undo_until <= origin.now:
            raise NotFound
        live = MemoryItem.objects.saying(row.space_id, row.scope, bytes(row.norm_hash)).alive().first()
        if live is not None:
            raise DomainError(
                "duplicate_of", "The same is remembered already.", {"duplicate_of": public("mem", live.pk)}
            )
        tombstones.lift_of_items(actor, [row])
        row.status, row.undo_until = row.status_before or Status.ACTIVE, None
        change(actor, row, origin, ("status",), "restored")
        seal()
        embed_later(actor)
        return view(get_row(actor, item_id))


def _transition(verb: str) -> Callable[[Actor, UUID], ItemView]:
    past, starts, ends = TRANSITIONS[verb]

    def move(actor: Actor, item_id: UUID) -> ItemView:
        with tenant_scope(actor):
            found = _under_lock(actor, item_id)
            row = found.held.row
            if row.status in starts:
                row.status, row.pending_reason = ends, ""
                change(actor, row, found.origin, ("status",), past)
            elif row.status != ends:
                raise _impossible(row, past)
            return found.view

    return move


def _impossible(row: MemoryItem, past: str) -> DomainError:
    return DomainError("invalid_transition", f"A memory that is {row.status} cannot be {past}.")


pause = _transition("pause")
resume = _transition("resume")


def confirm(actor: Actor, item_id: UUID, content: str | None = None) -> ItemView:
    """Say yes to a candidate, with another text when `content` is given; or to a deletion that was proposed."""
    terms = cut(actor.tenant_id, clean_text(content or ""))
    with tenant_scope(actor):
        row, origin = changing(actor, item_id)
        origin = replace(origin, cut=terms)
        if row.pending_reason == DELETE_UNASKED:
            forget_item(actor, row, origin)
        elif row.waits:
            _confirm(actor, row, origin, content)
        elif row.status != Status.ACTIVE or content is not None:
            raise _impossible(row, "confirmed")
        seal()
        return view(get_row(actor, item_id, forgotten=True))


def _confirm(actor: Actor, row: MemoryItem, origin: Origin, content: str | None) -> None:
    if content is not None and content != row.content:
        row.content, status, reason = content, row.status, row.pending_reason
        _retext(actor, row, origin)
        row.status, row.pending_reason = status, reason
        embed_later(actor)
    activate(actor, row, origin)
    change(actor, row, origin, ("status",) if content is None else ("content", "status"), "confirmed")


def keep_both(actor: Actor, item_id: UUID) -> ItemView:
    """Both sides of a conflict hold, each from its own date on."""
    with tenant_scope(actor):
        row, origin = changing(actor, item_id)
        if row.waits and row.conflicts_with_id is not None:
            activate(actor, row, origin, replaces=False)
            change(actor, row, origin, ("status",), "kept_both")
        elif row.status != Status.ACTIVE:
            raise _impossible(row, "kept beside another")
        seal()
        return view(get_row(actor, item_id))


def later(actor: Actor, item_id: UUID) -> ItemView:
    """Out of the inbox for some days (policy); a candidate does not lapse meanwhile."""
    with tenant_scope(actor):
        row, origin = changing(actor, item_id)
        row.snoozed_until = origin.now + timedelta(days=origin.policy.snooze_days)
        if row.status == Status.PENDING and row.expires_at is not None:
            row.expires_at = max(row.expires_at, row.snoozed_until + timedelta(days=1))
        change(actor, row, origin, ("snoozed_until",), "snoozed")
        seal()
        return view(get_row(actor, item_id))


def undo(actor: Actor, item_id: UUID) -> ItemView:
    """Take back the latest decision of the inbox about an item: a rejection, a confirmation, keeping, later."""
    with tenant_scope(actor):
        row, origin = changing(actor, item_id, forgotten=True)
        latest = MemoryVersion.objects.get(item=row, number=row.version).reason
        if row.status == Status.FORGOTTEN:
            return restore(actor, item_id)
        if latest in ("confirmed", "kept_both") and row.status == Status.ACTIVE:
            _unconfirm(actor, row, origin)
        elif latest == "kept":
            row.pending_reason = DELETE_UNASKED
            change(actor, row, origin, ("pending_reason",), "delete_proposed")
        elif latest == "snoozed":
            row.snoozed_until = None
            change(actor, row, origin, ("snoozed_until",), "unsnoozed")
        else:
            raise DomainError("invalid_transition", "The latest change of this memory was no decision of the inbox.")
        seal()
        return view(get_row(actor, item_id))


def _unconfirm(actor: Actor, row: MemoryItem, origin: Origin) -> None:
    """Back to what it was with its earlier text; what it had superseded holds again."""
    before = MemoryVersion.objects.filter(item=row, number=row.version - 1).first()
    fields = ["status"]
    if before is not None and before.content != row.content:
        row.content = before.content
        row.norm_hash = norm_hash(row.content, to_simplified)
        row.fingerprint = tombstones.marks(row.space, Wording(row.content)).fingerprint
        fields.append("content")
    row.status, row.pending_reason = row.status_before or Status.PENDING, row.reason_before
    if row.status == Status.PENDING:
        row.expires_at = origin.now + timedelta(days=origin.policy.candidate_days)
    change(actor, row, origin, fields, "unconfirmed")
    for old in MemoryItem.objects.filter(superseded_by=row, status=Status.SUPERSEDED):
        old.status, old.superseded_by, old.valid_until = Status.ACTIVE, None, None
        change(actor, old, origin, ("status",), "restored")


def reject(actor: Actor, item_id: UUID) -> ItemView:
    """Say no to a pending item for good (it leaves a tombstone), or keep an item whose deletion was proposed."""
    with tenant_scope(actor):
        row, origin = changing(actor, item_id, forgotten=True)
        if row.pending_reason == DELETE_UNASKED and row.status != Status.FORGOTTEN:
            row.pending_reason = ""
            change(actor, row, origin, ("pending_reason",), "kept")
        elif row.waits:
            forget_item(actor, row, origin, "rejected")
        elif row.status != Status.FORGOTTEN:
            raise DomainError("invalid_transition", "Only what waits for confirmation can be rejected.")
        seal()
        return view(get_row(actor, item_id, forgotten=True))


def not_noise(actor: Actor, item_id: UUID) -> ItemView:
    """The person says that an item is no noise; the flag stays dismissed."""
    with tenant_scope(actor):
        get_row(actor, item_id)
        NoiseFlag.objects.filter(item_id=item_id).update(dismissed_at=timezone.now())
        audit.record(actor, "memory.noise_dismissed", audit.Target("memory", (item_id,)))
        return view(get_row(actor, item_id))


def restore_version(actor: Actor, item_id: UUID, number: int) -> ItemView:
    """Bring an earlier text back as a new version."""
    with tenant_scope(actor):
        get_row(actor, item_id)
        old = MemoryVersion.objects.filter(item_id=item_id, number=number).first()
        if old is None:
            raise NotFound
        return edit(actor, item_id, {"content": old.content, "kind": old.kind}, expected_version=None)


def feedback(actor: Actor, item_id: UUID, value: str) -> None:
    """Note on the newest use of an item: helpful, wrong or outdated."""
    if value not in ("helpful", "wrong", "outdated"):
        raise DomainError("invalid", "`value` is helpful, wrong or outdated.")
    with tenant_scope(actor):
        row = get_row(actor, item_id)
        newest = Use.objects.filter(item_id=item_id).order_by("-created_at").values("pk")[:1]
        if not Use.objects.filter(pk__in=newest).update(feedback=value):
            Use.objects.create(
                tenant_id=actor.tenant_id, item_id=item_id, space=row.space, purpose="note", rank=0, feedback=value
            )
        audit.record(actor, "memory.feedback", audit.Target("memory", (item_id,)), reason=value)


VERBS: Mapping[str, Callable[[Actor, UUID], ItemView]] = {
    "forget": forget,
    "restore": restore,
    "confirm": confirm,
    "reject": reject,
    "keep_both": keep_both,
    "later": later,
    "undo": undo,
    "pause": pause,
    "resume": resume,
    "not_noise": not_noise,
}
