"""Reading for agents: search, and the block for a prompt."""

from __future__ import annotations

from typing import ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from memoryapp.api.authentication import actor_of
from memoryapp.api.inputs import ContextInput, SearchInput
from memoryapp.api.memories import incoming
from memoryapp.api.outputs import ContextOutput, ExcludedOutput, HitsOutput, ItemOutput
from memoryapp.api.views import ApiView, body
from memoryapp.services import recall
from memoryapp.services.results import ContextView, Hit


class SearchView(ApiView):
    scopes: ClassVar = {"POST": "memory:read"}

    @extend_schema(request=SearchInput, responses=HitsOutput)
    def post(self, request: Request) -> Response:
        sent = body(SearchInput, request)
        person, text = sent.pop("user_id"), sent.pop("query")
        return Response({"results": [_hit(h) for h in recall.search(actor_of(request), person, text, **sent)]})


def _hit(hit: Hit) -> dict[str, object]:
    return {**ItemOutput(hit.item).data, "score": hit.score, "scores": dict(hit.parts)}


class ContextApiView(ApiView):
    scopes: ClassVar = {"POST": "memory:read"}

    @extend_schema(request=ContextInput, responses=ContextOutput)
    def post(self, request: Request) -> Response:
        sent = body(ContextInput, request)
        person, form = sent.pop("user_id"), sent.pop("format")
        messages = incoming(sent.pop("messages", []))
        return Response(_context(recall.context(actor_of(request), person, messages=messages, form=form, **sent)))


def _context(found: ContextView) -> dict[str, object]:
    left_out = [{"id": item_id, "reason": reason} for item_id, reason in found.excluded]
    return {
        "context": found.block,
        "items": ItemOutput(found.items, many=True).data,
        "excluded": ExcludedOutput(left_out, many=True).data,
        "tokens": found.tokens,
        "decision": {"needed": found.needed, "reasons": list(found.reasons)},
    }
