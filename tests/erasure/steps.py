"""What the erasure tests share: an item that was said, erased and looked for."""

from __future__ import annotations

from uuid import UUID

from accounts.actor import Actor
from memoryapp.models import Erasure
from memoryapp.services import erasure
from memoryapp.services.erasure import ErasureView
from memoryapp.services.scope import tenant_scope
from tests.cast import Cast, finish, only, say


def said(cast: Cast, text: str, person: str = "alice", session: str = "") -> UUID:
    """One item learnt from one message."""
    finish(cast.agent, say(cast.agent, person, text, session=session))
    return only(cast.agent, person)


def carried_out(actor: Actor, erasure_id: UUID) -> ErasureView:
    """Run an erasure as a worker would."""
    erasure.run(actor.tenant_id, erasure_id)
    return erasure.erasure(actor, erasure_id)


def waiting(actor: Actor) -> list[UUID]:
    with tenant_scope(actor):
        return list(Erasure.objects.filter(state="pending").values_list("pk", flat=True))
