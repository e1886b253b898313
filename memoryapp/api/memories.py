"""Memories: learning from messages, adding word for word, lists, changes, verbs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.actor import Actor
from memoryapp.api import ids
from memoryapp.api.authentication import actor_of, require
from memoryapp.api.events import is_finished, seconds_wanted, waited
from memoryapp.api.idempotency import Made, once
from memoryapp.api.inputs import (
    BatchInput,
    ChangeInput,
    EmptyInput,
    FeedbackInput,
    MemoriesQuery,
    NoQuery,
    RememberInput,
)
from memoryapp.api.outputs import (
    AcceptedOutput,
    AddedOutput,
    BatchOutput,
    EventOutput,
    EvidenceOutput,
    EvidencesOutput,
    ForgottenOutput,
    ItemOutput,
    ItemsOutput,
    VersionOutput,
    VersionsOutput,
)
from memoryapp.api.views import ApiView, body, listing, query
from memoryapp.domain.errors import DomainError, NotFound
from memoryapp.services import changes, events, ingest, memories
from memoryapp.services.results import ItemView, ListFilter

VERBS = ("restore", "confirm", "reject", "pause", "resume")
_TAG = re.compile(r'(?:W/)?"v(\d{1,9})"')
IMPOSSIBLE_VERSION = -1


def incoming(messages: list[Mapping[str, Any]]) -> list[ingest.Incoming]:
    """Validated messages as the services take them."""
    return [ingest.Incoming(m["role"], m["content"], m["id"], m["name"], m["said_at"]) for m in messages]


def shown_item(item: ItemView) -> Response:
    return Response(ItemOutput(item).data, headers={"ETag": memories.etag(item)})


def expected_version(request: Request) -> int | None:
    """The version `If-Match` names; None without it or with `*`; one that no item has when it cannot be read."""
    tag = request.headers.get("If-Match", "*").strip()
    found = _TAG.fullmatch(tag)
    return None if tag == "*" else int(found.group(1)) if found else IMPOSSIBLE_VERSION


class MemoriesView(ApiView):
    scopes: ClassVar = {"GET": "memory:read", "POST": "memory:write"}

    @extend_schema(parameters=[MemoriesQuery], responses=ItemsOutput)
    def get(self, request: Request) -> Response:
        wanted = query(MemoriesQuery, request)
        page = memories.list_items(
            actor_of(request), wanted["user_id"], _filter(wanted), limit=wanted["limit"], cursor=wanted["cursor"]
        )
        return listing(ItemOutput(page.items, many=True).data, page.cursor, page.total)

    @extend_schema(request=RememberInput, responses={200: EventOutput, 201: AddedOutput, 202: AcceptedOutput})
    def post(self, request: Request) -> Response:
        sent, actor = body(RememberInput, request), actor_of(request)
        if "content" in sent:
            return _added(actor, once(request, lambda: _add(actor, sent)))
        return _accepted(actor, once(request, lambda: _accept(actor, sent)), seconds_wanted(request))


def _filter(wanted: Mapping[str, Any]) -> ListFilter:
    return ListFilter(
        statuses=wanted["status"],
        kinds=wanted["kind"],
        scopes=(wanted["scope"],) if wanted["scope"] else (),
        contains=wanted["contains"],
        trash=wanted["trash"],
        noise_only=wanted["noise"],
        pending_only=wanted["pending"],
        project_id=wanted["project_id"],
    )


def _accept(actor: Actor, sent: Mapping[str, Any]) -> Made:
    names = ("agent_id", "space", "project_id", "scope", "temporary")
    options = {name: sent[name] for name in names}
    event = ingest.accept(
        actor,
        sent["user_id"],
        incoming(sent["messages"]),
        session=sent["session_id"],
        metadata=sent.get("metadata", {}),
        **options,
    )
    return Made("event", event.id, 202)


def _accepted(actor: Actor, made: Made, seconds: int) -> Response:
    event = waited(actor, events.event(actor, made.id), seconds)
    if seconds and is_finished(event):
        return Response(EventOutput(event).data, 200)
    location = f"/api/v1/events/{ids.shown(ids.EVENT, event.id)}"
    return Response(AcceptedOutput(event).data, 202, headers={"Location": location})


def _add(actor: Actor, sent: Mapping[str, Any]) -> Made:
    names = ("content", "kind", "subject", "importance", "expires_at", "scope", "pinned")
    new = changes.NewItem(**{name: sent[name] for name in names}, metadata=sent.get("metadata", {}))
    item, outcome, masked = changes.add(actor, sent["user_id"], new, space=sent["space"], project_id=sent["project_id"])
    more: dict[str, object] = {"outcome": outcome, "masked": list(masked)}
    return Made("memory", item.id, 200 if outcome == "refreshed" else 201, _added_document(item, more))


def _added_document(item: ItemView, more: Mapping[str, object]) -> dict[str, object]:
    return {"results": [{**ItemOutput(item).data, **more}], **more}


def _added(actor: Actor, made: Made) -> Response:
    document = _live(actor, made) if made.replayed else made.document
    location = f"/api/v1/memories/{ids.shown(ids.MEMORY, made.id)}"
    return Response(document, made.status, headers={"Location": location})


def _live(actor: Actor, made: Made) -> dict[str, object]:
    """What a replay answers: the item as it is now; `gone` when it is no more."""
    try:
        item = memories.item(actor, made.id)
    except NotFound as error:
        raise DomainError("gone", "What this request made is no more.") from error
    outcome = "pending" if item.status == "pending" else "added" if made.status == 201 else "refreshed"
    return _added_document(item, {"outcome": outcome, "masked": []})


class MemoryDetailView(ApiView):
    scopes: ClassVar = {"GET": "memory:read", "PATCH": "memory:write", "DELETE": "memory:delete"}

    @extend_schema(responses=ItemOutput)
    def get(self, request: Request, memory_id: str) -> Response:
        return shown_item(memories.item(actor_of(request), ids.parsed(ids.MEMORY, memory_id)))

    @extend_schema(request=ChangeInput, responses=ItemOutput)
    def patch(self, request: Request, memory_id: str) -> Response:
        found = ids.parsed(ids.MEMORY, memory_id)
        wanted = body(ChangeInput, request)
        return shown_item(changes.edit(actor_of(request), found, wanted, expected_version=expected_version(request)))

    @extend_schema(responses=ForgottenOutput)
    def delete(self, request: Request, memory_id: str) -> Response:
        query(NoQuery, request)
        gone = changes.forget(actor_of(request), ids.parsed(ids.MEMORY, memory_id))
        return Response(ForgottenOutput(gone).data)


class VerbView(ApiView):
    """An idempotent verb on one memory; `verb` is set by the address."""

    scopes: ClassVar = {"POST": "memory:write"}
    verb = ""

    @extend_schema(request=None, responses=ItemOutput)
    def post(self, request: Request, memory_id: str) -> Response:
        found = ids.parsed(ids.MEMORY, memory_id)
        body(EmptyInput, request)
        return shown_item(changes.VERBS[self.verb](actor_of(request), found))


class FeedbackView(ApiView):
    scopes: ClassVar = {"POST": "memory:write"}

    @extend_schema(request=FeedbackInput, responses=FeedbackInput)
    def post(self, request: Request, memory_id: str) -> Response:
        found = ids.parsed(ids.MEMORY, memory_id)
        value = body(FeedbackInput, request)["value"]
        changes.feedback(actor_of(request), found, value)
        return Response({"id": memory_id, "value": value})


class HistoryView(ApiView):
    scopes: ClassVar = {"GET": "memory:read"}

    @extend_schema(responses=VersionsOutput)
    def get(self, request: Request, memory_id: str) -> Response:
        found = memories.history(actor_of(request), ids.parsed(ids.MEMORY, memory_id))
        return listing(VersionOutput(found, many=True).data)


class EvidenceView(ApiView):
    scopes: ClassVar = {"GET": "memory:read"}

    @extend_schema(responses=EvidencesOutput)
    def get(self, request: Request, memory_id: str) -> Response:
        found = memories.evidence(actor_of(request), ids.parsed(ids.MEMORY, memory_id))
        return listing(EvidenceOutput(found, many=True).data)


class BatchView(ApiView):
    scopes: ClassVar = {"POST": "memory:write"}

    @extend_schema(request=BatchInput, responses=BatchOutput)
    def post(self, request: Request) -> Response:
        sent, actor = body(BatchInput, request), actor_of(request)
        if sent["action"] == "forget":
            require(actor, "memory:delete")
        return Response(_batch(actor, sent["ids"], sent["action"]))


def _batch(actor: Actor, sent: list[str], action: str) -> dict[str, object]:
    """Ids that are none fail with `not_found`, as unknown ones do."""
    known, failed = {}, []
    for text in dict.fromkeys(sent):
        try:
            known[ids.parsed(ids.MEMORY, text)] = text
        except NotFound as error:
            failed.append({"id": text, "code": error.code})
    result = changes.batch(actor, list(known), action)
    failed += [{"id": known[found], "code": code} for found, code in result.failed.items()]
    done = [known[found] for found in result.done]
    return {"action": action, "done": done, "failed": failed, "counts": {"done": len(done), "failed": len(failed)}}
