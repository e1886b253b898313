"""The shapes that the API takes. Unknown fields are refused."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime
from typing import Any, ClassVar

from django.utils.dateparse import parse_datetime
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from memoryapp.domain.moments import in_calendar
from memoryapp.domain.types import Kind, Role, SpaceKind

ITEM_NAMED = {
    "oneOf": [
        {"type": "string"},
        {
            "type": "object",
            "required": ["id"],
            "additionalProperties": False,
            "properties": {"id": {"type": "string"}, "version": {"type": "integer", "minimum": 1}},
        },
    ]
}


class StrictSerializer(serializers.Serializer[Any]):
    """Refuses fields that it does not know."""

    unknown: ClassVar = ("Unknown field.", "unknown_field")

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, Mapping):
            unknown = set(data) - set(self.fields)
            if unknown:
                raise serializers.ValidationError(
                    {name: [serializers.ErrorDetail(*self.unknown)] for name in sorted(unknown)}
                )
        return super().to_internal_value(data)


class StrictQuery(StrictSerializer):
    """The names that may stand in the query of an address."""

    unknown: ClassVar = ("Unknown filter.", "unknown_filter")


def _moment(text: str) -> datetime | None:
    """None when it is no time, lacks its offset, or is none of the calendar's from 1900 on once it is turned into UTC."""
    try:
        moment = parse_datetime(text)
    except ValueError:
        return None
    return moment if moment is not None and in_calendar(moment) else None


@extend_schema_field(OpenApiTypes.DATETIME)
class MomentField(serializers.Field[datetime, Any, str, Any]):
    """RFC 3339 with an offset, which is kept; from 1900 to 9999 in UTC."""

    def to_internal_value(self, data: Any) -> datetime:
        moment = _moment(data) if isinstance(data, str) else None
        if moment is None:
            raise serializers.ValidationError(
                "A time from 1900 to 9999 with its offset is needed, e.g. 2026-03-15T09:00:00+08:00."
            )
        return moment

    def to_representation(self, value: datetime) -> str:
        return value.isoformat()


class ShareField(serializers.FloatField):
    """A number in 0–1; NaN, which passes every comparison, is none."""

    def __init__(self, **options: Any) -> None:
        super().__init__(min_value=0, max_value=1, **options)

    def to_internal_value(self, data: Any) -> float:
        value = super().to_internal_value(data)
        if not math.isfinite(value) or isinstance(data, bool):
            self.fail("invalid")
        return value


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
    dry_run = serializers.BooleanField(default=False)
    kind = serializers.ChoiceField(choices=[k.value for k in Kind], default="note")
    subject = serializers.CharField(max_length=200, default="", allow_blank=True)
    importance = ShareField(default=None, allow_null=True)
    expires_at = MomentField(default=None, allow_null=True)
    pinned = serializers.BooleanField(default=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("messages" in attrs) == ("content" in attrs):
            raise serializers.ValidationError("Send exactly one of `messages` and `content`.")
        if "messages" in attrs and attrs["infer"] is False:
            raise serializers.ValidationError({"infer": ["`infer: false` goes with `content`, not with `messages`."]})
        for name in ("dry_run", "temporary"):
            if attrs[name] and "messages" not in attrs:
                raise serializers.ValidationError({name: [f"`{name}` goes with `messages`."]})
        return attrs


class ThenInput(StrictSerializer):
    """`as_of`: what was true at that moment; `known_at`: as far as it was known at that moment."""

    as_of = MomentField(default=None, allow_null=True)
    known_at = MomentField(default=None, allow_null=True)


class SearchInput(PersonInput, ThenInput):
    query = serializers.CharField(max_length=8000, allow_blank=True)
    top_k = serializers.IntegerField(min_value=1, max_value=100, default=10)
    threshold = ShareField(default=None, allow_null=True)
    filters = serializers.JSONField(default=None, allow_null=True)
    scope = serializers.CharField(max_length=64, default="", allow_blank=True)
    project_id = name_field(default="")
    explain = serializers.BooleanField(default=False)


class VisibleMessageInput(MessageInput):
    """A message of the prompt; one that only calls tools has no content."""

    content = serializers.JSONField(allow_null=True, default=None)


class ContextInput(PersonInput, ThenInput):
    query = serializers.CharField(max_length=8000, default="", allow_blank=True)
    messages = VisibleMessageInput(many=True, default=list)
    token_budget = serializers.IntegerField(min_value=0, max_value=100_000, default=None, allow_null=True)
    format = serializers.ChoiceField(choices=["list", "cards", "json"], default="list")
    session_id = name_field(default="")
    dedupe = serializers.ChoiceField(choices=["visible", "session"], default="visible")
    project_id = name_field(default="")
    scope = serializers.CharField(max_length=64, default="", allow_blank=True)
    explain = serializers.BooleanField(default=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["dedupe"] == "session" and not attrs["session_id"]:
            raise serializers.ValidationError({"dedupe": ["`dedupe: session` needs a `session_id`."]})
        return attrs


class ChangesInput(StrictSerializer):
    content = serializers.CharField(max_length=4000, required=False)
    kind = serializers.ChoiceField(choices=[k.value for k in Kind], required=False)
    importance = ShareField(required=False)
    pinned = serializers.BooleanField(required=False)
    expires_at = MomentField(allow_null=True, required=False)
    review_after = MomentField(allow_null=True, required=False)
    metadata = serializers.DictField(required=False)


@extend_schema_field(ITEM_NAMED)
class ItemNamed(serializers.Field[tuple[str, int | None], Any, Any, Any]):
    """`"mem_…"`, or `{"id": "mem_…", "version": 3}` with the version that was seen."""

    def to_internal_value(self, data: Any) -> tuple[str, int | None]:
        if isinstance(data, str):
            return data, None
        if not isinstance(data, Mapping) or not isinstance(data.get("id"), str) or set(data) - {"id", "version"}:
            raise serializers.ValidationError('An id, or {"id": …, "version": …}.')
        version = data.get("version")
        if version is not None and (not isinstance(version, int) or isinstance(version, bool) or version < 1):
            raise serializers.ValidationError("`version` is a positive whole number.")
        return data["id"], version


class ParamsInput(StrictSerializer):
    kind = serializers.ChoiceField(choices=[k.value for k in Kind], required=False)
    importance = ShareField(required=False)
    pinned = serializers.BooleanField(required=False)
    expires_at = MomentField(allow_null=True, required=False)
    review_after = MomentField(allow_null=True, required=False)


class Filters(serializers.DictField):
    """The filter language of search, and `status`, `contains`, `noise`, `trash` as lists have them."""


class WholeInput(StrictSerializer):
    """What may name all of a person's memories: an empty `user_id` is a mistake, never everybody."""

    user_id = serializers.CharField(max_length=128, required=False, trim_whitespace=False)


class BatchInput(WholeInput):
    ids = serializers.ListField(child=ItemNamed(), min_length=1, max_length=20_000, required=False)
    filters = Filters(required=False)
    action = serializers.CharField()
    params = ParamsInput(required=False)
    dry_run = serializers.BooleanField(default=False)
    space = serializers.ChoiceField(choices=[s.value for s in SpaceKind], default="person")
    project_id = name_field(default="")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("ids" in attrs) == ("filters" in attrs):
            raise serializers.ValidationError("Send exactly one of `ids` and `filters`.")
        return attrs


class ForgetInput(WholeInput):
    query = serializers.CharField(max_length=8000, required=False)
    filters = Filters(required=False)
    threshold = ShareField(default=0.5)
    dry_run = serializers.BooleanField(default=True)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("query" in attrs) == ("filters" in attrs):
            raise serializers.ValidationError("Send exactly one of `query` and `filters`.")
        return attrs


class ErasuresInput(PersonInput):
    source_kind = serializers.ChoiceField(
        choices=["session", "document", "agent", "import"], default="", allow_blank=True
    )
    source_id = name_field(default="")
    dry_run = serializers.BooleanField(default=False)
    confirm = serializers.CharField(max_length=300, default="", allow_blank=True)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["source_id"] and not attrs["source_kind"]:
            raise serializers.ValidationError(
                {"source_kind": ["`source_id` needs a `source_kind`; nothing was erased."]}
            )
        return attrs


class FeedbackInput(StrictSerializer):
    value = serializers.CharField()


class EmptyInput(StrictSerializer):
    """No body, or an empty object."""


class NoQuery(StrictQuery):
    """No name is known."""


class PageQuery(StrictQuery):
    limit = serializers.IntegerField(min_value=1, max_value=200, default=50)
    cursor = serializers.CharField(default="", allow_blank=True)


class ErasureListInput(PageQuery):
    user_id = name_field(default="")


class ListInput(PageQuery, ThenInput):
    user_id = name_field(default="")
    status = serializers.CharField(default="", allow_blank=True)
    kind = serializers.CharField(default="", allow_blank=True)
    scope = serializers.CharField(default="", allow_blank=True)
    contains = serializers.CharField(default="", allow_blank=True)
    trash = serializers.BooleanField(default=False)
    noise = serializers.BooleanField(default=False)
    project_id = name_field(default="")


class EventsQuery(PageQuery):
    user_id = name_field(default="")
    status = serializers.CharField(default="", allow_blank=True)


class SessionsQuery(PageQuery):
    user_id = name_field(default="")


class ForgetQuery(StrictQuery):
    erase = serializers.BooleanField(default=False)


class AuditParts(StrictSerializer):
    """A search of the trail; an export takes the same."""

    since = MomentField(default=None, allow_null=True)
    until = MomentField(default=None, allow_null=True)
    actor = name_field(default="")
    person = name_field(default="")
    user_id = name_field(default="")
    action = name_field(default="")


class AuditInput(AuditParts, PageQuery):
    """A page of such a search."""
