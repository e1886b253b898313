"""Erasure as a job with steps, and the spans that may not be read again. None of these rows holds content."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone

from memoryapp.domain.receipts import ErasureKind, Level, LevelState
from memoryapp.domain.types import RunState
from memoryapp.models.base import TenantRow, reference


class Erasure(TenantRow):
    """One erasure: the queue of record of its job, and the receipt at its end.

    `attempt` fences a worker, `lease_until` ends a claim. `commitments` are keyed hashes of the texts, taken before
    they were deleted. `receipt` is the signed document as canonical JSON (RFC 8785).
    """

    space = reference("memoryapp.Space")
    kind = models.CharField(max_length=16, choices=[(k, k) for k in ErasureKind])
    state = models.CharField(max_length=16, choices=[(s, s) for s in RunState], default=RunState.PENDING)
    requested_by = models.CharField(max_length=64)
    item_ids = ArrayField(models.UUIDField(), default=list)
    evidence_ids = ArrayField(models.UUIDField(), default=list)
    session_ids = ArrayField(models.UUIDField(), default=list)
    message_ids = ArrayField(models.UUIDField(), default=list)
    counts = models.JSONField(default=dict)
    commitments = ArrayField(models.CharField(max_length=64), default=list)
    items_done = models.PositiveIntegerField(default=0)
    due_at = models.DateTimeField(default=timezone.now)
    attempt = models.PositiveIntegerField(default=0)
    lease_until = models.DateTimeField(null=True, blank=True)
    error_code = models.CharField(max_length=64, blank=True)
    receipt = models.BinaryField(null=True)
    signature = models.BinaryField(null=True)
    created_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes: ClassVar = [
            # The dispatcher: due or stale work, oldest first.
            models.Index(fields=["due_at"], condition=models.Q(state__in=["pending", "running"]), name="erasure_due"),
            models.Index(fields=["tenant", "space", "-id"], name="erasure_list"),
        ]

    def __str__(self) -> str:
        return str(self.id)


class ErasureStep(TenantRow):
    """One thing that an erasure removes, and how it was seen to be gone. `evidence` holds counts and names only."""

    erasure = reference("memoryapp.Erasure", related_name="steps")
    name = models.CharField(max_length=32)
    level = models.CharField(max_length=16, choices=[(one, one) for one in Level])
    state = models.CharField(max_length=16, choices=[(s, s) for s in LevelState], default=LevelState.PENDING)
    method = models.CharField(max_length=128, blank=True)
    evidence = models.JSONField(default=dict)
    attempts = models.PositiveIntegerField(default=0)
    at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["tenant", "erasure", "name"], name="erasure_step_once")
        ]

    def __str__(self) -> str:
        return f"{self.name} {self.state}"


class SourceMask(TenantRow):
    """A span of a message that founded what was forgotten; extraction may not read it again. Keyed hashes only."""

    space = reference("memoryapp.Space")
    item_id = models.UUIDField()
    text_hash = models.BinaryField()
    start = models.PositiveIntegerField(default=0)
    length = models.PositiveIntegerField(default=0)
    span_hash = models.BinaryField(default=bytes)
    horizon = models.DateTimeField()
    lifted_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["tenant", "space"], condition=models.Q(lifted_at=None), name="mask_of_space")
        ]

    def __str__(self) -> str:
        return str(self.item_id)
