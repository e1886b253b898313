"""/api/v1: ageing, consolidation and the timeline."""

from __future__ import annotations

from typing import Any, ClassVar
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.actor import Actor
from memoryapp.api import care_shapes, shapes
from memoryapp.api.base import ApiView, actor_of, query_of, read
from memoryapp.api.idempotency import live, once, replay_header
from memoryapp.api.inputs import PageQuery, PersonInput, name_field
from memoryapp.domain.forgetting import Step
from memoryapp.domain.moments import moment
from memoryapp.domain.public_ids import parsed, public
from memoryapp.services import ageing, consolidation
from memoryapp.services.consolidation import ConsolidationView
from memoryapp.services.idempotency import Made
from memoryapp.services.timeline import Change, timeline


class CareInput(PersonInput):
    dry_run = serializers.BooleanField(default=True)


class TimelineInput(PageQuery):
    user_id = name_field(default="")


def step_body(step: Step) -> dict[str, Any]:
    return {
        "id": public("mem", step.id),
        "status": step.after.value,
        "score": round(step.score, 6),
        "reason": step.reason.value,
    }


def round_body(view: ConsolidationView) -> dict[str, Any]:
    steps = [
        {"action": kind, "ids": [public("mem", i) for i in ids], "state": state}
        | ({"reason": reason} if reason else {})
        for kind, ids, state, reason in view.steps
    ]
    named = {"id": public("job", view.id)} if view.id else {}
    times = {"created_at": moment(view.created_at), "finished_at": moment(view.finished_at)}
    return {**named, "status": view.state, "steps": steps, "skipped": list(view.skipped), **times}


def change_body(change: Change) -> dict[str, Any]:
    return {
        "memory_id": public("mem", change.item),
        "version": change.number,
        "content": change.content,
        "before": change.before,
        "kind": change.kind,
        "status": change.status,
        "reason": change.reason,
        "actor": change.actor_kind,
        "valid_from": moment(change.valid_from),
        "created_at": moment(change.created_at),
    }


class AgeView(ApiView):
    @extend_schema(request=CareInput, responses={200: care_shapes.Ageing})
    def post(self, request: Request) -> Response:
        """What ageing would archive or forget, with scores; `dry_run: false` does it."""
        body = read(CareInput, request.data)
        actor = actor_of(request, "memory:read" if body["dry_run"] else "memory:delete")
        report = ageing.age(actor, body["user_id"], dry_run=body["dry_run"])
        lists = {name: [step_body(s) for s in getattr(report.plan, name)] for name in ("steps", "suggestions")}
        return Response({"applied": report.applied, **lists})


class ConsolidateView(ApiView):
    @extend_schema(
        request=CareInput,
        responses={200: care_shapes.Consolidation, 202: care_shapes.Consolidation},
        parameters=[shapes.IDEMPOTENCY_KEY],
    )
    def post(self, request: Request) -> Response:
        """What consolidation would merge, promote or raise; `dry_run: false` queues a job."""
        body = read(CareInput, request.data)
        if body["dry_run"]:
            return Response(round_body(consolidation.preview(actor_of(request, "memory:read"), body["user_id"])))
        actor = actor_of(request, "memory:write")
        made = once(request, actor, lambda: Made("consolidation", _started(actor, body["user_id"]), 202))
        view = round_body(live(made, lambda: consolidation.status(actor, made.id)))
        headers = {"Location": f"/api/v1/jobs/{public('job', made.id)}", **replay_header(made)}
        return Response(view, status=202, headers=headers)


def _started(actor: Actor, person: str) -> UUID:
    view = consolidation.start(actor, person)
    if view.id is None:
        raise ValueError("a round that was started has an id")
    return view.id


class JobView(ApiView):
    @extend_schema(responses={200: care_shapes.Consolidation})
    def get(self, request: Request, job_id: str) -> Response:
        actor = actor_of(request, "memory:read")
        return Response(round_body(consolidation.status(actor, parsed("job", job_id))))


class TimelineView(ApiView):
    queries: ClassVar = {"GET": TimelineInput}

    @extend_schema(parameters=[TimelineInput], responses={200: shapes.page_of(care_shapes.Change)})
    def get(self, request: Request) -> Response:
        """How a person's memories came to be: every change, newest first."""
        actor, asked = actor_of(request, "memory:read"), read(TimelineInput, query_of(request))
        seen = timeline(actor, asked["user_id"], limit=asked["limit"], cursor=asked["cursor"] or None)
        rows = [change_body(c) for c in seen.changes]
        return Response({"results": rows, "next_cursor": seen.cursor, "total": seen.total})
