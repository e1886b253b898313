"""The append-only audit trail. It never holds the text of a memory."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone

from memoryapp.models.base import TenantRow, reference


class AuditSubject(TenantRow):
    """Maps a pseudonymous reference of the trail to a person. Deleting the row makes the trail anonymous."""

    kind = models.CharField(max_length=16)
    name = models.CharField(max_length=128)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["tenant", "kind", "name"], name="audit_subject_once")]

    def __str__(self) -> str:
        return str(self.id)


class AuditEvent(TenantRow):
    """One action, written in the transaction of the change. Refuses UPDATE, DELETE and TRUNCATE."""

    occurred_at = models.DateTimeField(default=timezone.now)
    actor_kind = models.CharField(max_length=16)
    actor = reference("memoryapp.AuditSubject")
    on_behalf_of = reference("memoryapp.AuditSubject", null=True)
    action = models.CharField(max_length=64)
    target_kind = models.CharField(max_length=32)
    target_ids = ArrayField(models.UUIDField(), default=list)
    outcome = models.CharField(max_length=16)
    reason = models.CharField(max_length=64, blank=True)
    changed_fields = ArrayField(models.CharField(max_length=32), default=list)
    policy_version = models.PositiveIntegerField(null=True)
    request_id = models.CharField(max_length=64, blank=True)
    body = models.BinaryField()
    leaf_hash = models.BinaryField()
    transaction_id = models.BigIntegerField()
    system_identifier = models.CharField(max_length=32)

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["tenant", "-occurred_at", "-id"], name="audit_time"),
            # The trigger that refuses an unaudited change.
            models.Index(fields=["transaction_id"], name="audit_transaction"),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.id}"
