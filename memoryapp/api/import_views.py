"""Imports of chat histories over HTTP: start, list, progress."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.urls import path
from django.utils import timezone
from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.actor import Actor
from memoryapp.api import care_shapes, inputs, shapes
from memoryapp.api.base import ApiView, actor_of, read
from memoryapp.api.idempotency import live, once, replay_header
from memoryapp.domain.bundle import record_of
from memoryapp.domain.moments import moment
from memoryapp.domain.public_ids import parsed, public
from memoryapp.services import imports, record_imports
from memoryapp.services.histories import History, history_of
from memoryapp.services.idempotency import Made
from memoryapp.services.imports import ImportView
from memoryapp.services.record_imports import Taken

MOST_SESSIONS = 1000
MOST_MEMORIES = 500


class ImportInput(inputs.PersonInput):
    """Exactly one of `sessions` (a chat history) and `memories` (records of an export)."""

    sessions = serializers.ListField(
        child=serializers.JSONField(), min_length=1, max_length=MOST_SESSIONS, required=False
    )
    memories = serializers.ListField(
        child=serializers.JSONField(), min_length=1, max_length=MOST_MEMORIES, required=False
    )
    token_budget = serializers.IntegerField(min_value=0, default=None, allow_null=True)
    dry_run = serializers.BooleanField(default=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("sessions" in attrs) == ("memories" in attrs):
            raise serializers.ValidationError("Send either `sessions` or `memories`.")
        return attrs


class ImportsView(ApiView):
    @extend_schema(
        request=ImportInput,
        responses={
            200: PolymorphicProxySerializer("ImportAnswer", [care_shapes.Import, care_shapes.TakenIn], None),
            202: care_shapes.Import,
        },
        parameters=[shapes.IDEMPOTENCY_KEY],
    )
    def post(self, request: Request) -> Response:
        """Take in a chat history, or memories of an export. The same again adds nothing.

        A history is extracted by the workers (202); memories are stored at once, with their history (200), and need no
        `Idempotency-Key`: one that is there already is a `duplicate`.
        """
        actor, body = actor_of(request, "memory:write"), read(ImportInput, request.data)
        if "memories" in body:
            return Response(taken_body(_taken(actor, body), body["dry_run"]))
        histories = [history_of(s, place, body["user_id"]) for place, s in enumerate(body["sessions"], start=1)]
        if body["dry_run"]:
            return Response(import_body(imports.preview(actor, histories)))
        made = once(request, actor, lambda: Made("import", _started(actor, histories, body["token_budget"]), 202))
        job = live(made, lambda: imports.status(actor, made.id))
        headers = {"Location": f"/api/v1/imports/{public('imp', made.id)}", **replay_header(made)}
        return Response(import_body(job), status=202, headers=headers)

    @extend_schema(responses={200: care_shapes.Imports})
    def get(self, request: Request) -> Response:
        """The latest fifty imports."""
        jobs = imports.list_imports(actor_of(request, "memory:read"))
        return Response({"results": [import_body(job) for job in jobs]})


def _taken(actor: Actor, body: Mapping[str, Any]) -> Sequence[Taken]:
    now = timezone.now()
    records = [record_of(entry, place, now) for place, entry in enumerate(body["memories"], start=1)]
    doing = record_imports.foresee if body["dry_run"] else record_imports.take_in
    return doing(actor, body["user_id"], records)


def taken_body(taken: Sequence[Taken], dry_run: bool) -> dict[str, Any]:
    return {
        "status": "dry_run" if dry_run else "succeeded",
        "dry_run": dry_run,
        "outcome": dict(Counter(one.outcome for one in taken)),
        "skipped": dict(Counter(one.reason for one in taken if one.outcome == record_imports.SKIPPED)),
        "results": [
            {"id": public("mem", one.id) if one.id else None, "outcome": one.outcome, "reason": one.reason}
            for one in taken
        ],
    }


def _started(actor: Actor, histories: Sequence[History], token_budget: int | None) -> UUID:
    job = imports.start(actor, histories, token_budget=token_budget)
    if job.id is None:
        raise ValueError("an import that was started has an id")
    return job.id


class ImportDetailView(ApiView):
    @extend_schema(responses={200: care_shapes.Import})
    def get(self, request: Request, import_id: str) -> Response:
        """How far an import is and what came of it."""
        return Response(import_body(imports.status(actor_of(request, "memory:read"), parsed("imp", import_id))))


def import_body(job: ImportView) -> dict[str, Any]:
    return {
        "id": public("imp", job.id) if job.id else None,
        "status": job.state,
        "dry_run": job.id is None,
        "sessions": job.sessions,
        "messages": job.messages,
        "duplicates": job.duplicates,
        "refused": dict(job.refused),
        "runs": {"total": job.runs, "done": job.runs_done, "failed": job.runs_failed},
        "outcome": dict(job.counts),
        "skipped": dict(job.skipped),
        "tokens": {"budget": job.token_budget, "used": job.tokens_used, "expected": job.tokens_expected},
        "created_at": moment(job.created_at),
    }


urlpatterns = [
    path("imports", ImportsView.as_view()),
    path("imports/<str:import_id>", ImportDetailView.as_view()),
]
