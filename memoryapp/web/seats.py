"""From a login to an actor in one tenant."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers

from accounts.actor import Actor
from accounts.lookup import Seat, actor_of_seat, seats_of
from accounts.models import User
from memoryapp.domain.errors import NotFound

Page = Callable[..., HttpResponse]


def seats(request: HttpRequest) -> tuple[Seat, ...]:
    return seats_of(request.user.pk) if isinstance(request.user, User) else ()


def present_seat(request: HttpRequest) -> Seat | None:
    """The seat chosen in this session, else the first one."""
    mine = seats(request)
    chosen = request.session.get("seat")
    return next((s for s in mine if str(s.membership_id) == chosen), mine[0] if mine else None)


def page(scope: str) -> Callable[[Page], Page]:
    """A page for logins with a scope; everybody else gets what a page that does not exist would give."""

    def decorate(view: Page) -> Page:
        @login_required
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            seat = present_seat(request)
            if seat is None:
                raise Http404
            request_id = getattr(request, "request_id", "")
            actor = actor_of_seat(seat, request.user.pk, request_id)
            if not actor.may(scope):
                raise Http404
            return _private(_answered(view, request, actor, *args, **kwargs))

        return guarded

    return decorate


def _answered(view: Page, request: HttpRequest, actor: Actor, *args: Any, **kwargs: Any) -> HttpResponse:
    try:
        return view(request, actor, *args, **kwargs)
    except NotFound as error:
        raise Http404 from error


def _private(response: HttpResponse) -> HttpResponse:
    response["Cache-Control"] = "no-store"
    patch_vary_headers(response, ["HX-Request", "Cookie"])
    return response


def item_id(text: str) -> UUID:
    """The UUID of `mem_…` in an address."""
    try:
        return UUID(hex=text.removeprefix("mem_"))
    except ValueError as error:
        raise Http404 from error
