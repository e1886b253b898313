"""Where a login lands, and switching between tenants."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from memoryapp.web.context import page
from memoryapp.web.seats import seats


@login_required
def home(request: HttpRequest) -> HttpResponse:
    """Each role's own first page."""
    known = page(request)
    if known.get("sees_memories"):
        return redirect("memories")
    return redirect("audit") if known.get("sees_audit") else render(request, "nothing_here.html")


@login_required
@require_POST
def switch(request: HttpRequest) -> HttpResponse:
    wanted = request.POST.get("seat", "")
    if any(str(s.membership_id) == wanted for s in seats(request)):
        request.session["seat"] = wanted
    return redirect("home")
