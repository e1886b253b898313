"""The shapes of answers, for the OpenAPI description only; `outputs` makes the answers, and tests compare the two."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, inline_serializer
from rest_framework import serializers as s

from memoryapp.domain.types import Door, Kind, RunState, Sensitivity, SpaceKind, Status

IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key", OpenApiTypes.STR, OpenApiParameter.HEADER, description="1–255 ASCII characters, kept 24 hours"
)
PREFER = OpenApiParameter(
    "Prefer", OpenApiTypes.STR, OpenApiParameter.HEADER, description="`wait=n`: seconds to wait for the end, at most 30"
)
IF_MATCH = OpenApiParameter(
    "If-Match", OpenApiTypes.STR, OpenApiParameter.HEADER, description="The `ETag` that was seen; else 412"
)


def maybe_text(**options: Any) -> s.CharField:
    return s.CharField(allow_null=True, **options)


def maybe_time() -> s.DateTimeField:
    return s.DateTimeField(allow_null=True)


def words(values: type[Door | Kind | RunState | Sensitivity | SpaceKind | Status]) -> s.ChoiceField:
    return s.ChoiceField(choices=[v.value for v in values])


class Named(s.Serializer[Any]):
    id = s.CharField()


class Item(s.Serializer[Any]):
    """A memory."""

    id = s.CharField()
    content = s.CharField()
    kind = words(Kind)
    status = words(Status)
    scope = s.CharField(allow_blank=True)
    space = words(SpaceKind)
    subject = s.CharField(allow_blank=True)
    speaker = s.CharField(allow_blank=True)
    importance = s.FloatField()
    confidence = s.FloatField()
    sensitivity = words(Sensitivity)
    pinned = s.BooleanField()
    origin = words(Door)
    version = s.IntegerField()
    evidence_count = s.IntegerField()
    metadata = s.DictField()
    pending_reason = s.CharField(allow_blank=True)
    noise = s.ListField(child=s.CharField())
    superseded_by = maybe_text()
    said_at = s.DateTimeField()
    created_at = s.DateTimeField()
    updated_at = s.DateTimeField()
    expires_at = maybe_time()
    review_after = maybe_time()


class Added(Item):
    outcome = s.ChoiceField(choices=["added", "refreshed", "pending"])
    masked = s.ListField(child=s.CharField())


class AddedItems(s.Serializer[Any]):
    results = Added(many=True)


class Forgotten(s.Serializer[Any]):
    id = s.CharField()
    status = s.ChoiceField(choices=["forgotten"])
    undo_until = maybe_time()


class Hit(Item):
    score = s.FloatField()
    scores = s.DictField(child=s.FloatField(allow_null=True), required=False)


class Hits(s.Serializer[Any]):
    """`warnings` say what the answer lacks."""

    results = Hit(many=True)
    warnings = s.ListField(child=s.CharField(), required=False)


class Line(s.Serializer[Any]):
    """One line of an event."""

    action = s.CharField(allow_blank=True)
    id = s.CharField(required=False)
    kind = s.CharField(required=False)
    content = s.CharField(required=False)
    reason = s.CharField(required=False)
    superseded_id = s.CharField(required=False)


class Event(s.Serializer[Any]):
    """What became of messages."""

    id = s.CharField()
    event_id = s.CharField()
    session_id = s.CharField()
    status = words(RunState)
    door = words(Door)
    due_at = s.DateTimeField()
    attempt = s.IntegerField()
    added = Line(many=True)
    updated = Line(many=True)
    deleted = Line(many=True)
    pending = Line(many=True)
    skipped = Line(many=True)
    failed = Line(many=True)
    warnings = s.ListField(child=s.DictField())


EVENT_OR_ITEMS = {"oneOf": [{"$ref": f"#/components/schemas/{name}"} for name in ("Event", "AddedItems")]}
"""An event that finished while it was waited for, or the memory that was there already."""


ITEM_OR_FORGOTTEN = {"oneOf": [{"$ref": f"#/components/schemas/{name}"} for name in ("Item", "Forgotten")]}
"""What a verb leaves: a rejected memory is told without its text."""


class Excluded(s.Serializer[Any]):
    id = s.CharField()
    reason = s.CharField()


class Decision(s.Serializer[Any]):
    needed = s.BooleanField()
    reasons = s.ListField(child=s.CharField())


class Given(Item):
    """`tier`: with `explain`, the tier that the memory came in by."""

    tier = s.CharField(required=False)


class Context(s.Serializer[Any]):
    """The block for a prompt. `partial`: the block says that it holds a part only."""

    context = s.CharField(allow_blank=True)  # type: ignore[assignment]
    items = Given(many=True)
    excluded = Excluded(many=True)
    tokens = s.IntegerField()
    partial = s.BooleanField()  # type: ignore[assignment]
    decision = Decision()
    session = s.DictField(allow_null=True)


class Version(s.Serializer[Any]):
    version = s.IntegerField()
    content = s.CharField()
    kind = words(Kind)
    status = words(Status)
    changed_fields = s.ListField(child=s.CharField())
    reason = s.CharField(allow_blank=True)
    actor = s.CharField()
    created_at = s.DateTimeField()


class Evidence(s.Serializer[Any]):
    quote = s.CharField(allow_blank=True)
    role = s.CharField()
    speaker = s.CharField(allow_blank=True)
    session_id = s.CharField(allow_blank=True)
    said_at = s.DateTimeField()
    door = words(Door)
    extractor = s.CharField(allow_blank=True)
    model = s.CharField(allow_blank=True)
    policy_version = s.IntegerField()


class Use(s.Serializer[Any]):
    purpose = s.CharField()
    agent_id = maybe_text()
    rank = s.IntegerField()
    score = s.FloatField(allow_null=True)
    feedback = maybe_text()
    used_at = s.DateTimeField()


class Person(s.Serializer[Any]):
    user_id = s.CharField()
    memories = s.IntegerField()
    pending = s.IntegerField()
    sessions = s.IntegerField()
    created_at = s.DateTimeField()
    last_activity = s.DateTimeField()


class Session(s.Serializer[Any]):
    id = s.CharField()
    session_id = s.CharField()
    name = maybe_text()
    user_id = s.CharField()
    agent_id = maybe_text()
    messages = s.IntegerField()
    created_at = s.DateTimeField()
    last_activity = s.DateTimeField()


class Failure(s.Serializer[Any]):
    id = s.CharField()
    reason = s.CharField()


class BulkDone(s.Serializer[Any]):
    """`ids` are the memories that are now as asked, or would be after a dry run."""

    action = s.CharField()
    dry_run = s.BooleanField()
    matched = s.IntegerField()
    done = s.IntegerField()
    ids = s.ListField(child=s.CharField())
    failed = Failure(many=True)
    undo_until = maybe_time()


class BulkForgotten(BulkDone):
    """`results` are the first 200 of a dry run."""

    results = Item(many=True, required=False)


class Me(s.Serializer[Any]):
    tenant = s.UUIDField()
    key = s.CharField()
    scopes = s.ListField(child=s.CharField())
    user_id = maybe_text()
    agent_id = maybe_text()


class AuditActor(s.Serializer[Any]):
    kind = s.CharField()
    ref = s.CharField(allow_blank=True)


class AuditTarget(s.Serializer[Any]):
    kind = s.CharField()
    ids = s.ListField(child=s.UUIDField())


class AuditEvent(s.Serializer[Any]):
    id = s.UUIDField()
    time = s.DateTimeField()
    actor = AuditActor()
    on_behalf_of = maybe_text()
    action = s.CharField()
    target = AuditTarget()
    outcome = s.CharField()
    reason = s.CharField(allow_blank=True)
    changed_fields = s.ListField(child=s.CharField())
    request_id = s.CharField(allow_blank=True)


class Export(s.Serializer[Any]):
    id = s.CharField()
    status = s.ChoiceField(choices=["pending", "running", "succeeded", "failed", "withdrawn"])
    events_done = s.IntegerField()
    events_total = s.IntegerField()
    error_code = maybe_text()
    file = maybe_text()
    created_at = s.DateTimeField()


class Health(s.Serializer[Any]):
    status = s.ChoiceField(choices=["ok", "degraded"])
    failing = s.ListField(child=s.CharField(), required=False)


def page_of(shape: type[s.Serializer[Any]]) -> s.Serializer[Any]:
    """One page of a list."""
    fields = {
        "results": shape(many=True),
        "next_cursor": maybe_text(),
        "total": s.IntegerField(min_value=0),
    }
    found: s.Serializer[Any] = inline_serializer(f"{shape.__name__}Page", fields)
    return found
