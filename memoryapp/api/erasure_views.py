"""Erasures over HTTP: started, listed, and their receipts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, ClassVar
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.actor import Actor
from memoryapp.api import care_shapes, inputs, shapes
from memoryapp.api.base import ApiView, actor_of, query_of, read
from memoryapp.api.idempotency import once, replay_header
from memoryapp.api.views import erasure_accepted
from memoryapp.domain.errors import DomainError
from memoryapp.domain.moments import moment
from memoryapp.domain.public_ids import parsed, public
from memoryapp.services import erasure, person_deletion, source_purge
from memoryapp.services.erasure import ErasureView
from memoryapp.services.idempotency import Made
from memoryapp.services.person_deletion import Impact
from memoryapp.services.source_purge import Source, SourceKind


def reader_of(request: Request) -> Actor:
    """Receipts are for those whose memories they are about, and for compliance."""
    actor: Actor = request.auth  # type: ignore[assignment]
    if not (actor.may("memory:read") or actor.may("audit:read")):
        raise DomainError("scope_missing", "This needs the scope memory:read or audit:read.")
    return actor


def erasure_body(view: ErasureView) -> dict[str, Any]:
    return {
        "id": public("era", view.id),
        "kind": view.kind,
        "status": view.state,
        "attempt": view.attempt,
        "error_code": view.error_code or None,
        "progress": {"items": view.items, "items_done": view.items_done},
        "levels": dict(view.levels),
        "steps": [{**asdict(s), "at": moment(s.at), "evidence": dict(s.evidence or {})} for s in view.steps],
        "receipt": view.receipt,
        "signature": view.signature or None,
        "public_key": view.public_key,
        "created_at": moment(view.created_at),
        "finished_at": moment(view.finished_at),
    }


def impact_body(impact: Impact) -> dict[str, Any]:
    counts = asdict(impact)
    return {"dry_run": True, "confirm_with": list(counts.pop("phrases")), "impact": counts}


def _source(body: Mapping[str, Any]) -> Source | None:
    return Source(SourceKind(body["source_kind"]), body["source_id"]) if body["source_kind"] else None


def _impact(actor: Actor, body: Mapping[str, Any]) -> Impact:
    source = _source(body)
    if source is None:
        return person_deletion.impact(actor, body["user_id"])
    return source_purge.impact(actor, body["user_id"], source)


def _begun(actor: Actor, body: Mapping[str, Any]) -> UUID:
    source = _source(body)
    if source is None:
        return person_deletion.erase_person(actor, body["user_id"], body["confirm"])
    return source_purge.purge(actor, body["user_id"], source, body["confirm"])


class ErasuresView(ApiView):
    queries: ClassVar = {"GET": inputs.ErasureListInput}

    @extend_schema(
        request=inputs.ErasuresInput,
        responses={200: care_shapes.ErasureImpact, 202: care_shapes.ErasureAccepted},
        parameters=[shapes.IDEMPOTENCY_KEY],
    )
    def post(self, request: Request) -> Response:
        """Erase everything about a person, or everything from one source; `dry_run` only counts."""
        actor, body = actor_of(request, "memory:delete"), read(inputs.ErasuresInput, request.data)
        if body["dry_run"]:
            return Response(impact_body(_impact(actor, body)))
        made = once(request, actor, lambda: Made("erasure", _begun(actor, body), 202))
        answer = erasure_accepted(made.id)
        for name, value in replay_header(made).items():
            answer[name] = value
        return answer

    @extend_schema(parameters=[inputs.ErasureListInput], responses={200: shapes.page_of(care_shapes.Erasure)})
    def get(self, request: Request) -> Response:
        actor, asked = reader_of(request), read(inputs.ErasureListInput, query_of(request))
        found, cursor, total = erasure.list_erasures(
            actor, asked["user_id"], limit=asked["limit"], cursor=asked["cursor"] or None
        )
        return Response({"results": [erasure_body(e) for e in found], "next_cursor": cursor, "total": total})


class ErasureDetailView(ApiView):
    @extend_schema(responses={200: care_shapes.Erasure})
    def get(self, request: Request, erasure_id: str) -> Response:
        """Progress and, at the end, the signed receipt."""
        return Response(erasure_body(erasure.erasure(reader_of(request), parsed("era", erasure_id))))


class RetryView(ApiView):
    @extend_schema(request=inputs.EmptyInput, responses={202: care_shapes.Erasure})
    def post(self, request: Request, erasure_id: str) -> Response:
        """Start a failed erasure again."""
        read(inputs.EmptyInput, request.data or {})
        view = erasure.retry(actor_of(request, "memory:delete"), parsed("era", erasure_id))
        return Response(erasure_body(view), status=202)
