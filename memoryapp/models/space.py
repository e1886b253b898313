"""Spaces (whose memory) and policies (by which rules)."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils import timezone

from memoryapp.domain.types import SpaceKind
from memoryapp.models.base import TenantRow


class Space(TenantRow):
    """Whose memory: unit of locking, revision and settings. `key` is the `user_id`, `project_id` or empty."""

    kind = models.CharField(max_length=16, choices=[(k, k) for k in SpaceKind])
    key = models.CharField(max_length=128, blank=True)
    revision = models.BigIntegerField(default=0)
    consolidated_revision = models.BigIntegerField(default=0)
    learning_paused = models.BooleanField(default=False)
    using_paused = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["tenant", "kind", "key"], name="space_once"),
            # An organisation has no key; a person or project without one would be everybody's.
            models.CheckConstraint(
                condition=models.Q(kind="organisation", key="") | (~models.Q(kind="organisation") & ~models.Q(key="")),
                name="space_key_fits_kind",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.id}"


class PolicyVersion(TenantRow):
    """One immutable version of a tenant's policy; the newest activated one is in force."""

    version = models.PositiveIntegerField()
    settings = models.JSONField(default=dict)
    activated_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["tenant", "version"], name="policy_version_once")]

    def __str__(self) -> str:
        return f"policy v{self.version}"
