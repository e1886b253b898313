"""The people of a tenant and their conversations."""

from __future__ import annotations

from typing import ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from memoryapp.api import inputs, outputs, shapes
from memoryapp.api.base import ApiView, actor_of, listing, query_of, read
from memoryapp.services import people


class UsersView(ApiView):
    queries: ClassVar = {"GET": inputs.PageQuery}

    @extend_schema(parameters=[inputs.PageQuery], responses={200: shapes.page_of(shapes.Person)})
    def get(self, request: Request) -> Response:
        """The people about whom anything was said, newest first; a bound key finds only its own."""
        actor, asked = actor_of(request, "memory:read"), read(inputs.PageQuery, query_of(request))
        found = people.users(actor, limit=asked["limit"], cursor=asked["cursor"] or None)
        return listing([outputs.person_body(p) for p in found.rows], found.cursor, found.total)


class SessionsView(ApiView):
    queries: ClassVar = {"GET": inputs.SessionsQuery}

    @extend_schema(parameters=[inputs.SessionsQuery], responses={200: shapes.page_of(shapes.Session)})
    def get(self, request: Request) -> Response:
        """A person's conversations, newest first."""
        actor, asked = actor_of(request, "memory:read"), read(inputs.SessionsQuery, query_of(request))
        found = people.sessions(actor, asked["user_id"], limit=asked["limit"], cursor=asked["cursor"] or None)
        return listing([outputs.session_body(s) for s in found.rows], found.cursor, found.total)
