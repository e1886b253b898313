"""Which embedding model answers for a tenant: the configured one, or the second one after a re-embedding's switch."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.db import connection

from accounts.actor import system_actor
from memoryapp.domain.types import ReembeddingState
from memoryapp.kept_briefly import KeptBriefly
from memoryapp.models import Reembedding
from memoryapp.providers import registry
from memoryapp.providers.base import Embedder
from memoryapp.services.scope import tenant_scope

SECONDS = 2.0
"""How long a process goes by what it read. Vectors of both models are searched wherever they stand, so that a question
of the moment of a switch is answered whole by either."""
MOST_KNOWN = 10_000

_LOCK = """
SELECT from_model, to_model, answering, state FROM memoryapp_reembedding WHERE tenant_id = %s FOR SHARE
"""


@dataclass(frozen=True, slots=True)
class Pair:
    """The two models of a tenant's latest change; `answering` is one of them."""

    from_model: str
    to_model: str
    answering: str
    state: ReembeddingState

    @property
    def other(self) -> str:
        return self.from_model if self.answering == self.to_model else self.to_model

    @property
    def wanted(self) -> tuple[str, ...]:
        """The models whose vectors are kept."""
        return (self.answering,) if self.state is ReembeddingState.FINISHED else (self.from_model, self.to_model)


_known = KeptBriefly[UUID, str](MOST_KNOWN)


def answering(tenant_id: UUID) -> Embedder:
    """The embedder whose vectors are searched and made for the tenant. Nothing is read while only one is configured."""
    second = registry.second_embedder()
    if second is None:
        return registry.embedder()
    return registry.embedder_named(_answering_model(tenant_id))


def models_in_use(tenant_id: UUID) -> tuple[str, ...]:
    """The answering model, and the other one while a re-embedding is not finished: their vectors are kept.

    Inside a tenant's transaction it stays so until its end.
    """
    with tenant_scope(system_actor(tenant_id, "vectors")):
        pair = lock_pair(tenant_id)
    if pair is None:
        return (registry.embedder().model,)
    return tuple(dict.fromkeys((registry.embedder_named(pair.answering).model, *pair.wanted)))


def lock_pair(tenant_id: UUID) -> Pair | None:
    """The row as it is now, and as it stays until the end of the open transaction: what a process remembers of it may
    be older than a switch, so whoever moves or drops vectors asks here, in the transaction that does it."""
    with connection.cursor() as cursor:
        cursor.execute(_LOCK, [tenant_id])
        row = cursor.fetchone()
    return None if row is None else Pair(row[0], row[1], row[2], ReembeddingState(row[3]))


def look_again(tenant_id: UUID) -> None:
    """Read at the next use which model answers for the tenant."""
    _known.look_again(tenant_id)


def _answering_model(tenant_id: UUID) -> str:
    def read(last: str | None) -> str:
        with tenant_scope(system_actor(tenant_id, "vectors")):
            return Reembedding.objects.filter(tenant_id=tenant_id).values_list("answering", flat=True).first() or ""

    return _known.value(tenant_id, SECONDS, read)
