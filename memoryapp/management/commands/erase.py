from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from memoryapp.services import erasure, physical_erasure


class Command(BaseCommand):
    help = "Carry out erasures that are due; with --physical, write the tables anew so that old bytes leave the files."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--physical", action="store_true", help="rewrite the tables and update the receipts")
        parser.add_argument("--always", action="store_true", help="rewrite even when no erasure waits for it")
        parser.add_argument(
            "--lock-seconds",
            type=float,
            default=physical_erasure.LOCK_SECONDS,
            help="longest time that a table may be closed to readers (2)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        done = erasure.run_due()
        self.stdout.write(f"{done} erasures carried out")
        if options["physical"]:
            self._rewrite(options["lock_seconds"], always=options["always"])

    def _rewrite(self, lock_seconds: float, *, always: bool) -> None:
        outcome = physical_erasure.rewrite(lock_seconds=lock_seconds, always=always)
        for table in outcome.tables:
            self.stdout.write(f"{'pending' if table.reason else 'rewritten':<10}{table.table}  {table.reason}".rstrip())
        if outcome.wal:
            self.stdout.write(f"write-ahead log: {outcome.wal}")
        self.stdout.write(f"{outcome.receipts} receipts updated")
        if not outcome.complete:
            raise CommandError(
                "Some tables are pending and the receipts say so. Try again in a quiet hour, with a larger --lock-seconds."
            )
