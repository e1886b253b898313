"""The cast behind logins: Alice and Bob's colleague roles in one tenant, Charlie in every role next door."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.test import Client

from accounts.models import User
from memoryapp.services import access, audit_trail, changes, erasure, exports, invitations
from memoryapp.services.results import AuditFilter
from tests.cast import Cast, make_cast

PASSWORD = "correct horse battery"
ROLES = ("member", "compliance", "operator", "owner")


@dataclass(frozen=True)
class Stage:
    """The cast, one login for each role on both sides, and Alice's things by the name of their parameter."""

    cast: Cast
    ours: dict[str, User]
    theirs: dict[str, User]
    item: UUID
    export: UUID
    invitation: UUID
    erasure: UUID
    file: UUID


def make_stage() -> Stage:
    cast = make_cast()
    ours = {role: _login(cast.agent, role, "alice" if role == "member" else "", "ours") for role in ROLES}
    theirs = {role: _login(cast.charlie, role, _theirs(role), "theirs") for role in ROLES}
    item, _, _ = changes.add(cast.agent, "alice", changes.NewItem("Plays the cello on Mondays."))
    changes.edit(cast.agent, item.id, {"content": "Plays the cello on Fridays."}, expected_version=None)
    export = audit_trail.start_export(cast.agent, AuditFilter())
    invited, _token = invitations.invite(cast.agent, "dora@example.org", "member", user_key="dora")
    gone, _, _ = changes.add(cast.agent, "alice", changes.NewItem("Sold the old cello."))
    erased = erasure.erase_item(cast.agent, gone.id)
    erasure.run(cast.agent.tenant_id, erased)
    file = exports.start(cast.agent, "alice", "json")
    exports.run(cast.agent.tenant_id, file)
    return Stage(cast, ours, theirs, item.id, export, invited.id, erased, file)


def _theirs(role: str) -> str:
    return {"member": "charlie", "owner": "boss"}.get(role, "")


def _login(actor: Any, role: str, user_key: str, side: str) -> User:
    return access.add_person(actor, f"{role}@{side}.example", role, user_key, password=PASSWORD)


def browser_of(user: User | None) -> Client:
    """A client logged in as that person; anonymous for None."""
    client = Client(headers={"Accept-Language": "en"})
    if user is not None:
        client.force_login(user)
    return client


def alice(stage: Stage) -> Client:
    return browser_of(stage.ours["member"])
