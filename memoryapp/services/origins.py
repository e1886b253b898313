"""Where the texts of a write plan come from: what the write door writes beside each of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memoryapp import audit
from memoryapp.domain.policy import Policy
from memoryapp.domain.types import Door
from memoryapp.models import Space
from memoryapp.retrieval import lexical
from memoryapp.retrieval.own_words import OwnWords
from memoryapp.services.dictionary import words_of


@dataclass(frozen=True, slots=True)
class Said:
    """Where a text was said: one message of a run, or a person's or a key's own call."""

    role: str
    said_at: datetime
    message_id: UUID | None = None
    speaker: str = ""
    offset_minutes: int = 0


@dataclass(frozen=True, slots=True)
class Cut:
    """Search terms by text, and the tenant's own words that they were cut with."""

    own: OwnWords
    terms: Mapping[str, Sequence[str]]


def cut(tenant_id: UUID, *texts: str) -> Cut:
    """The search terms of texts, for an `Origin`: cutting Chinese takes longer than a lock should be held."""
    own = words_of(tenant_id)
    return Cut(own, {text: lexical.terms(text, own) for text in texts})


@dataclass(frozen=True, slots=True)
class Origin:
    """What is written beside every text of a plan: space, door, policy, and the run with its turns. `cut` are search
    terms by their text, for texts that were known before the transaction; others are cut in it.
    """

    space: Space
    door: Door
    policy: Policy
    now: datetime
    person: str = ""
    run_id: UUID | None = None
    session_id: UUID | None = None
    agent_id: str = ""
    model: str = ""
    turns: tuple[Said, ...] = ()
    metadata: Mapping[str, object] | None = None
    vectors: Mapping[bytes, list[float]] | None = None
    embedding_model: str = ""
    expires_at: datetime | None = None
    pinned: bool = False
    scope: str = ""
    subjects: audit.Subjects = audit.UNKNOWN
    cut: Cut | None = None


@dataclass(frozen=True, slots=True)
class Earlier:
    """A text that an item had before, and from when on it held."""

    content: str
    kind: str
    valid_from: datetime


@dataclass(frozen=True, slots=True)
class Past:
    """What an item brings along that was kept elsewhere: its earlier texts in order, more evidence, and its dates."""

    earlier: tuple[Earlier, ...] = ()
    quotes: tuple[tuple[str, Said], ...] = ()
    valid_until: datetime | None = None
    review_after: datetime | None = None
    superseded_by: UUID | None = None


NO_PAST = Past()
