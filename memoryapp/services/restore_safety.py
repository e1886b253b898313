"""After an old dump was restored: what had been forgotten since is forgotten again before anything is served."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.utils import timezone

from accounts.actor import Actor, system_actor
from memoryapp import audit
from memoryapp.domain.receipts import ErasureKind
from memoryapp.domain.types import Door, Status
from memoryapp.models import Erasure, MemoryItem, SourceMask, Space, Tombstone
from memoryapp.models.memory import LIVE
from memoryapp.services import erasure, person_deletion, source_purge, tombstone_file
from memoryapp.services.erasure_tables import with_family
from memoryapp.services.hiding import stop_runs
from memoryapp.services.origins import Origin
from memoryapp.services.scope import tenant_scope
from memoryapp.services.spaces import active_policy, lock
from memoryapp.services.tenants import tenant_ids
from memoryapp.services.write_door import trash_many

Line = Mapping[str, object]
CHUNK = 200


@dataclass(frozen=True, slots=True)
class Difference:
    """What the file knows and the database lacks (restored), and the other way round (a crash kept it from the file)."""

    stones: tuple[Line, ...] = ()
    erasures: tuple[Line, ...] = ()
    unwritten: int = 0

    @property
    def restored(self) -> bool:
        return bool(self.stones or self.erasures)


@dataclass(frozen=True, slots=True)
class Replayed:
    """How many tombstones and erasures were put back, items forgotten by that, and lines added to the file."""

    stones: int = 0
    erasures: int = 0
    items: int = 0
    written: int = 0


def difference() -> Difference:
    """Compare the file with the database. A space that the database does not know has nothing to hide."""
    lines = tombstone_file.read()
    lifted = {str(line["id"]) for line in lines if line["what"] == "lift"}
    stones = _by_tenant(line for line in lines if line["what"] == "stone" and str(line["id"]) not in lifted)
    erasures = _by_tenant(line for line in lines if line["what"] == "erasure")
    written = {str(line["id"]) for line in lines}
    lost: list[Line] = []
    undone: list[Line] = []
    unwritten = 0
    for tenant_id in tenant_ids():
        with tenant_scope(system_actor(tenant_id, "restore")):
            lost += _missing(Tombstone, stones.get(tenant_id, []))
            undone += _missing(Erasure, erasures.get(tenant_id, []))
            unwritten += len(_unwritten(written))
    return Difference(tuple(lost), tuple(undone), unwritten)


def _by_tenant(lines: Iterable[Line]) -> dict[UUID, list[Line]]:
    found: dict[UUID, list[Line]] = {}
    for line in lines:
        found.setdefault(UUID(str(line["tenant"])), []).append(line)
    return found


def _missing(model: type[Tombstone | Erasure], lines: Sequence[Line]) -> list[Line]:
    """Lines of spaces that are there, without their rows. An expired grave of an erased person is no loss."""
    here = set(Space.objects.values_list("pk", flat=True))
    present = set(model.objects.values_list("pk", flat=True))
    closed = _closed_graves() if model is Tombstone else set()
    return [
        line for line in lines if UUID(str(line["space"])) in here - closed and UUID(str(line["id"])) not in present
    ]


def _closed_graves() -> set[UUID]:
    gone = Erasure.objects.filter(kind=ErasureKind.PERSON, steps__name="backups", steps__evidence__has_key="marks")
    return set(gone.values_list("space_id", flat=True))


def _unwritten(written: set[str]) -> list[Line]:
    stones = [s for s in Tombstone.objects.filter(lifted_at=None).order_by("id") if str(s.pk) not in written]
    masks: dict[UUID, list[SourceMask]] = {}
    for mask in SourceMask.objects.filter(item_id__in=[s.item_id for s in stones], lifted_at=None):
        masks.setdefault(mask.item_id, []).append(mask)
    lines = [tombstone_file.buried(s, masks.get(s.item_id, [])) for s in stones]
    jobs = [job for job in Erasure.objects.order_by("id") if str(job.pk) not in written]
    return lines + [tombstone_file.erased(job) for job in jobs]


def replay() -> Replayed:
    """Put back what is missing on either side; repeating it changes nothing."""
    found = difference()
    items = 0
    for tenant_id, lines in _by_tenant(found.stones).items():
        for start in range(0, len(lines), CHUNK):
            items += _bury_again(system_actor(tenant_id, "restore"), lines[start : start + CHUNK])
    for line in found.erasures:
        _erase_again(line)
    return Replayed(len(found.stones), len(found.erasures), items, _write_missing())


def _write_missing() -> int:
    written = {str(line["id"]) for line in tombstone_file.read()}
    count = 0
    for tenant_id in tenant_ids():
        with tenant_scope(system_actor(tenant_id, "restore")):
            lines = _unwritten(written)
        if lines:
            tombstone_file.append(lines)
        count += len(lines)
    return count


def _bury_again(actor: Actor, lines: Sequence[Line]) -> int:
    """Tombstones and masks as they were, and out of use what they are about; answers how many items that was."""
    with tenant_scope(actor):
        for space_id in sorted({UUID(str(line["space"])) for line in lines}):
            lock(space_id)
        stones = [_stone(actor, line) for line in lines]
        hidden = sorted({item_id for stone in stones for item_id in _said_by(stone)})
        targets = (*(s.item_id for s in stones), *hidden)
        audit.record(actor, "tombstone.replayed", audit.Target("memory", targets), reason="restore")
        Tombstone.objects.bulk_create(stones)
        SourceMask.objects.bulk_create([m for line in lines for m in _masks(actor, line)], ignore_conflicts=True)
        _to_trash(actor, hidden)
        return len(hidden)


def _said_by(stone: Tombstone) -> list[UUID]:
    """The item itself, and any living one that says the same and is not newer."""
    own = MemoryItem.objects.filter(pk=stone.item_id).exclude(status=Status.FORGOTTEN)
    twins = MemoryItem.objects.filter(
        space_id=stone.space_id, fingerprint=stone.fingerprint, said_at__lte=stone.horizon, status__in=LIVE
    )
    return [*own.values_list("pk", flat=True), *twins.values_list("pk", flat=True)]


def _to_trash(actor: Actor, item_ids: Sequence[UUID]) -> None:
    policy, now = active_policy(actor), timezone.now()
    for space in Space.objects.filter(pk__in=MemoryItem.objects.filter(pk__in=item_ids).values("space_id")):
        here = MemoryItem.objects.filter(pk__in=item_ids, space=space)
        origin = Origin(space, Door.MANUAL, policy, now, space.key if space.kind == "person" else "")
        trash_many(actor, list(here.values_list("pk", flat=True)), origin)


def _stone(actor: Actor, line: Line) -> Tombstone:
    triple, words = line["triple"], line["words"]
    return Tombstone(
        id=UUID(str(line["id"])),
        tenant_id=actor.tenant_id,
        space_id=UUID(str(line["space"])),
        item_id=UUID(str(line["item"])),
        fingerprint=bytes.fromhex(str(line["fingerprint"])),
        triple_fingerprint=bytes.fromhex(str(triple)) if triple else None,
        words=[bytes.fromhex(str(w)) for w in words] if isinstance(words, list) else [],
        horizon=datetime.fromisoformat(str(line["horizon"])),
        reason=str(line["reason"]),
        created_at=datetime.fromisoformat(str(line["at"])),
    )


def _masks(actor: Actor, line: Line) -> list[SourceMask]:
    masks, here = line["masks"], set(Space.objects.values_list("pk", flat=True))
    found = [m for m in masks if isinstance(m, Mapping)] if isinstance(masks, list) else []
    return [
        SourceMask(
            id=UUID(str(m["id"])),
            tenant_id=actor.tenant_id,
            space_id=UUID(str(m["space"])),
            item_id=UUID(str(line["item"])),
            text_hash=bytes.fromhex(str(m["text_hash"])),
            start=int(str(m["start"])),
            length=int(str(m["length"])),
            span_hash=bytes.fromhex(str(m["span_hash"])),
            horizon=datetime.fromisoformat(str(line["horizon"])),
        )
        for m in found
        if UUID(str(m["space"])) in here
    ]


def _erase_again(line: Line) -> None:
    """The same erasure, under its own id, over what the restore brought back."""
    actor = system_actor(UUID(str(line["tenant"])), "restore")
    erasure_id, kind = UUID(str(line["id"])), ErasureKind(str(line["kind"]))
    with tenant_scope(actor):
        space = Space.objects.get(pk=UUID(str(line["space"])))
        if kind is ErasureKind.PERSON and not space.key.startswith("erased-"):
            person_deletion.begin(actor, space, erasure_id)
            return
        ids = {name: _ids(line.get(name)) for name in ("items", "evidence", "sessions", "messages")}
        stop_runs(ids["sessions"])
        erasure.begin(
            actor,
            space,
            kind,
            with_family(ids["items"]),
            evidence_ids=ids["evidence"],
            session_ids=ids["sessions"],
            message_ids=ids["messages"],
            erasure_id=erasure_id,
        )
        source_purge.unsay(ids["messages"])


def _ids(values: object) -> list[UUID]:
    return [UUID(str(v)) for v in values] if isinstance(values, list) else []
