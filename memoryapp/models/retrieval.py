"""The derived row that search reads, and the record of use."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.utils import timezone
from pgvector.django import HalfVectorField

from memoryapp.domain.types import ReembeddingState
from memoryapp.models.base import TenantRow, reference


class RetrievalEntry(TenantRow):
    """Terms and vector of an item's present text. Shares its id with the item; can be rebuilt at any time."""

    space = reference("memoryapp.Space", indexed=False)
    item_version = models.PositiveIntegerField()
    terms = SearchVectorField()
    embedding = HalfVectorField(null=True, blank=True)
    embedding_model = models.CharField(max_length=128, blank=True)
    embedding_attempts = models.PositiveSmallIntegerField(default=0)
    spare_embedding = HalfVectorField(null=True, blank=True)
    """The vector of the other model while a re-embedding lasts: made beside the first, and kept for a rollback."""
    spare_model = models.CharField(max_length=128, blank=True, default="", db_default="")
    terms_revision = models.PositiveIntegerField(default=0, db_default=0)
    """The revision of the tenant's dictionary that the terms were made with; 0 is none."""
    searchable = models.BooleanField(default=False, db_default=False)
    """Active and not restricted; kept by a trigger, as is `expires_at`, so that a search reads no other table."""
    expires_at = models.DateTimeField(null=True, blank=True)
    long_terms = models.BooleanField(default=False, db_default=False)
    """Its terms do not fit a row of the index `entry_words`; kept by the same trigger."""
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes: ClassVar = [
            # Search starts from one space; exact scan of its rows. The migration adds `entry_scan`, which holds the
            # vectors themselves.
            models.Index(fields=["tenant", "space"], name="entry_space"),
            # The same for words: the terms themselves, and the few entries whose terms do not fit.
            models.Index(
                fields=["tenant", "space", "id"],
                include=["terms", "embedding_model", "spare_model", "expires_at"],
                condition=models.Q(searchable=True, long_terms=False),
                name="entry_words",
            ),
            models.Index(
                fields=["tenant", "space", "id"],
                condition=models.Q(searchable=True, long_terms=True),
                name="entry_long",
            ),
            # The sync task: what still lacks its vector.
            models.Index(fields=["tenant"], condition=models.Q(embedding=None), name="entry_without_vector"),
            # While two models stand side by side: the vectors of one that are still, or already, the spare ones.
            models.Index(
                fields=["tenant", "space", "spare_model"],
                condition=~models.Q(spare_model=""),
                name="entry_with_spare",
            ),
        ]

    def __str__(self) -> str:
        return str(self.id)


class Dictionary(TenantRow):
    """A tenant's own words, which word search keeps whole. `revision` counts changes."""

    words = ArrayField(models.CharField(max_length=64), default=list)
    revision = models.PositiveIntegerField(default=0)
    changed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["tenant"], name="dictionary_once")]

    def __str__(self) -> str:
        return str(self.id)


class Reembedding(TenantRow):
    """The latest change of a tenant's embedding model. `answering` is the one of the two whose vectors are searched."""

    from_model = models.CharField(max_length=128)
    to_model = models.CharField(max_length=128)
    answering = models.CharField(max_length=128)
    state = models.CharField(max_length=16)
    started_at = models.DateTimeField(default=timezone.now)
    changed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints: ClassVar = [
            # Which model answers is one word per tenant.
            models.UniqueConstraint(fields=["tenant"], name="reembedding_once"),
            models.CheckConstraint(
                condition=models.Q(answering=models.F("from_model")) | models.Q(answering=models.F("to_model")),
                name="reembedding_answers_by_one_of_both",
            ),
            models.CheckConstraint(
                condition=models.Q(state__in=[s.value for s in ReembeddingState]), name="reembedding_state_known"
            ),
        ]

    def __str__(self) -> str:
        return str(self.id)


class Use(TenantRow):
    """An item was given to an agent: when, for whom, at which rank."""

    item_id = models.UUIDField()
    space = reference("memoryapp.Space")
    purpose = models.CharField(max_length=16)
    agent_id = models.CharField(max_length=128, blank=True)
    rank = models.PositiveSmallIntegerField()
    score = models.FloatField(null=True, blank=True)
    feedback = models.CharField(max_length=16, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["tenant", "item_id", "-created_at"], name="use_of_item"),
            # Ranking reads the votes of what it found.
            models.Index(fields=["tenant", "item_id"], condition=~models.Q(feedback=""), name="use_with_feedback"),
        ]

    def __str__(self) -> str:
        return str(self.id)
