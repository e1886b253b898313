"""The codes and fixed sentences of erasures and their receipts in words."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from memoryapp.domain.receipts import OUT_OF_SCOPE, Level, LevelState

Words = Mapping[str, str | Promise]

KINDS_OF_ERASURE: Words = {
    "item": _("One memory"),
    "trash": _("The end of the trash period"),
    "source": _("Everything from one source"),
    "person": _("Everything about a person"),
}
LEVELS: Words = {
    "logical": _("Out of use"),
    "derived": _("Deletion from the tables"),
    "physical": _("Deletion from the disk"),
    "backups": _("Backups"),
}
LEVEL_STATES: Words = {
    "done": _("Done"),
    "pending": _("Still to do"),
    "failed": _("Failed"),
    "not_verified": _("Not verified"),
}
MEANINGS: Mapping[tuple[str, str], str | Promise] = {
    (Level.LOGICAL, LevelState.DONE): _("No list, search, prompt or export shows it any more."),
    (Level.LOGICAL, LevelState.PENDING): _("It has left every list; that is still being checked."),
    (Level.DERIVED, LevelState.DONE): _(
        "Texts, versions, evidence, quotes in messages, words, vectors and uses are gone; they were counted again."
    ),
    (Level.DERIVED, LevelState.PENDING): _("Texts and what was made of them are being removed."),
    (Level.DERIVED, LevelState.NOT_VERIFIED): _(
        "All that repeats it is gone and was counted again. A summary or task state that an agent wrote uses many of its "
        "words; whether it says the same, nobody here can decide."
    ),
    (Level.PHYSICAL, LevelState.DONE): _("The tables were written anew: the bytes are out of the database's files."),
    (Level.PHYSICAL, LevelState.PENDING): _(
        "The bytes still lie in the database's files until the tables are written anew, which happens every night."
    ),
    (Level.BACKUPS, LevelState.NOT_VERIFIED): _("Nobody here can look into the operator's backups."),
}
FAILED = _("It could not be proven. The work is tried again; when it has failed for good, start it again.")

STEPS: Words = {
    "hidden": _("Taken out of every list and search"),
    "messages": _("Quotes in stored messages"),
    "working_memory": _("Summaries and task states of conversations"),
    "references": _("Evidence, uses and other rows that name it"),
    "rows": _("The memories and their versions"),
    "documents": _("Messages of the document"),
    "sessions": _("Conversations"),
    "exports": _("Finished exports that hold any of it"),
    "audit_exports": _("Exports of the audit trail that name the person"),
    "identity": _("Name, login and keys"),
    "files": _("The database's files"),
    "backups": _("Backups"),
}
BEYOND: Words = dict(
    zip(
        OUT_OF_SCOPE,
        (
            _("What agents and their model providers received before the erasure and may have kept"),
            _("Dumps, archives of write-ahead files, replicas and snapshots that the operator made"),
            _("Blocks of storage media that the file system has freed but not overwritten"),
            _("Copies of exports that were downloaded before the erasure"),
            _("Logs and traces of programs outside this service"),
            _("Other messages that say the same in other words, until the retention of messages ends"),
            _("Marks without content that keep the erased from coming back"),
            _("Ids and times in the audit trail, which never held content"),
        ),
        strict=True,
    )
)
"""The receipt's sentences about what is out of reach → the same for people."""

SOURCES: Words = {
    "session": _("Conversation"),
    "agent": _("Agent"),
    "import": _("Everything imported"),
    "document": _("Document, web page or tool"),
}


def meaning(level: str, state: str) -> str:
    """What a level's state means, in a sentence."""
    return str(MEANINGS.get((level, state), FAILED))


def counted(what: str, n: int) -> str:
    """A count of the receipt in words; empty for one that this page does not know."""
    words = {
        "items": ngettext("%(n)d memory", "%(n)d memories", n),
        "versions": ngettext("%(n)d version", "%(n)d versions", n),
        "messages": ngettext("%(n)d message", "%(n)d messages", n),
        "sessions": ngettext("%(n)d conversation", "%(n)d conversations", n),
    }
    return words.get(what, "") % {"n": n}
