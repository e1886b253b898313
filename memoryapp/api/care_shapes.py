"""The shapes of answers about sessions, erasures, imports, the inbox, ageing, consolidation and the timeline; see
`shapes`.
"""

from __future__ import annotations

from typing import Any

from rest_framework import serializers as s

from memoryapp.api.shapes import Item, maybe_text, maybe_time, words
from memoryapp.domain.types import Kind, Status


def counts() -> s.DictField:
    return s.DictField(child=s.IntegerField())


class WorkingSession(s.Serializer[Any]):
    """Working memory of a session. `task_state`: key → `{value, reason, since, earlier?[]}`."""

    id = s.CharField()
    session_id = s.CharField()
    user_id = s.CharField()
    agent_id = s.CharField(allow_blank=True)
    summary = s.CharField(allow_blank=True)
    summary_source = maybe_text()
    task_state = s.DictField(child=s.DictField())
    labels = s.ListField(child=s.CharField())
    messages = s.IntegerField()
    last_said_at = maybe_time()
    expires_at = s.DateTimeField()


class ErasureAccepted(s.Serializer[Any]):
    erasure_id = s.CharField()


class ErasureImpact(s.Serializer[Any]):
    """What an erasure would remove, and the phrases that confirm it."""

    dry_run = s.BooleanField()
    confirm_with = s.ListField(child=s.CharField())
    impact = counts()


class ErasureProgress(s.Serializer[Any]):
    items = s.IntegerField()
    items_done = s.IntegerField()


class ErasureStep(s.Serializer[Any]):
    name = s.CharField()
    level = s.CharField()
    state = s.CharField()
    method = s.CharField(allow_blank=True)
    evidence = s.DictField()
    at = maybe_time()


class Erasure(s.Serializer[Any]):
    """`receipt` is the signed document, `signature` and `public_key` are hex."""

    id = s.CharField()
    kind = s.CharField()
    status = s.CharField()
    attempt = s.IntegerField()
    error_code = maybe_text()
    progress = ErasureProgress()
    levels = s.DictField(child=s.CharField())
    steps = ErasureStep(many=True)
    receipt = s.DictField(allow_null=True)
    signature = maybe_text()
    public_key = s.CharField(allow_blank=True)
    created_at = s.DateTimeField()
    finished_at = maybe_time()


class ImportRuns(s.Serializer[Any]):
    total = s.IntegerField()
    done = s.IntegerField()
    failed = s.IntegerField()


class ImportTokens(s.Serializer[Any]):
    budget = s.IntegerField(allow_null=True)
    used = s.IntegerField()
    expected = s.IntegerField()


class Import(s.Serializer[Any]):
    """`refused` counts messages by reason, `outcome` entries of events by section."""

    id = maybe_text()
    status = s.ChoiceField(choices=["running", "succeeded", "failed", "dry_run"])
    dry_run = s.BooleanField()
    sessions = s.IntegerField()
    messages = s.IntegerField()
    duplicates = s.IntegerField()
    refused = counts()
    runs = ImportRuns()
    outcome = counts()
    skipped = counts()
    tokens = ImportTokens()
    created_at = maybe_time()


class TakenMemory(s.Serializer[Any]):
    """What became of one record; `id` is the memory that holds it now."""

    id = maybe_text()
    outcome = s.ChoiceField(choices=["added", "pending", "skipped"])
    reason = s.CharField()


class TakenIn(s.Serializer[Any]):
    """Memories of an export that were taken in; `results` in the order of the records, `skipped` by reason."""

    status = s.ChoiceField(choices=["succeeded", "dry_run"])
    dry_run = s.BooleanField()
    outcome = counts()
    skipped = counts()
    results = TakenMemory(many=True)


class Imports(s.Serializer[Any]):
    """The latest fifty."""

    results = Import(many=True)


class ConflictsWith(s.Serializer[Any]):
    id = s.CharField()
    content = s.CharField()
    status = words(Status)
    said_at = s.DateTimeField()


class InboxEntry(Item):
    conflicts_with = ConflictsWith(allow_null=True)

    def get_fields(self) -> dict[str, s.Field[Any, Any, Any, Any]]:
        """`class` is a word of Python."""
        return {**super().get_fields(), "class": s.CharField()}


class Inbox(s.Serializer[Any]):
    results = InboxEntry(many=True)
    next_cursor = maybe_text()
    total = s.IntegerField()
    counts = counts()


class AgeingStep(s.Serializer[Any]):
    id = s.CharField()
    status = words(Status)
    score = s.FloatField()
    reason = s.CharField()


class Ageing(s.Serializer[Any]):
    """`steps` are or would be carried out; `suggestions` are over the space's limit and only shown."""

    applied = s.BooleanField()
    steps = AgeingStep(many=True)
    suggestions = AgeingStep(many=True)


class ConsolidationStep(s.Serializer[Any]):
    action = s.CharField()
    ids = s.ListField(child=s.CharField())
    state = s.CharField(allow_blank=True)
    reason = s.CharField(required=False)


class Consolidation(s.Serializer[Any]):
    """A round of consolidation; a dry run has no id."""

    id = s.CharField(required=False)
    status = s.CharField()
    steps = ConsolidationStep(many=True)
    skipped = s.ListField(child=s.CharField())
    created_at = maybe_time()
    finished_at = maybe_time()


class Change(s.Serializer[Any]):
    """A version of a memory, and the text before it."""

    memory_id = s.CharField()
    version = s.IntegerField()
    content = s.CharField()
    before = maybe_text()
    kind = words(Kind)
    status = words(Status)
    reason = s.CharField(allow_blank=True)
    actor = s.CharField()
    valid_from = maybe_time()
    created_at = s.DateTimeField()
