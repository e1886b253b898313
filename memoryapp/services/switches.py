"""A person's two switches: whether anything new is learnt, and whether what is known is given to agents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from accounts.actor import Actor
from memoryapp import audit
from memoryapp.domain.errors import DomainError
from memoryapp.domain.types import SpaceKind
from memoryapp.models import Space
from memoryapp.services.scope import tenant_scope
from memoryapp.services.spaces import check_person, ensure_space, find_space, lock


@dataclass(frozen=True, slots=True)
class Switches:
    learning_paused: bool = False
    using_paused: bool = False


FIELDS: Mapping[str, str] = {"learning": "learning_paused", "using": "using_paused"}


def switches(actor: Actor, person: str) -> Switches:
    whose = check_person(actor, person)
    with tenant_scope(actor):
        space = find_space(actor, SpaceKind.PERSON, whose)
        return Switches(space.learning_paused, space.using_paused) if space else Switches()


def switch(actor: Actor, person: str, what: str, *, paused: bool) -> Switches:
    """Turn `learning` or `using` off or on again. Turning it to what it is already changes and records nothing."""
    whose = check_person(actor, person)
    if what not in FIELDS:
        raise DomainError("invalid", f"There is no switch “{what}”; there are {', '.join(FIELDS)}.")
    field = FIELDS[what]
    with tenant_scope(actor):
        space = ensure_space(actor, SpaceKind.PERSON, whose)
        lock(space.pk)
        if Space.objects.filter(pk=space.pk).exclude(**{field: paused}).update(**{field: paused}):
            action = f"space.{what}_{'paused' if paused else 'resumed'}"
            audit.record(actor, action, audit.Target("space", (space.pk,)), person=whose, changed_fields=(field,))
        space.refresh_from_db(fields=list(FIELDS.values()))
        return Switches(space.learning_paused, space.using_paused)
