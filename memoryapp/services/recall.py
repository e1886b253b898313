"""Search for agents, with scores that mean the same everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.core.exceptions import FieldError, ValidationError
from django.utils import timezone

from accounts.actor import Actor
from memoryapp import audit
from memoryapp.domain import ranking
from memoryapp.domain.errors import DomainError, ProviderError
from memoryapp.models import MemoryItem, Space, Use
from memoryapp.providers import registry
from memoryapp.retrieval import candidates, lexical
from memoryapp.services.filters import condition_of
from memoryapp.services.memories import view, with_parts
from memoryapp.services.results import Hit, ItemView
from memoryapp.services.scope import tenant_scope
from memoryapp.services.spaces import check_person, readable_spaces

POOL = 100


@dataclass(frozen=True, slots=True)
class Question:
    """A question taken apart: its terms, identifiers, folded text and vector (None: by words only)."""

    terms: tuple[str, ...]
    identifiers: frozenset[str]
    folded: str
    vector: tuple[float, ...] | None
    model: str


def question_of(query: str) -> Question:
    """Embeds the query; no transaction is open. When the embedder is away, words alone answer."""
    terms = lexical.query_terms(query)
    whole = frozenset(lexical.words_of_identifiers(query))
    if not any(c.isalnum() for c in query):
        return Question((), frozenset(), "", None, "")
    try:
        vector: tuple[float, ...] | None = tuple(registry.embedder().embed_query(query))
    except ProviderError:
        vector = None
    return Question(terms, whole, lexical.folded_text(query), vector, registry.embedder().model)


def search(
    actor: Actor,
    person: str,
    query: str,
    *,
    top_k: int = 10,
    threshold: float | None = None,
    filters: object = None,
    scope: str = "",
    project_id: str = "",
) -> tuple[Hit, ...]:
    """Hits by falling score. `threshold` applies to relevance, 0–1."""
    whose = check_person(actor, person)
    if not query.strip():
        raise DomainError("invalid", "`query` is empty.")
    condition = condition_of(filters) if filters else None
    question = question_of(query)
    with tenant_scope(actor, durable_read=False):
        spaces = [s for s in readable_spaces(actor, whose, project_id) if not s.using_paused]
        now = timezone.now()
        found = candidates.find(
            actor.tenant_id, [s.pk for s in spaces], question.terms, question.vector, question.model, now, POOL
        )
        rows = with_parts(MemoryItem.objects.for_actor(actor).recallable(now).filter(pk__in=[c.id for c in found]))
        rows = rows.filter(scope=scope) if scope else rows
        try:
            views = {row.pk: view(row) for row in (rows.filter(condition) if condition else rows)}
        except (FieldError, ValidationError, ValueError, TypeError) as error:
            raise DomainError("invalid", "A value in `filters` does not fit its field.") from error
        hits = [_hit(views[c.id], c, question, now) for c in found if c.id in views]
        best = sorted((h for h in hits if _passes(h, threshold)), key=lambda h: (-h.score, h.item.id))[:top_k]
        record_uses(actor, "memory.searched", whose, [h.item for h in best], spaces, "search")
        return tuple(best)


def _passes(hit: Hit, threshold: float | None) -> bool:
    return threshold is None or (hit.parts["relevance"] or 0.0) >= threshold


def _hit(item: ItemView, found: candidates.Candidate, question: Question, now: datetime) -> Hit:
    words, meaning, exact = parts_of(found, question)
    identical = lexical.folded_text(item.content) == question.folded
    relevant = ranking.relevance(words, meaning, exact, identical)
    recency = ranking.recency((now - item.said_at).total_seconds() / 86_400)
    total = 1.0 if identical else ranking.score(relevant, item.importance, recency, item.confidence)
    parts = {
        "words": words,
        "meaning": meaning,
        "relevance": relevant,
        "importance": item.importance,
        "recency": recency,
        "confidence": item.confidence,
    }
    return Hit(item, total, parts)


def parts_of(found: candidates.Candidate, question: Question) -> tuple[float, float | None, bool]:
    """Word coverage 0–1, calibrated meaning 0–1 or None, and whether every identifier stands in the item."""
    words = ranking.word_coverage(frozenset(question.terms), found.terms)
    meaning = registry.embedder().calibrate(found.cosine) if found.cosine is not None else None
    return words, meaning, bool(question.identifiers) and question.identifiers <= found.terms


def record_uses(
    actor: Actor, action: str, person: str, items: Sequence[ItemView], spaces: Sequence[Space], purpose: str
) -> None:
    """One event per recall with the ids, and one use per item."""
    ids = tuple(i.id for i in items)
    audit.record(actor, action, audit.Target("memory", ids), person=person)
    homes = dict(MemoryItem.objects.filter(pk__in=ids).values_list("pk", "space_id")) if ids and spaces else {}
    Use.objects.bulk_create(
        Use(
            tenant_id=actor.tenant_id,
            item_id=i,
            space_id=homes[i],
            purpose=purpose,
            agent_id=actor.agent_id,
            rank=rank,
        )
        for rank, i in enumerate(ids)
        if i in homes
    )
