"""Search for agents: one statement finds, pure ranking orders, the chosen few are read whole."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from functools import cache
from uuid import UUID

from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from accounts.actor import Actor
from accounts.lookup import prove
from memoryapp import audit
from memoryapp.domain import advice, asking, ranking
from memoryapp.domain.areas import Area
from memoryapp.domain.asked_dates import Asked, asked_dates
from memoryapp.domain.errors import DomainError
from memoryapp.domain.paraphrase import bare_words, digits_of, gist, line_key, near, same_fact
from memoryapp.environment import Environment
from memoryapp.models import MemoryItem
from memoryapp.retrieval import candidates, lexical, query_vectors, vocabulary
from memoryapp.retrieval.candidates import Candidate, Search
from memoryapp.services import reranking, uses
from memoryapp.services.dictionary import words_of
from memoryapp.services.embedding_choice import answering
from memoryapp.services.filters import condition_of
from memoryapp.services.item_rows import COLUMNS, LIVE, item_of, rows_of
from memoryapp.services.results import Hit, ItemView
from memoryapp.services.scope import tenant_scope
from memoryapp.services.spaces import check_person
from memoryapp.services.standing import STANDING, Standing, look_again, remembered, standing, values_for

TOLD = STANDING.format(revisions="false")
POOL = 100
"""Rows taken by each way, words and meaning, before ranking."""
SPARE_FOR_COPIES = 20
COPY_DISTANCE = 0.15
COPY_WORDS = 0.8
SAME_WORDS = 0.5
"""Share of the question's terms below which a text is not looked at for being the question itself; a text that is cut
at its number of terms may lack some."""
_EMPHASIS = re.compile("非常|特别|十分|真的|(?i:\\breally )")
WORDS_ONLY = "words_only"
OTHER_MODEL = "other_model"
_WRITTEN_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")

_WHOLE = f"""
SELECT {COLUMNS} FROM memoryapp_memoryitem i
JOIN memoryapp_space s ON s.tenant_id = i.tenant_id AND s.id = i.space_id
WHERE i.tenant_id = %(tenant)s AND i.id = ANY (%(ids)s::uuid[]) AND {LIVE}
"""


@dataclass(frozen=True, slots=True)
class Question:
    """A question taken apart: terms, identifiers, folded text, dates, and its vector (None: by words only) with the
    calibration of the model that made it.
    """

    terms: tuple[str, ...]
    identifiers: frozenset[str]
    folded: str
    vector: tuple[float, ...] | None
    model: str
    calibrate: Callable[[float], float]
    dates: Asked = field(default_factory=lambda: Asked((), ""))
    sought: tuple[Area, ...] = ()
    speaker: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """Hits by falling score. `notes` say what the answer lacks: `words_only` (the embedder is away), `other_model`
    (rows that still carry another model's vector were searched by words), `rerank_skipped`.
    """

    hits: tuple[Hit, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a search asks for beside its question."""

    top_k: int = 10
    threshold: float | None = None
    filters: object = None
    scope: str = ""
    project_id: str = ""
    weights: ranking.Weights = field(default_factory=ranking.Weights)


def question_of(actor: Actor, query: str, today: date | None = None) -> Question:
    """Embeds the query by the model that answers for the tenant; no transaction is open. When the embedder is away,
    words alone answer.

    Identifiers are looked for outside the dates; the words of dates stay terms, which leaves less weight to the others
    where the day decides.
    """
    if not any(c.isalnum() for c in query):
        return Question((), frozenset(), "", None, "", float)
    dates = asked_dates(query, today or timezone.now().date())
    terms = lexical.query_terms(query, words_of(actor.tenant_id))
    identifiers = frozenset(lexical.words_of_identifiers(dates.rest))
    embedder = answering(actor.tenant_id)
    vector = query_vectors.vector_of(query, embedder, lambda: prove(actor))
    folded = lexical.folded_text(query)
    wanted, calibrate = advice.sought(folded), embedder.calibrate
    speaker = asking.speaker(query)
    return Question(terms, identifiers, folded, vector, embedder.model, calibrate, dates, wanted, speaker)


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
    """The hits of `answer`."""
    return answer(actor, person, query, Wanted(top_k, threshold, filters, scope, project_id, default_weights())).hits


def default_weights() -> ranking.Weights:
    environment: Environment = settings.MEMORYAPP
    return ranking.Weights(fusion=ranking.Fusion(environment.recall_fusion))


def answer(actor: Actor, person: str, query: str, wanted: Wanted) -> Answer:
    """Hits by falling score. `threshold` applies to relevance, 0–1; `scope` shows that label and what has none."""
    whose = check_person(actor, person)
    if not query.strip():
        raise DomainError("invalid", "`query` is empty.")
    condition = condition_of(wanted.filters) if wanted.filters else None
    inquiry = Inquiry(actor, whose, question_of(actor, query), wanted, condition)
    (hits, found, place), late = _hits(inquiry), False
    if reranking.is_on():
        hits, late = reranking.reranked(query, hits)
        hits = hits[: wanted.top_k]
        _tell(inquiry, hits, place)
    uses.note(actor, [h.item.id for h in hits], "search", [h.score for h in hits])
    notes = _notes(inquiry.question, found)
    return Answer(hits, (*notes, reranking.SKIPPED) if late else notes)


@dataclass(frozen=True, slots=True)
class Inquiry:
    """A question with who asks, about whom, and what the hits must be like."""

    actor: Actor
    whose: str
    question: Question
    wanted: Wanted
    condition: Q | None

    @property
    def depth(self) -> int:
        return max(self.wanted.top_k, reranking.DEPTH) if reranking.is_on() else self.wanted.top_k


ATTEMPTS = 3


class _Vanished(Exception):
    """A memory went out of reach between being found and being read."""


def _hits(inquiry: Inquiry) -> tuple[tuple[Hit, ...], candidates.Found, Standing]:
    """The hits, told to the audit unless a reranker is still to choose among them. Begins anew when one of them goes
    out of reach between being found and being read.
    """
    for _ in range(ATTEMPTS):
        with suppress(_Vanished), tenant_scope(inquiry.actor, durable_read=False):
            return _hits_now(inquiry, timezone.now())
    raise RuntimeError("memories vanish faster than they can be read")


def _hits_now(inquiry: Inquiry, now: datetime) -> tuple[tuple[Hit, ...], candidates.Found, Standing]:
    place, found = _found(inquiry, now)
    best = _ordered(found.candidates, inquiry.question, now, inquiry.wanted, inquiry.depth)
    items = _given(inquiry, [c.id for c, _ in best], place, now)
    if len(items) < len(best):
        raise _Vanished
    return tuple(Hit(items[c.id], r.score, r.parts) for c, r in best), found, place


def _tell(inquiry: Inquiry, hits: Sequence[Hit], place: Standing) -> None:
    """The event of a search whose hits a reranker chose, before they are answered."""
    target = audit.Target("memory", tuple(hit.item.id for hit in hits))
    with tenant_scope(inquiry.actor, durable_read=False):
        audit.record(inquiry.actor, "memory.searched", target, person=inquiry.whose, known=place.subjects)


def parts_of(found: Candidate, question: Question) -> tuple[float, float | None, bool]:
    """Word coverage 0–1, calibrated meaning 0–1 or None, and whether every identifier stands in the item."""
    meaning = None if found.cosine is None else question.calibrate(found.cosine)
    return found.words, meaning, bool(question.identifiers) and question.identifiers <= found.terms


def relevance_of(found: Candidate, question: Question) -> float:
    """How well a row answers the question, 0–1, without what was said beside it; a taste counts where it bears on the
    advice asked for.
    """
    bearing = advice.bearing(question.sought, found.content)
    return ranking.closeness(ranking.Evidence(*parts_of(found, question), bearing=bearing))


def _found(inquiry: Inquiry, now: datetime) -> tuple[Standing, candidates.Found]:
    """Where the search stands and what it finds. It looks from where this process stood last; the statement that finds
    says whether that still is so.
    """
    named = inquiry.actor, inquiry.whose, inquiry.wanted.project_id
    place = remembered(*named)
    found = _look(inquiry, place, now)
    told = found.told if found.candidates else standing(*named).told
    if told != place.told:
        look_again(*named)
        place = remembered(*named)
        found = _look(inquiry, place, now)
    return place, found


def _allowed(actor: Actor, spaces: Sequence[UUID], condition: Q | None, scope: str) -> list[UUID] | None:
    """The items that the filters let through, None for all. Filters come before ranking, so k hits stay k hits."""
    if condition is None and not scope:
        return None
    rows = MemoryItem.objects.for_actor(actor).filter(space__in=spaces)
    if scope:
        rows = rows.filter(scope__in=[scope, ""])
    if condition is not None:
        rows = rows.filter(condition)
    return list(rows.values_list("pk", flat=True).distinct())


def search_for(
    actor: Actor, place: Standing, question: Question, now: datetime, pool: int, allowed: list[UUID] | None = None
) -> Search:
    """The search of a question in the spaces that may be used."""
    return Search(
        actor.tenant_id,
        place.usable,
        question.terms,
        question.vector,
        question.model,
        now,
        pool,
        allowed,
        place.policy.exact_up_to,
    )


def _look(inquiry: Inquiry, place: Standing, now: datetime) -> candidates.Found:
    """Candidates; a Latin word that nothing holds is looked for once more as the word it may have been meant to be."""
    actor, question, wanted = inquiry.actor, inquiry.question, inquiry.wanted
    allowed = _allowed(actor, place.usable, inquiry.condition, wanted.scope)
    search = replace(
        search_for(actor, place, question, now, max(POOL, 2 * inquiry.depth), allowed),
        telling=(TOLD, values_for(actor, inquiry.whose, wanted.project_id)),
    )
    found = candidates.look(search)
    unknown = vocabulary.worth_correcting(question.terms, found.spread)
    meant = vocabulary.corrections(actor.tenant_id, place.usable, unknown) if unknown else {}
    if not meant:
        return found
    terms = tuple(dict.fromkeys(meant.get(term, term) for term in question.terms))
    return candidates.look(replace(search, terms=terms))


def _ordered(
    found: Sequence[Candidate], question: Question, now: datetime, wanted: Wanted, most: int
) -> list[tuple[Candidate, ranking.Ranked]]:
    """The best `most`; what says the same as a better row stands behind, what a scoped row overrides is left out.

    Every row gets a score; only those that may stand in the answer get its parts told.
    """
    rows, weights = _without_overridden(found, wanted.scope), wanted.weights
    evidence = _evidence(rows, question)
    ids = [row.id.int for row in rows]
    leaned = _leaned(evidence, rows, ids, weights)
    at = now.timestamp()
    standings = [_standing(row, at) for row in rows]
    places = [(-ranking.total(evidence[n], standings[n], leaned[n]), ids[n]) for n in range(len(rows))]
    order = sorted(_passed(evidence, wanted), key=places.__getitem__)
    head = order[: max(most, wanted.top_k + SPARE_FOR_COPIES)]
    told = [(rows[n], ranking.ranked(evidence[n], standings[n], leaned[n], weights)) for n in head]
    return _copies_behind(told, wanted.top_k)[:most]


def _passed(evidence: Sequence[ranking.Evidence], wanted: Wanted) -> Sequence[int]:
    """The places of the rows whose relevance reaches the threshold."""
    if wanted.threshold is None:
        return range(len(evidence))
    return [n for n, one in enumerate(evidence) if ranking.relevant(one, wanted.weights) >= wanted.threshold]


def _leaned(
    evidence: Sequence[ranking.Evidence], rows: Sequence[Candidate], ids: Sequence[int], weights: ranking.Weights
) -> dict[int, float]:
    """Closeness, by place, that knows what was said beside a row; ids rise in the order in which rows are learnt."""
    known = dict(enumerate(evidence))
    near = ranking.closenesses(known, weights)
    order = sorted(range(len(rows)), key=ids.__getitem__)
    learnt = [(n, said) for n in order if (said := rows[n].said) is not None]
    leads = {n for n, one in known.items() if one.leads}
    lifted = ranking.with_neighbours(near, learnt, weights.beside, leads, weights.answer)
    told = ranking.with_less_said(lifted, known, weights)
    return ranking.with_episodes(told, {n: row.said for n, row in enumerate(rows)}, weights.episode)


def _place(pair: tuple[Candidate, ranking.Ranked]) -> tuple[float, int]:
    return -pair[1].score, pair[0].id.int


def _evidence(rows: Sequence[Candidate], question: Question) -> list[ranking.Evidence]:
    """What is known of each row; the same text holds the question's terms, so others are not folded to compare."""
    calibrate, identifiers, dated = question.calibrate, question.identifiers, bool(question.dates.spans)
    same = SAME_WORDS if question.terms else 0.0
    return [
        ranking.Evidence(
            row.words,
            None if row.cosine is None else calibrate(row.cosine),
            bool(identifiers) and identifiers <= row.terms,
            row.plain_words >= same and lexical.folded_text(row.content) == question.folded,
            dated and any(question.dates.holds(day) for day in _days_of(row)),
            row.plain_words,
            advice.bearing(question.sought, row.content),
            asking.share_asked(row.content),
            asking.brevity(row.content),
            asking.ends_asking(row.content),
            bool(question.speaker) and question.speaker in row.content,
        )
        for row in rows
    ]


def _days_of(found: Candidate) -> list[date]:
    """The day it was said, and the days that stand in its text."""
    days = [] if found.said is None else [datetime.fromtimestamp(found.said, UTC).date()]
    for written in _WRITTEN_DATE.findall(found.content):
        try:
            days.append(date.fromisoformat(written))
        except ValueError:
            continue
    return days


def _standing(found: Candidate, now: float) -> ranking.Standing:
    age = 0.0 if found.said is None else (now - found.said) / 86_400
    votes = ranking.feedback_level(found.helpful, found.unhelpful) if found.helpful or found.unhelpful else 0.5
    return ranking.Standing(found.importance, ranking.recency(age), found.confidence, votes)


def _without_overridden(found: Sequence[Candidate], scope: str) -> list[Candidate]:
    """With a scope, a general row gives way to a scoped one about the same subject and predicate."""
    if not scope:
        return list(found)
    scoped = {(c.subject, c.predicate) for c in found if c.scope == scope and c.subject and c.predicate}
    return [c for c in found if c.scope == scope or (c.subject, c.predicate) not in scoped]


def _copies_behind(
    ordered: Sequence[tuple[Candidate, ranking.Ranked]], top_k: int
) -> list[tuple[Candidate, ranking.Ranked]]:
    """Rows that say the same as a better one count a quarter, so that restatements do not fill the answer."""
    head = list(ordered[: top_k + SPARE_FOR_COPIES])
    seen = _Seen()
    judged = [(c, ranking.as_copy(r) if seen.has(c.content, r.relevance) else r) for c, r in head]
    return sorted(judged, key=_place) + list(ordered[len(head) :])


class _Seen:
    """Lines so far, to tell a restatement from a new line: cheap looks first, the close one only where they agree."""

    def __init__(self) -> None:
        self._lines: dict[str, list[tuple[float, str]]] = {}
        """By their digits: lines that differ in those are two facts."""
        self._key, self._words, self._gist = cache(line_key), cache(bare_words), cache(gist)

    def has(self, text: str, relevance: float) -> bool:
        """Whether a line like this was seen; remembers it if not. Lines that say the same are about as relevant."""
        plain = _EMPHASIS.sub("", text)
        lines = self._lines.setdefault(digits_of(plain), [])
        known = any(abs(at - relevance) <= COPY_DISTANCE and self._same(plain, line) for at, line in lines)
        if not known:
            lines.append((relevance, plain))
        return known

    def _same(self, a: str, b: str) -> bool:
        if near(self._key(a), self._key(b)):
            return True
        return _share(self._words(a), self._words(b)) >= COPY_WORDS and same_fact(self._gist(a), self._gist(b))


def _share(a: frozenset[str], b: frozenset[str]) -> float:
    return len(a & b) / max(min(len(a), len(b)), 1)


def _given(inquiry: Inquiry, ids: Sequence[UUID], place: Standing, now: datetime) -> Mapping[UUID, ItemView]:
    """The rows of the answer that may still be given, and beside them the event that names them."""
    actor, target = inquiry.actor, audit.Target("memory", tuple(ids))
    statement, values = _WHOLE, {"tenant": actor.tenant_id, "ids": list(ids), "now": now}
    if not reranking.is_on():
        event = audit.event_of(actor, "memory.searched", target, person=inquiry.whose, known=place.subjects)
        insertion, told = audit.named_insertion(event)
        statement, values = f"WITH told AS ({insertion}) {_WHOLE}", values | told
    return {row[0]: item_of(row) for row in rows_of(statement, values)}


def _notes(question: Question, found: candidates.Found) -> tuple[str, ...]:
    away = question.vector is None and bool(question.folded)
    return (*((WORDS_ONLY,) if away else ()), *((OTHER_MODEL,) if found.strangers else ()))
