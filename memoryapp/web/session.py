"""Coming in, the password, the language, changing the tenant, going out."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib.auth import views as auth
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import PasswordChangeForm
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse, reverse_lazy
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts import throttle
from accounts.actor import Actor
from memoryapp.services import access
from memoryapp.web.actors import SEAT_KEY, seated, seats_of_request
from memoryapp.web.forms import LoginForm, ResetForm

LANGUAGES = dict(settings.LANGUAGES)


def network_address(request: HttpRequest) -> str:
    """Where the request came from; behind a trusted proxy, what the nearest proxy saw."""
    forwarded = request.headers.get("X-Forwarded-For", "") if settings.MEMORYAPP.behind_proxy else ""
    return forwarded.rpartition(",")[2].strip() or str(request.META.get("REMOTE_ADDR", ""))


def speak(response: HttpResponse, language: str) -> HttpResponse:
    """Answer in this language from now on, in this browser."""
    if language in LANGUAGES:
        response.set_cookie(
            settings.LANGUAGE_COOKIE_NAME,
            language,
            max_age=365 * 86_400,
            samesite="Lax",
            secure=settings.SESSION_COOKIE_SECURE,
        )
    return response


class EmailLoginView(auth.LoginView):
    """Log in by e-mail; afterwards to the first page that the role has. Guessing is slowed down (accounts.throttle)."""

    redirect_authenticated_user = True
    form_class = LoginForm

    def get_default_redirect_url(self) -> str:
        return reverse("home")

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        email = request.POST.get("username", "")
        if any(throttle.exhausted(limit, subject) for limit, subject in self._subjects(email)):
            access.record_for_email(email, "login.refused", outcome="denied", reason="too_many_attempts")
            return self._refused(request)
        return super().post(request, *args, **kwargs)

    def _subjects(self, email: str) -> tuple[tuple[throttle.Limit, str], ...]:
        here = network_address(self.request)
        return (
            (throttle.LOGIN_HERE, f"{here} {email}"),
            (throttle.LOGIN_ANYWHERE, email),
            (throttle.LOGIN_ADDRESS, here),
        )

    def _refused(self, request: HttpRequest) -> HttpResponse:
        form = LoginForm(request, data={"username": request.POST.get("username", "")[:254], "password": ""})
        form.errors.clear()
        form.add_error(None, _("Too many attempts. Wait a quarter of an hour, or set a new password."))
        return self.render_to_response(self.get_context_data(form=form), status=429)

    def form_valid(self, form: Any) -> HttpResponse:
        user = form.get_user()
        throttle.clear(throttle.LOGIN_HERE, self._subjects(self.request.POST.get("username", ""))[0][1])
        with transaction.atomic():
            response = super().form_valid(form)
            access.record_for_login(user.pk, "login.succeeded", request_id=getattr(self.request, "request_id", ""))
        return speak(response, user.language)

    def form_invalid(self, form: Any) -> HttpResponse:
        email = self.request.POST.get("username", "")
        for limit, subject in self._subjects(email):
            throttle.count(limit, subject)
        access.record_for_email(email, "login.failed", outcome="denied", reason="wrong_password")
        response = super().form_invalid(form)
        response.status_code = 422
        return response


class ChangeView(auth.PasswordChangeView):
    """A logged-in person changes the password; told in each of the tenants."""

    success_url = reverse_lazy("password_change_done")

    def form_valid(self, form: PasswordChangeForm) -> HttpResponse:
        with transaction.atomic():
            response = super().form_valid(form)
            access.record_for_login(UUID(str(self.request.user.pk)), "password.changed")
        return response


class ResetView(auth.PasswordResetView):
    """Ask for a link by mail. The answer is the same for every address, also when there were too many."""

    form_class = ResetForm

    def form_valid(self, form: Any) -> HttpResponse:
        email = form.cleaned_data["email"]
        subjects = ((throttle.RESET_ADDRESS, network_address(self.request)), (throttle.RESET_EMAIL, email))
        spent = any(throttle.exhausted(limit, subject) for limit, subject in subjects)
        for limit, subject in subjects:
            throttle.count(limit, subject)
        if spent:
            return redirect(self.get_success_url())
        access.record_for_email(email, "password.reset_requested", outcome="ok", reason="")
        return super().form_valid(form)


class ConfirmView(auth.PasswordResetConfirmView):
    """Set a password by the mailed link; other sessions of the login end."""

    def form_valid(self, form: Any) -> HttpResponse:
        with transaction.atomic():
            response = super().form_valid(form)
            access.record_for_login(form.user.pk, "password.reset")
        throttle.clear(throttle.LOGIN_ANYWHERE, form.user.email)
        throttle.clear(throttle.LOGIN_HERE, f"{network_address(self.request)} {form.user.email}")
        return response


@require_safe
@seated()
def home(request: HttpRequest, actor: Actor) -> HttpResponseBase:
    if actor.may("memory:read"):
        return redirect("memories")
    if actor.may("audit:read"):
        return redirect("audit")
    if actor.may("admin"):
        return redirect("people")
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


@require_POST
def choose_language(request: HttpRequest) -> HttpResponseBase:
    """Another language from here on; a logged-in person's choice is kept."""
    language, back = request.POST.get("language", ""), request.POST.get("next", "")
    if language in LANGUAGES and request.user.is_authenticated:
        access.choose_language(UUID(str(request.user.pk)), language)
    safe = url_has_allowed_host_and_scheme(back, {request.get_host()}, request.is_secure())
    return speak(redirect(back if safe else "home"), language)
