"""One action over many memories: chosen by id or by a filter, one transaction and one audit event per space.

What cannot be done is named with its code and the rest goes on. An id may come with the version that was seen; a memory
that changed since is left alone and reported as `changed`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Case, F, When
from django.db.models.functions import Greatest
from django.utils import timezone

from accounts.actor import Actor
from memoryapp import audit
from memoryapp.domain.errors import DomainError
from memoryapp.domain.planned import DELETE_UNASKED
from memoryapp.domain.types import Door, Status
from memoryapp.models import MemoryItem, NoiseFlag, Space
from memoryapp.services.changes import TRANSITIONS, VERBS
from memoryapp.services.origins import Origin
from memoryapp.services.scope import tenant_scope
from memoryapp.services.spaces import active_policy, check_person, lock
from memoryapp.services.vectors import embed_later
from memoryapp.services.write_door import activate_many, change_many, forget_many, restore_many, seal

CHUNK = 5000
"""Memories of one space per transaction and event: what a space is locked for stays around a second or two."""
ONE_BY_ONE = ("keep_both", "undo")
"""Decisions of the inbox that look at each memory's own history: a transaction each, and one event for the whole."""
ACTIONS = ("forget", "restore", "confirm", "reject", "pause", "resume", "not_noise", "later", "edit", *ONE_BY_ONE)
EDITABLE = frozenset({"kind", "importance", "pinned", "expires_at", "review_after"})


@dataclass(frozen=True, slots=True)
class BulkResult:
    """`done` are the ids that are now as asked (or would be, in a dry run), `failed` the others with their codes."""

    done: tuple[UUID, ...] = ()
    failed: Mapping[UUID, str] = field(default_factory=dict)
    undo_until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Order:
    """What to do. `versions` are those the caller saw; `params` are the new values of `edit`; a `person` narrows the
    memories to that person's own."""

    action: str
    params: Mapping[str, object] = field(default_factory=dict)
    versions: Mapping[UUID, int] = field(default_factory=dict)
    dry_run: bool = False
    person: str = ""


def check_order(actor: Actor, order: Order) -> None:
    """Raises `invalid` or `unknown_field` for an action or params that do not exist, and refuses somebody else's person."""
    if order.person:
        check_person(actor, order.person)
    if order.action not in ACTIONS:
        raise DomainError("invalid", f"`action` is one of {', '.join(ACTIONS)}.")
    if order.action != "edit" and order.params:
        raise DomainError("invalid", "`params` go with the action `edit`.")
    if order.action == "edit" and not order.params:
        raise DomainError("invalid", f"`edit` takes `params`: {', '.join(sorted(EDITABLE))}.")
    if unknown := set(order.params) - EDITABLE:
        raise DomainError("unknown_field", f"These cannot be changed in bulk: {', '.join(sorted(unknown))}.")


def batch(actor: Actor, ids: Sequence[UUID], action: str) -> BulkResult:
    """One action over these memories."""
    return carry_out(actor, ids, Order(action))


def carry_out(actor: Actor, ids: Sequence[UUID], order: Order) -> BulkResult:
    """Do it, space by space in the order of their ids, so that two bulk actions never wait for each other."""
    check_order(actor, order)
    wanted = tuple(dict.fromkeys(ids))
    if order.action in ONE_BY_ONE:
        return _one_by_one(actor, wanted, order)
    with tenant_scope(actor):
        rows = MemoryItem.objects.for_actor(actor).recoverable().filter(pk__in=wanted)
        if order.person:
            rows = rows.filter(space__kind="person", space__key=order.person)
        homes = dict(rows.values_list("pk", "space_id"))
    by_space: dict[UUID, list[UUID]] = defaultdict(list)
    for item_id in wanted:
        if item_id in homes:
            by_space[homes[item_id]].append(item_id)
    failed = {item_id: "not_found" for item_id in wanted if item_id not in homes}
    done: set[UUID] = set()
    undo_until: datetime | None = None
    for space_id in sorted(by_space):
        for start in range(0, len(by_space[space_id]), CHUNK):
            part = _in_space(actor, space_id, by_space[space_id][start : start + CHUNK], order)
            done |= set(part.done)
            failed |= part.failed
            undo_until = part.undo_until or undo_until
    return BulkResult(tuple(i for i in wanted if i in done), {i: failed[i] for i in wanted if i in failed}, undo_until)


def _one_by_one(actor: Actor, ids: Sequence[UUID], order: Order) -> BulkResult:
    if order.dry_run:
        raise DomainError("invalid", f"`dry_run` does not go with {order.action}.")
    done: list[UUID] = []
    failed: dict[UUID, str] = {}
    for item_id in ids:
        try:
            VERBS[order.action](actor, item_id)
            done.append(item_id)
        except DomainError as error:
            failed[item_id] = error.code
    with tenant_scope(actor):
        audit.record(actor, f"memory.batch_{order.action}", audit.Target("memory", tuple(done)))
    return BulkResult(tuple(done), failed)


def _in_space(actor: Actor, space_id: UUID, ids: Sequence[UUID], order: Order) -> BulkResult:
    with tenant_scope(actor):
        space = Space.objects.get(pk=space_id)
        lock(space_id)
        person = space.key if space.kind == "person" else ""
        origin = Origin(space, Door.MANUAL, active_policy(actor), timezone.now(), person)
        rows = {row.pk: row for row in MemoryItem.objects.filter(space=space, pk__in=ids)}
        steps, failed = _decided(rows, ids, order, origin)
        if not order.dry_run:
            for step, chosen in steps.items():
                if chosen and step != UNCHANGED:
                    _apply(actor, step, chosen, order, origin)
            seal()
        gone = [*steps.get("forgotten", []), *steps.get("rejected", [])]
        undo = MemoryItem.objects.filter(pk__in=gone[:1]).values_list("undo_until", flat=True).first()
    done = tuple(item_id for chosen in steps.values() for item_id in chosen)
    return BulkResult(done, failed, undo)


UNCHANGED = "unchanged"


class _Refused(Exception):
    """Why one memory is left as it is; a code."""


def _decided(
    rows: Mapping[UUID, MemoryItem], ids: Sequence[UUID], order: Order, origin: Origin
) -> tuple[dict[str, list[UUID]], dict[UUID, str]]:
    """Each memory under the step it takes (a past participle), and the others with the reason."""
    steps: dict[str, list[UUID]] = defaultdict(list)
    failed: dict[UUID, str] = {}
    taken = _texts_in_use(rows, origin.space) if order.action == "restore" else set()
    for item_id in ids:
        row = rows.get(item_id)
        if row is None:
            failed[item_id] = "not_found"
            continue
        try:
            _compare(row, order.versions.get(item_id))
            step = _restored(row, origin.now, taken) if order.action == "restore" else STEPS[order.action](row)
        except _Refused as refusal:
            failed[item_id] = str(refusal)
            continue
        steps[step].append(item_id)
    return steps, failed


def _compare(row: MemoryItem, seen: int | None) -> None:
    if seen is not None and row.version != seen:
        raise _Refused("changed")


def _texts_in_use(rows: Mapping[UUID, MemoryItem], space: Space) -> set[tuple[str, bytes]]:
    hashes = [row.norm_hash for row in rows.values()]
    live = MemoryItem.objects.filter(space=space, norm_hash__in=hashes).alive()
    return {(scope, bytes(text)) for scope, text in live.values_list("scope", "norm_hash")}


def _forgotten(row: MemoryItem) -> str:
    return UNCHANGED if row.status == Status.FORGOTTEN else "forgotten"


def _restored(row: MemoryItem, now: datetime, taken: set[tuple[str, bytes]]) -> str:
    if row.status != Status.FORGOTTEN:
        return UNCHANGED
    if row.undo_until is None or row.undo_until <= now:
        raise _Refused("not_found")
    text = (row.scope, bytes(row.norm_hash))
    if text in taken:
        raise _Refused("duplicate_of")
    taken.add(text)
    return "restored"


def _visible(row: MemoryItem) -> MemoryItem:
    if row.status == Status.FORGOTTEN:
        raise _Refused("not_found")
    return row


def _transition(verb: str) -> Callable[[MemoryItem], str]:
    past, starts, ends = TRANSITIONS[verb]

    def move(row: MemoryItem) -> str:
        if _visible(row).status in starts:
            return past
        if row.status != ends:
            raise _Refused("invalid_transition")
        return UNCHANGED

    return move


def _confirmed(row: MemoryItem) -> str:
    if _visible(row).pending_reason == DELETE_UNASKED:
        return "forgotten"
    if row.waits:
        return "confirmed"
    if row.status != Status.ACTIVE:
        raise _Refused("invalid_transition")
    return UNCHANGED


def _rejected(row: MemoryItem) -> str:
    if row.status == Status.FORGOTTEN:
        return UNCHANGED
    if row.pending_reason == DELETE_UNASKED:
        return "kept"
    if not row.waits:
        raise _Refused("invalid_transition")
    return "rejected"


STEPS: Mapping[str, Callable[[MemoryItem], str]] = {
    "forget": _forgotten,
    "confirm": _confirmed,
    "pause": _transition("pause"),
    "resume": _transition("resume"),
    "reject": _rejected,
    "not_noise": lambda row: "noise_dismissed" if _visible(row) else UNCHANGED,
    "later": lambda row: "snoozed" if _visible(row) else UNCHANGED,
    "edit": lambda row: "edited" if _visible(row) else UNCHANGED,
}
MOVES: Mapping[str, tuple[Mapping[str, object], tuple[str, ...]]] = {
    "paused": ({"status": Status.PAUSED, "pending_reason": ""}, ("status",)),
    "resumed": ({"status": Status.ACTIVE, "pending_reason": ""}, ("status",)),
    "kept": ({"pending_reason": ""}, ("pending_reason",)),
}


def _apply(actor: Actor, step: str, ids: Sequence[UUID], order: Order, origin: Origin) -> None:
    if step in ("forgotten", "rejected"):
        forget_many(actor, ids, origin, step)
    elif step == "restored":
        restore_many(actor, ids, origin)
        embed_later(actor)
    elif step == "confirmed":
        activate_many(actor, ids, origin)
    elif step == "noise_dismissed":
        NoiseFlag.objects.filter(item_id__in=ids).update(dismissed_at=origin.now)
        audit.record(actor, "memory.noise_dismissed", audit.Target("memory", tuple(ids)), person=origin.person)
    elif step == "snoozed":
        change_many(actor, ids, origin, _put_off(origin), ("snoozed_until",), step)
    else:
        values, fields = (order.params, tuple(sorted(order.params))) if step == "edited" else MOVES[step]
        change_many(actor, ids, origin, values, fields, step)


def _put_off(origin: Origin) -> dict[str, object]:
    """Out of the inbox for the days of the policy; a candidate does not lapse meanwhile."""
    until = origin.now + timedelta(days=origin.policy.snooze_days)
    lapses = Case(
        When(
            status=Status.PENDING, expires_at__isnull=False, then=Greatest(F("expires_at"), until + timedelta(days=1))
        ),
        default=F("expires_at"),
    )
    return {"snoozed_until": until, "expires_at": lapses}
