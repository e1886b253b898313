"""The cast: Alice and her colleague Bob in one tenant, Charlie next door who must see nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from uuid import UUID

from accounts.actor import Actor, ActorKind
from memoryapp.models import Run
from memoryapp.services import access, pipeline
from memoryapp.services.ingest import Incoming, accept
from memoryapp.services.memories import list_items
from memoryapp.services.results import EventView, ListFilter
from memoryapp.services.scope import tenant_scope


@dataclass(frozen=True)
class Cast:
    """Actors of keys: `agent` may act for anybody of its tenant, `charlie` is the other tenant's agent."""

    agent: Actor
    charlie: Actor
    key: str
    charlie_key: str

    def person(self, name: str) -> Actor:
        return replace(self.agent, kind=ActorKind.PERSON, ref=name, user_key=name)


def make_cast() -> Cast:
    ours, theirs = access.create_tenant("ours"), access.create_tenant("theirs")
    key, row = access.create_key(ours.actor, "agent")
    charlie_key, other = access.create_key(theirs.actor, "agent")
    agent = Actor(ours.tenant.pk, ActorKind.KEY, row.public_id, tuple(row.scopes))
    charlie = Actor(theirs.tenant.pk, ActorKind.KEY, other.public_id, tuple(other.scopes))
    return Cast(agent, charlie, key, charlie_key)


def say(actor: Actor, person: str, *texts: str, role: str = "user", session: str = "") -> EventView:
    return accept(actor, person, [Incoming(role, text) for text in texts], session=session)


def finish(actor: Actor, event: EventView) -> None:
    """Run extraction as a worker would, due or not."""
    with tenant_scope(actor):
        due = Run.objects.get(pk=event.id).created_at
        Run.objects.filter(pk=event.id, state="pending").update(due_at=due)
    pipeline.extract(actor.tenant_id, event.id)


def texts(actor: Actor, person: str, **wanted: object) -> list[str]:
    return [i.content for i in list_items(actor, person, ListFilter(**wanted)).items]  # type: ignore[arg-type]


def only(actor: Actor, person: str) -> UUID:
    (item,) = list_items(actor, person, ListFilter()).items
    return item.id
