"""The REST endpoints: read the shape, call one service, answer."""

from __future__ import annotations

import re
import time
from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.actor import Actor
from memoryapp.api import inputs, outputs
from memoryapp.domain.errors import DomainError
from memoryapp.domain.public_ids import parsed, public
from memoryapp.domain.types import Status
from memoryapp.services import audit_trail, changes, erasure, events, injection, memories, recall
from memoryapp.services.changes import NewItem
from memoryapp.services.ingest import Incoming, accept
from memoryapp.services.results import AuditFilter, EventView, ListFilter

LONGEST_WAIT = 30


def actor_of(request: Request, scope: str) -> Actor:
    """The key's actor, when it has the scope."""
    actor: Actor = request.auth  # type: ignore[assignment]
    if not actor.may(scope):
        raise DomainError("scope_missing", f"This needs the scope {scope}.")
    return actor


def read(shape: type[inputs.StrictSerializer], data: Any) -> dict[str, Any]:
    if inputs.unstorable(data):
        raise DomainError("invalid", "NUL, a lone surrogate or more than 32 levels cannot be kept.")
    form = shape(data=data)
    form.is_valid(raise_exception=True)
    return dict(form.validated_data)


def query_of(request: Request) -> dict[str, str]:
    return {name: str(value) for name, value in request.query_params.items()}


def incoming(messages: list[dict[str, Any]]) -> list[Incoming]:
    return [Incoming(m["role"], m["content"], m["id"], m["name"], m["said_at"]) for m in messages]


def wait_seconds(request: Request) -> int:
    """`Prefer: wait=n`, at most 30."""
    match = re.search(r"\bwait=(\d{1,4})\b", request.headers.get("Prefer", ""))
    return min(int(match[1]), LONGEST_WAIT) if match else 0


def finished(actor: Actor, event: EventView, seconds: int) -> EventView:
    """The event, after waiting up to `seconds` for its end."""
    end = time.monotonic() + seconds
    while event.status in ("pending", "running") and time.monotonic() < end:
        time.sleep(0.1)
        event = events.event(actor, event.id)
    return event


class MemoriesView(APIView):
    @extend_schema(request=inputs.MemoriesInput, responses={202: dict})
    def post(self, request: Request) -> Response:
        """Send a conversation (202, an event) or one text word for word (201)."""
        actor = actor_of(request, "memory:write")
        body = read(inputs.MemoriesInput, request.data)
        return self._messages(request, actor, body) if "messages" in body else self._content(actor, body)

    def _messages(self, request: Request, actor: Actor, body: dict[str, Any]) -> Response:
        named = ("agent_id", "space", "project_id", "scope", "metadata", "temporary")
        event = accept(
            actor,
            body["user_id"],
            incoming(body["messages"]),
            session=body["session_id"],
            **{name: body[name] for name in named},
        )
        seconds = wait_seconds(request)
        event = finished(actor, event, seconds)
        done = seconds and event.status not in ("pending", "running")
        location = {"Location": f"/api/v1/events/{public('evt', event.id)}"}
        return Response(outputs.event_body(event), status=200 if done else 202, headers=location)

    def _content(self, actor: Actor, body: dict[str, Any]) -> Response:
        named = ("content", "kind", "subject", "importance", "expires_at", "scope", "metadata", "pinned")
        new = NewItem(**{name: body[name] for name in named})
        item, outcome, masked = changes.add(
            actor, body["user_id"], new, space=body["space"], project_id=body["project_id"]
        )
        result = {**outputs.item_body(item), "outcome": outcome, "masked": list(masked)}
        return Response({"results": [result]}, status=200 if outcome == "refreshed" else 201)

    @extend_schema(parameters=[inputs.ListInput], responses={200: dict})
    def get(self, request: Request) -> Response:
        """One page of a person's memories, newest first."""
        actor = actor_of(request, "memory:read")
        asked = read(inputs.ListInput, query_of(request))
        page = memories.list_items(
            actor, asked["user_id"], _list_filter(asked), limit=asked["limit"], cursor=asked["cursor"] or None
        )
        rows = [outputs.item_body(i) for i in page.items]
        return Response({"results": rows, "next_cursor": page.cursor, "total": page.total})


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())


def _list_filter(asked: dict[str, Any]) -> ListFilter:
    statuses = _words(asked["status"])
    if unknown := set(statuses) - {s.value for s in Status if s is not Status.FORGOTTEN}:
        raise DomainError("invalid", f"Unknown status: {', '.join(sorted(unknown))}.")
    return ListFilter(
        statuses,
        _words(asked["kind"]),
        _words(asked["scope"]),
        asked["contains"],
        trash=asked["trash"],
        noise_only=asked["noise"],
        project_id=asked["project_id"],
    )


class MemoryView(APIView):
    @extend_schema(responses={200: dict})
    def get(self, request: Request, item_id: str) -> Response:
        item = memories.item(actor_of(request, "memory:read"), parsed("mem", item_id))
        return Response(outputs.item_body(item), headers={"ETag": memories.etag(item)})

    @extend_schema(request=inputs.ChangesInput, responses={200: dict})
    def patch(self, request: Request, item_id: str) -> Response:
        """Change fields; `If-Match` guards against overwriting somebody else's change."""
        actor = actor_of(request, "memory:write")
        found = parsed("mem", item_id)
        wanted = read(inputs.ChangesInput, request.data)
        item = changes.edit(actor, found, wanted, expected_version=_expected(request))
        return Response(outputs.item_body(item), headers={"ETag": memories.etag(item)})

    @extend_schema(responses={200: dict})
    def delete(self, request: Request, item_id: str) -> Response:
        """Forget: out of use at once, with undo until `undo_until`. `?erase=true` erases for good (202, a job)."""
        actor, found = actor_of(request, "memory:delete"), parsed("mem", item_id)
        if read(inputs.DeleteInput, query_of(request))["erase"]:
            return erasure_accepted(erasure.erase_item(actor, found))
        item = changes.forget(actor, found)
        undo = outputs.moment(item.undo_until)
        return Response({"id": public("mem", item.id), "status": item.status, "undo_until": undo})


def erasure_accepted(erasure_id: UUID) -> Response:
    shown = public("era", erasure_id)
    return Response({"erasure_id": shown}, status=202, headers={"Location": f"/api/v1/erasures/{shown}"})


def _expected(request: Request) -> int | None:
    header = request.headers.get("If-Match", "").removeprefix("W/").strip('"')
    if header in ("", "*"):
        return None
    return int(header[1:]) if re.fullmatch(r"v\d{1,9}", header) else -1


class VerbView(APIView):
    """POST /memories/{id}/{verb}: idempotent verbs."""

    @extend_schema(request=None, responses={200: dict})
    def post(self, request: Request, item_id: str, verb: str) -> Response:
        scope = "memory:delete" if verb == "reject" else "memory:write"
        actor, found = actor_of(request, scope), parsed("mem", item_id)
        if verb == "feedback":
            changes.feedback(actor, found, read(inputs.FeedbackInput, request.data)["value"])
            return Response({"id": item_id})
        return Response(outputs.item_body(changes.VERBS[verb](actor, found)))


class HistoryView(APIView):
    @extend_schema(responses={200: dict})
    def get(self, request: Request, item_id: str) -> Response:
        found = memories.history(actor_of(request, "memory:read"), parsed("mem", item_id))
        return Response({"results": [outputs.version_body(v) for v in found]})


class EvidenceView(APIView):
    @extend_schema(responses={200: dict})
    def get(self, request: Request, item_id: str) -> Response:
        found = memories.evidence(actor_of(request, "memory:read"), parsed("mem", item_id))
        return Response({"results": [outputs.evidence_body(e) for e in found]})


class BatchView(APIView):
    @extend_schema(request=inputs.BatchInput, responses={200: dict})
    def post(self, request: Request) -> Response:
        """One action over many memories; partial failures are named."""
        body = read(inputs.BatchInput, request.data)
        scope = "memory:delete" if body["action"] in ("forget", "reject") else "memory:write"
        done = changes.batch(actor_of(request, scope), [_uuid(i) for i in body["ids"]], body["action"])
        failed = [{"id": public("mem", i), "reason": code} for i, code in done.failed.items()]
        return Response({"done": len(done.done), "failed": failed})


def _uuid(text: str) -> UUID:
    return parsed("mem", text)


class SearchView(APIView):
    @extend_schema(request=inputs.SearchInput, responses={200: dict})
    def post(self, request: Request) -> Response:
        """Search by words and meaning."""
        actor, body = actor_of(request, "memory:read"), read(inputs.SearchInput, request.data)
        named = ("top_k", "threshold", "filters", "scope", "project_id")
        hits = recall.search(actor, body["user_id"], body["query"], **{n: body[n] for n in named})
        return Response({"results": [outputs.hit_body(h, body["explain"]) for h in hits]})


class ContextView(APIView):
    @extend_schema(request=inputs.ContextInput, responses={200: dict})
    def post(self, request: Request) -> Response:
        """The block to paste into a prompt."""
        actor, body = actor_of(request, "memory:read"), read(inputs.ContextInput, request.data)
        view = injection.context(
            actor,
            body["user_id"],
            query=body["query"],
            messages=incoming(body["messages"]),
            token_budget=body["token_budget"],
            form=body["format"],
            project_id=body["project_id"],
            scope=body["scope"],
            explain=body["explain"],
        )
        return Response(outputs.context_body(view))


class EventsView(APIView):
    @extend_schema(responses={200: dict})
    def get(self, request: Request) -> Response:
        actor = actor_of(request, "memory:read")
        asked = request.query_params
        found = events.list_events(actor, asked.get("user_id"), asked.get("status", ""))
        return Response({"results": [outputs.event_body(e) for e in found]})


class EventDetailView(APIView):
    @extend_schema(responses={200: dict})
    def get(self, request: Request, event_id: str) -> Response:
        actor = actor_of(request, "memory:read")
        event = finished(actor, events.event(actor, parsed("evt", event_id)), wait_seconds(request))
        return Response(outputs.event_body(event))


class RetryView(APIView):
    @extend_schema(request=None, responses={202: dict})
    def post(self, request: Request, event_id: str) -> Response:
        event = events.retry(actor_of(request, "memory:write"), parsed("evt", event_id))
        return Response(outputs.event_body(event), status=202)


class MeView(APIView):
    @extend_schema(responses={200: dict})
    def get(self, request: Request) -> Response:
        actor: Actor = request.auth  # type: ignore[assignment]
        body = {"tenant": str(actor.tenant_id), "key": actor.ref, "scopes": list(actor.scopes)}
        return Response({**body, "user_id": actor.user_key or None, "agent_id": actor.agent_id or None})


class AuditEventsView(APIView):
    @extend_schema(parameters=[inputs.AuditInput], responses={200: dict})
    def get(self, request: Request) -> Response:
        asked = read(inputs.AuditInput, query_of(request))
        wanted = AuditFilter(asked["since"], asked["until"], asked["actor"], asked["person"], asked["action"])
        actor = actor_of(request, "audit:read")
        rows, cursor, total = audit_trail.search(actor, wanted, limit=asked["limit"], cursor=asked["cursor"] or None)
        return Response({"results": [outputs.audit_body(r) for r in rows], "next_cursor": cursor, "total": total})
