"""The REST endpoints: read the shape, call one service, answer."""

from __future__ import annotations

import re
import time
from typing import Any, ClassVar
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.actor import Actor
from memoryapp.api import inputs, outputs, shapes
from memoryapp.api.base import ApiView, actor_of, listing, query_of, read, sliced
from memoryapp.api.idempotency import live, once, replay_header
from memoryapp.api.session_views import working_memory_body
from memoryapp.domain.errors import DomainError
from memoryapp.domain.messages import text_of
from memoryapp.domain.public_ids import parsed, public
from memoryapp.domain.types import Kind, Role, Status
from memoryapp.services import (
    changes,
    counters,
    erasure,
    events,
    hindsight,
    injection,
    memories,
    recall,
    use_history,
    working_memory,
)
from memoryapp.services.changes import NewItem
from memoryapp.services.dry_run import dry_run
from memoryapp.services.idempotency import Made
from memoryapp.services.ingest import Incoming, accept
from memoryapp.services.results import EventView, ItemView, ListFilter
from memoryapp.services.timeline import When

LONGEST_WAIT = 30


def incoming(messages: list[dict[str, Any]]) -> list[Incoming]:
    return [Incoming(m["role"], m["content"], m["id"], m["name"], m["said_at"]) for m in messages]


def wait_seconds(request: Request) -> int:
    """`Prefer: wait=n`, at most 30."""
    match = re.search(r"\bwait=(\d{1,4})\b", request.headers.get("Prefer", ""))
    return min(int(match[1]), LONGEST_WAIT) if match else 0


def when_of(asked: dict[str, Any]) -> When | None:
    """The moment that a read asks for, None for now. `known_at` alone means both times."""
    as_of, known = asked["as_of"], asked["known_at"]
    return When(as_of or known, known) if as_of or known else None


def finished(actor: Actor, event: EventView, seconds: int) -> EventView:
    """The event, after waiting up to `seconds` for its end."""
    end = time.monotonic() + seconds
    while event.status in ("pending", "running") and time.monotonic() < end:
        time.sleep(0.1)
        event = events.event(actor, event.id)
    return event


class MemoriesView(ApiView):
    proves_later = True
    queries: ClassVar = {"GET": inputs.ListInput}

    @extend_schema(
        request=inputs.MemoriesInput,
        responses={200: shapes.EVENT_OR_ITEMS, 201: shapes.AddedItems, 202: shapes.Event},
        parameters=[shapes.IDEMPOTENCY_KEY, shapes.PREFER],
    )
    def post(self, request: Request) -> Response:
        """Send a conversation (202, an event) or one text word for word (201)."""
        actor = actor_of(request, "memory:write")
        body = read(inputs.MemoriesInput, request.data)
        if body["dry_run"]:
            return self._dry_run(actor, body)
        return self._messages(request, actor, body) if "messages" in body else self._content(request, actor, body)

    def _dry_run(self, actor: Actor, body: dict[str, Any]) -> Response:
        """What the conversation would change and why; nothing is written."""
        named = ("agent_id", "space", "project_id", "scope", "metadata")
        seen = dry_run(
            actor,
            body["user_id"],
            incoming(body["messages"]),
            session=body["session_id"],
            **{name: body[name] for name in named},
        )
        return Response({"dry_run": True, "door": seen.door, **outputs.sections_body(seen.entries)})

    def _messages(self, request: Request, actor: Actor, body: dict[str, Any]) -> Response:
        made = once(request, actor, lambda: Made("event", _accepted(actor, body), 202))
        seconds = wait_seconds(request)
        event = finished(actor, live(made, lambda: events.event(actor, made.id)), seconds)
        done = seconds and event.status not in ("pending", "running")
        headers = {"Location": f"/api/v1/events/{public('evt', event.id)}", **replay_header(made)}
        return Response(outputs.event_body(event), status=200 if done else 202, headers=headers)

    def _content(self, request: Request, actor: Actor, body: dict[str, Any]) -> Response:
        added: list[ItemView] = []
        made = once(request, actor, lambda: _added(actor, body, added))
        item = live(made, lambda: memories.trace(actor, made.id)) if made.replayed else added[0]
        headers = {"Location": f"/api/v1/memories/{public('mem', item.id)}", "ETag": memories.etag(item)}
        return Response(
            {"results": [{**outputs.left_body(item), **made.notes}]},
            status=made.status,
            headers={**headers, **replay_header(made)},
        )

    @extend_schema(parameters=[inputs.ListInput], responses={200: shapes.page_of(shapes.Item)})
    def get(self, request: Request) -> Response:
        """One page of a person's memories, newest first."""
        actor = actor_of(request, "memory:read")
        asked = read(inputs.ListInput, query_of(request))
        when = when_of(asked)
        if when is not None:
            then = hindsight.listed(actor, asked["user_id"], when, _list_filter(asked))
            rows, cursor, total = sliced(then, asked["limit"], asked["cursor"])
            return listing([outputs.item_body(i) for i in rows], cursor, total)
        page = memories.list_items(
            actor, asked["user_id"], _list_filter(asked), limit=asked["limit"], cursor=asked["cursor"] or None
        )
        return listing([outputs.item_body(i) for i in page.items], page.cursor, page.total)


def _accepted(actor: Actor, body: dict[str, Any]) -> UUID:
    named = ("agent_id", "space", "project_id", "scope", "metadata", "temporary")
    kept = {name: body[name] for name in named}
    return accept(actor, body["user_id"], incoming(body["messages"]), session=body["session_id"], **kept).id


def _added(actor: Actor, body: dict[str, Any], added: list[ItemView]) -> Made:
    """What was made, for the record of the call; the memory itself goes into `added`."""
    named = ("content", "kind", "subject", "importance", "expires_at", "scope", "metadata", "pinned")
    new = NewItem(**{name: body[name] for name in named})
    try:
        item, outcome, masked = changes.add(
            actor, body["user_id"], new, space=body["space"], project_id=body["project_id"]
        )
    except DomainError as error:
        counters.operation("ADD", "skipped", str(error.extra.get("reason") or error.code))
        raise
    counters.operation("ADD", outcome)
    added.append(item)
    notes = {"outcome": outcome, "masked": list(masked)}
    return Made("memory", item.id, 200 if outcome == "refreshed" else 201, notes)


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())


def _list_filter(asked: dict[str, Any]) -> ListFilter:
    statuses = _words(asked["status"])
    if unknown := set(statuses) - {s.value for s in Status if s is not Status.FORGOTTEN}:
        raise DomainError("invalid", f"Unknown status: {', '.join(sorted(unknown))}.")
    kinds = _words(asked["kind"])
    if unknown := set(kinds) - {k.value for k in Kind}:
        raise DomainError("invalid", f"Unknown kind: {', '.join(sorted(unknown))}.")
    return ListFilter(
        statuses,
        kinds,
        _words(asked["scope"]),
        asked["contains"],
        trash=asked["trash"],
        noise_only=asked["noise"],
        project_id=asked["project_id"],
    )


class MemoryView(ApiView):
    proves_later = True
    queries: ClassVar = {"DELETE": inputs.ForgetQuery}

    @extend_schema(responses={200: shapes.Item})
    def get(self, request: Request, item_id: str) -> Response:
        item = memories.item(actor_of(request, "memory:read"), parsed("mem", item_id))
        return Response(outputs.item_body(item), headers={"ETag": memories.etag(item)})

    @extend_schema(request=inputs.ChangesInput, responses={200: shapes.Item}, parameters=[shapes.IF_MATCH])
    def patch(self, request: Request, item_id: str) -> Response:
        """Change fields; `If-Match` guards against overwriting somebody else's change."""
        actor = actor_of(request, "memory:write")
        found = parsed("mem", item_id)
        wanted = read(inputs.ChangesInput, request.data)
        item = changes.edit(actor, found, wanted, expected_etags=_expected(request))
        return Response(outputs.item_body(item), headers={"ETag": memories.etag(item)})

    @extend_schema(parameters=[inputs.ForgetQuery], responses={200: shapes.Forgotten})
    def delete(self, request: Request, item_id: str) -> Response:
        """Forget: out of use at once, with undo until `undo_until`. `?erase=true` erases for good (202, a job)."""
        actor, found = actor_of(request, "memory:delete"), parsed("mem", item_id)
        if read(inputs.ForgetQuery, query_of(request))["erase"]:
            return erasure_accepted(erasure.erase_item(actor, found))
        item = changes.forget(actor, found)
        return Response(outputs.forgotten_body(item), headers={"ETag": memories.etag(item)})


def erasure_accepted(erasure_id: UUID) -> Response:
    shown = public("era", erasure_id)
    return Response({"erasure_id": shown}, status=202, headers={"Location": f"/api/v1/erasures/{shown}"})


def _expected(request: Request) -> frozenset[str]:
    """The tags of `If-Match`, any of which may be the present one; none for no header and for `*`."""
    named = [tag.strip().removeprefix("W/").strip('"') for tag in request.headers.get("If-Match", "").split(",")]
    return frozenset() if named in ([""], ["*"]) else frozenset(f'"{tag}"' for tag in named)


class VerbView(ApiView):
    """POST /memories/{id}/{verb}: idempotent verbs."""

    @extend_schema(request=inputs.EmptyInput, responses={200: shapes.ITEM_OR_FORGOTTEN})
    def post(self, request: Request, item_id: str, verb: str) -> Response:
        actor = actor_of(request, "memory:delete" if verb == "reject" else "memory:write")
        found = parsed("mem", item_id)
        read(inputs.EmptyInput, request.data or {})
        item = changes.VERBS[verb](actor, found)
        return Response(outputs.left_body(item), headers={"ETag": memories.etag(item)})


class FeedbackView(ApiView):
    @extend_schema(request=inputs.FeedbackInput, responses={200: shapes.Named})
    def post(self, request: Request, item_id: str) -> Response:
        """Say of a memory that was used: helpful, wrong or outdated."""
        actor, found = actor_of(request, "memory:write"), parsed("mem", item_id)
        changes.feedback(actor, found, read(inputs.FeedbackInput, request.data)["value"])
        return Response({"id": public("mem", found)})


class HistoryView(ApiView):
    queries: ClassVar = {"GET": inputs.PageQuery}

    @extend_schema(parameters=[inputs.PageQuery], responses={200: shapes.page_of(shapes.Version)})
    def get(self, request: Request, item_id: str) -> Response:
        """The versions of a memory, newest first."""
        asked = read(inputs.PageQuery, query_of(request))
        found = memories.history(actor_of(request, "memory:read"), parsed("mem", item_id))
        page, cursor, total = sliced(found, asked["limit"], asked["cursor"])
        return listing([outputs.version_body(v) for v in page], cursor, total)


class EvidenceView(ApiView):
    queries: ClassVar = {"GET": inputs.PageQuery}

    @extend_schema(parameters=[inputs.PageQuery], responses={200: shapes.page_of(shapes.Evidence)})
    def get(self, request: Request, item_id: str) -> Response:
        """What was said, word for word, newest first."""
        asked = read(inputs.PageQuery, query_of(request))
        found = memories.evidence(actor_of(request, "memory:read"), parsed("mem", item_id))
        page, cursor, total = sliced(found[::-1], asked["limit"], asked["cursor"])
        return listing([outputs.evidence_body(e) for e in page], cursor, total)


class UsesView(ApiView):
    queries: ClassVar = {"GET": inputs.PageQuery}

    @extend_schema(parameters=[inputs.PageQuery], responses={200: shapes.page_of(shapes.Use)})
    def get(self, request: Request, item_id: str) -> Response:
        """When a memory was given to an agent, newest first."""
        asked, actor = read(inputs.PageQuery, query_of(request)), actor_of(request, "memory:read")
        found = use_history.uses(actor, parsed("mem", item_id), limit=asked["limit"], cursor=asked["cursor"] or None)
        return listing([outputs.use_body(u) for u in found.rows], found.cursor, found.total)


class SearchView(ApiView):
    proves_later = True

    @extend_schema(request=inputs.SearchInput, responses={200: shapes.Hits})
    def post(self, request: Request) -> Response:
        """Search by words and meaning."""
        actor, body = actor_of(request, "memory:read"), read(inputs.SearchInput, request.data)
        named = ("top_k", "threshold", "filters", "scope", "project_id")
        wanted = recall.Wanted(**{n: body[n] for n in named}, weights=recall.default_weights())
        when = when_of(body)
        if when is not None:
            then = hindsight.search(actor, body["user_id"], body["query"], when, wanted)
            return Response({"results": [outputs.hit_body(h, body["explain"]) for h in then]})
        told = recall.answer(actor, body["user_id"], body["query"], wanted)
        results = [outputs.hit_body(h, body["explain"]) for h in told.hits]
        return Response({"results": results, **({"warnings": list(told.notes)} if told.notes else {})})


class ContextView(ApiView):
    proves_later = True

    @extend_schema(request=inputs.ContextInput, responses={200: shapes.Context})
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
            when=when_of(body),
            not_again_in=body["session_id"] if body["dedupe"] == "session" else "",
        )
        asked = body["query"] or latest_user_text(body["messages"])
        session = working_memory.left_off(actor, body["user_id"], asked, body["session_id"])
        return Response(outputs.context_body(view) | {"session": working_memory_body(session) if session else None})


def latest_user_text(messages: list[dict[str, Any]]) -> str:
    said = [text_of(m["content"]) for m in messages if m["role"] == Role.USER and m["content"] is not None]
    return said[-1] if said else ""


class EventsView(ApiView):
    queries: ClassVar = {"GET": inputs.EventsQuery}

    @extend_schema(parameters=[inputs.EventsQuery], responses={200: shapes.page_of(shapes.Event)})
    def get(self, request: Request) -> Response:
        """Events, newest first: of one person, or of all when the key is not bound to one."""
        actor, asked = actor_of(request, "memory:read"), read(inputs.EventsQuery, query_of(request))
        found, cursor, total = events.page(
            actor, asked["user_id"], status=asked["status"], limit=asked["limit"], cursor=asked["cursor"] or None
        )
        return listing([outputs.event_body(e) for e in found], cursor, total)


class EventDetailView(ApiView):
    @extend_schema(responses={200: shapes.Event}, parameters=[shapes.PREFER])
    def get(self, request: Request, event_id: str) -> Response:
        actor = actor_of(request, "memory:read")
        event = finished(actor, events.event(actor, parsed("evt", event_id)), wait_seconds(request))
        return Response(outputs.event_body(event))


class RetryView(ApiView):
    @extend_schema(request=inputs.EmptyInput, responses={202: shapes.Event})
    def post(self, request: Request, event_id: str) -> Response:
        """Start a failed event again."""
        read(inputs.EmptyInput, request.data or {})
        event = events.retry(actor_of(request, "memory:write"), parsed("evt", event_id))
        return Response(outputs.event_body(event), status=202)


class MeView(ApiView):
    @extend_schema(responses={200: shapes.Me})
    def get(self, request: Request) -> Response:
        """Who this key is and what it may do."""
        actor: Actor = request.auth  # type: ignore[assignment]
        body = {"tenant": str(actor.tenant_id), "key": actor.ref, "scopes": list(actor.scopes)}
        return Response({**body, "user_id": actor.user_key or None, "agent_id": actor.agent_id or None})
