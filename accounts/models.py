"""Tenants, the people who log in, what they may do, and the keys of agents."""

from __future__ import annotations

import uuid
from typing import Any, ClassVar

import uuid_utils.compat
from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


def new_id() -> uuid.UUID:
    """A UUIDv7: unique, and sorted by time of creation."""
    return uuid_utils.compat.uuid7()


class Tenant(models.Model):
    """One customer of this installation. Nothing crosses from one tenant to another."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    name = models.CharField(max_length=128, unique=True)
    created_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return self.name


class UserQuerySet(BaseUserManager["User"]):
    """Users by e-mail, compared without case."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> User:
        user = self.model(email=email.strip().lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def get_by_natural_key(self, username: str | None) -> User:
        return self.get(email=(username or "").strip().lower())


class User(AbstractBaseUser, PermissionsMixin):
    """A person who logs in. Belongs to tenants through memberships."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    email = models.EmailField(unique=True)
    name = models.CharField(max_length=128, blank=True)
    language = models.CharField(max_length=16, blank=True)
    is_active = models.BooleanField(default=True)
    created_at = models.DateTimeField(default=timezone.now)

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []
    objects = UserQuerySet()

    def __str__(self) -> str:
        return self.email


class MembershipRole(models.TextChoices):
    MEMBER = "member", _("Member")
    COMPLIANCE = "compliance", _("Compliance")
    OPERATOR = "operator", _("Operator")
    OWNER = "owner", _("Owner")


class Membership(models.Model):
    """What a user may do in a tenant, and which person's memories (external `user_id`) are theirs to see."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=16, choices=MembershipRole.choices, default=MembershipRole.MEMBER)
    user_key = models.CharField(max_length=128, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["tenant", "user"], name="one_membership_per_tenant"),
            # A person's memories belong to one login of the tenant: who sees them is never ambiguous.
            models.UniqueConstraint(
                fields=["tenant", "user_key"], condition=~models.Q(user_key=""), name="one_login_per_person"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.role} {self.user_id}"


class Invitation(models.Model):
    """A signed link by which one e-mail address joins a tenant: once, until `expires_at`, unless revoked before."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="+")
    email = models.EmailField()
    role = models.CharField(max_length=16, choices=MembershipRole.choices, default=MembershipRole.MEMBER)
    user_key = models.CharField(max_length=128, blank=True)
    language = models.CharField(max_length=16, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return str(self.id)


class ApiKey(models.Model):
    """An agent's key: `mk_<public id>_<secret>_<checksum>`. Only the SHA-256 of the secret is kept."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE)
    public_id = models.CharField(max_length=16, unique=True)
    secret_hash = models.BinaryField()
    name = models.CharField(max_length=128)
    scopes = ArrayField(models.CharField(max_length=32))
    user_key = models.CharField(max_length=128, blank=True)
    agent_id = models.CharField(max_length=128, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return self.public_id
