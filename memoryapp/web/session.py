"""Coming in, changing the tenant, going out."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from accounts.actor import Actor
from memoryapp.web.actors import SEAT_KEY, seated, seats_of_request


class EmailLoginView(LoginView):
    """Log in by e-mail; afterwards to the first page that the role has."""

    redirect_authenticated_user = True

    def get_default_redirect_url(self) -> str:
        return reverse("home")


@require_safe
@seated()
def home(request: HttpRequest, actor: Actor) -> HttpResponseBase:
    if actor.may("memory:read"):
        return redirect("memories")
    if actor.may("audit:read"):
        return redirect("audit")
    return render(request, "403.html", {"no_pages": True}, status=403)


@require_POST
@login_required
def choose_seat(request: HttpRequest) -> HttpResponseBase:
    """Only a seat of this login is taken; anything else leaves the session as it was."""
    wanted = request.POST.get("seat", "")
    if any(str(seat.membership_id) == wanted for seat in seats_of_request(request)):
        request.session[SEAT_KEY] = wanted
        request.session.pop("undo", None)
    return redirect("home")
