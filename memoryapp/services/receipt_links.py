"""A link to the receipt of an erasure, for somebody whose login went with it. It opens that receipt and nothing else."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from django.core import signing

from accounts.actor import system_actor
from memoryapp.domain.errors import NotFound
from memoryapp.services import erasure
from memoryapp.services.erasure import ErasureView

SALT = "memoryapp.receipt"
KEPT = timedelta(days=90)
"""How long a link opens its receipt."""


def link_of(tenant_id: UUID, erasure_id: UUID) -> str:
    """The token that stands in the link; signed, without any name in it."""
    return signing.dumps({"t": tenant_id.hex, "e": erasure_id.hex}, salt=SALT)


def by_link(token: str) -> ErasureView:
    """The erasure behind a link. Forged and lapsed links are NotFound alike."""
    try:
        read = signing.loads(token, salt=SALT, max_age=KEPT)
        tenant_id, erasure_id = UUID(hex=read["t"]), UUID(hex=read["e"])
    except (signing.BadSignature, KeyError, TypeError, ValueError) as error:
        raise NotFound from error
    return erasure.erasure(system_actor(tenant_id, "receipt"), erasure_id)
