"""Two embedding models side by side: vectors of the new one are made beside the old, then it answers, or does not.

The rows are the queue: what lacks a vector is found by looking, so a killed job is just begun again. No transaction is
open while an embedder works, and each batch writes only where the text is still the one that was embedded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from accounts.actor import Actor, system_actor
from memoryapp import audit
from memoryapp.domain.errors import DomainError, ProviderError
from memoryapp.domain.types import ReembeddingState as State
from memoryapp.failpoints import failpoint
from memoryapp.models import Reembedding
from memoryapp.providers import registry
from memoryapp.providers.base import Embedder
from memoryapp.services.embedding_choice import Pair, lock_pair, look_again
from memoryapp.services.item_rows import rows_of
from memoryapp.services.scope import tenant_scope

BATCH = 64
MOVED = 1_000
"""Rows that one transaction swaps or clears."""
MOST_ATTEMPTS = 50
"""Refusals of one text after which the background leaves it; the command tries it all the same."""


NEXT: Mapping[State, frozenset[State]] = {
    State.FILLING: frozenset({State.SWITCHED, State.ROLLED_BACK}),
    State.SWITCHED: frozenset({State.ROLLED_BACK, State.FINISHED}),
    State.ROLLED_BACK: frozenset({State.FINISHED}),
    State.FINISHED: frozenset(),
}
"""The steps of one change. A new change begins in FILLING whatever became of the last one."""


@dataclass(frozen=True, slots=True)
class Change(Pair):
    """A tenant's change of model. `made` of `items` carry a vector of `to_model`."""

    made: int
    items: int


@dataclass(frozen=True, slots=True)
class Held:
    """How many vectors of one model and length are kept; `spare` for those that stand in the second place."""

    model: str
    dimensions: int
    spare: bool
    count: int


@dataclass(frozen=True, slots=True)
class _Text:
    id: UUID
    version: int
    content: str


Told = Callable[[int, int], None]
"""Hears how many of how many items carry a vector of the new model."""


def _system(tenant_id: UUID) -> Actor:
    return system_actor(tenant_id, "reembedding")


# --- what stands ---

_HAS = """
((embedding IS NOT NULL AND embedding_model = %(model)s) OR (spare_embedding IS NOT NULL AND spare_model = %(model)s))
"""
_COUNT = f"""
SELECT count(*) FILTER (WHERE {_HAS}), count(*) FROM memoryapp_retrievalentry WHERE tenant_id = %(tenant)s
"""
_HELD = """
SELECT v.model, vector_dims(v.vector), v.spare, count(*) FROM memoryapp_retrievalentry e
CROSS JOIN LATERAL (VALUES (e.embedding_model, e.embedding, false), (e.spare_model, e.spare_embedding, true))
    v(model, vector, spare)
WHERE e.tenant_id = %(tenant)s AND v.vector IS NOT NULL GROUP BY 1, 2, 3 ORDER BY 3, 4 DESC, 1, 2
"""


def change_of(tenant_id: UUID) -> Change | None:
    """The latest change of the tenant's model; None when there never was one."""
    with tenant_scope(_system(tenant_id)):
        row = Reembedding.objects.filter(tenant_id=tenant_id).first()
        if row is None:
            return None
        made, items = rows_of(_COUNT, {"tenant": tenant_id, "model": row.to_model})[0]
    return Change(row.from_model, row.to_model, row.answering, State(row.state), made, items)


def held(tenant_id: UUID) -> tuple[Held, ...]:
    """The vectors that are kept, by model and length."""
    with tenant_scope(_system(tenant_id)):
        return tuple(Held(*row) for row in rows_of(_HELD, {"tenant": tenant_id}))


# --- beginning ---


def begin(tenant_id: UUID) -> Change | None:
    """Open the change to the second embedder's model, or take an open one up; None when that model answers already.

    Raises DomainError `invalid` when no second embedder is configured.
    """
    second = registry.second_embedder()
    if second is None:
        raise DomainError("invalid", "There is no second embedder: set NEXT_EMBEDDING_… beside EMBEDDING_….")
    bring_forward(tenant_id)
    with tenant_scope(_system(tenant_id)):
        row = Reembedding.objects.select_for_update(no_key=True).filter(tenant_id=tenant_id).first()
        present = registry.embedder_named(row.answering if row is not None else "").model
        if present == second.model:
            return None
        if row is None or row.state != State.FILLING or row.to_model != second.model:
            _open(_system(tenant_id), present, second.model)
    return change_of(tenant_id)


def _open(actor: Actor, old: str, new: str) -> None:
    names = {"from_model": old, "to_model": new, "answering": old, "state": State.FILLING}
    values = {**names, "started_at": timezone.now(), "changed_at": timezone.now()}
    Reembedding.objects.update_or_create(tenant_id=actor.tenant_id, defaults=values)
    audit.record(actor, "embedding.change_begun", audit.Target("tenant", (actor.tenant_id,)))


# --- making vectors ---

_LACKING = f"""
SELECT lacking.id, lacking.item_version, i.content FROM (
    SELECT id, item_version FROM memoryapp_retrievalentry
    WHERE tenant_id = %(tenant)s AND id > %(after)s AND embedding_attempts < %(attempts)s AND NOT {_HAS}
    ORDER BY id LIMIT {BATCH}
) lacking JOIN memoryapp_memoryitem i ON i.tenant_id = %(tenant)s AND i.id = lacking.id ORDER BY lacking.id
"""
_IN_FRONT = "e.embedding IS NOT NULL AND e.embedding_model = %(other)s"
_KEEP = f"""
WITH kept AS (
    UPDATE memoryapp_retrievalentry e SET
        embedding = CASE WHEN {_IN_FRONT} THEN e.embedding ELSE n.vector::halfvec END,
        embedding_model = CASE WHEN {_IN_FRONT} THEN e.embedding_model ELSE %(model)s END,
        spare_embedding = CASE WHEN {_IN_FRONT} THEN n.vector::halfvec ELSE e.spare_embedding END,
        spare_model = CASE WHEN {_IN_FRONT} THEN %(model)s ELSE e.spare_model END,
        updated_at = %(now)s
    FROM unnest(%(ids)s::uuid[], %(versions)s::int[], %(vectors)s::text[]) n(id, version, vector)
    WHERE e.tenant_id = %(tenant)s AND e.id = n.id AND e.item_version = n.version RETURNING 1
) SELECT count(*) FROM kept
"""
_REFUSED = """
WITH refused AS (
    UPDATE memoryapp_retrievalentry SET embedding_attempts = embedding_attempts + 1
    WHERE tenant_id = %(tenant)s AND id = ANY (%(ids)s::uuid[]) AND embedding_attempts < 10000 RETURNING 1
) SELECT count(*) FROM refused
"""
FIRST_ID = UUID(int=0)


def fill(tenant_id: UUID, model: str, other: str, told: Told, *, attempts: int = 10_001) -> int:
    """Make this model's vectors for all items that lack one; answers how many texts the embedder refused.

    A vector of `other` stays where it is. Raises ProviderError when the embedder is away; what is made stays made.
    """
    actor, embedder = _system(tenant_id), _embedder_of(model)
    refused, after = 0, FIRST_ID
    while texts := _lacking(actor, model, after, attempts):
        made = _made(actor, embedder, texts)
        _keep(actor, made, model, other)
        failpoint("reembedding.batch")
        refused += len(texts) - len(made)
        after = texts[-1].id
        told(*_counted(actor, model))
    return refused


def catch_up(tenant_id: UUID) -> None:
    """One batch of what was written while both models stand side by side, for either of them; the sync task's part."""
    change = change_of(tenant_id)
    if change is None or change.state is State.FINISHED or registry.second_embedder() is None:
        return
    actor = _system(tenant_id)
    for model, other in ((change.answering, change.other), (change.other, change.answering)):
        embedder = registry.embedder_named(model)
        texts = _lacking(actor, model, FIRST_ID, MOST_ATTEMPTS) if embedder.model == model else []
        if texts:
            with suppress(ProviderError):  # away: the next hint or the job itself tries again
                _keep(actor, _made(actor, embedder, texts), model, other)
    bring_forward(tenant_id)


def _embedder_of(model: str) -> Embedder:
    embedder = registry.embedder_named(model)
    if embedder.model != model:
        raise DomainError(
            "invalid", f"No embedder of {model} is configured: set EMBEDDING_… or NEXT_EMBEDDING_… to it."
        )
    return embedder


def _lacking(actor: Actor, model: str, after: UUID, attempts: int) -> list[_Text]:
    values = {"tenant": actor.tenant_id, "model": model, "after": after, "attempts": attempts}
    with tenant_scope(actor):
        return [_Text(*row) for row in rows_of(_LACKING, values)]


def _counted(actor: Actor, model: str) -> tuple[int, int]:
    with tenant_scope(actor):
        made, items = rows_of(_COUNT, {"tenant": actor.tenant_id, "model": model})[0]
    return made, items


def _made(actor: Actor, embedder: Embedder, texts: Sequence[_Text]) -> list[tuple[_Text, list[float]]]:
    """In one call, or one by one where that is refused, so that one text cannot hold the others back."""
    try:
        return list(zip(texts, embedder.embed_passages([text.content for text in texts]), strict=True))
    except ProviderError:
        made = list(_one_by_one(embedder, texts))
    known = {text.id for text, _ in made}
    with tenant_scope(actor):
        rows_of(_REFUSED, {"tenant": actor.tenant_id, "ids": [t.id for t in texts if t.id not in known]})
    return made


def _one_by_one(embedder: Embedder, texts: Sequence[_Text]) -> Iterator[tuple[_Text, list[float]]]:
    for text in texts:
        try:
            yield text, embedder.embed_passages([text.content])[0]
        except ProviderError:
            embedder.embed_query("still there?")  # raises when it is the embedder that is away, and not the text


def _keep(actor: Actor, made: Sequence[tuple[_Text, list[float]]], model: str, other: str) -> None:
    """Keep these vectors, unless the change they were made for is over or another one was begun meanwhile."""
    values = {
        "tenant": actor.tenant_id,
        "model": model,
        "other": other,
        "now": timezone.now(),
        "ids": [text.id for text, _ in made],
        "versions": [text.version for text, _ in made],
        "vectors": [str(list(vector)) for _, vector in made],
    }
    with tenant_scope(actor):
        pair = lock_pair(actor.tenant_id)
        if pair is not None and model in pair.wanted and {model, other} == {pair.from_model, pair.to_model}:
            rows_of(_KEEP, values)


# --- who answers ---

PASSES = 10
"""Times that a job looks for what was written meanwhile before it switches; what comes later is caught up after."""


def carry_out(tenant_id: UUID, told: Told, *, accept_missing: bool = False) -> Change | None:
    """The whole change: make all vectors, switch, bring the new ones to the first place, catch up.

    None when the second model answered without any change. Raises ProviderError when it is away, DomainError `invalid`
    when it refused texts and `accept_missing` is not given; begun again, the job goes on where it was.
    """
    change = begin(tenant_id)
    if change is None:
        return _ended(tenant_id, told)
    refused = 0
    for _ in range(PASSES):
        refused = fill(tenant_id, change.to_model, change.from_model, told)
        made, items = _counted(_system(tenant_id), change.to_model)
        if items - made <= refused:
            break
    if refused and not accept_missing:
        raise DomainError("invalid", f"{refused} texts were refused by {change.to_model}; the old model still answers.")
    _step(tenant_id, change, State.SWITCHED, "embedding.switched")
    _settle(tenant_id, change.to_model, change.from_model, told)
    return change_of(tenant_id)


def _ended(tenant_id: UUID, told: Told) -> Change | None:
    """What was left to do after a switch whose job was killed."""
    change = change_of(tenant_id)
    if change is not None and change.state is State.SWITCHED:
        _settle(tenant_id, change.to_model, change.from_model, told)
    return change_of(tenant_id)


def roll_back(tenant_id: UUID, told: Told) -> Change:
    """The old model answers again at once; then its vectors come back to the first place, and missing ones are made.

    Raises DomainError `not_found` without a change, `invalid` when the old vectors were dropped or nothing makes
    questions of the old model any more.
    """
    change = _existing(tenant_id)
    _embedder_of(change.from_model)
    _step(tenant_id, change, State.ROLLED_BACK, "embedding.rolled_back")
    _settle(tenant_id, change.from_model, change.to_model, told)
    return _existing(tenant_id)


def finish(tenant_id: UUID) -> Change:
    """Drop the vectors of the model that does not answer. Raises DomainError as `roll_back`, and while vectors are made.

    Killed in the middle it is called again.
    """
    change = _existing(tenant_id)
    _embedder_of(change.answering)
    bring_forward(tenant_id)
    _step(tenant_id, change, State.FINISHED, "embedding.change_finished")
    _in_batches(tenant_id, _DROP_SPARE, _dropped)
    _in_batches(tenant_id, _DROP_FRONT, _dropped)
    bring_forward(tenant_id)  # of a row that another worker turned round just before the step
    return _existing(tenant_id)


def bring_forward(tenant_id: UUID) -> int:
    """Put the vectors of the answering model into the first place, which the index of the search holds; counts them."""
    return _in_batches(tenant_id, _SWAP, lambda pair: registry.embedder_named(pair.answering).model)


def _dropped(pair: Pair) -> str | None:
    """The model that does not answer; None when a new change was begun, which may want its vectors."""
    return pair.other if pair.state is State.FINISHED else None


def _settle(tenant_id: UUID, model: str, other: str, told: Told) -> None:
    bring_forward(tenant_id)
    fill(tenant_id, model, other, told)
    bring_forward(tenant_id)


def _existing(tenant_id: UUID) -> Change:
    change = change_of(tenant_id)
    if change is None:
        raise DomainError("not_found", "The embedding model of this tenant was never changed by a job.")
    return change


def _step(tenant_id: UUID, change: Change, state: State, action: str) -> None:
    """One row says who answers, so the switch is whole at its commit. The same state again is no step.

    Raises DomainError `invalid` for a step that the state does not allow, and when another change was begun meanwhile.
    """
    actor = _system(tenant_id)
    with tenant_scope(actor):
        row = Reembedding.objects.select_for_update(no_key=True).get(tenant_id=tenant_id)
        if (row.from_model, row.to_model) != (change.from_model, change.to_model):
            raise DomainError("invalid", "Another change of the embedding model was begun meanwhile.")
        if row.state == state:
            return
        if state not in NEXT[State(row.state)]:
            raise DomainError("invalid", f"A change that is {row.state} cannot become {state}.")
        answers = {State.SWITCHED: row.to_model, State.ROLLED_BACK: row.from_model}.get(state, row.answering)
        row.answering, row.state, row.changed_at = answers, state, timezone.now()
        row.save(update_fields=["answering", "state", "changed_at"])
        audit.record(actor, action, audit.Target("tenant", (tenant_id,)))
        transaction.on_commit(lambda: look_again(tenant_id))


_CHANGED = """
WITH chosen AS (
    SELECT id FROM memoryapp_retrievalentry WHERE tenant_id = %(tenant)s AND {which} LIMIT %(most)s FOR NO KEY UPDATE
), changed AS (
    UPDATE memoryapp_retrievalentry e SET {values} FROM chosen WHERE e.id = chosen.id RETURNING 1
) SELECT count(*) FROM changed
"""
_SWAP = _CHANGED.format(
    which="spare_model = %(model)s AND spare_model <> ''",
    values="embedding = e.spare_embedding, embedding_model = e.spare_model, spare_embedding = e.embedding, "
    "spare_model = CASE WHEN e.embedding IS NULL THEN '' ELSE e.embedding_model END",
)
_DROP_SPARE = _CHANGED.format(
    which="spare_model = %(model)s AND spare_model <> ''", values="spare_embedding = NULL, spare_model = ''"
)
_DROP_FRONT = _CHANGED.format(
    which="embedding IS NOT NULL AND embedding_model = %(model)s",
    values="embedding = NULL, embedding_model = '', embedding_attempts = 0",
)


def _in_batches(tenant_id: UUID, statement: str, which: Callable[[Pair], str | None]) -> int:
    """Repeat a bounded change until it finds nothing; answers how many rows it changed.

    Each batch is for the model that `which` names from the row as it is in the same transaction; None ends it.
    """
    total, most = 0, MOVED
    while True:
        with tenant_scope(_system(tenant_id)):
            pair = lock_pair(tenant_id)
            model = which(pair) if pair is not None else None
            values = {"tenant": tenant_id, "model": model, "most": most}
            changed = int(rows_of(statement, values)[0][0]) if model else 0
        if changed:
            failpoint("reembedding.moved")
        total += changed
        if changed < most:
            return total
