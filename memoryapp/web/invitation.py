"""Where an invitation's link leads: a new person sets name and password, a known one logs in and joins."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from memoryapp.domain.errors import DomainError, NotFound
from memoryapp.services import invitations
from memoryapp.services.invitations import InvitationView, NewPerson
from memoryapp.web.actors import SEAT_KEY, private
from memoryapp.web.forms import JoinForm
from memoryapp.web.labels import INVITING, ROLES, label
from memoryapp.web.session import speak


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def invitation(request: HttpRequest, token: str) -> HttpResponseBase:
    """Used, revoked, expired and forged links look the same."""
    try:
        found = invitations.opened(token)
        known = invitations.known(found.email)
        answer = _known(request, token, found) if known else _new(request, token, found)
    except NotFound:
        answer = render(request, "accounts/invitation_over.html", status=404)
    return private(answer)


def _page(request: HttpRequest, found: InvitationView, values: dict[str, object], status: int = 200) -> HttpResponse:
    shown = {"invitation": found, "role": label(ROLES, found.role), **values}
    return render(request, "accounts/invitation.html", shown, status=status)


def _new(request: HttpRequest, token: str, found: InvitationView) -> HttpResponseBase:
    if request.user.is_authenticated:
        return _page(request, found, {"other": request.user.get_username()})
    if request.method != "POST":
        form = JoinForm(initial={"language": found.language or getattr(request, "LANGUAGE_CODE", "en")})
        return _page(request, found, {"form": form})
    form = JoinForm(request.POST)
    if not form.is_valid():
        return _page(request, found, {"form": form}, status=422)
    given = form.cleaned_data
    person = NewPerson(given["name"], given["password"], given["language"])
    try:
        user = invitations.accept_as_new(token, person, getattr(request, "request_id", ""))
    except NotFound:
        raise
    except DomainError as error:
        _explain(form, error)
        return _page(request, found, {"form": form}, status=422)
    login(request, user)
    messages.success(request, _("Welcome to %(tenant)s.") % {"tenant": found.tenant_name})
    return speak(redirect("home"), given["language"])


def _explain(form: JoinForm, error: DomainError) -> None:
    reasons = error.extra.get("reasons")
    if error.code == "weak_password" and isinstance(reasons, list):
        for reason in reasons:
            form.add_error("password", str(reason))
        return
    form.add_error(None, label(INVITING, error.code))


def _known(request: HttpRequest, token: str, found: InvitationView) -> HttpResponseBase:
    user = request.user
    if not user.is_authenticated:
        return _page(request, found, {"log_in": True})
    if user.get_username() != found.email:
        return _page(request, found, {"other": user.get_username()})
    if request.method != "POST":
        return _page(request, found, {"join": True})
    try:
        invitations.accept_as_known(token, UUID(str(user.pk)), getattr(request, "request_id", ""))
    except NotFound:
        raise
    except DomainError as error:
        return _page(request, found, {"join": True, "problem": label(INVITING, error.code)}, status=422)
    request.session.pop(SEAT_KEY, None)
    messages.success(request, _("Welcome to %(tenant)s.") % {"tenant": found.tenant_name})
    return redirect("home")
