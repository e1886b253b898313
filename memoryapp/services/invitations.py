"""Invitations by a signed link: made, mailed, revoked, opened, accepted. Each step is audited.

The signature carries the tenant and the id, so that the link opens its own tenant and nothing else; whether it still
holds is decided by the row: once, until `expires_at`, unless revoked.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.contrib.auth.password_validation import validate_password
from django.core import signing
from django.core.exceptions import ValidationError
from django.core.mail import send_mail
from django.core.validators import validate_email
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import override

from accounts.actor import ROLE_SCOPES, Actor, system_actor
from accounts.models import Invitation, Membership, User
from memoryapp import audit
from memoryapp.domain.errors import DomainError, NotFound
from memoryapp.services.scope import tenant_scope

SALT = "memoryapp.invitation"
LIFETIME = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class InvitationView:
    """An invitation as values. `state` is open, accepted, revoked or expired."""

    id: UUID
    tenant_id: UUID
    tenant_name: str
    email: str
    role: str
    user_key: str
    language: str
    created_at: datetime
    expires_at: datetime
    state: str


@dataclass(frozen=True, slots=True)
class NewPerson:
    """What a person who is new here gives when accepting."""

    name: str
    password: str
    language: str


def _may_invite(actor: Actor, role: str) -> None:
    if not actor.may("admin"):
        raise DomainError("scope_missing", "Only owners and operators may invite.")
    if role not in ROLE_SCOPES:
        raise DomainError("invalid", f"Unknown role “{role}”. Known: {', '.join(ROLE_SCOPES)}.")
    if role == "owner" and actor.is_person and actor.role != "owner":
        raise DomainError("owner_only", "Only an owner may invite another owner.")


def invite(
    actor: Actor, email: str, role: str, *, user_key: str = "", language: str = "", lifetime: timedelta = LIFETIME
) -> tuple[InvitationView, str]:
    """An invitation and its token, which is shown or mailed and not kept. An older open one to the address ends."""
    _may_invite(actor, role)
    if role == "member" and not user_key:
        raise DomainError("user_id_missing", "A member sees the memories of one person: name the user_id.")
    address = _address(email)
    with tenant_scope(actor):
        _refuse_taken(actor.tenant_id, address, user_key)
        now = timezone.now()
        _open(actor.tenant_id, now).filter(email=address).update(revoked_at=now)
        row = Invitation.objects.create(
            tenant_id=actor.tenant_id,
            email=address,
            role=role,
            user_key=user_key,
            language=language,
            expires_at=now + lifetime,
        )
        audit.record(actor, "invitation.created", audit.Target("invitation", (row.pk,)), reason=role)
        return _view(row, now), signing.dumps({"t": row.tenant_id.hex, "i": row.pk.hex}, salt=SALT)


def _address(email: str) -> str:
    address = email.strip().lower()
    try:
        validate_email(address)
    except ValidationError as error:
        raise DomainError("invalid_email", "That is no e-mail address.") from error
    return address


def _refuse_taken(tenant_id: UUID, email: str, user_key: str) -> None:
    seats = Membership.objects.filter(tenant_id=tenant_id)
    if seats.filter(user__email=email).exists():
        raise DomainError("member_already", "This address belongs to the organisation already.")
    if user_key and seats.filter(user_key=user_key).exists():
        raise DomainError("user_id_taken", "Another login sees the memories of this user_id already.")


def _open(tenant_id: UUID, now: datetime) -> QuerySet[Invitation]:
    return Invitation.objects.filter(tenant_id=tenant_id, accepted_at=None, revoked_at=None, expires_at__gt=now)


def _view(row: Invitation, now: datetime) -> InvitationView:
    """Expects the tenant to be joined (`select_related`) where there are many."""
    state = "expired" if row.expires_at <= now else "open"
    state = "revoked" if row.revoked_at else state
    return InvitationView(
        id=row.pk,
        tenant_id=row.tenant_id,
        tenant_name=row.tenant.name,
        email=row.email,
        role=row.role,
        user_key=row.user_key,
        language=row.language,
        created_at=row.created_at,
        expires_at=row.expires_at,
        state="accepted" if row.accepted_at else state,
    )


def list_invitations(actor: Actor, most: int = 100) -> tuple[InvitationView, ...]:
    """Newest first."""
    if not actor.may("admin"):
        raise DomainError("scope_missing", "Only owners and operators see invitations.")
    with tenant_scope(actor):
        now = timezone.now()
        rows = Invitation.objects.filter(tenant_id=actor.tenant_id).select_related("tenant").order_by("-id")
        return tuple(_view(row, now) for row in rows[:most])


def revoke(actor: Actor, invitation_id: UUID) -> None:
    """The link stops working. Repeating it, or revoking an accepted one, changes nothing."""
    if not actor.may("admin"):
        raise NotFound
    with tenant_scope(actor):
        rows = Invitation.objects.filter(tenant_id=actor.tenant_id, pk=invitation_id)
        if not rows.exists():
            raise NotFound
        if rows.filter(accepted_at=None, revoked_at=None).update(revoked_at=timezone.now()):
            audit.record(actor, "invitation.revoked", audit.Target("invitation", (invitation_id,)))


def _ids(token: str) -> tuple[UUID, UUID]:
    try:
        read = signing.loads(token, salt=SALT)
        return UUID(hex=read["t"]), UUID(hex=read["i"])
    except (signing.BadSignature, KeyError, TypeError, ValueError) as error:
        raise NotFound from error


def opened(token: str) -> InvitationView:
    """The invitation behind a link that still holds; forged, used, revoked and expired are all NotFound."""
    tenant_id, invitation_id = _ids(token)
    with tenant_scope(system_actor(tenant_id, "invitation")):
        now = timezone.now()
        row = _open(tenant_id, now).filter(pk=invitation_id).first()
        if row is None:
            raise NotFound
        return _view(row, now)


def known(email: str) -> bool:
    """Whether a login with this address exists: then it must prove itself, a link alone does not open it."""
    return User.objects.filter(email=email).exists()


def accept_as_new(token: str, person: NewPerson, request_id: str = "") -> User:
    """Make the login and its seat; refuses an address that is known and a password that is too weak."""
    invitation = opened(token)
    if known(invitation.email):
        raise DomainError("login_exists", "There is a login with this address: log in to join.")
    fresh = User(email=invitation.email, name=person.name, language=person.language)
    try:
        validate_password(person.password, fresh)
    except ValidationError as error:
        raise DomainError("weak_password", "This password is too weak.", {"reasons": error.messages}) from error
    try:
        with transaction.atomic():
            user = User.objects.create_user(
                invitation.email, person.password, name=person.name, language=person.language
            )
            _join(invitation, user, request_id)
    except IntegrityError as error:
        raise DomainError("login_exists", "There is a login with this address: log in to join.") from error
    return user


def accept_as_known(token: str, user_id: UUID, request_id: str = "") -> None:
    """A logged-in person joins with the invited address; another login finds nothing."""
    invitation = opened(token)
    user = User.objects.filter(pk=user_id, email=invitation.email, is_active=True).first()
    if user is None:
        raise NotFound
    _join(invitation, user, request_id)


def _join(invitation: InvitationView, user: User, request_id: str) -> None:
    """Claim the invitation by conditional update, so that two clicks make one seat."""
    actor = replace(system_actor(invitation.tenant_id, "invitation"), request_id=request_id)
    with tenant_scope(actor):
        now = timezone.now()
        if not _open(invitation.tenant_id, now).filter(pk=invitation.id).update(accepted_at=now):
            raise NotFound
        _refuse_taken(invitation.tenant_id, user.email, invitation.user_key)
        seat = Membership.objects.create(
            tenant_id=invitation.tenant_id, user=user, role=invitation.role, user_key=invitation.user_key
        )
        audit.record(actor, "invitation.accepted", audit.Target("invitation", (invitation.id,)), reason=seat.role)
        audit.record(actor, "person.added", audit.Target("membership", (seat.pk,)), reason=seat.role)


def link(token: str, base: str) -> str:
    """The address to open; PUBLIC_URL wins over `base`, the address that the present request came by."""
    return (settings.MEMORYAPP.public_url or base).rstrip("/") + reverse("invitation", args=[token])


def mail_is_configured() -> bool:
    return bool(settings.MEMORYAPP.email_url)


def mail(invitation: InvitationView, address: str) -> None:
    """Send the link in the invited person's language. SMTP faults are raised as they come (OSError, SMTPException)."""
    with override(invitation.language or "en"):
        values = {"invitation": invitation, "address": address}
        subject = " ".join(render_to_string("accounts/invitation_subject.txt", values).split())
        send_mail(subject, render_to_string("accounts/invitation_email.txt", values), None, [invitation.email])
