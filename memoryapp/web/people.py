"""The people of a tenant: who belongs to it, and inviting others."""

from __future__ import annotations

from smtplib import SMTPException

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.actor import Actor
from memoryapp.domain.errors import DomainError
from memoryapp.domain.public_ids import parsed, public
from memoryapp.services import access, invitations
from memoryapp.web.actors import seated, show
from memoryapp.web.forms import InviteForm
from memoryapp.web.labels import INVITATIONS, INVITING, ROLES, label

FIELD_OF = {"user_id_missing": "user_key", "user_id_taken": "user_key", "owner_only": "role"}


@require_safe
@seated("admin")
def people(request: HttpRequest, actor: Actor) -> HttpResponseBase:
    form = InviteForm(initial={"language": get_language()})
    return show(request, "people.html", _listed(actor, form))


def _listed(actor: Actor, form: InviteForm) -> dict[str, object]:
    invited = [
        (public("inv", i.id), i, label(ROLES, i.role), label(INVITATIONS, i.state))
        for i in invitations.list_invitations(actor)
    ]
    return {
        "people": [(person, label(ROLES, person.role)) for person in access.list_people(actor)],
        "invited": invited,
        "form": form,
        "mails": invitations.mail_is_configured(),
    }


@require_POST
@seated("admin")
def invite(request: HttpRequest, actor: Actor) -> HttpResponseBase:
    """Make the link. It is shown on this answer only, and mailed when mail is configured."""
    form = InviteForm(request.POST)
    if not form.is_valid():
        return show(request, "people.html", _listed(actor, form), status=422)
    given = form.cleaned_data
    try:
        made, token = invitations.invite(
            actor, given["email"], given["role"], user_key=given["user_key"].strip(), language=given["language"]
        )
    except DomainError as error:
        form.add_error(FIELD_OF.get(error.code, "email"), label(INVITING, error.code))
        return show(request, "people.html", _listed(actor, form), status=422)
    address = invitations.link(token, request.build_absolute_uri("/"))
    _mail(request, made, address)
    values = _listed(actor, InviteForm(initial={"language": get_language()}))
    return show(request, "people.html", values | {"made": made, "address": address})


def _mail(request: HttpRequest, made: invitations.InvitationView, address: str) -> None:
    if not invitations.mail_is_configured():
        return
    try:
        invitations.mail(made, address)
    except (OSError, SMTPException):
        messages.error(request, _("The mail could not be sent. Hand the link over yourself."))
    else:
        messages.success(request, _("The invitation was mailed to %(email)s.") % {"email": made.email})


@require_POST
@seated("admin")
def revoke(request: HttpRequest, actor: Actor, inv_id: str) -> HttpResponseBase:
    invitations.revoke(actor, parsed("inv", inv_id))
    messages.success(request, _("The invitation is revoked; its link no longer works."))
    return redirect("people")
