"""Tombstones and source masks in the database: laid, read, lifted. Every write asks `graveyard(...).rule`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import F, Q
from django.utils import timezone

from accounts.actor import Actor
from accounts.models import new_id
from memoryapp import audit
from memoryapp.domain.errors import DomainError
from memoryapp.domain.hashing import fingerprint, keyed_words_of_all, triple_fingerprint
from memoryapp.domain.tombstones import Graveyard, Mask, Plot, Ruling, Standing, Stone, Wording, mask_of
from memoryapp.keyring import KeyDestroyed, pseudonym, tombstone_key
from memoryapp.models import Evidence, MemoryItem, Message, SourceMask, Space, Tombstone, WorkingMemory
from memoryapp.models.memory import MemoryItemQuerySet
from memoryapp.providers.script_folding import to_simplified
from memoryapp.services import tombstone_file
from memoryapp.services.row_parts import insert_many
from memoryapp.services.tombstone_file import NewStone


@dataclass(frozen=True, slots=True)
class Marks:
    """The keyed marks that an item row stores, so that the database's trigger needs no key."""

    fingerprint: bytes
    triple: bytes | None


def marks(space: Space, wording: Wording) -> Marks:
    key = tombstone_key(space.tenant_id, space.pk)
    named = (wording.subject, wording.predicate, wording.object)
    return Marks(fingerprint(key, wording.content, to_simplified), triple_fingerprint(key, *named, to_simplified))


def graveyard(space: Space, *, home: Space | None = None) -> Graveyard:
    """All that was forgotten in a space, and before it in the spaces of the same person that were erased.

    `home` is the space whose key made the message hashes, when it is another one.
    """
    spaces = {s.pk: s for s in (space, home or space)}
    earlier = Q(pk__in=[])
    for one in spaces.values():
        earlier |= Q(kind=one.kind, key__startswith=pseudonym(one.tenant_id, one.kind, one.key))
    spaces |= {s.pk: s for s in Space.objects.filter(earlier, tenant_id=space.tenant_id)}
    plots = (_plot(s, stones=home is None or s.pk != home.pk or s.pk == space.pk) for s in spaces.values())
    return Graveyard(tuple(p for p in plots if p is not None))


def _plot(space: Space, *, stones: bool) -> Plot | None:
    try:
        key = tombstone_key(space.tenant_id, space.pk)
    except KeyDestroyed:
        return None
    rows = Tombstone.objects.filter(space=space, lifted_at=None) if stones else Tombstone.objects.none()
    masks = SourceMask.objects.filter(space=space, lifted_at=None)
    return Plot(key, tuple(_stone(r) for r in rows), tuple(_mask(m) for m in masks))


STONE_COLUMNS = ("id", "item_id", "fingerprint", "horizon", "triple_fingerprint", "words")


def graveyard_of(tenant_id: UUID, rows: Iterable[tuple[UUID, Sequence[Any]]]) -> Graveyard:
    """The stones of some spaces, from rows of a space's id and STONE_COLUMNS; all None where a space has no stones."""
    stones: dict[UUID, list[Stone]] = defaultdict(list)
    for space_id, (id_, item, mark, horizon, triple, words) in rows:
        if id_ is not None:
            stones[space_id].append(Stone(id_, item, mark, horizon, triple, frozenset(words)))
    return Graveyard(tuple(p for p in (_stones_only(tenant_id, *one) for one in stones.items()) if p is not None))


def _stones_only(tenant_id: UUID, space_id: UUID, stones: Sequence[Stone]) -> Plot | None:
    try:
        return Plot(tombstone_key(tenant_id, space_id), tuple(stones), ())
    except KeyDestroyed:
        return None


def _stone(row: Tombstone) -> Stone:
    triple = bytes(row.triple_fingerprint) if row.triple_fingerprint is not None else None
    words = frozenset(bytes(w) for w in row.words)
    return Stone(row.pk, row.item_id, bytes(row.fingerprint), row.horizon, triple, words)


def _mask(row: SourceMask) -> Mask:
    return Mask(bytes(row.text_hash), row.start, row.length, bytes(row.span_hash), row.horizon)


def check(actor: Actor, graves: Graveyard, wording: Wording, now: datetime) -> Ruling:
    """The ruling on a direct write: a key's call is no statement of the person, the person's own page is one.

    Raises `tombstoned`. The caller lifts what the ruling names once the item is known.
    """
    ruling = graves.rule(wording, now, actor.is_person, to_simplified)
    if ruling.standing is Standing.BLOCKED:
        raise DomainError("tombstoned", "This was forgotten. The person can say it again or add it on their own page.")
    return ruling


class Remains(NamedTuple):
    """What a stone is made of: the parts of an item that it needs, where the item itself is not at hand."""

    pk: UUID
    tenant_id: UUID
    space_id: UUID
    content: str
    subject: str
    predicate: str
    object: str
    fingerprint: bytes
    said_at: datetime

    @classmethod
    def of(cls, rows: MemoryItemQuerySet) -> list[Remains]:
        return [cls(*values) for values in rows.values_list(*cls._fields)]


Buried = Sequence[MemoryItem] | Sequence[Remains]


@dataclass(frozen=True, slots=True)
class Graves:
    """Stones and masks of items that go out of use, not yet written."""

    stones: Sequence[NewStone]
    masks: Sequence[SourceMask]


def bury(actor: Actor, items: Buried, now: datetime, reason: str) -> None:
    """Lay the stones of items and mask their sources, in the transaction that takes them out of use.

    The spaces' revisions rise, so that a run in flight looks again before it writes.
    """
    graves = dig(actor, items, now, reason)
    insert_many(Tombstone, graves.stones)
    Space.objects.filter(pk__in={s.space_id for s in graves.stones}).update(revision=F("revision") + 1)
    close(graves)


def bury_parts(actor: Actor, item: MemoryItem, parts: Sequence[str], now: datetime) -> None:
    """Lay a stone for each statement that was asked for of a forgotten item, beside the one of its whole text."""
    key = tombstone_key(item.tenant_id, item.space_id)
    gone = [
        Remains(
            item.pk,
            item.tenant_id,
            item.space_id,
            part,
            "",
            "",
            "",
            fingerprint(key, part, to_simplified),
            item.said_at,
        )
        for part in parts
    ]
    graves = dig(actor, gone, now, "forgotten", heard=False)
    insert_many(Tombstone, graves.stones)
    close(graves)


def dig(actor: Actor, items: Buried, now: datetime, reason: str, *, heard: bool = True) -> Graves:
    """What `bury` writes, for a caller who writes the stones itself, raises the revisions and then calls `close`."""
    homes: dict[tuple[UUID, UUID], list[MemoryItem | Remains]] = defaultdict(list)
    for item in items:
        homes[item.tenant_id, item.space_id].append(item)
    stones = [stone for home, there in homes.items() for stone in _new_stones(actor, home, there, now, reason)]
    return Graves(stones, _new_masks(actor, stones) if heard else [])


def close(graves: Graves) -> None:
    """Write the masks beside stones that are laid; the file hears of both after the commit."""
    if graves.masks:
        insert_many(SourceMask, graves.masks)
        _forget_summaries(graves)
    masks_of: dict[UUID, list[SourceMask]] = defaultdict(list)
    for mask in graves.masks:
        masks_of[mask.item_id].append(mask)
    tombstone_file.write_on_commit([tombstone_file.buried(s, masks_of[s.item_id]) for s in graves.stones])


def _forget_summaries(graves: Graves) -> None:
    """What was summed up from the masked messages is derived anew, without them, at the next look."""
    told = Evidence.objects.filter(item_id__any_of=[s.item_id for s in graves.stones]).values("session_id")
    WorkingMemory.objects.filter(session_id__in=told).sum_up_anew()


def _new_stones(
    actor: Actor, home: tuple[UUID, UUID], items: Sequence[MemoryItem | Remains], now: datetime, reason: str
) -> Iterator[NewStone]:
    key = tombstone_key(*home)
    wordings = keyed_words_of_all(key, (item.content for item in items), to_simplified)
    for item, words in zip(items, wordings, strict=True):
        yield NewStone(
            id=new_id(),
            tenant_id=actor.tenant_id,
            space_id=item.space_id,
            item_id=item.pk,
            fingerprint=bytes(item.fingerprint),
            triple_fingerprint=triple_fingerprint(key, item.subject, item.predicate, item.object, to_simplified),
            words=sorted(words),
            horizon=max(now, item.said_at),
            reason=reason,
            created_at=now,
        )


def _new_masks(actor: Actor, stones: Sequence[NewStone]) -> list[SourceMask]:
    stone_of = {s.item_id: s for s in stones}
    rows = Evidence.objects.filter(item_id__any_of=stone_of).exclude(message_id=None).order_by("id")
    quotes = list(rows.values_list("item_id", "message_id", "quote"))
    if not quotes:
        return []
    heard = Message.objects.filter(pk__any_of={message_id for _, message_id, _ in quotes})
    found = {one[0]: _Heard(*one) for one in heard.values_list(*_Heard._fields)}
    return [_new_mask(actor, stone_of[item], found[told], quote) for item, told, quote in quotes if told in found]


class _Heard(NamedTuple):
    pk: UUID
    session__space_id: UUID
    text: str
    text_hash: bytes


def _new_mask(actor: Actor, stone: NewStone, message: _Heard, quote: str) -> SourceMask:
    home = message.session__space_id
    key = tombstone_key(actor.tenant_id, home)
    mask = mask_of(key, message.text, quote, bytes(message.text_hash), stone.horizon)
    return SourceMask(
        id=new_id(),
        tenant_id=actor.tenant_id,
        space_id=home,
        item_id=stone.item_id,
        text_hash=mask.text_hash,
        start=mask.start,
        length=mask.length,
        span_hash=mask.span_hash,
        horizon=mask.horizon,
        created_at=stone.created_at,
    )


def lift(actor: Actor, stones: Iterable[UUID], *, by: UUID | None = None, undone: Sequence[UUID] = ()) -> int:
    """A newer statement or a restore makes stones void; `by` links the item that did. Answers how many.

    Only the masks of what is `undone` go with them: an erasure stays one, its masks hold on to the old source.
    """
    wanted = list(stones)
    rows = list(Tombstone.objects.filter(pk__in=wanted, lifted_at=None)) if wanted else []
    if not rows:
        return 0
    now, items = timezone.now(), tuple(s.item_id for s in rows)
    audit.record(actor, "tombstone.lifted", audit.Target("memory", (*items, *([by] if by else []))))
    Tombstone.objects.filter(pk__in=[s.pk for s in rows]).update(lifted_at=now, lifted_by=by)
    SourceMask.objects.filter(item_id__in=undone, lifted_at=None).update(lifted_at=now)
    tombstone_file.write_on_commit([tombstone_file.lifted(s) for s in rows])
    return len(rows)


def lift_of_items(actor: Actor, items: Sequence[MemoryItem]) -> int:
    """Undo: the items themselves come back, past every stone that bears their text."""
    ids = [item.pk for item in items]
    same = Q(item_id__in=ids) | Q(
        space_id__in={i.space_id for i in items}, fingerprint__in=[bytes(i.fingerprint) for i in items]
    )
    stones = Tombstone.objects.filter(same, lifted_at=None).values_list("pk", flat=True)
    return lift(actor, list(stones), undone=ids)
