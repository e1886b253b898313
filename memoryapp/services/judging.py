"""Look, judge, decide: what one extraction sees, what the judge says of it, and the plan that follows.

Nothing here writes. Looking happens in short transactions, judging and embedding outside of any.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta, timezone

from django.utils import timezone as clock

from accounts.actor import Actor
from memoryapp.domain.admission import worth_judging
from memoryapp.domain.errors import InvalidAnswer, ProviderError
from memoryapp.domain.evidence import grams, in_another_language
from memoryapp.domain.extraction import JudgeRequest, answer_text, build_prompt, language_prompt, shown_line
from memoryapp.domain.language import language_of
from memoryapp.domain.nearness import NOT_MEASURED, Nearness
from memoryapp.domain.policy import Policy
from memoryapp.domain.ranking import estimate_tokens
from memoryapp.domain.tombstones import Graveyard
from memoryapp.domain.types import Answer, Door, Judgement, Kind, Role, Shown, Status, Turn, Usage
from memoryapp.domain.write_plan import Ground, Refusal, WritePlan, explicit_operations, plan
from memoryapp.keyring import tombstone_key
from memoryapp.models import Evidence, MemoryItem, Message, Space
from memoryapp.providers import registry
from memoryapp.providers.script_folding import to_simplified
from memoryapp.retrieval import candidates, lexical
from memoryapp.services.dictionary import words_of
from memoryapp.services.embedding_choice import answering
from memoryapp.services.nearness import measured
from memoryapp.services.scope import tenant_scope
from memoryapp.services.tombstones import graveyard

SHOWN_STATUSES = (Status.ACTIVE, Status.PENDING, Status.PAUSED)
NEAREST = 60
"""Items taken by words and by meaning when a library is too large to be shown whole."""


@dataclass(frozen=True, slots=True)
class Look:
    """What one judgement looks at, all values. `space` is None for a person who has none yet (a dry run);
    `unreadable` counts messages of which something was forgotten and may not be read again."""

    person: str
    space: Space | None
    revision: int
    policy: Policy
    door: Door
    session: str
    scope: str
    turns: tuple[Turn, ...]
    library: tuple[Shown, ...]
    graveyard: Graveyard = field(default_factory=Graveyard)
    unreadable: int = 0
    shown: tuple[Shown, ...] = ()
    instructions: tuple[str, ...] = ()
    nearness: Nearness = NOT_MEASURED


def turn_of(message: Message, yard: Graveyard) -> Turn:
    """A stored message as the domain sees it: its time in the speaker's own zone, and without what founded something
    that was forgotten."""
    zone = timezone(timedelta(minutes=message.offset_minutes))
    return Turn(
        role=Role(message.role),
        text=yard.readable(message.role, message.text, bytes(message.text_hash), message.said_at, message.cue),
        id=str(message.pk),
        speaker=message.speaker,
        said_at=message.said_at.astimezone(zone),
        said_at_known=message.said_at_known,
        cue=message.cue,
    )


def look_at(
    space: Space | None,
    policy: Policy,
    turns: Sequence[Turn],
    door: Door,
    *,
    person: str,
    session: str,
    scope: str,
    yard: Graveyard | None = None,
    home: Space | None = None,
) -> Look:
    """A snapshot of a space for these turns; called inside a transaction. `yard` saves looking it up again, `home` is
    the person's own space, whose rules about what to keep hold elsewhere as well.
    """
    return Look(
        person=person,
        space=space,
        revision=space.revision if space else 0,
        policy=policy,
        door=door,
        session=session,
        scope=scope,
        turns=tuple(turns),
        library=_library(space) if space else (),
        graveyard=yard or (graveyard(space) if space else Graveyard()),
        instructions=_instructions(home) if home is not None and home != space else (),
    )


def _instructions(home: Space) -> tuple[str, ...]:
    kept = MemoryItem.objects.filter(space=home, kind=Kind.INSTRUCTION, status=Status.ACTIVE)
    return tuple(kept.values_list("content", flat=True))


def _library(space: Space) -> tuple[Shown, ...]:
    rows = MemoryItem.objects.filter(space=space).alive().order_by("id")
    heard = _heard(space)
    return tuple(
        Shown(
            number=-1,
            id=i.pk,
            content=i.content,
            kind=Kind(i.kind),
            status=Status(i.status),
            scope=i.scope,
            subject=i.subject,
            predicate=i.predicate,
            object=i.object,
            norm_hash=bytes(i.norm_hash),
            said_at=i.said_at,
            pinned=i.pinned,
            importance=i.importance,
            content_version=i.version,
            speaker=i.speaker,
            pending_reason=i.pending_reason,
            heard=frozenset(heard.get(i.pk, ())),
        )
        for i in rows
    )


def _heard(space: Space) -> dict[object, set[tuple[str, str]]]:
    """Where each candidate was said by its person: sessions and days."""
    rows = Evidence.objects.filter(item__space=space, item__status=Status.PENDING, role=Role.USER)
    heard: dict[object, set[tuple[str, str]]] = {}
    for item_id, session_id, said_at, offset in rows.values_list("item_id", "session_id", "said_at", "offset_minutes"):
        day = (said_at + timedelta(minutes=offset)).date().isoformat()
        heard.setdefault(item_id, set()).add((str(session_id or ""), day))
    return heard


# --- what of it the judge is shown ---


def focused(actor: Actor, look: Look) -> Look:
    """The look with its shown items: all of them when they fit, else those of the subject and the nearest ones."""
    showable = [item for item in look.library if item.status in SHOWN_STATUSES]
    if sum(map(_tokens, showable)) > look.policy.judge_tokens:
        showable = _within(_by_relevance(actor, look, showable), look.policy.judge_tokens)
    chosen = sorted(showable, key=lambda item: item.id)
    shown = tuple(replace(item, number=number) for number, item in enumerate(chosen))
    return replace(look, shown=shown, nearness=measured(actor, look.turns, shown))


def _tokens(item: Shown) -> int:
    return estimate_tokens(shown_line(item))


def _within(items: Iterable[Shown], most: int) -> list[Shown]:
    """The first items that fit into so many tokens."""
    kept: list[Shown] = []
    left = most
    for item in items:
        left -= _tokens(item)
        if left < 0:
            break
        kept.append(item)
    return kept


def _by_relevance(actor: Actor, look: Look, items: Sequence[Shown]) -> list[Shown]:
    """Same subject first, then the nearest by meaning and by words in turn, then the rest by shared wording."""
    said = _user_text(look.turns)
    words = grams(said)
    near = {item_id: place for place, item_id in enumerate(_nearest(actor, look, said))}
    lowered = said.casefold()

    def place(item: Shown) -> tuple[bool, int, int]:
        same_subject = len(item.subject) > 1 and item.subject.casefold() in lowered
        return (not same_subject, near.get(item.id, 2 * NEAREST), -len(words & grams(item.content)))

    return sorted(items, key=place)


def _nearest(actor: Actor, look: Look, said: str) -> list[object]:
    """Ids by the better of two places: meaning (when the embedder answers) and words."""
    if look.space is None or not said.strip():
        return []
    vector, model = _vector(actor, said)
    terms = list(lexical.query_terms(said, words_of(actor.tenant_id)))
    with tenant_scope(actor):
        wanted = candidates.Search(actor.tenant_id, [look.space.pk], terms, vector, model, clock.now(), NEAREST)
        found = candidates.look(wanted).candidates
    by_meaning = sorted(found, key=lambda c: -(c.cosine if c.cosine is not None else -1.0))
    by_words = sorted(found, key=lambda c: -len(c.terms & set(terms)))
    both = [c.id for pair in zip(by_meaning, by_words, strict=True) for c in pair]
    return list(dict.fromkeys(both))


def _vector(actor: Actor, text: str) -> tuple[Sequence[float] | None, str]:
    embedder = answering(actor.tenant_id)
    try:
        return embedder.embed_query(text), embedder.model
    except ProviderError:
        return None, ""


# --- judging ---


def _user_text(turns: Sequence[Turn]) -> str:
    return " ".join(t.text for t in turns if t.role is Role.USER)


def request_of(look: Look) -> JudgeRequest:
    language = "zh" if language_of(_user_text(look.turns)) == "zh" else "en"
    return JudgeRequest(look.turns, look.shown, look.door, language, nearness=look.nearness)


def prompt_tokens(look: Look) -> int:
    """Estimate of what asking the judge once would cost; 0 when nobody is asked over a network."""
    if not registry.llm_configured() or not _user_text(look.turns).strip():
        return 0
    return sum(estimate_tokens(m["content"]) for m in build_prompt(request_of(look)))


def judged(look: Look) -> Judgement:
    """Ask the judge; only user turns that say something lasting can found a fact, so without one nobody is asked.

    An answer in another language than what was said is asked for once more. Raises `InvalidAnswer`, `ProviderError`.
    """
    if not _user_text(look.turns).strip():
        return Judgement(Answer(), "none")
    if not worth_judging(look.turns):
        return Judgement(Answer(), "admission")
    request, extractor = request_of(look), registry.extractor()
    first = extractor.judge(request)
    if not in_another_language(first.answer.operations, look.turns):
        return first
    follow_up = tuple(language_prompt(answer_text(first.answer.operations), request.language))
    try:
        second = extractor.judge(replace(request, follow_up=follow_up))
    except (ProviderError, InvalidAnswer):
        return first
    return replace(second, usage=_sum(first.usage, second.usage))


def _sum(one: Usage, other: Usage) -> Usage:
    return Usage(
        one.calls + other.calls,
        one.prompt_tokens + other.prompt_tokens,
        one.completion_tokens + other.completion_tokens,
    )


def decided(look: Look, judgement: Judgement) -> WritePlan:
    """The write plan of a judgement: the judge's operations, and the explicit requests that it left out."""
    ground = Ground(
        shown=look.shown,
        turns=look.turns,
        policy=look.policy,
        door=look.door,
        now=clock.now(),
        key=tombstone_key(look.space.tenant_id, look.space.pk) if look.space else b"",
        fold=to_simplified,
        graveyard=look.graveyard,
        extractor=judgement.extractor,
        library=look.library,
        person=look.person,
        session=look.session,
        scope=look.scope,
        instructions=look.instructions,
        nearness=look.nearness,
    )
    made = plan(judgement.answer, ground, explicit_operations(look.turns, look.shown, look.door, look.nearness))
    buried = (Refusal("skipped", "NONE", "tombstoned"),) * look.unreadable
    return replace(made, refusals=made.refusals + buried)
