"""The block an agent puts in its prompt: what is known of a person, chosen by tiers, quotas and budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from django.utils import timezone

from accounts.actor import Actor
from memoryapp import audit
from memoryapp.domain.block import Format
from memoryapp.domain.injection import Injectable, Selection, are_distinct, render, select
from memoryapp.domain.language import language_of
from memoryapp.domain.messages import text_of, without_injected
from memoryapp.domain.routing import Decision, decide
from memoryapp.domain.types import Role
from memoryapp.retrieval import candidates, lexical
from memoryapp.services import given, hindsight, known_libraries, uses
from memoryapp.services.dictionary import words_of
from memoryapp.services.ingest import Incoming
from memoryapp.services.known_libraries import Library, Whose
from memoryapp.services.recall import POOL, question_of, relevance_of, search_for
from memoryapp.services.results import ContextView, ItemView
from memoryapp.services.scope import tenant_scope
from memoryapp.services.shelf import Shelved, first_look, found_items, shelved
from memoryapp.services.spaces import check_person
from memoryapp.services.standing import Standing, standing
from memoryapp.services.timeline import When

RECENT_USER_MESSAGES = 3
LONGEST_EARLIER = 400
"""Characters of a message before the last that go into the question: an embedder reads some hundred words only."""
MATCHED = 0.3
"""Relevance from which an item belongs to the matched tier."""
MATE = 0.8
"""An item that only shares its subject with one that was found counts as much of that one's relevance."""
MOST_FOUND = 48
"""Three times the places of the matched tier: some are said already or the same in other words."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request for a context. `form` is list, cards or json; `scope` a label inside the spaces."""

    person: str
    latest: str
    question: str
    visible: tuple[str, ...]
    token_budget: int | None
    form: Format
    project_id: str
    scope: str
    explain: bool
    given: frozenset[str] = frozenset()
    """Marks (`services.given`) of what this conversation got lately."""

    @property
    def earlier(self) -> bool:
        """Whether the user spoke before the latest message."""
        return self.latest != self.question


@dataclass(frozen=True, slots=True)
class _Chosen:
    """What goes into the block, with the items behind it."""

    selection: Selection
    items: tuple[ItemView, ...]
    drawn: dict[UUID, object] = field(default_factory=dict)

    @property
    def ids(self) -> tuple[UUID, ...]:
        return tuple(item.id for item in self.items)


def context(
    actor: Actor,
    person: str,
    *,
    query: str = "",
    messages: Sequence[Incoming] = (),
    token_budget: int | None = None,
    form: str = "list",
    project_id: str = "",
    scope: str = "",
    explain: bool = False,
    when: When | None = None,
    not_again_in: str = "",
) -> ContextView:
    """The block for a prompt. A small library is taken whole: no search, no embedding, two statements.

    `messages` are those that will stand in the prompt: what they show already, our own earlier blocks included, is not
    repeated. An agent that replaces its block each turn leaves the old one out of them. One that keeps its blocks
    names its session in `not_again_in`: what that session was given lately is not repeated, unless it is pinned.
    """
    whose = check_person(actor, person)
    latest, question = _asked(query, messages)
    visible = tuple(_text(message) for message in messages)
    before = given.lately(actor, whose, not_again_in) if not_again_in else frozenset()
    asked = Asked(whose, latest, question, visible, token_budget, Format(form), project_id, scope, explain, before)
    words = words_of(actor.tenant_id)
    terms = lexical.query_terms(question, words) if question.strip() else ()
    if when is not None:
        return _then(actor, asked, when, terms)
    library = known_libraries.whose(actor, whose, project_id, words.revision)
    chosen, decision = _known(actor, asked, library, terms) or _looked(actor, asked, library, terms)
    uses.note(actor, chosen.ids, "preview" if actor.is_person else "context")
    if not_again_in:
        given.note(actor, whose, not_again_in, chosen.items)
    return _context_view(asked, chosen, decision)


def _known(actor: Actor, asked: Asked, of: Whose, terms: Sequence[str]) -> tuple[_Chosen, Decision] | None:
    """From a library that this process read lately, if nothing of it changed: one call of the database in all."""
    library = known_libraries.known(of)
    if library is None:
        return None
    place, shelf = library.place, library.shelf
    decision = decide(asked.latest, shelf.size, place.policy.injection_limit, earlier=asked.earlier)
    if decision.search:
        return None
    chosen = _choose(asked, place, shelf.items if decision.needed else {}, {}, terms, library.distinct)
    if not known_libraries.tell(actor, of, shelf.stamp, _event(actor, asked.person, chosen, place)):
        known_libraries.drop(of)
        return None
    return replace(chosen, drawn=library.drawn), decision


def _looked(actor: Actor, asked: Asked, of: Whose, terms: Sequence[str]) -> tuple[_Chosen, Decision]:
    with tenant_scope(actor, durable_read=False):
        place, shelf = first_look(actor, asked.person, of.project_id, terms, timezone.now())
        decision = decide(asked.latest, shelf.size, place.policy.injection_limit, earlier=asked.earlier)
        chosen = None
        if not decision.search:
            chosen = _choose(asked, place, shelf.items if decision.needed else {}, {}, terms)
            _record(actor, asked.person, chosen, place)
    if chosen is None:
        return _searched(actor, asked, place, shelf.items, decision, terms)
    if shelf.size <= place.policy.injection_limit and place.subjects.actor and place.subjects.person:
        known_libraries.keep(of, Library(place, shelf, are_distinct(one.entry for one in shelf.items.values())))
    return chosen, decision


def _then(actor: Actor, asked: Asked, when: When, terms: Sequence[str]) -> ContextView:
    """The block as it would have been on a date. Nobody is told it for use today, so no use is noted."""
    items = hindsight.usable(actor, asked.person, when, asked.project_id, asked.scope)
    with tenant_scope(actor):
        place = standing(actor, asked.person, asked.project_id)
    decision = decide(asked.latest, len(items), place.policy.injection_limit, earlier=asked.earlier)
    question = question_of(actor, asked.question) if decision.search and asked.question.strip() else None
    hits = hindsight.ranked_then(actor, items, question, when) if question is not None and question.folded else []
    relevance = {hit.item.id: value for hit in hits if (value := hit.parts["relevance"] or 0.0) >= MATCHED}
    shared, own = frozenset(terms), words_of(actor.tenant_id)
    shelf = {i.id: shelved(i, shared & frozenset(lexical.terms(f"{i.subject} {i.content}", own))) for i in items}
    return _context_view(asked, _choose(asked, place, shelf if decision.needed else {}, relevance, terms), decision)


def _asked(query: str, messages: Sequence[Incoming]) -> tuple[str, str]:
    """The latest user text, and the question to search with: it and some of those before it, newest first."""
    if query:
        return query, query
    said = [without_injected(_text(m)) for m in messages if m.role == Role.USER]
    recent = [text for text in said if text][-RECENT_USER_MESSAGES:][::-1]
    latest = recent[0] if recent else ""
    return latest, "\n".join([latest, *(text[:LONGEST_EARLIER] for text in recent[1:])])


def _text(message: Incoming) -> str:
    """A message without content (a call of tools, a picture) shows nothing."""
    return "" if message.text is None else text_of(message.text)


def _searched(
    actor: Actor,
    asked: Asked,
    place: Standing,
    shelf: Mapping[UUID, Shelved],
    decision: Decision,
    terms: Sequence[str],
) -> tuple[_Chosen, Decision]:
    """Search, embedding outside any transaction, then first the subjects that were found and then what else is known
    of them.
    """
    question = question_of(actor, asked.question)
    with tenant_scope(actor, durable_read=False):
        now = timezone.now()
        found = candidates.look(search_for(actor, place, question, now, POOL))
        scored = {c.id: relevance_of(c, question) for c in found.candidates}
        best = sorted((i for i, value in scored.items() if value >= MATCHED), key=lambda i: -scored[i])[:MOST_FOUND]
        matched = _with_mates(actor, place, best, scored, terms, now)
        relevance = {item_id: value for item_id, (_, value) in matched.items()}
        items = {**shelf, **{item_id: one for item_id, (one, _) in matched.items()}}
        chosen = _choose(asked, place, items, relevance, terms)
        _record(actor, asked.person, chosen, place)
    seen = "similar" if best else "nothing_similar"
    return chosen, Decision(decision.needed, (*decision.reasons, seen), decision.search)


def _with_mates(
    actor: Actor,
    place: Standing,
    best: Sequence[UUID],
    scored: Mapping[UUID, float],
    terms: Sequence[str],
    now: datetime,
) -> Mapping[UUID, tuple[Shelved, float]]:
    """The best finds with their relevance, and what else is known of the subjects that the question names."""
    found = found_items(actor, place.usable, best, terms, terms, now)
    about: dict[str, float] = {}
    for item_id in best:
        if item_id in found:
            subject = found[item_id].item.subject
            about[subject] = max(about.get(subject, 0.0), scored[item_id])
    return {
        item_id: (one, scored[item_id] if item_id in best else max(MATE * about.get(one.item.subject, 0.0), MATCHED))
        for item_id, one in found.items()
    }


def _choose(
    asked: Asked,
    place: Standing,
    items: Mapping[UUID, Shelved],
    relevance: Mapping[UUID, float],
    terms: Sequence[str],
    distinct: bool = False,
) -> _Chosen:
    entries = [_entry(asked, one, relevance.get(item_id)) for item_id, one in items.items()]
    language = language_of(asked.question or " ".join(entry.content for entry in entries))
    budget = place.policy.injection_tokens if asked.token_budget is None else asked.token_budget
    chosen = select(
        entries, frozenset(terms), place.policy, budget, asked.visible, asked.form, language, asked.scope, distinct
    )
    views = {one.entry.id: one.item for one in items.values()}
    return _Chosen(chosen, tuple(views[entry.id] for entry in chosen.items))


def _entry(asked: Asked, one: Shelved, relevance: float | None) -> Injectable:
    repeated = bool(asked.given) and given.mark(one.item) in asked.given
    if relevance is None and not repeated:
        return one.entry
    return one.entry._replace(relevance=relevance, given=repeated)


def _record(actor: Actor, person: str, chosen: _Chosen, place: Standing) -> None:
    """The event of the read, with the ids; it commits with the read."""
    audit.write(_event(actor, person, chosen, place))


def _event(actor: Actor, person: str, chosen: _Chosen, place: Standing) -> audit.Event:
    target = audit.Target("memory", chosen.ids)
    action = "memory.previewed" if actor.is_person else "memory.injected"
    return audit.event_of(actor, action, target, person=person, known=place.subjects)


def _context_view(asked: Asked, chosen: _Chosen, decision: Decision) -> ContextView:
    selection = chosen.selection
    block = render(selection)
    left_out = tuple((UUID(e.item.id), str(e.reason)) for e in selection.excluded) if asked.explain else ()
    tiers = {UUID(item_id): str(tier) for item_id, tier in selection.tiers.items()} if asked.explain else {}
    return ContextView(
        block,
        selection.tokens,
        chosen.items,
        left_out,
        decision.needed,
        decision.reasons,
        selection.partial,
        tiers,
        chosen.drawn,
    )
