"""What became of messages: events, waiting for them, and trying failed ones again."""

from __future__ import annotations

import re
import time
from typing import ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.actor import Actor
from memoryapp.api import ids
from memoryapp.api.authentication import actor_of
from memoryapp.api.inputs import EmptyInput, EventsQuery
from memoryapp.api.outputs import EventOutput, EventsOutput
from memoryapp.api.views import ApiView, body, listing, query
from memoryapp.services import events
from memoryapp.services.results import EventView

LONGEST_WAIT = 30
_WAIT = re.compile(r"(?:^|[,;\s])wait\s*=\s*(\d{1,4})(?:$|[,;\s])")
_FINISHED = ("succeeded", "failed")


def seconds_wanted(request: Request) -> int:
    """`Prefer: wait=n` (RFC 7240) in seconds, at most 30; 0 without it."""
    found = _WAIT.search(request.headers.get("Prefer", ""))
    return min(int(found.group(1)), LONGEST_WAIT) if found else 0


def is_finished(event: EventView) -> bool:
    return event.status in _FINISHED


def waited(actor: Actor, event: EventView, seconds: int) -> EventView:
    """The event when it finishes, or as it stands after that time. No transaction is held while waiting."""
    end = time.monotonic() + seconds
    while not is_finished(event) and time.monotonic() < end:
        time.sleep(0.2)
        event = events.event(actor, event.id)
    return event


class EventsView(ApiView):
    scopes: ClassVar = {"GET": "memory:read"}

    @extend_schema(parameters=[EventsQuery], responses=EventsOutput)
    def get(self, request: Request) -> Response:
        wanted = query(EventsQuery, request)
        found = events.list_events(actor_of(request), wanted["user_id"] or None, wanted["status"], wanted["limit"])
        return listing(EventOutput(found, many=True).data)


class EventDetailView(ApiView):
    scopes: ClassVar = {"GET": "memory:read"}

    @extend_schema(responses=EventOutput)
    def get(self, request: Request, event_id: str) -> Response:
        return Response(EventOutput(events.event(actor_of(request), ids.parsed(ids.EVENT, event_id))).data)


class RetryView(ApiView):
    scopes: ClassVar = {"POST": "memory:write"}

    @extend_schema(request=None, responses={202: EventOutput})
    def post(self, request: Request, event_id: str) -> Response:
        body(EmptyInput, request)
        again = events.retry(actor_of(request), ids.parsed(ids.EVENT, event_id))
        return Response(EventOutput(again).data, 202)
