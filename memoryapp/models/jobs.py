"""Work with progress, and the memory of requests that were made."""

from __future__ import annotations

from typing import ClassVar, Self

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone

from accounts.actor import Actor
from memoryapp.domain.exporting import ExportFormat, ExportState
from memoryapp.domain.types import SpaceKind
from memoryapp.models.base import TenantRow, reference


class IdempotencyRecord(TenantRow):
    """A POST with an Idempotency-Key: ids and codes of what it made, never a text. Kept 24 hours.

    `key` is a keyed hash of the header. While `state` is running, `lease_until` says until when the first request is
    waited for; `claim` fences its end, so that one who lost the lease cannot keep what it made.
    """

    actor_ref = models.CharField(max_length=64)
    key = models.CharField(max_length=255)
    claim = models.UUIDField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    notes = models.JSONField(default=dict)
    fingerprint = models.BinaryField()
    state = models.CharField(max_length=16)
    status = models.PositiveSmallIntegerField(default=0)
    result_kind = models.CharField(max_length=16, blank=True)
    result_id = models.UUIDField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["tenant", "actor_ref", "key"], name="idempotency_key_once")
        ]

    def __str__(self) -> str:
        return str(self.id)


class AuditExportQuerySet(models.QuerySet["AuditExport"]):
    def for_actor(self, actor: Actor) -> Self:
        return self.filter(tenant_id=actor.tenant_id)


class AuditExport(TenantRow):
    """An export of the audit trail as a job: filters, progress and the finished file."""

    requested_by = models.CharField(max_length=64)
    filters = models.JSONField(default=dict)
    state = models.CharField(max_length=16, default="pending")
    attempt = models.PositiveIntegerField(default=0)
    lease_until = models.DateTimeField(null=True, blank=True)
    events_done = models.PositiveIntegerField(default=0)
    events_total = models.PositiveIntegerField(default=0)
    file_name = models.CharField(max_length=128, blank=True)
    error_code = models.CharField(max_length=64, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = AuditExportQuerySet.as_manager()

    def __str__(self) -> str:
        return str(self.id)


class MemoryExportQuerySet(models.QuerySet["MemoryExport"]):
    def for_actor(self, actor: Actor) -> Self:
        own = self.filter(tenant_id=actor.tenant_id)
        if not actor.user_key:
            return own
        return own.filter(space__kind=SpaceKind.PERSON, space__key=actor.user_key)


class MemoryExport(TenantRow):
    """An export of everything kept about a person: the queue of record of its job, and where its file lies.

    `item_ids` are the memories in the file. When one of them is forgotten, or any other of the person or that their
    conversations told, a trigger withdraws a finished export in the same transaction and puts a running one back to the
    queue; `attempt` fences its worker. A file ends at `expires_at`.
    """

    space = reference("memoryapp.Space")
    requested_by = models.CharField(max_length=64)
    format = models.CharField(max_length=16, choices=[(f, f) for f in ExportFormat])
    state = models.CharField(max_length=16, choices=[(s, s) for s in ExportState], default=ExportState.PENDING)
    attempt = models.PositiveIntegerField(default=0)
    lease_until = models.DateTimeField(null=True, blank=True)
    item_ids = ArrayField(models.UUIDField(), default=list)
    records_done = models.PositiveIntegerField(default=0)
    records_total = models.PositiveIntegerField(default=0)
    counts = models.JSONField(default=dict)
    file_name = models.CharField(max_length=128, blank=True)
    error_code = models.CharField(max_length=64, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = MemoryExportQuerySet.as_manager()

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=models.Q(state__in=[s.value for s in ExportState]), name="export_state_known"
            )
        ]
        indexes: ClassVar = [
            models.Index(fields=["tenant", "space", "-id"], name="export_list"),
            # The trigger: which living exports hold what is being forgotten.
            models.Index(
                fields=["tenant"], condition=models.Q(state__in=["running", "succeeded"]), name="export_alive"
            ),
        ]

    def __str__(self) -> str:
        return str(self.id)


class ImportJob(TenantRow):
    """A chat history taken in: counts and the budget in tokens. Its runs are the queue; `source` names its content.

    `token_budget` of None means without end; `sessions` and `messages` count what the history held.
    """

    requested_by = models.CharField(max_length=64)
    source = models.CharField(max_length=64)
    accepted = models.BooleanField(default=False)
    token_budget = models.PositiveIntegerField(null=True, blank=True)
    tokens_used = models.PositiveIntegerField(default=0)
    sessions = models.PositiveIntegerField(default=0)
    messages = models.PositiveIntegerField(default=0)
    duplicates = models.PositiveIntegerField(default=0)
    refused = models.JSONField(default=dict)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["tenant", "source"], name="import_source_once")]

    def __str__(self) -> str:
        return str(self.id)
