"""Consolidation as a job with a log of its steps, and what was derived from what."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone

from memoryapp.models.base import TenantRow, reference


class ConsolidationRun(TenantRow):
    """One round over one space. `report` counts steps by kind and state and names what was skipped."""

    space = reference("memoryapp.Space")
    state = models.CharField(max_length=16, default="pending")
    attempt = models.PositiveIntegerField(default=0)
    lease_until = models.DateTimeField(null=True, blank=True)
    report = models.JSONField(default=dict)
    error_code = models.CharField(max_length=64, blank=True)
    llm_calls = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [
            # One round at a time over a space.
            models.UniqueConstraint(
                fields=["tenant", "space"],
                condition=models.Q(state__in=["pending", "running"]),
                name="one_open_consolidation",
            )
        ]

    def __str__(self) -> str:
        return str(self.id)


class ConsolidationStep(TenantRow):
    """A step, logged before it is done and marked in the transaction that does it. `content` is emptied then."""

    run = reference("memoryapp.ConsolidationRun", related_name="steps")
    position = models.PositiveIntegerField()
    kind = models.CharField(max_length=16)
    target_id = models.UUIDField(null=True, blank=True)
    member_ids = ArrayField(models.UUIDField())
    member_versions = ArrayField(models.PositiveIntegerField())
    content = models.TextField(blank=True)
    state = models.CharField(max_length=16, default="planned")
    reason = models.CharField(max_length=64, blank=True)
    result_id = models.UUIDField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["tenant", "run", "position"], name="consolidation_step_once")
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.id}"


class Derivation(TenantRow):
    """`item` came from `source`: as the survivor of a merge, or as a summary of episodes."""

    item = reference("memoryapp.MemoryItem", related_name="derived_from")
    source = reference("memoryapp.MemoryItem", related_name="derivatives")
    relation = models.CharField(max_length=16)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["tenant", "item", "source"], name="derivation_once")]
        indexes: ClassVar = [
            # Erasing a source finds what was made of it.
            models.Index(fields=["tenant", "source"], name="derivation_of_source"),
        ]

    def __str__(self) -> str:
        return str(self.id)
