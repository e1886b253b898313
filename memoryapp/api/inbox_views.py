"""The inbox over HTTP: the list by class, and the verbs that decide about an item."""

from __future__ import annotations

from typing import Any, ClassVar

from django.urls import path, re_path
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memoryapp.api import care_shapes, inputs, outputs, shapes
from memoryapp.api.base import ApiView, actor_of, query_of, read
from memoryapp.domain.moments import moment
from memoryapp.domain.public_ids import parsed, public
from memoryapp.services import changes
from memoryapp.services.inbox import InboxClass, InboxEntry, inbox
from memoryapp.services.memories import etag
from memoryapp.services.results import ItemView

VERBS = {"keep-both": "keep_both", "later": "later", "undo": "undo"}


class InboxInput(inputs.StrictQuery):
    """`class` is a word of Python, so the field is declared by name below."""

    user_id = inputs.name_field(default="")
    project_id = inputs.name_field(default="")
    limit = serializers.IntegerField(min_value=1, max_value=200, default=50)
    cursor = serializers.CharField(default="", allow_blank=True)

    def get_fields(self) -> dict[str, Any]:
        choices = [c.value for c in InboxClass]
        return {**super().get_fields(), "class": serializers.ChoiceField(choices=choices, default="", allow_blank=True)}


class ConfirmInput(inputs.StrictSerializer):
    content = serializers.CharField(max_length=4000, required=False)


class InboxView(ApiView):
    queries: ClassVar = {"GET": InboxInput}

    @extend_schema(parameters=[InboxInput], responses={200: care_shapes.Inbox})
    def get(self, request: Request) -> Response:
        """What waits for a person, newest first, with the number of each class."""
        actor, asked = actor_of(request, "memory:read"), read(InboxInput, query_of(request))
        page = inbox(
            actor,
            asked["user_id"],
            asked["class"],
            project_id=asked["project_id"],
            limit=asked["limit"],
            cursor=asked["cursor"] or None,
        )
        body = {"results": [entry_body(e) for e in page.entries], "next_cursor": page.cursor, "total": page.total}
        return Response({**body, "counts": {str(c): n for c, n in page.counts.items()}})


def entry_body(entry: InboxEntry) -> dict[str, Any]:
    return {**outputs.item_body(entry.item), "class": str(entry.why), "conflicts_with": _other(entry.other)}


def _other(item: ItemView | None) -> dict[str, Any] | None:
    if item is None:
        return None
    return {
        "id": public("mem", item.id),
        "content": item.content,
        "status": item.status,
        "said_at": moment(item.said_at),
    }


class ConfirmView(ApiView):
    @extend_schema(request=ConfirmInput, responses={200: shapes.ITEM_OR_FORGOTTEN})
    def post(self, request: Request, item_id: str) -> Response:
        """Say yes to a candidate, with another text when `content` is given."""
        actor, found = actor_of(request, "memory:write"), parsed("mem", item_id)
        wanted = read(ConfirmInput, request.data or {})
        item = changes.confirm(actor, found, wanted.get("content"))
        return Response(outputs.left_body(item), headers={"ETag": etag(item)})


class DecisionView(ApiView):
    """POST /memories/{id}/keep-both, later, undo."""

    @extend_schema(request=inputs.EmptyInput, responses={200: shapes.ITEM_OR_FORGOTTEN})
    def post(self, request: Request, item_id: str, decision: str) -> Response:
        actor, found = actor_of(request, "memory:write"), parsed("mem", item_id)
        read(inputs.EmptyInput, request.data or {})
        item = changes.VERBS[VERBS[decision]](actor, found)
        return Response(outputs.left_body(item), headers={"ETag": etag(item)})


urlpatterns = [
    path("inbox", InboxView.as_view()),
    path("memories/<str:item_id>/confirm", ConfirmView.as_view()),
    re_path(rf"^memories/(?P<item_id>[^/]+)/(?P<decision>{'|'.join(VERBS)})$", DecisionView.as_view()),
]
