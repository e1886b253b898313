"""The steps of an erasure. Each one removes, then looks again; what it still sees is its evidence.

Every step may run twice and may be killed anywhere: it works in short transactions over a few items at a time, and
finds nothing left to do the second time.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q, Value
from django.db.models.functions import StrIndex

from accounts.actor import Actor
from memoryapp.domain.receipts import ErasureKind, Level, LevelState
from memoryapp.domain.tombstones import BLANK, blank_quotes, evened_blanks
from memoryapp.failpoints import failpoint
from memoryapp.models import Evidence, MemoryItem, MemoryVersion, Message, Run, Session
from memoryapp.services.erasure_tables import pointing_at, pointing_at_items
from memoryapp.services.scope import tenant_scope
from memoryapp.services.write_door import remove_many

CHUNK = 200


@dataclass(frozen=True, slots=True)
class Job:
    """An erasure at work. `fence` is called first in every transaction: it keeps the lease, or raises FenceLost."""

    actor: Actor
    id: UUID
    kind: ErasureKind
    space_id: UUID
    item_ids: tuple[UUID, ...]
    evidence_ids: tuple[UUID, ...]
    session_ids: tuple[UUID, ...]
    message_ids: tuple[UUID, ...]
    fence: Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Proven:
    """What was done and what is still seen; the step is done when every count of `left` is 0.

    `redacted` rows lost a part; of `undecided` ones nobody can say whether they tell the same in other words.
    """

    method: str
    left: dict[str, int]
    redacted: int = 0
    undecided: int = 0

    @property
    def holds(self) -> bool:
        return not any(self.left.values())

    @property
    def state(self) -> LevelState:
        if not self.holds:
            return LevelState.FAILED
        return LevelState.NOT_VERIFIED if self.undecided else LevelState.DONE

    @property
    def evidence(self) -> dict[str, object]:
        more = {name: n for name, n in (("redacted", self.redacted), ("undecided", self.undecided)) if n}
        return {"left": self.left, **more}


Action = Callable[[Job], Proven]


def chunks(ids: Sequence[UUID]) -> Iterator[Sequence[UUID]]:
    for start in range(0, len(ids), CHUNK):
        yield ids[start : start + CHUNK]


def hidden(job: Job) -> Proven:
    """The request hid the items in its own transaction; here it is looked at again."""
    with tenant_scope(job.actor):
        seen = MemoryItem.objects.filter(pk__in=job.item_ids).recoverable().count()
        words = sum(m._default_manager.filter(pk__in=job.item_ids).count() for m, c in pointing_at_items() if c == "id")
    return Proven("status and index in the transaction of the request", {"visible": seen, "searchable": words})


def messages(job: Job) -> Proven:
    """Blank the quotes, and the texts word for word, in the messages of the same sessions and in others' evidence."""
    left = 0
    for ids in chunks(job.item_ids):
        with tenant_scope(job.actor):
            job.fence(0)
            spoken = _spoken(ids)
            for message_id, quotes in spoken.items():
                _blank(message_id, quotes)
            _blank_echoes(ids)
            _blank_neighbours(ids, spoken)
        failpoint("erasure.messages")
        with tenant_scope(job.actor):
            left += sum(_still_says(message_id, quotes) for message_id, quotes in spoken.items())
    return Proven("spans blanked in stored messages", {"messages": left})


def _spoken(ids: Collection[UUID]) -> dict[UUID, set[str]]:
    """Message → quotes of these items in it."""
    found: dict[UUID, set[str]] = {}
    rows = Evidence.objects.filter(item_id__in=ids).exclude(message_id=None)
    for message_id, quote in rows.values_list("message_id", "quote"):
        if message_id is not None:
            found.setdefault(message_id, set()).add(quote)
    return found


def _blank(message_id: UUID, quotes: Collection[str]) -> None:
    row = Message.objects.filter(pk=message_id).exclude(text="").first()
    if row is not None:
        blanked = blank_quotes(row.text, quotes)
        Message.objects.filter(pk=message_id).update(text=blanked, speaker=row.speaker if blanked else "")


def _still_says(message_id: UUID, quotes: Collection[str]) -> bool:
    text = Message.objects.filter(pk=message_id).values_list("text", flat=True).first() or ""
    return any(q and evened_blanks(q) in evened_blanks(text) for q in quotes)


def _blank_echoes(ids: Collection[UUID]) -> None:
    """Other messages of the same sessions that hold a text of these items word for word, such as an agent's echo."""
    sessions = set(Evidence.objects.filter(item_id__in=ids).exclude(session=None).values_list("session_id", flat=True))
    texts = set(MemoryVersion.objects.filter(item_id__in=ids).values_list("content", flat=True))
    texts |= set(Evidence.objects.filter(item_id__in=ids).exclude(quote="").values_list("quote", flat=True))
    for text in texts:
        rows = Message.objects.filter(session_id__in=sessions).annotate(found=StrIndex("text", Value(text)))
        for message_id in list(rows.filter(found__gt=0).values_list("pk", flat=True)):
            _blank(message_id, {text})


def _blank_neighbours(ids: Collection[UUID], spoken: dict[UUID, set[str]]) -> None:
    """Evidence of other items from the same message that quotes as much or more: only what is their own stays."""
    rows = Evidence.objects.filter(message_id__in=spoken).exclude(item_id__in=ids)
    for row in rows.exclude(quote=""):
        quotes = (
            [q for q in spoken[row.message_id] if evened_blanks(q) in evened_blanks(row.quote)]
            if row.message_id
            else []
        )
        if quotes:
            Evidence.objects.filter(pk=row.pk).update(quote=blank_quotes(row.quote, quotes) or BLANK)


def references(job: Job) -> Proven:
    """Words, vectors, uses, flags: every table that names an item."""
    for ids in chunks(job.item_ids):
        with tenant_scope(job.actor):
            job.fence(0)
            for model, column in pointing_at_items():
                model._default_manager.filter(**{f"{column}__in": ids}).delete()
            sources = Evidence.objects.filter(item_id__in=ids).exclude(run=None).values("run_id")
            Run.objects.filter(pk__in=sources).exclude(metadata={}).update(metadata={})
        failpoint("erasure.references")
    with tenant_scope(job.actor):
        left: dict[str, int] = {}
        for model, column in pointing_at_items():
            table = model._meta.db_table
            left[table] = left.get(table, 0) + model._default_manager.filter(**{f"{column}__in": job.item_ids}).count()
    return Proven("rows deleted, tables counted again", left)


def rows(job: Job) -> Proven:
    """Evidence, versions and the items themselves, under one audit event a chunk."""
    for ids in chunks(job.item_ids):
        with tenant_scope(job.actor):
            job.fence(len(ids))
            remove_many(job.actor, ids, str(job.kind))
        failpoint("erasure.rows")
    with tenant_scope(job.actor):
        Evidence.objects.filter(pk__in=job.evidence_ids).delete()
        left = {
            "items": MemoryItem.objects.filter(pk__in=job.item_ids).count(),
            "versions": MemoryVersion.objects.filter(item_id__in=job.item_ids).count(),
            "evidence": Evidence.objects.filter(Q(item_id__in=job.item_ids) | Q(pk__in=job.evidence_ids)).count(),
        }
    return Proven("rows deleted, tables counted again", left)


def sessions(job: Job) -> Proven:
    """Whole conversations with their messages, runs and whatever else hangs on them."""
    for ids in chunks(job.session_ids):
        with tenant_scope(job.actor):
            job.fence(0)
            runs = Run.objects.filter(session_id__in=ids)
            for model, column in pointing_at(Run):
                model._default_manager.filter(**{f"{column}__in": runs}).delete()
            for model, column in pointing_at(Session):
                if model is not Run:
                    model._default_manager.filter(**{f"{column}__in": ids}).delete()
            runs.delete()
            Session.objects.filter(pk__in=ids).delete()
        failpoint("erasure.sessions")
    with tenant_scope(job.actor):
        left = {
            "sessions": Session.objects.filter(pk__in=job.session_ids).count(),
            "runs": Run.objects.filter(session_id__in=job.session_ids).count(),
            "messages": Message.objects.filter(session_id__in=job.session_ids).count(),
        }
    return Proven("rows deleted, tables counted again", left)


def documents(job: Job) -> Proven:
    """The messages that a document, web page or tool was sent in; their texts went with the request already."""
    for ids in chunks(job.message_ids):
        with tenant_scope(job.actor):
            job.fence(0)
            Message.objects.filter(pk__in=ids).delete()
        failpoint("erasure.documents")
    with tenant_scope(job.actor):
        left = {"messages": Message.objects.filter(pk__in=job.message_ids).count()}
    return Proven("rows deleted, tables counted again", left)


LEVELS = {"hidden": Level.LOGICAL, "files": Level.PHYSICAL, "backups": Level.BACKUPS}
"""Levels of the steps that are not `derived`."""
