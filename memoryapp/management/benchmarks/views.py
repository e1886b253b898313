"""The least that could answer: a DRF view with one statement, without keys, row-level security or an audit trail.

`plain` connects past row-level security with the layout as it is, `heap` without index-only scans.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db import connections, transaction
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.actor import Actor
from accounts.lookup import actor_of_key
from accounts.models import new_id
from memoryapp.domain.hashing import NORM_VERSION
from memoryapp.management.benchmarks.given_embedder import MODEL, vector_of
from memoryapp.management.benchmarks.same_sql import Statement, heart_of
from memoryapp.services import recall

_caught: dict[tuple[str, str, int], Statement] = {}


class Minimal(APIView):
    authentication_classes = ()
    permission_classes = ()

    def rows(self, alias: str, sql: str, values: Any) -> list[tuple[Any, ...]]:
        with connections[alias].cursor() as cursor:
            cursor.execute(sql, values)
            found: list[tuple[Any, ...]] = cursor.fetchall() if cursor.description else []
            return found


class SearchView(Minimal):
    """The statement of the service's own search for this question, caught at the first call."""

    def post(self, request: Request, alias: str) -> Response:
        body: dict[str, Any] = request.data  # type: ignore[assignment]
        asked = (body["user_id"], body["query"], body["top_k"])
        if asked not in _caught:
            _caught[asked] = heart_of(lambda: recall.search(_actor(request), asked[0], asked[1], top_k=asked[2]))
        heart = _caught[asked]
        found = self.rows(alias, heart.sql, heart.values)
        return Response({"results": [{"id": str(row[0])} for row in found[: asked[2]]]})


def _actor(request: Request) -> Actor:
    key = request.headers["Authorization"].removeprefix("Bearer ")
    actor = actor_of_key(key, timezone.now())
    if actor is None:
        raise LookupError("the benchmark's key is unknown")
    return actor


def _id(request: Request) -> str:
    body: dict[str, str] = request.data  # type: ignore[assignment]
    return body["id"]


class RowView(Minimal):
    """One row by its id."""

    def post(self, request: Request, alias: str) -> Response:
        sql = "SELECT id, content, kind, importance, said_at FROM memoryapp_memoryitem WHERE id = %s"
        row = self.rows(alias, sql, [_id(request)])[0]
        return Response({"id": str(row[0]), "content": row[1], "kind": row[2], "importance": row[3], "said_at": row[4]})


class ListView(Minimal):
    """Fifty rows and the exact number of all."""

    def get(self, request: Request, alias: str) -> Response:
        asked = request.query_params
        where = "FROM memoryapp_memoryitem WHERE tenant_id = %s AND space_id = %s AND status IN ('active', 'paused')"
        values = [UUID(str(asked["tenant"])), UUID(str(asked["space"]))]
        total = self.rows(alias, f"SELECT count(*) {where}", values)[0][0]
        columns = "id, content, kind, status, scope, importance, confidence, pinned, said_at, created_at, updated_at"
        rows = self.rows(alias, f"SELECT {columns} {where} ORDER BY id DESC LIMIT 50", values)
        names = columns.split(", ")
        return Response({"results": [dict(zip(names, row, strict=True)) for row in rows], "total": total})


class AddView(Minimal):
    """An item and its retrieval entry, committed."""

    def post(self, request: Request, alias: str) -> Response:
        body: dict[str, str] = request.data  # type: ignore[assignment]
        item = new_id()
        with transaction.atomic(using=alias):
            self.rows(alias, _ADD_ITEM, [item, body["tenant"], body["space"], body["content"], str(item), NORM_VERSION])
            vector = str(vector_of("memory 1"))
            self.rows(alias, _ADD_ENTRY, [item, body["tenant"], body["space"], body["content"].split(), vector, MODEL])
        return Response({"id": str(item)}, status=201)


class ForgetView(Minimal):
    """The status of one item, committed."""

    def post(self, request: Request, alias: str) -> Response:
        sql = "UPDATE memoryapp_memoryitem SET status = 'forgotten', updated_at = now() WHERE id = %s"
        with transaction.atomic(using=alias):
            self.rows(alias, sql, [_id(request)])
        return Response({"id": _id(request)})


_ADD_ITEM = """
INSERT INTO memoryapp_memoryitem
    (id, tenant_id, space_id, status, content, kind, layer, scope, subject, predicate, object, importance, confidence,
     sensitivity, pinned, origin, speaker, agent_id, pending_reason, metadata, norm_hash, norm_version, fingerprint,
     version, said_at, status_before, reason_before, created_at, updated_at)
VALUES (%s, %s, %s, 'active', %s, 'note', 'semantic', '', '', '', '', 0.5, 0.8, 'normal', false, 'manual', '', '', '',
        '{}', sha256(%s::bytea), %s, '', 1, now(), '', '', now(), now())
"""
_ADD_ENTRY = """
INSERT INTO memoryapp_retrievalentry
    (id, tenant_id, space_id, item_version, terms, embedding, embedding_model, embedding_attempts, updated_at)
VALUES (%s, %s, %s, 1, array_to_tsvector(%s::text[]), %s::halfvec, %s, 0, now())
"""
