from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from memoryapp.domain.errors import DomainError
from memoryapp.services import erasure, restore_safety


class Command(BaseCommand):
    help = "After a restore: forget again what the tombstone file knows and the database lacks. `up` does this itself."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            done = restore_safety.replay()
        except DomainError as error:
            raise CommandError(error.detail) from error
        if done.erasures:
            erasure.run_due()
        if done.stones or done.erasures:
            self.stdout.write(
                f"An older database was restored: {done.stones} tombstones and {done.erasures} erasures put back, "
                f"{done.items} memories forgotten again."
            )
        else:
            self.stdout.write("No tombstone is missing.")
        if done.written:
            self.stdout.write(f"{done.written} lines added to the tombstone file.")
