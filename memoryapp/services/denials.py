"""What a known key was denied, for the audit trail."""

from __future__ import annotations

from collections.abc import Sequence

from accounts.actor import Actor
from memoryapp import audit
from memoryapp.domain.errors import NotFound
from memoryapp.domain.public_ids import parsed
from memoryapp.services.scope import tenant_scope

DENIALS = frozenset({"scope_missing", "user_not_allowed", "not_found"})
KINDS = {"mem": "memory", "evt": "run", "ses": "session", "exp": "audit_export", "imp": "import", "era": "erasure"}
KINDS |= {"job": "job"}


def note(actor: Actor, code: str, names: Sequence[str] = ()) -> None:
    """One event `request.denied` with the ids that stood in the address. Commits before it is on disk, like a read."""
    kind, ids = "request", []
    for name in names:
        prefix = name.partition("_")[0]
        if prefix not in KINDS:
            continue
        try:
            ids.append(parsed(prefix, name))
        except NotFound:
            continue
        kind = KINDS[prefix]
    with tenant_scope(actor, durable_read=False):
        audit.record(actor, "request.denied", audit.Target(kind, tuple(ids)), outcome="denied", reason=code)
