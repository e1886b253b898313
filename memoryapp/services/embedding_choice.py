"""Which embedding model answers for a tenant: the configured one, or the second one after a re-embedding's switch."""

from __future__ import annotations

import threading
import time
from uuid import UUID

from accounts.actor import system_actor
from memoryapp.models import Reembedding
from memoryapp.providers import registry
from memoryapp.providers.base import Embedder
from memoryapp.services.scope import tenant_scope

SECONDS = 2.0
"""How long a process goes by what it read. Vectors of both models are searched wherever they stand, so that a question
of the moment of a switch is answered whole by either."""
FINISHED = "finished"

_known: dict[UUID, tuple[float, str]] = {}
_lock = threading.Lock()


def answering(tenant_id: UUID) -> Embedder:
    """The embedder whose vectors are searched and made for the tenant. Nothing is read while only one is configured."""
    second = registry.second_embedder()
    if second is None:
        return registry.embedder()
    return registry.embedder_named(_answering_model(tenant_id))


def models_in_use(tenant_id: UUID) -> tuple[str, ...]:
    """The answering model, and the other one while a re-embedding is not finished: their vectors are kept."""
    with tenant_scope(system_actor(tenant_id, "vectors")):
        row = Reembedding.objects.filter(tenant_id=tenant_id).exclude(state=FINISHED).first()
    both = (row.from_model, row.to_model) if row is not None else ()
    return tuple(dict.fromkeys((answering(tenant_id).model, *both)))


def look_again(tenant_id: UUID) -> None:
    """Forget what this process read of the tenant."""
    with _lock:
        _known.pop(tenant_id, None)


def _answering_model(tenant_id: UUID) -> str:
    with _lock:
        read, model = _known.get(tenant_id, (0.0, ""))
    if read + SECONDS > time.monotonic() and read:
        return model
    with tenant_scope(system_actor(tenant_id, "vectors")):
        row = Reembedding.objects.filter(tenant_id=tenant_id).values_list("answering", flat=True).first()
    with _lock:
        _known[tenant_id] = (time.monotonic(), row or "")
    return row or ""
