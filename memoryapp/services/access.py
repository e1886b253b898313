"""Tenants, people and keys, made with their audit events; what happens to a login, told in each of its tenants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from accounts.actor import ALL_SCOPES, Actor, system_actor
from accounts.keys import new_key
from accounts.lookup import actor_of_seat, seats_of
from accounts.models import ApiKey, Membership, Tenant, User, new_id
from memoryapp import audit
from memoryapp.domain.errors import DomainError
from memoryapp.domain.policy import from_mapping
from memoryapp.models import PolicyVersion
from memoryapp.services.scope import tenant_scope


@dataclass(frozen=True, slots=True)
class NewTenant:
    tenant: Tenant
    actor: Actor


def create_tenant(name: str) -> NewTenant:
    """A tenant of that name; refused when there is one already."""
    tenant = Tenant(id=new_id(), name=name)
    actor = system_actor(tenant.pk, "setup")
    with tenant_scope(actor):
        created = Tenant.objects.bulk_create([tenant], ignore_conflicts=True)
        if not Tenant.objects.filter(pk=created[0].pk).exists():
            raise DomainError("invalid", f"There is a tenant “{name}” already.")
        audit.record(actor, "tenant.created", audit.Target("tenant", (tenant.pk,)))
    return NewTenant(tenant, actor)


def create_key(
    actor: Actor,
    name: str,
    scopes: Sequence[str] = ALL_SCOPES,
    *,
    user_key: str = "",
    agent_id: str = "",
    expires_at: datetime | None = None,
) -> tuple[str, ApiKey]:
    """A key as text, shown once, and its row."""
    if unknown := set(scopes) - set(ALL_SCOPES):
        raise DomainError("invalid", f"Unknown scopes: {', '.join(sorted(unknown))}. Known: {', '.join(ALL_SCOPES)}.")
    text, parts = new_key()
    with tenant_scope(actor):
        row = ApiKey.objects.create(
            tenant_id=actor.tenant_id,
            public_id=parts.public_id,
            secret_hash=parts.secret_hash,
            name=name,
            scopes=list(scopes),
            user_key=user_key,
            agent_id=agent_id,
            expires_at=expires_at,
        )
        audit.record(actor, "key.created", audit.Target("key", (row.pk,)))
    return text, row


def revoke_key(actor: Actor, public_id: str) -> None:
    with tenant_scope(actor):
        row = ApiKey.objects.filter(tenant_id=actor.tenant_id, public_id=public_id).first()
        if row is None:
            raise DomainError("not_found", f"There is no key {public_id}.")
        ApiKey.objects.filter(pk=row.pk, revoked_at=None).update(revoked_at=timezone.now())
        audit.record(actor, "key.revoked", audit.Target("key", (row.pk,)))


def add_person(
    actor: Actor,
    email: str,
    role: str,
    user_key: str = "",
    *,
    password: str | None = None,
    language: str = "",
    name: str = "",
) -> User:
    """A login with a role in the tenant; an existing login only gets the membership."""
    user = User.objects.filter(email=email.strip().lower()).first()
    user = user or User.objects.create_user(email, password, language=language, name=name)
    with tenant_scope(actor):
        seat = Membership.objects.create(tenant_id=actor.tenant_id, user=user, role=role, user_key=user_key)
        audit.record(actor, "person.added", audit.Target("membership", (seat.pk,)), reason=role)
    return user


@dataclass(frozen=True, slots=True)
class SeatView:
    """A person of the tenant as owners and operators see them."""

    email: str
    name: str
    role: str
    user_key: str
    since: datetime
    last_login: datetime | None


def list_people(actor: Actor, most: int = 500) -> tuple[SeatView, ...]:
    """Who belongs to the tenant, oldest first."""
    if not actor.may("admin"):
        raise DomainError("scope_missing", "Only owners and operators see the people of a tenant.")
    with tenant_scope(actor):
        rows = Membership.objects.filter(tenant_id=actor.tenant_id).select_related("user").order_by("created_at", "id")
        return tuple(
            SeatView(r.user.email, r.user.name, r.role, r.user_key, r.created_at, r.user.last_login)
            for r in rows[:most]
        )


def record_for_login(
    user_id: UUID, action: str, *, outcome: str = "ok", reason: str = "", request_id: str = ""
) -> None:
    """One event in each tenant of a login, in the present transaction when there is one."""
    with transaction.atomic():
        for seat in seats_of(user_id):
            actor = actor_of_seat(seat, user_id, request_id)
            with tenant_scope(actor):
                target = audit.Target("login", (user_id,))
                audit.record(actor, action, target, person=seat.user_key, outcome=outcome, reason=reason)


def record_for_email(email: str, action: str, *, outcome: str, reason: str, request_id: str = "") -> None:
    """As `record_for_login`, for an address that somebody typed; an unknown one leaves no trace."""
    user_id = User.objects.filter(email=email.strip().lower()).values_list("pk", flat=True).first()
    if user_id is not None:
        record_for_login(user_id, action, outcome=outcome, reason=reason, request_id=request_id)


def choose_language(user_id: UUID, language: str) -> None:
    """Remember the language in which a person wants pages and mails."""
    User.objects.filter(pk=user_id).update(language=language)


def activate_policy(actor: Actor, settings: Mapping[str, object]) -> PolicyVersion:
    """Put the next version of the tenant's policy in force; impossible settings are refused."""
    with tenant_scope(actor):
        newest = PolicyVersion.objects.filter(tenant_id=actor.tenant_id).order_by("-version").first()
        number = newest.version + 1 if newest else 2
        from_mapping(number, settings)
        row = PolicyVersion.objects.create(tenant_id=actor.tenant_id, version=number, settings=dict(settings))
        audit.record(actor, "policy.activated", audit.Target("policy", (row.pk,)), policy_version=number)
        return row
