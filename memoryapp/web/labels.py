"""The domain's codes in words for people, in both languages. A test asks for words for every code there is."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from memoryapp.web.audit_labels import ACTORS
from memoryapp.web.guard_labels import GUARD

__all__ = ["ACTORS", "label"]

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
}
WORK: Labels = {
    "pending": _("In the queue"),
    "running": _("Running"),
    "succeeded": _("Succeeded"),
    "failed": _("Failed"),
    "withdrawn": _("Withdrawn"),
    "expired": _("Ended"),
}
FORMATS: Labels = {
    "jsonl": _("ZIP with JSON Lines (for machines)"),
    "json": _("One JSON document"),
    "markdown": _("Markdown (for reading)"),
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
SENSITIVITIES: Labels = {
    "normal": _("Ordinary"),
    "personal": _("Personal"),
    "confidential": _("Confidential"),
    "restricted": _("Restricted"),
}
SPEAKERS: Labels = {
    "user": _("You"),
    "assistant": _("Assistant"),
    "system": _("System"),
    "tool": _("Tool"),
    "web": _("Web page"),
    "document": _("Document"),
    "api": _("An agent, through its key"),
}
EXTRACTORS: Labels = {
    "rules": _("found by rules"),
    "llm": _("found by a language model"),
    "verbatim": _("given word for word"),
}
PURPOSES: Labels = {
    "search": _("Found in a search"),
    "context": _("Put into a prompt"),
    "preview": _("Looked at in the preview"),
    "note": _("Feedback"),
}
FEEDBACK: Labels = {
    "helpful": _("Helpful"),
    "wrong": _("Wrong"),
    "outdated": _("Out of date"),
}
CHANGES: Labels = {
    "added": _("Added"),
    "updated": _("Updated"),
    "edited": _("Edited"),
    "refreshed": _("Said again"),
    "superseded": _("Replaced by a newer one"),
    "forgotten": _("Forgotten"),
    "rejected": _("Rejected"),
    "restored": _("Restored"),
    "confirmed": _("Confirmed"),
    "kept": _("Kept"),
    "paused": _("Paused"),
    "resumed": _("Resumed"),
    "expired": _("Expired"),
    "delete_proposed": _("Deletion proposed"),
    "archived": _("Archived"),
    "merged": _("Merged"),
    "merged_away": _("Merged into another"),
    "promoted": _("Confirmed by being said again"),
    "conflict_raised": _("Contradiction found"),
    "kept_both": _("Both kept"),
    "snoozed": _("Put off"),
    "unsnoozed": _("Taken up again"),
    "unconfirmed": _("Confirmation taken back"),
}
WAITING: Labels = {
    "to_confirm": _("To confirm"),
    "conflict": _("Conflicts"),
    "noise": _("Noise"),
    "quarantined": _("Quarantined"),
    "expiring": _("Expiring"),
}
LEFT_OUT: Labels = {
    "visible": _("It stands in the conversation already"),
    "duplicate": _("Another line says the same"),
    "overridden": _("A more specific one applies here"),
    "quota": _("There are enough of its kind"),
    "over_limit": _("The list is full"),
    "suspected_noise": _("Suspected noise"),
    "given_before": _("Given before in this conversation"),
    "budget": _("There is no room left in the prompt"),
}
NEEDED: Labels = {
    "empty_library": _("Nothing is remembered yet."),
    "empty_query": _("No question was asked."),
    "acknowledgement": _("A mere thanks or yes needs no memory."),
    "small_library": _("There are few memories: all of them are taken, without a search."),
    "search": _("Memories were searched for this question."),
    "signal.past": _("The question is about something earlier."),
    "signal.recall": _("The question asks what is remembered."),
    "signal.continue": _("The question goes on with something."),
    "signal.habit": _("The question is about habits and preferences."),
    "signal.possession": _("The question is about something of yours."),
}
REASONS: Labels = {
    **GUARD,
    "untrusted_source": _("Not your own direct words: from a tool, a web page, a document, an import or somebody else"),
    "unsupported": _("No one said this in the conversation"),
    "language": _("It is in another language than what was said"),
    "low_confidence": _("Not certain enough"),
    "below_threshold": _("Not certain enough"),
    "unparsed_request": _("It sounds like a request to remember"),
    "faint_forget": _("It may not be what was meant to be forgotten"),
    "delete_unasked": _("Deletion was proposed, but not plainly asked for"),
    "tombstoned": _("It was forgotten before"),
    "similar_to_deleted": _("Similar to something you deleted"),
    "duplicate": _("It is remembered already"),
    "duplicate_of": _("It is remembered already"),
    "superseded": _("It replaced an older statement"),
    "rest_of_forgotten": _("What is left of a memory of which a part was to be forgotten"),
    "promoted": _("It was said again and is confirmed by that"),
    "conflict": _("It contradicts another memory"),
    "already_known": _("It is remembered already"),
    "same_subject": _("It says something new of the same subject"),
    "explicit_forget": _("You asked to forget it"),
    "explicit_repeat": _("You said it again"),
    "planned_anew": _("The memories changed meanwhile; it was looked at again"),
    "erased": _("It was erased for good"),
    "memory_forgotten": _("Something in it was forgotten since; ask for a new one"),
    "source_erased": _("Something in it was erased since; ask for a new one"),
    "person_erased": _("It named somebody whose data was erased since; ask for a new one"),
    "export_withdrawn": _("Something in this export was forgotten or erased since; ask for a new one"),
    "export_expired": _("The time of this export is over; ask for a new one"),
    "storage": _("There was no room on the disk, or it could not be written"),
    "restore": _("It was restored"),
    "worker_lost": _("The work was interrupted too often"),
    "database": _("The database did not answer; it is tried again"),
    "confirmation_required": _("It has to be confirmed first"),
    "idempotency_running": _("The same request is still at work"),
    "idempotency_mismatch": _("The key was used for another request"),
    "rate_limited": _("Too many requests"),
    "masked": _("A secret in it was masked"),
    "no_text": _("There was no text"),
    "no_user_text": _("You said nothing yourself"),
    "no_explicit_statement": _("No explicit statement was found; rules find only those"),
    "ephemeral": _("It was about the moment only, nothing lasting"),
    "budget": _("What the language model may cost here was used up"),
    "nothing_durable": _("There was nothing lasting to keep"),
    "temporary": _("The conversation was temporary"),
    "learning_paused": _("Learning is paused"),
    "do_not_store": _("You asked not to keep it"),
    "perhaps_unwanted": _("You may have asked not to keep it"),
    "owner_asked_not_to": _("It is of a topic that you asked not to keep"),
    "truncated": _("A long text was cut"),
    "embedding": _("It cannot be found by meaning yet; that follows by itself"),
    "unrelated_target": _("Meant for a memory it has nothing to do with"),
    "one_operation_per_id": _("Two changes to one memory at once"),
    "too_many_operations": _("Too many changes at once"),
    "unknown_id": _("It named a memory that was not shown"),
    "malformed_operation": _("A part of the model's answer could not be read"),
    "llm_parse": _("The model's answer could not be read"),
    "llm_auth": _("The language model refused the key"),
    "llm_rejected": _("The language model refused the request"),
    "llm_rate_limited": _("The language model is busy; it is tried again"),
    "llm_unavailable": _("The language model did not answer; it is tried again"),
    "llm_timeout": _("The language model took too long"),
    "embedding_auth": _("The embedding service refused the key"),
    "embedding_rejected": _("The embedding service refused the request"),
    "embedding_rate_limited": _("The embedding service is busy; it is tried again"),
    "embedding_unavailable": _("The embedding service did not answer; it is tried again"),
    "embedding_timeout": _("The embedding service took too long"),
    "embedding_dimensions": _("The embedding model changed its size"),
    "embedding_invalid": _("The embedding service's answer could not be read"),
    "rerank_invalid": _("The reranker's answer could not be read"),
    "rejudge_exhausted": _("The memories changed too often meanwhile"),
    "guard_refused": _("This text may not be stored"),
    "stale_version": _("It was changed meanwhile"),
    "invalid_transition": _("That is not possible in its present status"),
    "not_found": _("It is no longer there"),
    "invalid": _("The request was not understood"),
    "invalid_message": _("A message could not be read"),
    "unknown_field": _("The request names an unknown field"),
    "unknown_filter": _("The request names an unknown filter"),
    "user_required": _("It does not say for whom"),
    "user_not_allowed": _("It is another person's"),
    "scope_missing": _("Your role may not do this"),
    "too_large": _("The text is too large"),
    "invalid_policy": _("The policy cannot be read"),
    "too_many_attempts": _("Too many attempts"),
    "wrong_password": _("Wrong password"),
    "helpful": _("Helpful"),
    "wrong": _("Wrong"),
    "outdated": _("Out of date"),
}
ROLES: Labels = {
    "member": _("Member"),
    "compliance": _("Compliance"),
    "operator": _("Operator"),
    "owner": _("Owner"),
}
INVITATIONS: Labels = {
    "open": _("Open"),
    "accepted": _("Accepted"),
    "revoked": _("Revoked"),
    "expired": _("Expired"),
}
INVITING: Labels = {
    "invalid": _("This role is not known."),
    "invalid_email": _("That is no e-mail address. It looks like name@example.org."),
    "member_already": _("This person belongs to the organisation already."),
    "user_id_missing": _("A member sees the memories of one person: fill in the user_id."),
    "user_id_taken": _("Another login shows the memories of this user_id already. Choose another, or leave it empty."),
    "owner_only": _("Only an owner may invite another owner."),
    "login_exists": _("There is a login with this address already. Log in to join."),
    "weak_password": _("This password is too weak."),
}
OTHER = _("Another reason")
AUDIT_REASONS: Labels = {**REASONS, **DOORS, **ROLES}
"""What stands beside an action in the trail: a door, a role or a reason."""


def label(labels: Labels, code: str, default: str = "") -> str:
    """A code in words; one without words by its class ("noise.x" as noise), else as `default` or as another reason."""
    if not code:
        return ""
    found = labels.get(code) or labels.get(code.partition(".")[0]) or labels.get(code.partition(":")[0])
    return str(found) if found else default or str(OTHER)
