"""The block an agent puts in its prompt: what is known of a person, chosen by tiers, quotas and budget."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.utils import timezone

from accounts.actor import Actor
from memoryapp.domain import ranking
from memoryapp.domain.injection import Format, Injectable, Selection, render, select
from memoryapp.domain.language import language_of
from memoryapp.domain.messages import text_of, without_injected
from memoryapp.domain.routing import decide
from memoryapp.domain.types import Kind, Role
from memoryapp.models import MemoryItem
from memoryapp.retrieval import candidates, lexical
from memoryapp.services.ingest import Incoming
from memoryapp.services.memories import view, with_parts
from memoryapp.services.recall import POOL, parts_of, question_of, record_uses
from memoryapp.services.results import ContextView, ItemView
from memoryapp.services.scope import tenant_scope
from memoryapp.services.spaces import active_policy, check_person, readable_spaces

RECENT_USER_MESSAGES = 3
MATCHED = 0.3
"""Relevance from which an instruction or decision belongs to the matched tier."""


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
        record_uses(actor, "memory.injected", whose, [views[UUID(i.id)] for i in chosen.items], spaces, _purpose(actor))
    return _context_view(chosen, views, decision.needed, decision.reasons, render(chosen, form, language), explain)


def _purpose(actor: Actor) -> str:
    """A person's look at the preview is no use by an agent, and is told apart from one."""
    return "preview" if actor.is_person else "context"


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
    question = question_of(asked)
    with tenant_scope(actor, durable_read=False):
        found = candidates.find(
            actor.tenant_id, spaces, question.terms, question.vector, question.model, timezone.now(), POOL
        )
    scored = {c.id: ranking.relevance(*parts_of(c, question)) for c in found}
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
