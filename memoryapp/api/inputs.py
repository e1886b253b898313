"""The shapes that the API takes. Unknown fields are refused."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.utils.dateparse import parse_datetime
from rest_framework import serializers

from memoryapp.domain.types import Kind, Role, SpaceKind

DEEPEST = 32


def unstorable(value: object) -> bool:
    """Whether any text inside has a NUL or a lone surrogate, or the nesting passes 32 levels."""
    waiting: list[tuple[object, int]] = [(value, 0)]
    while waiting:
        part, depth = waiting.pop()
        if isinstance(part, str) and any(c == "\0" or "\ud800" <= c <= "\udfff" for c in part):
            return True
        if isinstance(part, Mapping | list) and depth >= DEEPEST:
            return True
        inner = [*part.keys(), *part.values()] if isinstance(part, Mapping) else part if isinstance(part, list) else []
        waiting += [(one, depth + 1) for one in inner]
    return False


class StrictSerializer(serializers.Serializer[Any]):
    """Refuses fields that it does not know, and NUL characters anywhere."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, Mapping):
            unknown = set(data) - set(self.fields)
            if unknown:
                raise serializers.ValidationError(
                    {name: [serializers.ErrorDetail("Unknown field.", "unknown_field")] for name in sorted(unknown)}
                )
        return super().to_internal_value(data)


class MomentField(serializers.Field[datetime, Any, str, Any]):
    """RFC 3339 with an offset, which is kept."""

    def to_internal_value(self, data: Any) -> datetime:
        try:
            moment = parse_datetime(data) if isinstance(data, str) else None
        except ValueError:
            moment = None
        if moment is None or moment.tzinfo is None:
            raise serializers.ValidationError("A time with its offset is needed, e.g. 2026-03-15T09:00:00+08:00.")
        return moment

    def to_representation(self, value: datetime) -> str:
        return value.isoformat()


def name_field(**options: Any) -> serializers.CharField:
    return serializers.CharField(max_length=128, allow_blank=True, trim_whitespace=False, **options)


class MessageInput(StrictSerializer):
    role = serializers.ChoiceField(choices=[r.value for r in Role])
    content = serializers.JSONField()
    id = name_field(default="")
    name = name_field(default="")
    said_at = MomentField(default=None, allow_null=True)


class PersonInput(StrictSerializer):
    user_id = name_field(default="")


class MemoriesInput(PersonInput):
    messages = MessageInput(many=True, required=False)
    content = serializers.CharField(required=False, max_length=4000)
    infer = serializers.BooleanField(default=None, allow_null=True)
    session_id = name_field(default="")
    agent_id = name_field(default="")
    space = serializers.ChoiceField(choices=[s.value for s in SpaceKind], default="person")
    project_id = name_field(default="")
    scope = serializers.CharField(max_length=64, default="", allow_blank=True)
    metadata = serializers.DictField(default=dict)
    temporary = serializers.BooleanField(default=False)
    kind = serializers.ChoiceField(choices=[k.value for k in Kind], default="note")
    subject = serializers.CharField(max_length=200, default="", allow_blank=True)
    importance = serializers.FloatField(min_value=0, max_value=1, default=None, allow_null=True)
    expires_at = MomentField(default=None, allow_null=True)
    pinned = serializers.BooleanField(default=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("messages" in attrs) == ("content" in attrs):
            raise serializers.ValidationError("Send exactly one of `messages` and `content`.")
        if "messages" in attrs and attrs["infer"] is False:
            raise serializers.ValidationError({"infer": ["`infer: false` goes with `content`, not with `messages`."]})
        return attrs


class SearchInput(PersonInput):
    query = serializers.CharField(max_length=8000, allow_blank=True)
    top_k = serializers.IntegerField(min_value=1, max_value=100, default=10)
    threshold = serializers.FloatField(min_value=0, max_value=1, default=None, allow_null=True)
    filters = serializers.JSONField(default=None, allow_null=True)
    scope = serializers.CharField(max_length=64, default="", allow_blank=True)
    project_id = name_field(default="")
    explain = serializers.BooleanField(default=False)


class VisibleMessageInput(MessageInput):
    """A message of the prompt; one that only calls tools has no content."""

    content = serializers.JSONField(allow_null=True, default=None)


class ContextInput(PersonInput):
    query = serializers.CharField(max_length=8000, default="", allow_blank=True)
    messages = VisibleMessageInput(many=True, default=list)
    token_budget = serializers.IntegerField(min_value=0, max_value=100_000, default=None, allow_null=True)
    format = serializers.ChoiceField(choices=["list", "cards", "json"], default="list")
    session_id = name_field(default="")
    project_id = name_field(default="")
    scope = serializers.CharField(max_length=64, default="", allow_blank=True)
    explain = serializers.BooleanField(default=False)


class ChangesInput(StrictSerializer):
    content = serializers.CharField(max_length=4000, required=False)
    kind = serializers.ChoiceField(choices=[k.value for k in Kind], required=False)
    importance = serializers.FloatField(min_value=0, max_value=1, required=False)
    pinned = serializers.BooleanField(required=False)
    expires_at = MomentField(allow_null=True, required=False)
    review_after = MomentField(allow_null=True, required=False)
    metadata = serializers.DictField(required=False)


class BatchInput(StrictSerializer):
    ids = serializers.ListField(child=serializers.CharField(), min_length=1, max_length=5000)
    action = serializers.CharField()


class DeleteInput(StrictSerializer):
    erase = serializers.BooleanField(default=False)


class ErasuresInput(PersonInput):
    source_kind = serializers.ChoiceField(choices=["session", "agent", "import"], default="", allow_blank=True)
    source_id = name_field(default="")
    dry_run = serializers.BooleanField(default=False)
    confirm = serializers.CharField(max_length=300, default="", allow_blank=True)


class ErasureListInput(PersonInput):
    limit = serializers.IntegerField(min_value=1, max_value=200, default=50)
    cursor = serializers.CharField(default="", allow_blank=True)


class FeedbackInput(StrictSerializer):
    value = serializers.CharField()


class ListInput(StrictSerializer):
    user_id = name_field(default="")
    limit = serializers.IntegerField(min_value=1, max_value=200, default=50)
    cursor = serializers.CharField(default="", allow_blank=True)
    status = serializers.CharField(default="", allow_blank=True)
    kind = serializers.CharField(default="", allow_blank=True)
    scope = serializers.CharField(default="", allow_blank=True)
    contains = serializers.CharField(default="", allow_blank=True)
    trash = serializers.BooleanField(default=False)
    noise = serializers.BooleanField(default=False)
    project_id = name_field(default="")


class AuditInput(StrictSerializer):
    since = MomentField(default=None, allow_null=True)
    until = MomentField(default=None, allow_null=True)
    actor = name_field(default="")
    person = name_field(default="")
    action = name_field(default="")
    limit = serializers.IntegerField(min_value=1, max_value=200, default=50)
    cursor = serializers.CharField(default="", allow_blank=True)
