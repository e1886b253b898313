"""From a logged-in request to an Actor, and how the pages answer what the actor may not see."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import update_wrapper
from typing import Concatenate, ParamSpec
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils.cache import patch_vary_headers

from accounts.actor import Actor
from accounts.lookup import Seat, actor_of_seat, seats_of
from memoryapp.domain.errors import DomainError
from memoryapp.web.labels import REASONS, label

SEAT_KEY = "seat"
HIDDEN_CODES = frozenset({"not_found", "scope_missing", "user_not_allowed"})
P = ParamSpec("P")
PageView = Callable[Concatenate[HttpRequest, Actor, P], HttpResponseBase]


def seats_of_request(request: HttpRequest) -> tuple[Seat, ...]:
    """The login's memberships, looked up once per request; none before login."""
    known: tuple[Seat, ...] | None = getattr(request, "known_seats", None)
    if known is None:
        user = getattr(request, "user", None)
        known = seats_of(user.pk) if user is not None and user.is_authenticated else ()
        request.known_seats = known  # type: ignore[attr-defined]
    return known


def seat_of_request(request: HttpRequest) -> Seat | None:
    """The seat chosen in the session, else the oldest."""
    seats = seats_of_request(request)
    chosen = request.session.get(SEAT_KEY, "") if seats else ""
    return next((s for s in seats if str(s.membership_id) == chosen), seats[0] if seats else None)


def actor_of_request(request: HttpRequest) -> Actor | None:
    seat = seat_of_request(request)
    if seat is None:
        return None
    return actor_of_seat(seat, UUID(str(request.user.pk)), getattr(request, "request_id", ""))


def private(response: HttpResponseBase) -> HttpResponseBase:
    """Pages with personal text are never kept, and a fragment is never taken for a page."""
    response.headers["Cache-Control"] = "no-store"
    patch_vary_headers(response, ("HX-Request", "Cookie"))
    return response


def seated(*scopes: str) -> Callable[[PageView[P]], Callable[Concatenate[HttpRequest, P], HttpResponseBase]]:
    """A page for a logged-in member with all `scopes`; without a seat 403, without a scope the same 404 as nothing.

    The page's own scopes stand in its attribute `scopes`, from which a test visits every route.
    """

    def decorate(view: PageView[P]) -> Callable[Concatenate[HttpRequest, P], HttpResponseBase]:
        def page(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            actor = actor_of_request(request)
            if actor is None:
                return private(render(request, "403.html", {"no_seat": True}, status=403))
            if not all(actor.may(scope) for scope in scopes):
                raise Http404
            return private(_answered(view, request, actor, *args, **kwargs))

        update_wrapper(page, view)
        guarded = login_required(page)
        guarded.scopes = scopes  # type: ignore[attr-defined]
        return guarded

    return decorate


def _answered(
    view: PageView[P], request: HttpRequest, actor: Actor, *args: P.args, **kwargs: P.kwargs
) -> HttpResponseBase:
    try:
        return view(request, actor, *args, **kwargs)
    except DomainError as error:
        if error.code in HIDDEN_CODES:
            raise Http404 from error
        return render(request, "refused.html", {"reason": label(REASONS, error.code)}, status=400)


def is_fragment(request: HttpRequest) -> bool:
    return request.headers.get("HX-Request") == "true" and "HX-History-Restore-Request" not in request.headers


def show(
    request: HttpRequest, template: str, values: Mapping[str, object], *, fragment: str = "", status: int = 200
) -> HttpResponse:
    """The whole page, or for htmx its named fragment."""
    narrow = bool(fragment) and is_fragment(request)
    name = f"{template}#{fragment}" if narrow else template
    return render(request, name, {**values, "narrow": narrow}, status=status)
