"""The one write door: applies a frozen WritePlan in one short transaction, with versions, index, tombstones and audit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from uuid import UUID

from django.db import connection
from django.db.models import Case, F, Value, When

from accounts.actor import Actor
from accounts.models import new_id
from memoryapp import audit
from memoryapp.domain.hashing import NORM_VERSION
from memoryapp.domain.planned import DELETE_UNASKED, REST, Forget
from memoryapp.domain.policy import Policy
from memoryapp.domain.types import Status
from memoryapp.domain.write_plan import PlannedText, Refresh, WritePlan
from memoryapp.failpoints import failpoint
from memoryapp.models import (
    Evidence,
    MemoryItem,
    MemoryVersion,
    NoiseFlag,
    RetrievalEntry,
    Space,
    Tombstone,
)
from memoryapp.models.memory import LIVE
from memoryapp.services import tombstones
from memoryapp.services.origins import NO_PAST, Earlier, Origin, Past, Said
from memoryapp.services.results import Entry
from memoryapp.services.retrieval_entries import entry_part, index
from memoryapp.services.row_parts import Part, insert, insert_values, together, update


def apply_write_plan(actor: Actor, plan: WritePlan, origin: Origin) -> tuple[Entry, ...]:
    """Carry a plan out. The caller holds the space's lock and has compared its revision, which every change raises."""
    entries: list[Entry] = []
    for text in plan.adds:
        entries.append(_add(actor, text, origin))
    for text in plan.updates:
        entries.append(_update(actor, text, origin))
    entries += [_refresh(actor, repeat, origin) for repeat in plan.refreshes]
    entries += [_forget_entry(actor, forget, origin) for forget in plan.forgets]
    entries += [_mark_unasked(actor, item, origin) for item in plan.unasked]
    entries += [Entry(r.section, r.action, r.target, r.kind, None, r.reason) for r in plan.refusals]
    seal()
    return tuple(entries)


def seal() -> None:
    """Let the deferred checks speak now: an unaudited change fails here and not at the commit."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED")


def _add(actor: Actor, text: PlannedText, origin: Origin) -> Entry:
    if text.rest_of is not None:
        text, origin = _left_of(text.rest_of, text, origin)
    item, outcome = add_one(actor, text, origin)
    if outcome == "pending":
        return Entry("pending", "ADD", item.pk, item.kind, None, item.pending_reason)
    if text.supersedes is not None:
        return Entry("updated", "UPDATE", item.pk, item.kind, None, "superseded", text.supersedes)
    if text.rest_of is not None:
        return Entry("updated", "UPDATE", item.pk, item.kind, None, REST)
    return Entry("added", "ADD", item.pk, item.kind)


def _left_of(item_id: UUID, text: PlannedText, origin: Origin) -> tuple[PlannedText, Origin]:
    """What is left of an item, said by whom the whole was said, and pinned, ending and labelled as that was."""
    whole = MemoryItem.objects.get(pk=item_id)
    told = (Said("user", text.said_at, speaker=whole.speaker),)
    kept = replace(origin, pinned=whole.pinned, metadata=whole.metadata, expires_at=whole.expires_at, turns=told)
    return replace(text, turn=0), kept


def add_one(actor: Actor, text: PlannedText, origin: Origin, past: Past = NO_PAST) -> tuple[MemoryItem, str]:
    """Write one new text whole, in one statement; the caller holds the space's lock. Answers added or pending.

    An event stands in the statement itself, so the commit, which follows, needs no early check.
    """
    item = _new_item(actor, text, origin, past)
    tombstones.lift(actor, text.lifts, by=item.pk)
    together(
        [
            insert("item", item),
            *(insert(f"version_{v.number}", v) for v in _earlier_versions(actor, item, origin, past)),
            insert("version", _new_version(actor, item, origin, ("content",), "added")),
            insert("evidence", _new_evidence(actor, item, text, origin)),
            *(insert(f"evidence_{n}", e) for n, e in enumerate(_more_evidence(actor, item, text, origin, past))),
            *([entry_part(item, origin)] if item.status in LIVE else []),
            *_closing(actor, "memory.added", item, origin, ("content",)),
        ]
    )
    if text.supersedes is not None:
        supersede(actor, text.supersedes, item, origin)
    if text.flags:
        flag(item, text.flags, origin.policy)
    return item, "pending" if item.status == Status.PENDING else "added"


def _new_item(actor: Actor, text: PlannedText, origin: Origin, past: Past) -> MemoryItem:
    said = origin.turns[text.turn] if text.turn is not None and origin.turns else None
    candidate = text.status is Status.PENDING
    lapse = origin.now + timedelta(days=origin.policy.candidate_days)
    return MemoryItem(
        id=new_id(),
        tenant_id=actor.tenant_id,
        space=origin.space,
        status=text.status,
        content=text.content,
        kind=text.kind,
        scope=text.scope or origin.scope,
        subject=text.subject[:200],
        predicate=text.predicate[:200],
        object=text.object[:500],
        importance=text.importance,
        confidence=text.confidence,
        sensitivity=text.sensitivity,
        pinned=origin.pinned,
        origin=origin.door,
        speaker=said.speaker if said else "",
        agent_id=origin.agent_id,
        pending_reason=text.pending_reason,
        conflicts_with_id=text.conflicts_with if candidate else None,
        metadata=dict(origin.metadata or {}),
        norm_hash=text.norm_hash,
        norm_version=NORM_VERSION,
        fingerprint=text.fingerprint,
        triple_fingerprint=text.triple,
        version=len(past.earlier) + 1,
        superseded_by_id=past.superseded_by,
        said_at=text.said_at,
        valid_from=text.said_at,
        valid_until=past.valid_until,
        review_after=past.review_after,
        expires_at=lapse if candidate else origin.expires_at,
        created_at=origin.now,
        updated_at=origin.now,
    )


def _earlier_versions(actor: Actor, item: MemoryItem, origin: Origin, past: Past) -> Iterator[MemoryVersion]:
    for number, was in enumerate(past.earlier, start=1):
        reason = "added" if number == 1 else "updated"
        yield _new_version(actor, item, origin, ("content",), reason, number=number, was=was)


def _more_evidence(actor: Actor, item: MemoryItem, text: PlannedText, origin: Origin, past: Past) -> Iterator[Evidence]:
    for quote, said in past.quotes:
        yield _new_evidence(actor, item, replace(text, quote=quote, turn=0), replace(origin, turns=(said,)))


def supersede(actor: Actor, old_id: UUID, new: MemoryItem, origin: Origin) -> None:
    """End an item's validity where the new one's begins; both keep their dates, the old one its history."""
    MemoryItem.objects.filter(pk=old_id).update(
        status=Status.SUPERSEDED,
        superseded_by=new,
        valid_until=new.said_at,
        updated_at=origin.now,
        version=F("version") + 1,
    )
    RetrievalEntry.objects.filter(pk=old_id).delete()
    _version(actor, MemoryItem.objects.get(pk=old_id), origin, ("status",), "superseded")
    _audit(actor, "memory.superseded", [old_id], origin, ("status",))


def activate(actor: Actor, item: MemoryItem, origin: Origin, *, replaces: bool = True) -> None:
    """Make a candidate active; what it waited to replace is superseded, if it `replaces`. The caller saves by `change`."""
    item.status_before, item.reason_before = item.status, item.pending_reason
    item.expires_at = None if item.status == Status.PENDING else item.expires_at
    item.status, item.pending_reason, item.snoozed_until = Status.ACTIVE, "", None
    rival = item.conflicts_with_id if replaces else None
    if rival and MemoryItem.objects.filter(pk=rival).alive().exists():
        supersede(actor, rival, item, origin)


def _update(actor: Actor, text: PlannedText, origin: Origin) -> Entry:
    if text.target is None:
        raise ValueError("an update names its target")
    item = MemoryItem.objects.get(pk=text.target)
    item.content, item.kind, item.norm_hash, item.fingerprint = (
        text.content,
        text.kind,
        text.norm_hash,
        text.fingerprint,
    )
    item.subject, item.predicate, item.object = text.subject[:200], text.predicate[:200], text.object[:500]
    item.triple_fingerprint = text.triple
    tombstones.lift(actor, text.lifts, by=item.pk)
    item.confidence, item.importance = text.confidence, max(item.importance, text.importance)
    item.said_at = item.valid_from = text.said_at
    if text.promotes:
        activate(actor, item, origin)
    change(actor, item, origin, ("content",), "updated")
    _evidence(actor, item, text, origin)
    return Entry("updated", "UPDATE", item.pk, item.kind)


def change(
    actor: Actor, item: MemoryItem, origin: Origin, fields: Iterable[str], reason: str, beside: Sequence[Part] = ()
) -> None:
    """Save a changed item as its next version, with its index and its event. Every change of an item ends here.

    The space's revision rises, so that a run in flight looks again before it writes. `beside` is written in the same
    statement.
    """
    item.version += 1
    item.updated_at = origin.now
    names = tuple(fields)
    together(
        [
            update("item", item),
            insert("version", _new_version(actor, item, origin, names, reason)),
            *_index_parts(item, origin, names),
            *_closing(actor, f"memory.{reason}", item, origin, names),
            *beside,
        ]
    )


def _closing(actor: Actor, action: str, item: MemoryItem, origin: Origin, fields: tuple[str, ...]) -> tuple[Part, Part]:
    """What ends every change of an item: its event, and the next revision of its space."""
    raised = "UPDATE memoryapp_space SET revision = revision + 1 WHERE tenant_id = %s AND id = %s"
    return (
        Part("event", *audit.insertion(_event(actor, action, [item.pk], origin, fields))),
        Part("space", raised, [item.tenant_id, item.space_id]),
    )


def _index_parts(item: MemoryItem, origin: Origin, changed: tuple[str, ...]) -> list[Part]:
    """The retrieval entry goes with the item's life and follows its text."""
    if item.status not in LIVE:
        gone = "DELETE FROM memoryapp_retrievalentry WHERE tenant_id = %s AND id = %s"
        return [Part("entry", gone, [item.tenant_id, item.pk])]
    if "content" in changed or not RetrievalEntry.objects.filter(pk=item.pk).exists():
        return [entry_part(item, origin)]
    return []


def _refresh(actor: Actor, repeat: Refresh, origin: Origin) -> Entry:
    """A repeat inserts nothing: evidence is added, time and importance move up, a candidate may become active."""
    item = MemoryItem.objects.get(pk=repeat.item)
    if repeat.text is not None:
        item.said_at = max(item.said_at, repeat.text.said_at)
        item.importance = max(item.importance, repeat.text.importance)
    wakes = item.status == Status.ARCHIVED or (item.status == Status.PENDING and repeat.promotes)
    if wakes:
        activate(actor, item, origin)
    change(actor, item, origin, ("status",) if wakes else (), "confirmed" if wakes else "refreshed")
    if repeat.text is not None:
        _evidence(actor, item, repeat.text, origin)
    if wakes:
        return Entry("updated", "UPDATE", item.pk, item.kind, None, "promoted")
    return Entry("skipped", "ADD", item.pk, item.kind, None, "duplicate")


def forget_item(
    actor: Actor, item: MemoryItem, origin: Origin, reason: str = "forgotten", *, heard: bool = True
) -> None:
    """Out of every read path, with a tombstone that holds no content; undo until the trash period ends.

    `heard=False` says that no message stands behind the item, so that there is nothing to mask.
    """
    item.status_before, item.status = item.status, Status.FORGOTTEN
    item.undo_until = origin.now + timedelta(days=origin.policy.trash_days)
    graves = tombstones.dig(actor, [item], origin.now, reason, heard=heard)
    stones = [insert_values("stone", Tombstone, stone) for stone in graves.stones]
    change(actor, item, origin, ("status",), reason, stones)
    failpoint("forget.changed")
    tombstones.close(graves)
    failpoint("forget.buried")


def change_many(
    actor: Actor,
    ids: Sequence[UUID],
    origin: Origin,
    values: Mapping[str, object],
    fields: tuple[str, ...],
    reason: str,
) -> None:
    """The next version of many items of one space at once. One event names them all; the caller holds the lock."""
    rows = MemoryItem.objects.filter(pk__in=ids)
    rows.update(**values, version=F("version") + 1, updated_at=origin.now)
    items = list(rows)
    MemoryVersion.objects.bulk_create(
        [_new_version(actor, item, origin, fields, reason) for item in items], batch_size=1000
    )
    RetrievalEntry.objects.filter(pk__in=[i.pk for i in items if i.status not in LIVE]).delete()
    indexed = set(RetrievalEntry.objects.filter(pk__in=ids).values_list("pk", flat=True))
    for item in items:
        if item.status in LIVE and item.pk not in indexed:
            index(item, origin)
    Space.objects.filter(pk=origin.space.pk).update(revision=F("revision") + 1)
    _audit(actor, f"memory.{reason}", [i.pk for i in items], origin, fields)


def activate_many(actor: Actor, ids: Sequence[UUID], origin: Origin) -> None:
    """Make many candidates of one space active at once; what they waited to replace is superseded."""
    values = {
        "status_before": F("status"),
        "reason_before": F("pending_reason"),
        "status": Status.ACTIVE,
        "pending_reason": "",
        "expires_at": Case(When(status=Status.PENDING, then=None), default=F("expires_at")),
        "snoozed_until": None,
    }
    change_many(actor, ids, origin, values, ("status",), "confirmed")
    live = [s.value for s in LIVE]
    for item in MemoryItem.objects.filter(pk__in=ids, conflicts_with__status__in=live):
        if item.conflicts_with_id is not None:
            supersede(actor, item.conflicts_with_id, item, origin)


def trash_many(actor: Actor, ids: Sequence[UUID], origin: Origin, reason: str = "forgotten") -> None:
    """Out of use into the trash, for a caller who lays the tombstones."""
    until = origin.now + timedelta(days=origin.policy.trash_days)
    values = {"status_before": F("status"), "status": Status.FORGOTTEN, "undo_until": until}
    change_many(actor, ids, origin, values, ("status",), reason)


def hide_many(ids: Sequence[UUID], now: datetime) -> int:
    """Out of every path with no way back, until they are removed; the caller holds the locks and wrote the event.

    Answers how many there were. Their entries go first: none is to be kept up with its item.
    """
    RetrievalEntry.objects.filter(pk__any_of=ids).delete()
    rows = MemoryItem.objects.filter(pk__any_of=ids)
    return rows.update(status=Status.FORGOTTEN, undo_until=None, updated_at=now, version=F("version") + 1)


def remove_many(actor: Actor, ids: Sequence[UUID], reason: str) -> None:
    """Delete hidden items with their versions and evidence; one event names them and those that pointed at them."""
    present = tuple(MemoryItem.objects.filter(pk__in=ids).values_list("pk", flat=True))
    if not present:
        return
    older = tuple(MemoryItem.objects.filter(superseded_by_id__in=present).values_list("pk", flat=True))
    audit.record(actor, "memory.erased", audit.Target("memory", (*present, *older)), reason=reason)
    MemoryItem.objects.filter(pk__in=older).update(superseded_by=None)
    Evidence.objects.filter(item_id__in=present).delete()
    MemoryVersion.objects.filter(item_id__in=present).delete()
    MemoryItem.objects.filter(pk__in=present).delete()
    failpoint("erasure.rows_open")
    seal()


def forget_many(actor: Actor, ids: Sequence[UUID], origin: Origin, reason: str = "forgotten") -> None:
    """Forget many items of one space at once: what `forget_item` does, with one event."""
    trash_many(actor, ids, origin, reason)
    tombstones.bury(actor, list(MemoryItem.objects.filter(pk__in=ids)), origin.now, reason)


def restore_many(actor: Actor, ids: Sequence[UUID], origin: Origin) -> None:
    """Undo the forgetting of many items of one space at once; the tombstones of their texts are lifted."""
    tombstones.lift_of_items(actor, list(MemoryItem.objects.filter(pk__in=ids)))
    before = Case(When(status_before="", then=Value(Status.ACTIVE.value)), default=F("status_before"))
    change_many(actor, ids, origin, {"status": before, "undo_until": None}, ("status",), "restored")


def _forget_entry(actor: Actor, forget: Forget, origin: Origin) -> Entry:
    item = MemoryItem.objects.get(pk=forget.item)
    forget_item(actor, item, origin)
    if forget.parts:
        tombstones.bury_parts(actor, item, forget.parts, origin.now)
    return Entry("deleted", "DELETE", item.pk, item.kind)


def _mark_unasked(actor: Actor, item_id: UUID, origin: Origin) -> Entry:
    item = MemoryItem.objects.get(pk=item_id)
    item.pending_reason = DELETE_UNASKED
    change(actor, item, origin, ("pending_reason",), "delete_proposed")
    return Entry("pending", "DELETE", item.pk, item.kind, None, DELETE_UNASKED)


def _version(actor: Actor, item: MemoryItem, origin: Origin, fields: tuple[str, ...], reason: str) -> None:
    _new_version(actor, item, origin, fields, reason).save(force_insert=True)


def _new_version(
    actor: Actor,
    item: MemoryItem,
    origin: Origin,
    fields: tuple[str, ...],
    reason: str,
    *,
    number: int = 0,
    was: Earlier | None = None,
) -> MemoryVersion:
    """The item as it is; or, with a `number`, as it `was` before it came here."""
    text = was or Earlier(item.content, item.kind, item.valid_from or item.said_at)
    return MemoryVersion(
        id=new_id(),
        tenant_id=actor.tenant_id,
        item=item,
        number=number or item.version,
        content=text.content,
        kind=text.kind,
        status=item.status,
        changed_fields=list(fields),
        reason=reason,
        actor_kind=actor.kind,
        actor_ref=actor.ref,
        valid_from=text.valid_from,
        created_at=origin.now,
    )


def _evidence(actor: Actor, item: MemoryItem, text: PlannedText, origin: Origin) -> None:
    _new_evidence(actor, item, text, origin).save(force_insert=True)


def _new_evidence(actor: Actor, item: MemoryItem, text: PlannedText, origin: Origin) -> Evidence:
    said = origin.turns[text.turn] if text.turn is not None and origin.turns else Said("user", text.said_at)
    return Evidence(
        id=new_id(),
        tenant_id=actor.tenant_id,
        item=item,
        item_version=item.version,
        quote=text.quote,
        role=said.role,
        speaker=said.speaker,
        session_id=origin.session_id,
        message_id=said.message_id,
        run_id=origin.run_id,
        said_at=said.said_at,
        offset_minutes=said.offset_minutes,
        door=origin.door,
        extractor=text.extractor,
        model=origin.model,
        policy_version=origin.policy.version,
        created_at=origin.now,
    )


def flag(item: MemoryItem, reasons: tuple[str, ...], policy: Policy) -> None:
    NoiseFlag.objects.update_or_create(
        tenant_id=item.tenant_id, item=item, defaults={"reasons": list(reasons), "policy_version": policy.version}
    )


def _audit(actor: Actor, action: str, ids: list[UUID], origin: Origin, fields: tuple[str, ...]) -> None:
    audit.write(_event(actor, action, ids, origin, fields))


def _event(actor: Actor, action: str, ids: list[UUID], origin: Origin, fields: tuple[str, ...]) -> audit.Event:
    return audit.event_of(
        actor,
        action,
        audit.Target("memory", tuple(ids)),
        person=origin.person,
        reason=str(origin.door),
        changed_fields=fields,
        policy_version=origin.policy.version,
        known=origin.subjects,
    )
