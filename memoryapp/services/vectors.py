"""Vectors follow their texts: an item is stored and found by words at once, its vector comes from the sync task."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from celery import current_app
from django.db import connection, transaction
from django.db.models import F
from django.utils import timezone
from kombu.exceptions import OperationalError

from accounts.actor import Actor, system_actor
from memoryapp.domain.errors import ProviderError
from memoryapp.models import MemoryItem, RetrievalEntry
from memoryapp.services import afterwards
from memoryapp.services.embedding_choice import answering, models_in_use
from memoryapp.services.scope import tenant_scope

BATCH = 64
HINT_SECONDS = 60
"""A hint that waited longer is dropped: the dispatcher has sent another one since."""


def wake(task: str, *ids: UUID) -> None:
    """Hint a worker after the commit. A lost hint costs a second: the dispatcher finds due rows by itself."""
    transaction.on_commit(lambda: _send(task, *ids))


def _send(task: str, *ids: UUID) -> None:
    try:
        current_app.send_task(task, args=[str(i) for i in ids], retry=False, expires=HINT_SECONDS)
    except (OperationalError, ConnectionError, OSError):
        return


_waiting: set[UUID] = set()
"""Tenants with new texts, for one hint each however many texts there are."""


def embed_later(actor: Actor) -> None:
    """Hint a worker after the commit that texts lack their vectors."""

    def note() -> None:
        _waiting.add(actor.tenant_id)
        if not afterwards.soon(_hint):
            _hint()

    transaction.on_commit(note)


def _hint() -> None:
    while _waiting:
        _send("memoryapp.sync_vectors", _waiting.pop())


def sync_vectors(tenant_id: UUID) -> int:
    """Embed what lacks its vector; answers how many were written. Raises ProviderError for the next round."""
    actor = system_actor(tenant_id, "vectors")
    with tenant_scope(actor):
        rows = RetrievalEntry.objects.filter(tenant_id=tenant_id, embedding=None, embedding_attempts__lt=50)
        waiting = list(rows.order_by("embedding_attempts", "updated_at").values_list("id", "item_version")[:BATCH])
        texts = dict(
            MemoryItem.objects.for_actor(actor).filter(pk__in=[i for i, _ in waiting]).values_list("id", "content")
        )
    if not waiting:
        return 0
    return sum(_embed(actor, item_id, version, texts.get(item_id, "")) for item_id, version in waiting)


_FOREIGN = """
tenant_id = %(tenant)s AND embedding IS NOT NULL AND (embedding_model <> ALL (%(known)s::text[])
    OR (embedding_model = %(model)s AND vector_dims(embedding) <> %(dimensions)s))
"""


def foreign(tenant_id: UUID) -> int:
    """How many vectors a model made that neither answers nor is being changed to, or with other dimensions.

    No question of today's meets them: their items are found by words alone until they are embedded anew. Raises
    ProviderError when the embedder has to be asked for its dimensions and is away.
    """
    return _over_foreign(tenant_id, "SELECT count(*) FROM memoryapp_retrievalentry WHERE " + _FOREIGN)


def forget_foreign(tenant_id: UUID) -> None:
    """Have the sync task embed anew what `foreign` counts. Raises ProviderError as that does."""
    drop = "UPDATE memoryapp_retrievalentry SET embedding = NULL, embedding_model = '', embedding_attempts = 0 WHERE "
    _over_foreign(tenant_id, f"WITH done AS ({drop}{_FOREIGN} RETURNING 1) SELECT count(*) FROM done")


def _over_foreign(tenant_id: UUID, statement: str) -> int:
    embedder = answering(tenant_id)
    values: dict[str, Any] = {"tenant": tenant_id, "model": embedder.model, "dimensions": embedder.dimensions}
    with tenant_scope(system_actor(tenant_id, "vectors")), connection.cursor() as cursor:
        cursor.execute(statement, {**values, "known": list(models_in_use(tenant_id))})
        return int(cursor.fetchone()[0])


def _embed(actor: Actor, item_id: UUID, version: int, text: str) -> int:
    """One text, so that one refusal cannot hold the others back. No transaction is open while the embedder works."""
    embedder = answering(actor.tenant_id)
    try:
        vector = embedder.embed_passages([text])[0]
    except ProviderError:
        with tenant_scope(actor):
            RetrievalEntry.objects.filter(pk=item_id).update(embedding_attempts=F("embedding_attempts") + 1)
        return 0
    with tenant_scope(actor), connection.cursor() as cursor:
        cursor.execute(
            "UPDATE memoryapp_retrievalentry SET embedding = %s::halfvec, embedding_model = %s, updated_at = %s "
            "WHERE id = %s AND item_version = %s AND embedding IS NULL",
            [str(list(vector)), embedder.model, timezone.now(), item_id, version],
        )
        return int(cursor.rowcount)
