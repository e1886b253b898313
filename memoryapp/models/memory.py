"""Memory items with their versions, evidence, tombstones and noise flags."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Self
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone

from accounts.actor import Actor
from memoryapp.domain.planned import CONFLICT
from memoryapp.domain.types import Door, Kind, Layer, Sensitivity, SpaceKind, Status
from memoryapp.models.base import TenantRow, reference

LIVE = (Status.PENDING, Status.ACTIVE, Status.PAUSED, Status.ARCHIVED)


def _choices(words: type[Kind | Layer | Status | Sensitivity | Door]) -> list[tuple[str, str]]:
    return [(word.value, word.value) for word in words]


class MemoryItemQuerySet(models.QuerySet["MemoryItem"]):
    """The vocabulary of reading."""

    def for_actor(self, actor: Actor) -> Self:
        own = self.filter(tenant_id=actor.tenant_id)
        if not actor.user_key:
            return own
        return own.filter(space__kind=SpaceKind.PERSON, space__key=actor.user_key)

    def visible(self) -> Self:
        return self.exclude(status=Status.FORGOTTEN)

    def recoverable(self) -> Self:
        """What is there, or in the trash; what is being erased has no end of its trash period."""
        return self.exclude(status=Status.FORGOTTEN, undo_until=None)

    def unexpired(self, now: datetime) -> Self:
        return self.filter(models.Q(expires_at=None) | models.Q(expires_at__gt=now))

    def recallable(self, now: datetime) -> Self:
        return self.unexpired(now).filter(status=Status.ACTIVE)

    def saying(self, space_id: UUID, scope: str, norm_hash: bytes) -> Self:
        """The memories of a space and scope whose normalised text this is (the key of `item_text_once`)."""
        return self.filter(space_id=space_id, scope=scope, norm_hash=norm_hash)

    def alive(self) -> Self:
        return self.filter(status__in=[s.value for s in LIVE])

    def newest_first(self) -> Self:
        return self.order_by("-id")


class MemoryItem(TenantRow):
    """One atomic fact with its current text."""

    space = reference("memoryapp.Space", indexed=False)
    status = models.CharField(max_length=16, choices=_choices(Status), default=Status.ACTIVE)
    content = models.TextField()
    kind = models.CharField(max_length=16, choices=_choices(Kind), default=Kind.NOTE)
    layer = models.CharField(max_length=16, choices=_choices(Layer), default=Layer.SEMANTIC)
    scope = models.CharField(max_length=64, blank=True)
    subject = models.CharField(max_length=200, blank=True)
    predicate = models.CharField(max_length=200, blank=True)
    object = models.CharField(max_length=500, blank=True)
    importance = models.FloatField(default=0.5)
    confidence = models.FloatField(default=0.8)
    sensitivity = models.CharField(max_length=16, choices=_choices(Sensitivity), default=Sensitivity.NORMAL)
    pinned = models.BooleanField(default=False)
    origin = models.CharField(max_length=16, choices=_choices(Door), default=Door.MANUAL)
    speaker = models.CharField(max_length=128, blank=True)
    agent_id = models.CharField(max_length=128, blank=True)
    pending_reason = models.CharField(max_length=64, blank=True)
    metadata = models.JSONField(default=dict)
    norm_hash = models.BinaryField()
    norm_version = models.PositiveSmallIntegerField(default=1)
    fingerprint = models.BinaryField()
    triple_fingerprint = models.BinaryField(null=True)
    version = models.PositiveIntegerField(default=1)
    superseded_by = reference("memoryapp.MemoryItem", null=True, indexed=False)
    conflicts_with = reference("memoryapp.MemoryItem", null=True, indexed=False)
    said_at = models.DateTimeField(default=timezone.now)
    valid_from = models.DateTimeField(null=True, blank=True)
    valid_until = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    review_after = models.DateTimeField(null=True, blank=True)
    status_before = models.CharField(max_length=16, blank=True)
    undo_until = models.DateTimeField(null=True, blank=True)
    snoozed_until = models.DateTimeField(null=True, blank=True)
    reason_before = models.CharField(max_length=64, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)

    objects = MemoryItemQuerySet.as_manager()

    @property
    def waits(self) -> bool:
        """Somebody has to decide: a candidate, or an item in use whose contradiction to another was noticed later."""
        return self.status == Status.PENDING or (self.status == Status.ACTIVE and self.pending_reason == CONFLICT)

    class Meta:
        constraints: ClassVar = [
            # Literal duplicates (CONTRACT, “Unique”): the same text lives once in a space and scope.
            models.UniqueConstraint(
                fields=["tenant", "space", "scope", "norm_version", "norm_hash"],
                condition=models.Q(status__in=[s.value for s in LIVE]),
                name="item_text_once",
            ),
            models.CheckConstraint(condition=models.Q(importance__range=(0, 1)), name="item_importance_0_1"),
            models.CheckConstraint(condition=models.Q(confidence__range=(0, 1)), name="item_confidence_0_1"),
            models.CheckConstraint(condition=models.Q(status__in=[s.value for s in Status]), name="item_status_known"),
            models.CheckConstraint(condition=models.Q(kind__in=[k.value for k in Kind]), name="item_kind_known"),
        ]
        indexes: ClassVar = [
            # Lists: one space, newest first.
            models.Index(fields=["tenant", "space", "status", "-id"], name="item_list"),
            # The tiers of a context: the best of one kind, the pinned, what is known of one subject.
            models.Index(
                fields=["tenant", "space", "kind", "-importance", "-id"],
                condition=models.Q(status="active"),
                name="item_tier",
            ),
            models.Index(
                fields=["tenant", "space", "-importance", "-id"],
                condition=models.Q(status="active", pinned=True),
                name="item_pinned",
            ),
            models.Index(
                fields=["tenant", "space", "subject", "-id"],
                condition=models.Q(status="active") & ~models.Q(subject=""),
                name="item_subject",
            ),
            # What points at an item that goes. Few do, so the others' changes pay nothing.
            models.Index(fields=["superseded_by"], condition=models.Q(superseded_by__isnull=False), name="item_older"),
            models.Index(
                fields=["conflicts_with"], condition=models.Q(conflicts_with__isnull=False), name="item_rival"
            ),
        ]

    def __str__(self) -> str:
        return str(self.id)


class MemoryVersion(TenantRow):
    """An immutable text of an item: who wrote it, when and why."""

    item = reference("memoryapp.MemoryItem", related_name="versions")
    number = models.PositiveIntegerField()
    content = models.TextField()
    kind = models.CharField(max_length=16)
    status = models.CharField(max_length=16)
    changed_fields = ArrayField(models.CharField(max_length=32), default=list)
    reason = models.CharField(max_length=64, blank=True)
    actor_kind = models.CharField(max_length=16)
    actor_ref = models.CharField(max_length=64)
    valid_from = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["tenant", "item", "number"], name="version_number_once")
        ]

    def __str__(self) -> str:
        return f"{self.item_id} v{self.number}"


class Evidence(TenantRow):
    """The verbatim quote behind an item and where it was said."""

    item = reference("memoryapp.MemoryItem", related_name="evidence")
    item_version = models.PositiveIntegerField()
    quote = models.TextField(blank=True)
    role = models.CharField(max_length=16)
    speaker = models.CharField(max_length=128, blank=True)
    session = reference("memoryapp.Session", null=True)
    message_id = models.UUIDField(null=True, blank=True)
    run = reference("memoryapp.Run", null=True)
    said_at = models.DateTimeField()
    offset_minutes = models.SmallIntegerField(default=0)
    door = models.CharField(max_length=16, choices=_choices(Door))
    extractor = models.CharField(max_length=64, blank=True)
    model = models.CharField(max_length=128, blank=True)
    policy_version = models.PositiveIntegerField()
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes: ClassVar = [models.Index(fields=["tenant", "item"], name="evidence_of_item")]

    def __str__(self) -> str:
        return str(self.id)


class Tombstone(TenantRow):
    """A content-free mark that something was forgotten or erased; statements up to `horizon` stay dead."""

    space = reference("memoryapp.Space", indexed=False)
    item_id = models.UUIDField()
    fingerprint = models.BinaryField()
    triple_fingerprint = models.BinaryField(null=True)
    words = ArrayField(models.BinaryField(), default=list)
    horizon = models.DateTimeField()
    reason = models.CharField(max_length=64)
    lifted_at = models.DateTimeField(null=True, blank=True)
    lifted_by = models.UUIDField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["tenant", "space", "fingerprint"], name="tombstone_text"),
            models.Index(fields=["tenant", "space", "triple_fingerprint"], name="tombstone_triple"),
            models.Index(fields=["tenant", "item_id"], name="tombstone_of_item"),
        ]

    def __str__(self) -> str:
        return str(self.id)


class NoiseFlag(TenantRow):
    """Today's guard would refuse this item: why. Derived, rebuilt by a scan; a dismissal is remembered."""

    item = reference("memoryapp.MemoryItem", related_name="noise")
    reasons = ArrayField(models.CharField(max_length=64))
    policy_version = models.PositiveIntegerField()
    dismissed_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["tenant", "item"], name="noise_flag_once")]

    def __str__(self) -> str:
        return str(self.item_id)
