"""Reading for agents: search with scores that mean the same everywhere, and the block an agent puts in its prompt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.core.exceptions import FieldError, ValidationError
from django.utils import timezone

from accounts.actor import Actor
from memoryapp import audit
from memoryapp.domain import ranking
from memoryapp.domain.errors import DomainError, ProviderError
from memoryapp.domain.injection import Format, Injectable, Selection, render, select
from memoryapp.domain.language import language_of
from memoryapp.domain.messages import text_of, without_injected
from memoryapp.domain.routing import decide
from memoryapp.domain.types import Kind, Role
from memoryapp.models import MemoryItem, Space, Use
from memoryapp.providers import registry
from memoryapp.retrieval import candidates, lexical
from memoryapp.services.filters import compiled
from memoryapp.services.ingest import Incoming
from memoryapp.services.memories import view, with_parts
from memoryapp.services.results import ContextView, Hit, ItemView
from memoryapp.services.scope import tenant_scope
from memoryapp.services.spaces import active_policy, check_person, readable_spaces

POOL = 100
RECENT_USER_MESSAGES = 3
MATCHED = 0.3
"""Relevance from which an instruction or decision belongs to the matched tier."""


@dataclass(frozen=True, slots=True)
class _Question:
    """A question taken apart: its terms, identifiers, folded text and vector (None: by words only)."""

    terms: tuple[str, ...]
    identifiers: frozenset[str]
    folded: str
    vector: tuple[float, ...] | None
    model: str


def _question(query: str) -> _Question:
    """Embeds the query; no transaction is open. When the embedder is away, words alone answer."""
    terms = lexical.query_terms(query)
    whole = frozenset(lexical.words_of_identifiers(query))
    if not any(c.isalnum() for c in query):
        return _Question((), frozenset(), "", None, "")
    try:
        vector: tuple[float, ...] | None = tuple(registry.embedder().embed_query(query))
    except ProviderError:
        vector = None
    return _Question(terms, whole, lexical.folded_text(query), vector, registry.embedder().model)


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
    condition = compiled(filters) if filters else None
    question = _question(query)
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
        _record(actor, "memory.searched", whose, [h.item for h in best], spaces, "search")
        return tuple(best)


def _passes(hit: Hit, threshold: float | None) -> bool:
    return threshold is None or (hit.parts["relevance"] or 0.0) >= threshold


def _hit(item: ItemView, found: candidates.Candidate, question: _Question, now: datetime) -> Hit:
    words, meaning, exact = _parts(found, question)
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


def _parts(found: candidates.Candidate, question: _Question) -> tuple[float, float | None, bool]:
    """Word coverage 0–1, calibrated meaning 0–1 or None, and whether every identifier stands in the item."""
    words = ranking.word_coverage(frozenset(question.terms), found.terms)
    meaning = registry.embedder().calibrate(found.cosine) if found.cosine is not None else None
    return words, meaning, bool(question.identifiers) and question.identifiers <= found.terms


def _record(
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


def context(
    actor: Actor,
    person: str,
    *,
    query: str = "",
    messages: Sequence[Incoming] = (),
    token_budget: int | None = None,
    form: str = "list",
    project_id: str = "",
    explain: bool = False,
) -> ContextView:
    """The block for a prompt. A small library is taken whole: no search, no embedding."""
    whose = check_person(actor, person)
    visible = [without_injected(text_of(m.text)) for m in messages]
    asked = query or "\n".join(_recent_user_texts(messages))
    with tenant_scope(actor, durable_read=False):
        policy, now = active_policy(actor), timezone.now()
        spaces = [s for s in readable_spaces(actor, whose, project_id) if not s.using_paused]
        rows = MemoryItem.objects.for_actor(actor).recallable(now).filter(space__in=spaces)
        views = {row.pk: view(row) for row in with_parts(rows).order_by("-id")[:2000]}
    decision = decide(asked, len(views), policy.injection_limit)
    relevant: dict[UUID, float] = {}
    if decision.needed and not decision.take_all:
        relevant = _relevant(actor, [s.pk for s in spaces], asked)
    injectables = [_injectable(v, relevant.get(v.id)) for v in views.values()]
    language = "zh" if language_of(asked or " ".join(v.content for v in views.values())) == "zh" else "en"
    budget = policy.injection_tokens if token_budget is None else token_budget
    terms = frozenset(lexical.query_terms(asked)) if asked.strip() else frozenset()
    chosen = select(injectables, terms, policy, budget, visible, Format(form), language)
    with tenant_scope(actor, durable_read=False):
        _record(actor, "memory.injected", whose, [views[UUID(i.id)] for i in chosen.items], spaces, "context")
    return _context_view(chosen, views, decision.needed, decision.reasons, render(chosen, form, language), explain)


def _context_view(
    chosen: Selection,
    views: dict[UUID, ItemView],
    needed: bool,
    reasons: tuple[str, ...],
    block: str,
    explain: bool,
) -> ContextView:
    left_out = tuple((UUID(e.item.id), str(e.reason)) for e in chosen.excluded) if explain else ()
    items = tuple(views[UUID(i.id)] for i in chosen.items)
    return ContextView(block, chosen.tokens if block else 0, items, left_out, needed, reasons)


def _recent_user_texts(messages: Sequence[Incoming]) -> list[str]:
    said = [without_injected(text_of(m.text)) for m in messages if m.role == Role.USER]
    return [text for text in said if text][-RECENT_USER_MESSAGES:]


def _relevant(actor: Actor, spaces: Sequence[UUID], asked: str) -> dict[UUID, float]:
    question = _question(asked)
    with tenant_scope(actor, durable_read=False):
        found = candidates.find(
            actor.tenant_id, spaces, question.terms, question.vector, question.model, timezone.now(), POOL
        )
    scored = {c.id: ranking.relevance(*_parts(c, question)) for c in found}
    return {item_id: value for item_id, value in scored.items() if value >= MATCHED}


def _injectable(item: ItemView, relevance: float | None) -> Injectable:
    return Injectable(
        id=str(item.id),
        content=item.content,
        kind=Kind(item.kind),
        pinned=item.pinned,
        importance=item.importance,
        confidence=item.confidence,
        said_at=item.said_at,
        updated_at=item.updated_at,
        scope=item.scope,
        terms=frozenset(lexical.terms(f"{item.subject} {item.content}")),
        relevance=relevance,
    )
