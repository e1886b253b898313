"""The names by which a person is known: replaced everywhere when everything about them is erased."""

from __future__ import annotations

from uuid import UUID

from django.utils import timezone

from accounts.actor import Actor
from accounts.lookup import seats_of
from accounts.models import ApiKey, Invitation, Membership, User
from memoryapp import audit, keyring
from memoryapp.failpoints import failpoint
from memoryapp.models import AuditExport, AuditSubject, MemoryItem, Run, Session, Space
from memoryapp.services import audit_trail
from memoryapp.services.erasure_steps import Job, Proven
from memoryapp.services.erasure_tables import pointing_at
from memoryapp.services.scope import tenant_scope

ERASED = "erased-"
"""How every name begins that stands for somebody erased."""


def replace_names(actor: Actor, space: Space) -> None:
    """Space, trail, login and bound keys lose the name, in the transaction of the request.

    Whatever is written for that name from now on opens a new space. The trail stays whole: its events refer to a row
    whose name is now a pseudonym of nobody.
    """
    name = space.key
    seats = list(Membership.objects.filter(tenant_id=actor.tenant_id, user_key=name))
    audit_trail.withdraw_naming(actor, name, [str(seat.user_id) for seat in seats])
    audit.record(actor, "person.erased", audit.Target("space", (space.pk,)), person=name)
    _anonymise("user_id", name)
    AuditExport.objects.for_actor(actor).filter(filters__person=name).update(filters={"person": ERASED})
    Invitation.objects.filter(tenant_id=actor.tenant_id, user_key=name).delete()
    for seat in seats:
        _anonymise("person", str(seat.user_id))
        Membership.objects.filter(pk=seat.pk).delete()
        _drop_login(seat.user_id)
    keys = ApiKey.objects.filter(tenant_id=actor.tenant_id, user_key=name)
    keys.filter(revoked_at=None).update(revoked_at=timezone.now())
    keys.update(user_key=keyring.pseudonym(actor.tenant_id, "person", name), name=ERASED)
    Space.objects.filter(pk=space.pk).update(key=_free_name(space), learning_paused=True)


def _anonymise(kind: str, name: str) -> None:
    for subject in AuditSubject.objects.filter(kind=kind, name=name):
        AuditSubject.objects.filter(pk=subject.pk).update(name=f"{ERASED}{subject.pk.hex}")


def _drop_login(user_id: UUID) -> None:
    """The account goes with its last seat; a seat in another tenant keeps it."""
    if not seats_of(user_id):
        User.objects.filter(pk=user_id).delete()


def _free_name(space: Space) -> str:
    """The pseudonym, numbered: the same person may come back and be erased again."""
    name = keyring.pseudonym(space.tenant_id, space.kind, space.key)
    return f"{name}-{Space.objects.filter(kind=space.kind, key__startswith=name).count() + 1}"


def forget_identity(job: Job) -> Proven:
    """The step of the job: whatever else hangs on the space, and the key of the commitments."""
    others = [(m, c) for m, c in pointing_at(Space) if m not in (MemoryItem, Run, Session)]
    with tenant_scope(job.actor):
        job.fence(0)
        for model, column in others:
            model._default_manager.filter(**{column: job.space_id}).delete()
    failpoint("erasure.identity")
    destroyed = keyring.destroy(job.actor.tenant_id, job.space_id, "commitment")
    with tenant_scope(job.actor):
        left = {"commitment_keys": 0 if destroyed else 1}
        left["names"] = Space.objects.filter(pk=job.space_id).exclude(key__startswith=ERASED).count()
        for model, column in pointing_at(Space):
            table = model._meta.db_table
            left[table] = left.get(table, 0) + model._default_manager.filter(**{column: job.space_id}).count()
    return Proven("names replaced by pseudonyms, commitment key destroyed", left)
