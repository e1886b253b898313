"""The audit trail and its exports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from memoryapp.api import ids
from memoryapp.api.authentication import actor_of
from memoryapp.api.idempotency import Made, once
from memoryapp.api.inputs import AuditParts, AuditQuery
from memoryapp.api.outputs import AuditRowOutput, AuditRowsOutput, ExportOutput
from memoryapp.api.views import ApiView, body, listing, query
from memoryapp.services import audit_trail
from memoryapp.services.results import AuditFilter


def _filter(sent: Mapping[str, Any]) -> AuditFilter:
    return AuditFilter(sent["since"], sent["until"], sent["actor"], sent["user_id"], sent["action"])


class AuditEventsView(ApiView):
    scopes: ClassVar = {"GET": "audit:read"}

    @extend_schema(parameters=[AuditQuery], responses=AuditRowsOutput)
    def get(self, request: Request) -> Response:
        sent = query(AuditQuery, request)
        rows, cursor, total = audit_trail.search(
            actor_of(request), _filter(sent), limit=sent["limit"], cursor=sent["cursor"]
        )
        return listing(AuditRowOutput(rows, many=True).data, cursor, total)


class ExportsView(ApiView):
    scopes: ClassVar = {"GET": "audit:read", "POST": "audit:read"}

    @extend_schema(request=AuditParts, responses={202: ExportOutput})
    def post(self, request: Request) -> Response:
        wanted, actor = _filter(body(AuditParts, request)), actor_of(request)
        made = once(request, lambda: Made("export", audit_trail.start_export(actor, wanted), 202))
        location = f"/api/v1/audit/exports/{ids.shown(ids.EXPORT, made.id)}"
        shown = ExportOutput(audit_trail.export_status(actor, made.id)).data
        return Response(shown, 202, headers={"Location": location})


class ExportDetailView(ApiView):
    scopes: ClassVar = {"GET": "audit:read"}

    @extend_schema(responses=ExportOutput)
    def get(self, request: Request, export_id: str) -> Response:
        found = audit_trail.export_status(actor_of(request), ids.parsed(ids.EXPORT, export_id))
        return Response(ExportOutput(found).data)
