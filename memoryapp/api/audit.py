"""The audit trail and its exports. No text of a memory is in them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from django.http import FileResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from memoryapp.api import inputs, outputs, shapes
from memoryapp.api.base import ApiView, actor_of, listing, query_of, read
from memoryapp.api.idempotency import live, once, replay_header
from memoryapp.domain.public_ids import parsed, public
from memoryapp.services import audit_trail
from memoryapp.services.idempotency import Made
from memoryapp.services.results import AuditFilter

SCOPE = "audit:read"


def _filter(asked: Mapping[str, Any]) -> AuditFilter:
    person = asked["user_id"] or asked["person"]
    return AuditFilter(asked["since"], asked["until"], asked["actor"], person, asked["action"])


class AuditEventsView(ApiView):
    queries: ClassVar = {"GET": inputs.AuditInput}

    @extend_schema(parameters=[inputs.AuditInput], responses={200: shapes.page_of(shapes.AuditEvent)})
    def get(self, request: Request) -> Response:
        """Who did what, newest first."""
        asked, actor = read(inputs.AuditInput, query_of(request)), actor_of(request, SCOPE)
        rows, cursor, total = audit_trail.search(
            actor, _filter(asked), limit=asked["limit"], cursor=asked["cursor"] or None
        )
        return listing([outputs.audit_body(r) for r in rows], cursor, total)


class ExportsView(ApiView):
    queries: ClassVar = {"GET": inputs.PageQuery}

    @extend_schema(parameters=[inputs.PageQuery], responses={200: shapes.page_of(shapes.Export)})
    def get(self, request: Request) -> Response:
        """Exports of the trail, newest first."""
        actor, asked = actor_of(request, SCOPE), read(inputs.PageQuery, query_of(request))
        found, cursor, total = audit_trail.exports_page(actor, limit=asked["limit"], cursor=asked["cursor"] or None)
        return listing([outputs.export_body(e) for e in found], cursor, total)

    @extend_schema(request=inputs.AuditParts, responses={202: shapes.Export}, parameters=[shapes.IDEMPOTENCY_KEY])
    def post(self, request: Request) -> Response:
        """Begin an export; a worker writes it."""
        wanted, actor = _filter(read(inputs.AuditParts, request.data or {})), actor_of(request, SCOPE)
        made = once(request, actor, lambda: Made("export", audit_trail.start_export(actor, wanted), 202))
        export = live(made, lambda: audit_trail.export_status(actor, made.id))
        headers = {"Location": f"/api/v1/audit/exports/{public('exp', export.id)}", **replay_header(made)}
        return Response(outputs.export_body(export), status=202, headers=headers)


class ExportView(ApiView):
    @extend_schema(responses={200: shapes.Export})
    def get(self, request: Request, export_id: str) -> Response:
        """How far an export is."""
        found = audit_trail.export_status(actor_of(request, SCOPE), parsed("exp", export_id))
        return Response(outputs.export_body(found))


class ZipRenderer(JSONRenderer):
    """Lets a client ask for `application/zip`; the file itself is streamed."""

    media_type = "application/zip"


class ExportFileView(ApiView):
    renderer_classes = (JSONRenderer, ZipRenderer)

    @extend_schema(responses={(200, "application/zip"): OpenApiResponse(OpenApiTypes.BINARY)})
    def get(self, request: Request, export_id: str) -> FileResponse:
        """The ZIP of a finished export; 404 until it is finished."""
        found = audit_trail.export_file(actor_of(request, SCOPE), parsed("exp", export_id))
        return FileResponse(found, as_attachment=True, content_type="application/zip")
