"""/api/v1/sessions/{id}: working memory of one session."""

from __future__ import annotations

from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memoryapp.api import care_shapes
from memoryapp.api.base import ApiView, actor_of, query_of, read
from memoryapp.api.inputs import MomentField, StrictQuery, StrictSerializer, name_field
from memoryapp.domain.moments import moment
from memoryapp.domain.public_ids import public
from memoryapp.domain.working_memory import StateValue
from memoryapp.services import working_memory
from memoryapp.services.results import SessionView as Session
from memoryapp.services.working_memory import Address, SessionChanges


class SessionQuery(StrictQuery):
    user_id = name_field(default="")
    agent_id = name_field(default="")


class SessionInput(StrictSerializer):
    user_id = name_field(default="")
    agent_id = name_field(default="")
    summary = serializers.CharField(max_length=2000, allow_blank=True, required=False)
    task_state = serializers.DictField(required=False)
    reasons = serializers.DictField(child=serializers.CharField(max_length=300), default=dict)
    labels = serializers.ListField(child=serializers.CharField(max_length=64), max_length=32, required=False)
    expires_at = MomentField(required=False)


def working_memory_body(session: Session) -> dict[str, Any]:
    return {
        "id": public("ses", session.id),
        "session_id": session.session,
        "user_id": session.person,
        "agent_id": session.agent_id,
        "summary": session.summary,
        "summary_source": session.summary_source or None,
        "task_state": {key: _state_body(value) for key, value in session.task_state.items()},
        "labels": list(session.labels),
        "messages": session.messages,
        "last_said_at": moment(session.last_said_at),
        "expires_at": moment(session.expires_at),
    }


def _state_body(value: StateValue) -> dict[str, Any]:
    body = {"value": value.value, "reason": value.reason, "since": moment(value.at)}
    return {**body, "earlier": [_state_body(e) for e in value.earlier]} if value.earlier else body


def _address(session_id: str, asked: dict[str, Any]) -> Address:
    return Address(session_id, asked["user_id"], asked["agent_id"])


class SessionView(ApiView):
    queries: ClassVar = {"GET": SessionQuery, "DELETE": SessionQuery}

    @extend_schema(parameters=[SessionQuery], responses={200: care_shapes.WorkingSession})
    def get(self, request: Request, session_id: str) -> Response:
        """Summary, task state and labels of a session; `{id}` is `ses_…` or your own name for it with `user_id`."""
        actor = actor_of(request, "memory:read")
        asked = read(SessionQuery, query_of(request))
        return Response(working_memory_body(working_memory.session(actor, _address(session_id, asked))))

    @extend_schema(request=SessionInput, responses={200: care_shapes.WorkingSession})
    def put(self, request: Request, session_id: str) -> Response:
        """Set what you send and leave the rest; in `task_state` null removes a key, and earlier values are kept."""
        actor, body = actor_of(request, "memory:write"), read(SessionInput, request.data)
        named = ("summary", "task_state", "reasons", "labels", "expires_at")
        changes = SessionChanges(**{name: body[name] for name in named if name in body})
        return Response(working_memory_body(working_memory.change(actor, _address(session_id, body), changes)))

    @extend_schema(parameters=[SessionQuery], responses={204: None})
    def delete(self, request: Request, session_id: str) -> Response:
        """End a session: its working memory and the texts of its messages go; long-term memories stay."""
        actor = actor_of(request, "memory:write")
        asked = read(SessionQuery, query_of(request))
        working_memory.end(actor, _address(session_id, asked))
        return Response(status=204)
