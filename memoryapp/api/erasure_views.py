"""Erasures over HTTP: started, listed, and their receipts."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.actor import Actor
from memoryapp.api import inputs
from memoryapp.api.base import ApiView, actor_of, query_of, read
from memoryapp.api.outputs import moment
from memoryapp.api.views import erasure_accepted
from memoryapp.domain.errors import DomainError
from memoryapp.domain.public_ids import parsed, public
from memoryapp.services import erasure, person_deletion, source_purge
from memoryapp.services.erasure import ErasureView
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


class ErasuresView(ApiView):
    queries: ClassVar = {"GET": inputs.ErasureListInput}

    @extend_schema(request=inputs.ErasuresInput, responses={202: dict})
    def post(self, request: Request) -> Response:
        """Erase everything about a person, or everything from one source; `dry_run` only counts."""
        actor, body = actor_of(request, "memory:delete"), read(inputs.ErasuresInput, request.data)
        person, confirm = body["user_id"], body["confirm"]
        if body["source_kind"]:
            source = Source(SourceKind(body["source_kind"]), body["source_id"])
            if body["dry_run"]:
                return Response(impact_body(source_purge.impact(actor, person, source)))
            return erasure_accepted(source_purge.purge(actor, person, source, confirm))
        if body["dry_run"]:
            return Response(impact_body(person_deletion.impact(actor, person)))
        return erasure_accepted(person_deletion.erase_person(actor, person, confirm))

    @extend_schema(parameters=[inputs.ErasureListInput], responses={200: dict})
    def get(self, request: Request) -> Response:
        actor, asked = reader_of(request), read(inputs.ErasureListInput, query_of(request))
        found, cursor, total = erasure.list_erasures(
            actor, asked["user_id"], limit=asked["limit"], cursor=asked["cursor"] or None
        )
        return Response({"results": [erasure_body(e) for e in found], "next_cursor": cursor, "total": total})


class ErasureDetailView(ApiView):
    @extend_schema(responses={200: dict})
    def get(self, request: Request, erasure_id: str) -> Response:
        """Progress and, at the end, the signed receipt."""
        return Response(erasure_body(erasure.erasure(reader_of(request), parsed("era", erasure_id))))


class RetryView(ApiView):
    @extend_schema(request=None, responses={202: dict})
    def post(self, request: Request, erasure_id: str) -> Response:
        """Start a failed erasure again."""
        view = erasure.retry(actor_of(request, "memory:delete"), parsed("era", erasure_id))
        return Response(erasure_body(view), status=202)
