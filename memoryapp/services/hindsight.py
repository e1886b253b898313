"""Lists and searches over the memories as they were on a date: the texts of that time, ranked as today's are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from uuid import UUID

from accounts.actor import Actor
from memoryapp.domain import advice, ranking
from memoryapp.domain.errors import DomainError, ProviderError
from memoryapp.domain.types import Sensitivity
from memoryapp.models import MemoryItem
from memoryapp.providers import registry
from memoryapp.retrieval import lexical
from memoryapp.retrieval.stored_vectors import cosines
from memoryapp.services.dictionary import words_of
from memoryapp.services.filters import condition_of
from memoryapp.services.recall import Question, Wanted, question_of
from memoryapp.services.results import Hit, ItemView, ListFilter
from memoryapp.services.scope import tenant_scope
from memoryapp.services.timeline import When, as_of

MOST_EMBEDDED = 64
"""Old texts that one search embeds anew, those with the most words of the question first; the others count by words."""


def listed(actor: Actor, person: str, when: When, wanted: ListFilter) -> tuple[ItemView, ...]:
    """What a list would have shown, newest statement first. Kind, scope and `contains` look at the text of that time."""
    if wanted.statuses or wanted.trash or wanted.noise_only:
        raise DomainError("invalid", "`status`, `trash` and `noise` are of today and do not go with `as_of`.")
    words = wanted.contains.casefold()
    return tuple(
        item
        for item in as_of(actor, person, when, wanted.project_id)
        if (not wanted.kinds or item.kind in wanted.kinds)
        and (not wanted.scopes or item.scope in wanted.scopes)
        and words in f"{item.content}\n{item.subject}".casefold()
    )


def usable(actor: Actor, person: str, when: When, project_id: str = "", scope: str = "") -> tuple[ItemView, ...]:
    """What an agent could have been given: of spaces that may be used, nothing restricted, `scope` and what has none."""
    found = as_of(actor, person, when, project_id, for_agents=True)
    open_to_agents = (item for item in found if item.sensitivity != Sensitivity.RESTRICTED)
    return tuple(item for item in open_to_agents if not scope or item.scope in (scope, ""))


def search(actor: Actor, person: str, query: str, when: When, wanted: Wanted) -> tuple[Hit, ...]:
    """Hits by falling score; `filters` look at the present item. No transaction is open while texts are embedded."""
    if not query.strip():
        raise DomainError("invalid", "`query` is empty.")
    question = question_of(actor, query)
    items = _filtered(actor, usable(actor, person, when, wanted.project_id, wanted.scope), wanted.filters)
    if not question.folded:
        return ()
    ranked = ranked_then(actor, items, question, when)
    passed = [hit for hit in ranked if wanted.threshold is None or (hit.parts["relevance"] or 0.0) >= wanted.threshold]
    return tuple(passed[: wanted.top_k])


def ranked_then(actor: Actor, items: Sequence[ItemView], question: Question, when: When) -> list[Hit]:
    """The items that share words or meaning with the question, best first."""
    own = words_of(actor.tenant_id)
    terms = {item.id: frozenset(lexical.terms(f"{item.subject} {item.content}", own)) for item in items}
    asked = frozenset(question.terms)
    words = {item_id: ranking.word_coverage(asked, found) for item_id, found in terms.items()}
    near = _cosines(actor, items, words, question)
    hits = [
        _hit(item, words[item.id], near.get(item.id), terms[item.id], question, when)
        for item in items
        if words[item.id] or item.id in near
    ]
    return sorted(hits, key=lambda hit: (-hit.score, hit.item.id))


def _filtered(actor: Actor, items: Sequence[ItemView], filters: object) -> tuple[ItemView, ...]:
    condition = condition_of(filters) if filters else None
    if condition is None:
        return tuple(items)
    with tenant_scope(actor):
        rows = MemoryItem.objects.for_actor(actor).filter(condition, pk__in=[item.id for item in items])
        kept = set(rows.values_list("pk", flat=True))
    return tuple(item for item in items if item.id in kept)


def _cosines(
    actor: Actor, items: Sequence[ItemView], words: Mapping[UUID, float], question: Question
) -> dict[UUID, float]:
    """Stored vectors where the text is still the same, else made anew."""
    if question.vector is None:
        return {}
    texts = {item.id: item.content for item in items}
    with tenant_scope(actor):
        today = MemoryItem.objects.for_actor(actor).filter(pk__in=texts).values_list("pk", "content")
        same = [item_id for item_id, content in today if texts[item_id] == content]
        found = cosines(actor.tenant_id, same, question.vector, question.model)
    lacking = sorted((item_id for item_id in texts if item_id not in found), key=lambda i: -words[i])[:MOST_EMBEDDED]
    try:
        made = (
            registry.embedder_named(question.model).embed_passages([texts[item_id] for item_id in lacking])
            if lacking
            else []
        )
    except ProviderError:
        return found
    return found | {i: _dot(vector, question.vector) for i, vector in zip(lacking, made, strict=True)}


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    """The cosine of unit vectors."""
    return sum(a * b for a, b in zip(one, other, strict=True))


def _hit(
    item: ItemView, words: float, cosine: float | None, terms: frozenset[str], question: Question, when: When
) -> Hit:
    evidence = ranking.Evidence(
        words=words,
        meaning=None if cosine is None else registry.embedder_named(question.model).calibrate(cosine),
        exact_identifier=bool(question.identifiers) and question.identifiers <= terms,
        identical=lexical.folded_text(item.content) == question.folded,
        bearing=advice.bearing(question.sought, item.content),
    )
    age = (when.valid - item.said_at).total_seconds() / 86_400
    standing = ranking.Standing(item.importance, ranking.recency(age), item.confidence)
    placed = ranking.ranked(evidence, standing)
    return Hit(item, placed.score, placed.parts)
