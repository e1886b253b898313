"""Measuring how near the items shown are, by meaning, to what the turns want changed or forgotten."""

from __future__ import annotations

from collections.abc import Sequence
from operator import mul
from uuid import UUID

from accounts.actor import Actor
from memoryapp.domain.errors import ProviderError
from memoryapp.domain.nearness import NOT_MEASURED, Nearness, worth_measuring
from memoryapp.domain.types import Shown, Turn
from memoryapp.models import RetrievalEntry
from memoryapp.providers.base import Embedder
from memoryapp.services.embedding_choice import answering
from memoryapp.services.scope import tenant_scope

MOST_WITHOUT_VECTOR = 64
"""Items whose vector is still to come and that are embedded for this one look."""


def measured(actor: Actor, turns: Sequence[Turn], shown: Sequence[Shown]) -> Nearness:
    """Nearness of the items to each text worth measuring; not measured when there is none or no embedder answers.

    Called outside any transaction: it embeds.
    """
    texts = worth_measuring(turns) if shown else ()
    if not texts:
        return NOT_MEASURED
    embedder = answering(actor.tenant_id)
    try:
        items = _vectors(actor, embedder, shown)
        said = embedder.embed_passages(list(texts))
    except ProviderError:
        return NOT_MEASURED
    near = {
        text: {item: embedder.calibrate(sum(map(mul, vector, known))) for item, known in items.items()}
        for text, vector in zip(texts, said, strict=True)
    }
    return Nearness(near)


def _vectors(actor: Actor, embedder: Embedder, shown: Sequence[Shown]) -> dict[UUID, list[float]]:
    """The vectors that are kept of the items, and those made now of items that have none yet."""
    ids = [item.id for item in shown]
    with tenant_scope(actor):
        rows = RetrievalEntry.objects.filter(pk__in=ids, embedding_model=embedder.model)
        vectors = {pk: list(vector) for pk, vector in rows.values_list("pk", "embedding") if vector is not None}
    bare = [item for item in shown if item.id not in vectors][:MOST_WITHOUT_VECTOR]
    made = embedder.embed_passages([item.content for item in bare])
    return vectors | {item.id: list(vector) for item, vector in zip(bare, made, strict=True)}
