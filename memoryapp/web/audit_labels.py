"""The audit trail's codes in words: actions, kinds of target, outcomes."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

ACTIONS: Mapping[str, str | Promise] = {
    "memory.added": _("Memory added"),
    "memory.updated": _("Memory updated"),
    "memory.edited": _("Memory edited"),
    "memory.refreshed": _("Memory said again"),
    "memory.superseded": _("Memory replaced by a newer one"),
    "memory.forgotten": _("Memory forgotten"),
    "memory.rejected": _("Memory rejected"),
    "memory.restored": _("Memory restored"),
    "memory.confirmed": _("Memory confirmed"),
    "memory.kept": _("Memory kept"),
    "memory.paused": _("Memory paused"),
    "memory.resumed": _("Memory resumed"),
    "memory.expired": _("Memory expired"),
    "memory.delete_proposed": _("Deletion proposed"),
    "memory.noise_dismissed": _("Marked as no noise"),
    "memory.feedback": _("Feedback on a memory"),
    "memory.read": _("Memory read"),
    "memory.listed": _("Memories listed"),
    "memory.searched": _("Memories searched"),
    "memory.injected": _("Memories given to an agent"),
    "memory.batch_forget": _("Several forgotten at once"),
    "memory.batch_restore": _("Several restored at once"),
    "memory.batch_confirm": _("Several confirmed at once"),
    "memory.batch_reject": _("Several rejected at once"),
    "memory.batch_pause": _("Several paused at once"),
    "memory.batch_resume": _("Several resumed at once"),
    "memory.batch_not_noise": _("Several marked as no noise"),
    "messages.accepted": _("Messages received"),
    "run.finished": _("Extraction finished"),
    "run.retried": _("Extraction tried again"),
    "tombstone.lifted": _("Forgetting lifted"),
    "space.learning_paused": _("Learning paused"),
    "space.learning_resumed": _("Learning resumed"),
    "space.using_paused": _("Using paused"),
    "space.using_resumed": _("Using resumed"),
    "tenant.created": _("Organisation created"),
    "key.created": _("API key created"),
    "key.revoked": _("API key revoked"),
    "person.added": _("Person added"),
    "policy.activated": _("Policy activated"),
    "invitation.created": _("Invitation made"),
    "invitation.accepted": _("Invitation accepted"),
    "invitation.revoked": _("Invitation revoked"),
    "login.succeeded": _("Logged in"),
    "login.failed": _("Login failed"),
    "login.refused": _("Login refused: too many attempts"),
    "password.changed": _("Password changed"),
    "password.reset": _("Password set by a mailed link"),
    "password.reset_requested": _("Link for a new password asked for"),
    "audit.export_requested": _("Audit export begun"),
    "audit.exported": _("Audit export finished"),
    "audit.export_downloaded": _("Audit export downloaded"),
}
FAMILIES: Mapping[str, str | Promise] = {
    "memory.": _("Memories"),
    "run.": _("Extraction"),
    "messages.": _("Messages"),
    "tombstone.": _("Forgetting lifted"),
    "space.": _("Pausing"),
    "login.": _("Logins"),
    "password.": _("Passwords"),
    "invitation.": _("Invitations"),
    "person.": _("People"),
    "key.": _("API keys"),
    "policy.": _("Policy"),
    "tenant.": _("Organisation"),
    "audit.": _("Audit trail"),
}
"""What the filter of the page offers: the beginnings of actions."""

TARGETS: Mapping[str, str | Promise] = {
    "memory": _("Memory"),
    "run": _("Extraction"),
    "space": _("Space"),
    "tenant": _("Organisation"),
    "key": _("API key"),
    "membership": _("Membership"),
    "policy": _("Policy"),
    "login": _("Login"),
    "invitation": _("Invitation"),
    "audit_export": _("Audit export"),
}
OUTCOMES: Mapping[str, str | Promise] = {
    "ok": _("Done"),
    "denied": _("Denied"),
    "error": _("Failed"),
}
ACTORS: Mapping[str, str | Promise] = {
    "key": _("Agent"),
    "person": _("Person"),
    "system": _("The service"),
}
AUTOMATA: Mapping[str, str | Promise] = {
    "system": _("the service"),
    "setup": _("set-up"),
    "command": _("command line"),
    "worker": _("worker"),
    "extractor": _("extraction"),
    "housekeeping": _("housekeeping"),
    "vectors": _("embedding"),
    "noise": _("noise scan"),
    "exporter": _("export"),
    "invitation": _("invitation link"),
}
"""References of the system's own actors."""

FIELDS: Mapping[str, str | Promise] = {
    "content": _("text"),
    "kind": _("kind"),
    "status": _("status"),
    "importance": _("importance"),
    "pinned": _("pinned"),
    "expires_at": _("expiry"),
    "review_after": _("review date"),
    "metadata": _("metadata"),
    "pending_reason": _("reason of waiting"),
    "learning_paused": _("learning"),
    "using_paused": _("using"),
}
"""Names of changed fields."""
