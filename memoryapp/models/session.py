"""Conversations, their buffered messages, and the runs that extract from them."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone

from memoryapp.domain.types import Door, Role, RunState
from memoryapp.models.base import TenantRow, reference


class Session(TenantRow):
    """A conversation of one person with one agent. `name` is the client's own id, empty for the default one."""

    space = reference("memoryapp.Space")
    agent_id = models.CharField(max_length=128, blank=True)
    name = models.CharField(max_length=128, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["tenant", "space", "agent_id", "name"], name="session_once")
        ]

    def __str__(self) -> str:
        return str(self.id)


class WorkingMemoryQuerySet(models.QuerySet["WorkingMemory"]):
    def sum_up_anew(self) -> int:
        """Drop what was derived from messages, so that the next look derives it from those that are left; what a client
        wrote itself stays.
        """
        ours = self.exclude(summary_source="client")
        return ours.update(
            summary="", summary_source="", summarised_until=None, labels=[], version=models.F("version") + 1
        )


class WorkingMemory(TenantRow):
    """What a session holds while it lasts: task state, summary, labels. Ends at `expires_at`; never long-term memory.

    `summarised_until` is the arrival of the newest message that the summary covers; newer ones are read as they are.
    """

    session = reference("memoryapp.Session", related_name="working_memory")
    space = reference("memoryapp.Space")
    task_state = models.JSONField(default=dict)
    summary = models.TextField(blank=True)
    summary_source = models.CharField(max_length=16, blank=True)
    summarised_until = models.DateTimeField(null=True, blank=True)
    labels = ArrayField(models.CharField(max_length=64), default=list)
    version = models.PositiveIntegerField(default=1)
    expires_at = models.DateTimeField()
    updated_at = models.DateTimeField(default=timezone.now)

    objects = WorkingMemoryQuerySet.as_manager()

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["tenant", "session"], name="working_memory_once")]
        indexes: ClassVar = [
            # Recent sessions of one person, and what has ended.
            models.Index(fields=["tenant", "space", "-updated_at"], name="working_memory_recent"),
        ]

    def __str__(self) -> str:
        return str(self.id)


class Run(TenantRow):
    """One execution of extraction over a session's pending messages: the queue of record.

    `attempt` fences the final write, `lease_until` ends a claim, `due_at` is the earliest start, `outcome` holds
    entries without content.
    """

    space = reference("memoryapp.Space")
    target_space = reference("memoryapp.Space")
    session = reference("memoryapp.Session")
    door = models.CharField(max_length=16, choices=[(d, d) for d in Door])
    state = models.CharField(max_length=16, choices=[(s, s) for s in RunState], default=RunState.PENDING)
    import_job = reference("memoryapp.ImportJob", null=True, related_name="runs")
    scope = models.CharField(max_length=64, blank=True)
    metadata = models.JSONField(default=dict)
    due_at = models.DateTimeField()
    attempt = models.PositiveIntegerField(default=0)
    lease_until = models.DateTimeField(null=True, blank=True)
    error_code = models.CharField(max_length=64, blank=True)
    outcome = models.JSONField(default=list)
    warnings = models.JSONField(default=list)
    policy_version = models.PositiveIntegerField(default=1)
    extractor = models.CharField(max_length=64, blank=True)
    model = models.CharField(max_length=128, blank=True)
    llm_calls = models.PositiveIntegerField(default=0)
    prompt_tokens = models.PositiveIntegerField(default=0)
    completion_tokens = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [
            # A POST joins the session's open run: there is one at most. A run that was put back after a failure is
            # no longer open; what is said meanwhile opens the next one. An import opens as many as its history needs.
            models.UniqueConstraint(
                fields=["tenant", "session", "target_space"],
                condition=models.Q(state="pending", attempt=0, import_job__isnull=True),
                name="one_open_run",
            )
        ]
        indexes: ClassVar = [
            # The dispatcher: due or stale work, oldest first.
            models.Index(fields=["due_at"], condition=models.Q(state__in=["pending", "running"]), name="run_due"),
            # The progress of an import.
            models.Index(fields=["import_job"], condition=models.Q(import_job__isnull=False), name="run_of_import"),
        ]

    def __str__(self) -> str:
        return str(self.id)


class Message(TenantRow):
    """A turn, cleaned and guarded before it was stored. Text is removed after policy days; the keyed hash stays."""

    session = reference("memoryapp.Session")
    run = reference("memoryapp.Run", related_name="messages")
    position = models.PositiveIntegerField()
    role = models.CharField(max_length=16, choices=[(r, r) for r in Role])
    text = models.TextField(blank=True)
    speaker = models.CharField(max_length=128, blank=True)
    external_id = models.CharField(max_length=128, blank=True)
    text_hash = models.BinaryField()
    said_at = models.DateTimeField()
    said_at_known = models.BooleanField(default=False)
    offset_minutes = models.SmallIntegerField(default=0)
    cue = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["tenant", "session", "external_id"], condition=~models.Q(external_id=""), name="message_id_once"
            )
        ]
        indexes: ClassVar = [
            models.Index(fields=["tenant", "run", "position"], name="message_of_run"),
            models.Index(fields=["tenant", "session", "text_hash"], name="message_text"),
        ]

    def __str__(self) -> str:
        return str(self.id)
