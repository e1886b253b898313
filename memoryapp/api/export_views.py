"""Exports of everything kept about a person over HTTP: asked for, listed, downloaded."""

from __future__ import annotations

from typing import Any, ClassVar

from django.http import FileResponse
from django.urls import path
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers as s
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from memoryapp.api import inputs, shapes
from memoryapp.api.audit import ZipRenderer
from memoryapp.api.base import ApiView, actor_of, listing, query_of, read
from memoryapp.api.care_shapes import counts
from memoryapp.api.idempotency import live, once, replay_header
from memoryapp.api.shapes import maybe_text, maybe_time
from memoryapp.domain.exporting import MEDIA_TYPES, ExportFormat, ExportState, media_type
from memoryapp.domain.moments import moment
from memoryapp.domain.public_ids import parsed, public
from memoryapp.services import exports
from memoryapp.services.exports import ExportView
from memoryapp.services.idempotency import Made

SCOPE = "memory:read"


class ExportInput(inputs.PersonInput):
    format = s.ChoiceField(choices=[f.value for f in ExportFormat], default=ExportFormat.JSONL.value)


class Progress(s.Serializer[Any]):
    records = s.IntegerField()
    records_done = s.IntegerField()


class MemoryExport(s.Serializer[Any]):
    """`counts` are records by section, memories by status, and how many wait `in_trash` and are not in the file."""

    id = s.CharField()
    user_id = s.CharField()
    format = s.ChoiceField(choices=[f.value for f in ExportFormat])
    status = s.ChoiceField(choices=[one.value for one in ExportState])
    progress = Progress()
    counts = counts()
    error_code = maybe_text()
    file = maybe_text()
    created_at = s.DateTimeField()
    finished_at = maybe_time()
    expires_at = maybe_time()


def export_body(view: ExportView) -> dict[str, Any]:
    """`file` is the address of the file once the export succeeded, as long as it has one."""
    public_id = public("exp", view.id)
    return {
        "id": public_id,
        "user_id": view.person,
        "format": view.format,
        "status": view.state,
        "progress": {"records": view.records_total, "records_done": view.records_done},
        "counts": dict(view.counts),
        "error_code": view.error_code or None,
        "file": f"/api/v1/exports/{public_id}/download" if view.state == ExportState.SUCCEEDED else None,
        "created_at": moment(view.created_at),
        "finished_at": moment(view.finished_at),
        "expires_at": moment(view.expires_at),
    }


class ExportsView(ApiView):
    queries: ClassVar = {"GET": inputs.ErasureListInput}

    @extend_schema(request=ExportInput, responses={202: MemoryExport}, parameters=[shapes.IDEMPOTENCY_KEY])
    def post(self, request: Request) -> Response:
        """Export everything kept about a person; a worker writes it."""
        actor, body = actor_of(request, SCOPE), read(ExportInput, request.data)
        made = once(
            request, actor, lambda: Made("memory_export", exports.start(actor, body["user_id"], body["format"]), 202)
        )
        view = live(made, lambda: exports.export(actor, made.id))
        headers = {"Location": f"/api/v1/exports/{public('exp', made.id)}", **replay_header(made)}
        return Response(export_body(view), status=202, headers=headers)

    @extend_schema(parameters=[inputs.ErasureListInput], responses={200: shapes.page_of(MemoryExport)})
    def get(self, request: Request) -> Response:
        """Exports, newest first; of one person, or of all of them for a key that is not bound."""
        actor, asked = actor_of(request, SCOPE), read(inputs.ErasureListInput, query_of(request))
        found, cursor, total = exports.list_exports(
            actor, asked["user_id"], limit=asked["limit"], cursor=asked["cursor"] or None
        )
        return listing([export_body(view) for view in found], cursor, total)


class ExportDetailView(ApiView):
    @extend_schema(responses={200: MemoryExport})
    def get(self, request: Request, exp_id: str) -> Response:
        """How far an export is."""
        return Response(export_body(exports.export(actor_of(request, SCOPE), parsed("exp", exp_id))))


class MarkdownRenderer(JSONRenderer):
    """Lets a client ask for `text/markdown`; the file itself is streamed."""

    media_type = "text/markdown"


class ExportDownloadView(ApiView):
    renderer_classes = (JSONRenderer, ZipRenderer, MarkdownRenderer)

    @extend_schema(responses={(200, one): OpenApiResponse(OpenApiTypes.BINARY) for one in sorted(MEDIA_TYPES.values())})
    def get(self, request: Request, exp_id: str) -> FileResponse:
        """The file; 409 until it is finished, 410 when something in it was forgotten since or its time is over."""
        found = exports.file_of(actor_of(request, SCOPE), parsed("exp", exp_id))
        return FileResponse(found, as_attachment=True, content_type=media_type(found.name))


urlpatterns = [
    path("exports", ExportsView.as_view()),
    path("exports/<str:exp_id>", ExportDetailView.as_view()),
    path("exports/<str:exp_id>/download", ExportDownloadView.as_view()),
]
