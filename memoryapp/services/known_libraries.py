"""Small libraries that this process has read, good as long as the database says that nothing of them changed.

An agent asks for a person's context at every turn of a conversation, and in between little is learnt. So a library that
was read whole is kept for a moment, with the database's stamp of it (policy, the revision of each space, who acts); the
next context sends the stamp along with its audit event and learns in one call whether both still hold, its key too.
Nothing is answered before. A text that was erased stays in the memory of a process for SECONDS at most, in nobody's
reach.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import OperationalError, connection
from django.utils import timezone

from accounts.actor import Actor
from accounts.lookup import KeyEnded, give
from memoryapp import audit
from memoryapp.models.base import array_text
from memoryapp.services import afterwards
from memoryapp.services.shelf import Shelf
from memoryapp.services.standing import Standing, values_for

SECONDS = 120.0
MOST = 256
"""Libraries that a process keeps; the one that was asked for the longest ago goes first."""


@dataclass(frozen=True, slots=True)
class Whose:
    """What was read: by whom, of whom, with which of the tenant's own words."""

    tenant_id: UUID
    kind: str
    ref: str
    user_key: str
    person: str
    project_id: str
    words: int


@dataclass(frozen=True, slots=True)
class Library:
    """All recallable items of the spaces that a context covers, and where the read stood. `distinct`: no two of them say
    the same.
    """

    place: Standing
    shelf: Shelf
    distinct: bool
    drawn: dict[UUID, object] = field(default_factory=dict)
    """What an edge made of the items (`ContextView.drawn`)."""

    @property
    def until(self) -> datetime | None:
        """When the first of its items expires."""
        ends = [s.item.expires_at for s in self.shelf.items.values() if s.item.expires_at is not None]
        return min(ends, default=None)


@dataclass(frozen=True, slots=True)
class _Kept:
    library: Library
    read_at: float
    until: datetime | None


_kept: OrderedDict[Whose, _Kept] = OrderedDict()
_lock = threading.Lock()


def whose(actor: Actor, person: str, project_id: str, words: int) -> Whose:
    """`words` is the revision of the tenant's dictionary, by which questions are cut now."""
    return Whose(actor.tenant_id, str(actor.kind), actor.ref, actor.user_key, person, project_id, words)


def known(of: Whose) -> Library | None:
    """The library as this process read it lately. It is not to be answered from before `tell` said that it holds."""
    with _lock:
        kept = _kept.get(of)
        if kept is None:
            return None
        lapsed = kept.until is not None and kept.until <= timezone.now()
        if lapsed or time.monotonic() - kept.read_at >= SECONDS:
            del _kept[of]
            return None
        _kept.move_to_end(of)
        return kept.library


def keep(of: Whose, library: Library) -> None:
    """Keep what was just read whole."""
    with _lock:
        _kept[of] = _Kept(library, time.monotonic(), library.until)
        _kept.move_to_end(of)
        while len(_kept) > MOST:
            _kept.popitem(last=False)
    afterwards.later(sweep, SECONDS)


def drop(of: Whose | None = None) -> None:
    """Keep nothing any more, or nothing of this one."""
    with _lock:
        if of is None:
            _kept.clear()
        else:
            _kept.pop(of, None)


def sweep() -> None:
    """Let go of what is too old; comes again while something is left."""
    with _lock:
        old = [of for of, kept in _kept.items() if time.monotonic() - kept.read_at >= SECONDS]
        for of in old:
            del _kept[of]
        left = min((SECONDS - (time.monotonic() - kept.read_at) for kept in _kept.values()), default=None)
    if left is not None:
        afterwards.later(sweep, left)


_TELL = f"""
SELECT memoryapp_tell_known(
    %s, %s, %s, %s::text[], %s::text[], {", ".join(["%s"] * 9)}, %s::uuid[], {", ".join(["%s"] * 4)}
)
"""


def tell(actor: Actor, of: Whose, stamp: str, event: audit.Event) -> bool:
    """Write the event of a read, if the library still has this stamp. False means that nothing was written.

    Raises `unauthenticated` when the actor's key is no longer what it was.
    """
    asked = actor.proof if actor.proof is not None and not actor.proof.given else None
    named = values_for(actor, of.person, of.project_id)
    values: list[Any] = [
        actor.tenant_id,
        asked.public_id if asked else "",
        asked.row if asked else "",
        named["kinds"],
        named["keys"],
        of.kind,
        of.ref,
        of.person,
        stamp,
        event.id,
        event.occurred_at,
        event.actor_id,
        event.on_behalf_of_id,
        event.action,
        array_text(event.target_ids),
        event.request_id,
        event.body,
        event.leaf_hash,
        event.system_identifier,
    ]
    answer = _answer(values)
    if answer == "key" or (asked and answer != "nothing" and not give(asked, asked.row)):
        raise KeyEnded
    return answer == "told"


def _answer(values: Sequence[Any]) -> str:
    """A connection that breaks here was ended by the server: whoever asked looks anew, on another one."""
    try:
        with connection.cursor() as cursor:
            cursor.execute(_TELL, values)
            return str(cursor.fetchone()[0])
    except OperationalError:
        if connection.in_atomic_block:
            raise
        connection.close()
        return "nothing"
