"""The domain's codes in words for people. An unknown code is shown with its underscores as blanks."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

Labels = Mapping[str, str | Promise]

KINDS: Labels = {
    "profile": _("Profile"),
    "preference": _("Preference"),
    "instruction": _("Instruction"),
    "decision": _("Decision"),
    "project": _("Project"),
    "lesson": _("Lesson"),
    "event": _("Event"),
    "note": _("Note"),
}
STATUSES: Labels = {
    "pending": _("Pending"),
    "active": _("Active"),
    "paused": _("Paused"),
    "superseded": _("Superseded"),
    "expired": _("Expired"),
    "archived": _("Archived"),
    "forgotten": _("Forgotten"),
    "running": _("Running"),
    "succeeded": _("Succeeded"),
    "failed": _("Failed"),
}
DOORS: Labels = {
    "cue": _("Explicit request"),
    "idle": _("After the conversation"),
    "manual": _("Added by hand"),
    "import": _("Import"),
    "consolidation": _("Consolidation"),
}
SECTIONS: Labels = {
    "added": _("Learnt"),
    "updated": _("Updated"),
    "deleted": _("Forgotten"),
    "pending": _("Waiting for you"),
    "skipped": _("Not kept"),
    "failed": _("Failed"),
}
REASONS: Labels = {
    "secret": _("It holds a password or key"),
    "holds_secret": _("It holds a password or key"),
    "credential": _("It holds a password or key"),
    "untrusted_source": _("It came from a tool, a web page or a document"),
    "unsupported": _("No one said this in the conversation"),
    "language": _("It is in another language than what was said"),
    "low_confidence": _("Not certain enough"),
    "below_threshold": _("Not certain enough"),
    "delete_unasked": _("Deletion was proposed, but not asked for"),
    "tombstoned": _("It was forgotten before"),
    "similar_to_deleted": _("Similar to something you deleted"),
    "duplicate": _("It is remembered already"),
    "duplicate_of": _("It is remembered already"),
    "no_text": _("There was no text"),
    "nothing_durable": _("There was nothing lasting to keep"),
    "temporary": _("The conversation was temporary"),
    "learning_paused": _("Learning is paused"),
    "do_not_store": _("You asked not to keep it"),
    "personal": _("It is personal"),
    "personal_numbers": _("It holds personal numbers"),
    "restricted": _("It is too sensitive to keep"),
    "prompt_injection": _("It tries to give orders to the assistant"),
    "assistant_echo": _("It repeats what the assistant said"),
    "too_short": _("Too short to be useful"),
    "too_long": _("Too long for one fact"),
    "one_operation_per_id": _("Two changes to one memory at once"),
    "unknown_id": _("It named a memory that was not shown"),
    "llm_parse": _("The model's answer could not be read"),
    "guard_refused": _("This text may not be stored"),
    "stale_version": _("It was changed meanwhile"),
    "invalid_transition": _("That is not possible in its present status"),
    "question": _("A question, not a fact"),
    "greeting": _("A greeting or thanks"),
    "small_talk": _("Small talk"),
    "log": _("Machine output"),
    "stack_trace": _("Machine output"),
    "code": _("Program text"),
    "transient": _("Only of passing interest"),
    "vague": _("Too vague to be useful"),
}
ROLES: Labels = {
    "member": _("Member"),
    "compliance": _("Compliance"),
    "operator": _("Operator"),
    "owner": _("Owner"),
}


def label(labels: Labels, code: str) -> str:
    return str(labels.get(code, code.replace("_", " ")))
