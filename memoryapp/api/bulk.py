"""One action over many memories."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.actor import Actor
from accounts.models import new_id
from memoryapp.api import inputs, outputs, shapes
from memoryapp.api.base import ApiView, actor_of, read
from memoryapp.api.idempotency import once, replay_header
from memoryapp.domain.errors import NotFound
from memoryapp.domain.moments import moment
from memoryapp.domain.public_ids import parsed, public
from memoryapp.services import bulk, bulk_choice
from memoryapp.services.bulk_choice import Choice, Place
from memoryapp.services.idempotency import Made

DELETING = ("forget", "reject")
_WORD = re.compile(r"[A-Za-z0-9_-]{1,64}")


class BatchView(ApiView):
    @extend_schema(request=inputs.BatchInput, responses={200: shapes.BulkDone}, parameters=[shapes.IDEMPOTENCY_KEY])
    def post(self, request: Request) -> Response:
        """One action over many memories, named by `ids` or by `filters`; partial failures are named."""
        body = read(inputs.BatchInput, request.data)
        actor = actor_of(request, "memory:delete" if body["action"] in DELETING else "memory:write")
        made = once(request, actor, lambda: _batch(actor, body))
        return Response(made.notes, headers=replay_header(made))


class ForgetView(ApiView):
    @extend_schema(
        request=inputs.ForgetInput, responses={200: shapes.BulkForgotten}, parameters=[shapes.IDEMPOTENCY_KEY]
    )
    def post(self, request: Request) -> Response:
        """Forget what a question or a filter finds. A dry run, which is the default, only shows it."""
        body, actor = read(inputs.ForgetInput, request.data), actor_of(request, "memory:delete")
        if body["dry_run"]:
            choice = _choice_to_forget(actor, body)
            found = bulk.carry_out(actor, choice.ids, bulk.Order("forget", versions=choice.versions, dry_run=True))
            return Response(_notes("forget", found, True) | {"results": [outputs.item_body(i) for i in choice.shown]})
        made = once(request, actor, lambda: _forgotten(actor, body))
        return Response(made.notes, headers=replay_header(made))


def _batch(actor: Actor, body: Mapping[str, Any]) -> Made:
    person = body.get("user_id", "")
    known, malformed = _named(body.get("ids", []))
    versions = {i: version for i, version in known.items() if version is not None}
    order = bulk.Order(body["action"], body.get("params", {}), versions, body["dry_run"], person)
    bulk.check_order(actor, order)
    ids = tuple(known)
    if "filters" in body:
        place = Place(person, body["space"], body["project_id"])
        ids = bulk_choice.by_filter(actor, place, body["filters"], body["action"]).ids
        order = replace(order, person="")
    done = bulk.carry_out(actor, ids, order)
    return Made("batch", new_id(), 200, _notes(order.action, done, order.dry_run, malformed))


def _named(ids: list[tuple[str, int | None]]) -> tuple[dict[UUID, int | None], list[str]]:
    """Ids with the versions seen, and what is no id; it fails like an unknown one."""
    known: dict[UUID, int | None] = {}
    malformed: list[str] = []
    for text, version in ids:
        try:
            known[parsed("mem", text)] = version
        except NotFound:
            malformed.append(text if _WORD.fullmatch(text) else "malformed")
    return known, malformed


def _choice_to_forget(actor: Actor, body: Mapping[str, Any]) -> Choice:
    person = body.get("user_id", "")
    if "filters" in body:
        return bulk_choice.by_filter(actor, Place(person), body["filters"], "forget")
    return bulk_choice.by_question(actor, person, body["query"], body["threshold"])


def _forgotten(actor: Actor, body: Mapping[str, Any]) -> Made:
    choice = _choice_to_forget(actor, body)
    done = bulk.carry_out(actor, choice.ids, bulk.Order("forget", versions=choice.versions))
    return Made("batch", new_id(), 200, _notes("forget", done, False))


def _notes(action: str, done: bulk.BulkResult, dry_run: bool, malformed: Sequence[str] = ()) -> dict[str, object]:
    """The answer: ids and codes only, so that it may be kept for a replay."""
    failed = [{"id": public("mem", i), "reason": code} for i, code in done.failed.items()]
    failed += [{"id": text, "reason": "not_found"} for text in malformed]
    return {
        "action": action,
        "dry_run": dry_run,
        "matched": len(done.done) + len(failed),
        "done": 0 if dry_run else len(done.done),
        "ids": [public("mem", i) for i in done.done],
        "failed": failed,
        "undo_until": moment(done.undo_until),
    }
