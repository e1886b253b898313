"""What every API view shares: strict queries, pages of lists, and who may call."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, TypeVar

from django.db import InterfaceError, OperationalError
from django.utils.translation import get_language
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.actor import Actor
from accounts.lookup import NO_KEY, proven
from memoryapp.api import inputs
from memoryapp.api.problems import problem
from memoryapp.domain.errors import DomainError
from memoryapp.domain.storable import unstorable

T = TypeVar("T")
MANY = frozenset({"status", "kind", "scope"})
"""Names that may be repeated in a query, which means any of the values."""


def actor_of(request: Request, scope: str) -> Actor:
    """The key's actor, when it has the scope."""
    actor: Actor = request.auth  # type: ignore[assignment]
    if not actor.may(scope):
        raise DomainError("scope_missing", f"This needs the scope {scope}.")
    return actor


def read(shape: type[inputs.StrictSerializer], data: Any) -> dict[str, Any]:
    if unstorable(data):
        raise DomainError("invalid", "NUL, a lone surrogate, infinity or more than 32 levels cannot be kept.")
    return dict(_form(shape).run_validation(data))


class _Forms(threading.local):
    """The forms of one thread, by shape and language."""

    def __init__(self) -> None:
        self.known: dict[tuple[type[inputs.StrictSerializer], str | None], inputs.StrictSerializer] = {}


_forms = _Forms()


def _form(shape: type[inputs.StrictSerializer]) -> inputs.StrictSerializer:
    """One form of each shape for the calls of a thread: to make its fields costs more than to read with them.

    It keeps nothing of what it reads, but the text of an error in the language of its first one, and it is not made to
    be used by two threads at once; so each thread has one for each language.
    """
    place = shape, get_language()
    if place not in _forms.known:
        _forms.known[place] = shape()
    return _forms.known[place]


def query_of(request: Request) -> dict[str, str]:
    """The query by name; a name given twice is refused where only one value can hold."""
    found = {}
    for name, values in request.query_params.lists():
        if len(values) > 1 and name not in MANY:
            raise DomainError("invalid", f"“{name}” stands twice in the query.")
        found[name] = ",".join(map(str, values))
    return found


class ApiView(APIView):
    """Refuses names in the query that its method does not know."""

    queries: ClassVar[Mapping[str, type[inputs.StrictQuery]]] = {}
    proves_later: ClassVar[bool] = False
    """Whether a key that this process knows is proven by the first transaction and not by a look-up of its own: for
    views whose first work is that transaction."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        method = "GET" if request.method == "HEAD" else request.method or ""
        shape = self.queries.get(method, inputs.NoQuery)
        if request.META.get("QUERY_STRING") or shape is not inputs.NoQuery:
            read(shape, query_of(request))

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        """Nothing is answered to a key that was not proven, not even that the request was malformed."""
        actor = getattr(request, "_auth", None)
        try:
            if isinstance(actor, Actor) and not proven(actor):
                response = problem("unauthenticated", NO_KEY)
        except (OperationalError, InterfaceError) as error:
            response = self.handle_exception(error)
        return super().finalize_response(request, response, *args, **kwargs)


def listing(results: Sequence[Mapping[str, Any]], cursor: str | None, total: int) -> Response:
    return Response({"results": results, "next_cursor": cursor, "total": total})


def sliced(rows: Sequence[T], limit: int, cursor: str) -> tuple[Sequence[T], str | None, int]:
    """A page of a short list that is whole at hand, newest first. Cursors count from the oldest, so they stay true
    while the list grows."""
    if cursor and not (cursor.isascii() and cursor.isdigit() and len(cursor) < 10):
        raise DomainError("invalid", "`cursor` is not one that a list gave.")
    left = min(int(cursor), len(rows)) if cursor else len(rows)
    start = len(rows) - left
    page = rows[start : start + limit]
    rest = left - len(page)
    return page, str(rest) if rest else None, len(rows)
