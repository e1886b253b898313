"""Who stands behind the pseudonymous references of the audit trail, for the eyes of its reader."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from uuid import UUID

from django.db.models import CharField, Q, QuerySet
from django.db.models.functions import Cast

from accounts.actor import ActorKind
from accounts.models import ApiKey, Membership, User
from memoryapp.services.results import AuditRow


def names_of(tenant_id: UUID, rows: Iterable[AuditRow]) -> Mapping[tuple[str, str], str]:
    """(actor kind, reference) → name and prefix of a key, or e-mail of a person. Call inside a tenant scope.

    A reference that leads nowhere any more (a person who was erased) is left out.
    """
    refs = {(row.actor_kind, row.actor) for row in rows}
    keys = ApiKey.objects.filter(
        tenant_id=tenant_id, public_id__in=[ref for kind, ref in refs if kind == ActorKind.KEY]
    )
    found = {(str(ActorKind.KEY), k.public_id): f"{k.name} (mk_{k.public_id})" for k in keys}
    ids = [uuid for kind, ref in refs if kind == ActorKind.PERSON and (uuid := _uuid(ref))]
    for pk, email in _members(tenant_id).filter(pk__in=ids).values_list("pk", "email"):
        found[(str(ActorKind.PERSON), str(pk))] = email
    return found


def refs_named(tenant_id: UUID, text: str) -> Q:
    """Events by the keys whose name, and by the people whose e-mail, contains the text; part of the same statement."""
    keys = ApiKey.objects.filter(tenant_id=tenant_id, name__icontains=text).values("public_id")
    people = _members(tenant_id).filter(email__icontains=text).annotate(ref=Cast("pk", CharField())).values("ref")
    return Q(actor__name__in=keys) | Q(actor__name__in=people)


def _members(tenant_id: UUID) -> QuerySet[User]:
    """Row-level security hides other tenants' memberships, so only people of this one are named."""
    return User.objects.filter(pk__in=Membership.objects.filter(tenant_id=tenant_id).values("user_id"))


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
