from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.actor import system_actor
from memoryapp.domain.errors import DomainError
from memoryapp.services import dictionary
from memoryapp.services.tenants import tenant_named


class Command(BaseCommand):
    help = (
        "A tenant's own words (products, people), which word search keeps whole: show, add or remove some, or load all "
        "from a file with one word a line. Stored memories are cut anew at once."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("what", choices=["show", "add", "remove", "load"])
        parser.add_argument("words", nargs="*", help="words to add or remove, or the file to load")
        parser.add_argument("--tenant", required=True)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            actor = system_actor(tenant_named(options["tenant"]).pk, "command")
            present = dictionary.view(actor).words
            if options["what"] == "show":
                self.stdout.write("\n".join(present) or f"The dictionary of {options['tenant']} is empty.")
                return
            view = dictionary.replace(actor, _wanted(options["what"], options["words"], present))
            written = dictionary.make_terms(actor.tenant_id)
        except DomainError as error:
            raise CommandError(error.detail) from error
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f"The file cannot be read: {type(error).__name__}.") from error
        self.stdout.write(f"revision {view.revision}: {len(view.words)} words; {written} memories cut anew")


def _wanted(what: str, given: list[str], present: tuple[str, ...]) -> list[str]:
    if not given:
        raise CommandError("Name the words, or the file to load.")
    if what == "load":
        lines = Path(given[0]).read_text(encoding="utf-8").splitlines()
        return [line for line in lines if line.strip()]
    if what == "add":
        return [*present, *given]
    gone = {dictionary.folded(word) for word in given}
    return [word for word in present if dictionary.folded(word) not in gone]
