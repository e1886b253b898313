"""A tenant's own words: names of products and people that word search keeps whole, in questions and in what is stored.

A change raises the revision. Every entry says with which one its terms were made, so what is left to do is found by
looking, and a killed or lost job is just begun again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from accounts.actor import Actor, system_actor
from memoryapp import audit
from memoryapp.domain.errors import DomainError
from memoryapp.domain.guards import holds_secret
from memoryapp.domain.pii import find_personal
from memoryapp.kept_briefly import KeptBriefly
from memoryapp.models import Dictionary
from memoryapp.retrieval import lexical
from memoryapp.retrieval.own_words import LONGEST_WORD, MOST_WORDS, NONE, OwnWords, lowered, own_words
from memoryapp.services.item_rows import rows_of
from memoryapp.services.scope import tenant_scope
from memoryapp.services.vectors import wake

SECONDS = 15.0
"""How long a process goes by the revision it read; the one that changes the words knows at once."""
MOST_KNOWN = 256
"""Tenants whose words a process holds; a full dictionary is 10,000 words."""
BATCH = 200
SHORTEST_WORD = 2


@dataclass(frozen=True, slots=True)
class DictionaryView:
    """`waiting` memories still have the terms of an earlier revision: the new words find them by their parts."""

    words: tuple[str, ...] = ()
    revision: int = 0
    waiting: int = 0
    changed_at: datetime | None = None


# --- the words at hand ---

_known = KeptBriefly[UUID, OwnWords](MOST_KNOWN)


def words_of(tenant_id: UUID) -> OwnWords:
    """The tenant's words, kept by this process and read anew when the revision has changed."""
    return _known.value(tenant_id, SECONDS, lambda last: _read(tenant_id, last or NONE))


def look_again(tenant_id: UUID) -> None:
    """Look at the revision at the next use."""
    _known.look_again(tenant_id)


def _read(tenant_id: UUID, last: OwnWords) -> OwnWords:
    with tenant_scope(_system(tenant_id)):
        rows = Dictionary.objects.filter(tenant_id=tenant_id)
        revision = rows.values_list("revision", flat=True).first() or 0
        if revision == last.revision:
            return last
        found = rows.values_list("revision", "words").first()
    return own_words(found[0], map(folded, found[1])) if found is not None else NONE


def folded(word: str) -> str:
    """The form in which a word is looked for: simplified, lower case, single blanks."""
    return lowered(" ".join(lexical.folded_text(word).split()))


def _system(tenant_id: UUID) -> Actor:
    return system_actor(tenant_id, "dictionary")


# --- reading and changing ---


def view(actor: Actor) -> DictionaryView:
    with tenant_scope(actor):
        row = Dictionary.objects.filter(tenant_id=actor.tenant_id).first()
        if row is None:
            return DictionaryView()
        waiting = rows_of(_WAITING, {"tenant": actor.tenant_id, "revision": row.revision})[0][0]
    return DictionaryView(tuple(row.words), row.revision, waiting, row.changed_at)


def replace(actor: Actor, words: Sequence[str]) -> DictionaryView:
    """Make these the tenant's words; the same ones again change nothing.

    Raises DomainError `invalid` (too many, too short or too long) and `guard_refused` (a secret or a personal number).
    """
    kept = _checked(words)
    with tenant_scope(actor):
        Dictionary.objects.bulk_create([Dictionary(tenant_id=actor.tenant_id)], ignore_conflicts=True)
        row = Dictionary.objects.select_for_update(no_key=True).get(tenant_id=actor.tenant_id)
        if list(row.words) != kept:
            row.words, row.revision, row.changed_at = kept, row.revision + 1, timezone.now()
            row.save(update_fields=["words", "revision", "changed_at"])
            audit.record(actor, "dictionary.changed", audit.Target("tenant", (actor.tenant_id,)))
            transaction.on_commit(lambda: look_again(actor.tenant_id))
            wake("memoryapp.make_terms", actor.tenant_id)
    return view(actor)


def _checked(words: Iterable[str]) -> list[str]:
    """Trimmed, each once in whatever case or script it comes."""
    kept: dict[str, str] = {}
    for given in words:
        word = " ".join(given.split())
        _check(word)
        kept.setdefault(folded(word), word)
    if len(kept) > MOST_WORDS:
        raise DomainError("invalid", f"A dictionary holds at most {MOST_WORDS} words.")
    return list(kept.values())


def _check(word: str) -> None:
    """A word of one character would cut every text that holds it."""
    form = folded(word)
    if not SHORTEST_WORD <= len(form) <= LONGEST_WORD or len(word) > LONGEST_WORD or "\0" in word:
        raise DomainError("invalid", f"A word has {SHORTEST_WORD} to {LONGEST_WORD} characters.")
    if not any(c.isalnum() for c in form):
        raise DomainError("invalid", "A word holds a letter or a digit.")
    if holds_secret(word):
        raise DomainError("guard_refused", "One of the words is a secret.", {"reason": "secret.word"})
    if any(c.isdigit() or c == "@" for c in form) and find_personal(word):
        raise DomainError("guard_refused", "One of the words is a personal number.", {"reason": "pii.word"})


# --- making terms anew ---

_WAITING = """
SELECT count(*) FROM memoryapp_retrievalentry WHERE tenant_id = %(tenant)s AND terms_revision < %(revision)s
"""
# Nothing is stale for a job whose words are no longer the tenant's: the change has woken another one.
_STALE = """
SELECT stale.id, stale.item_version, i.subject, i.content FROM (
    SELECT id, item_version FROM memoryapp_retrievalentry
    WHERE tenant_id = %(tenant)s AND id > %(after)s AND terms_revision < %(revision)s
        AND (SELECT revision FROM memoryapp_dictionary WHERE tenant_id = %(tenant)s) = %(revision)s
    ORDER BY id LIMIT %(most)s
) stale JOIN memoryapp_memoryitem i ON i.tenant_id = %(tenant)s AND i.id = stale.id ORDER BY stale.id
"""
# A term holds no line break, so lists of terms travel as lines.
_WRITE = """
WITH made AS (
    UPDATE memoryapp_retrievalentry e
    SET terms = array_to_tsvector(string_to_array(n.terms, chr(10))), terms_revision = %(revision)s
    FROM unnest(%(ids)s::uuid[], %(versions)s::int[], %(terms)s::text[]) n(id, version, terms)
    WHERE e.tenant_id = %(tenant)s AND e.id = n.id AND e.item_version = n.version
        AND e.terms_revision < %(revision)s RETURNING 1
) SELECT count(*) FROM made
"""


def make_terms(tenant_id: UUID) -> int:
    """Cut what was stored with earlier words anew, batch by batch; answers how many entries were written."""
    look_again(tenant_id)
    own, after, written = words_of(tenant_id), UUID(int=0), 0
    while rows := _stale(tenant_id, own.revision, after):
        values = {
            "tenant": tenant_id,
            "revision": own.revision,
            "ids": [row[0] for row in rows],
            "versions": [row[1] for row in rows],
            "terms": ["\n".join(lexical.item_terms(row[2], row[3], own)) for row in rows],
        }
        with tenant_scope(_system(tenant_id)):
            written += rows_of(_WRITE, values)[0][0]
        after = rows[-1][0]
    return written


def _stale(tenant_id: UUID, revision: int, after: UUID) -> list[tuple[Any, ...]]:
    values = {"tenant": tenant_id, "revision": revision, "after": after, "most": BATCH}
    with tenant_scope(_system(tenant_id)):
        return rows_of(_STALE, values)
