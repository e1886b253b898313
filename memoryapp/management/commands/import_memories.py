from __future__ import annotations

import json
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from accounts.actor import system_actor
from memoryapp.domain.bundle import Record, record_of
from memoryapp.domain.errors import DomainError
from memoryapp.services import record_imports
from memoryapp.services.tenants import tenant_named

SECTION = "memories"


class Command(BaseCommand):
    help = (
        "Take in the memories of an export: its ZIP, its JSON document, or its memories.jsonl. Safe to repeat: what is "
        "there already is skipped, what was forgotten stays forgotten, what has the form of an instruction waits."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--tenant", required=True)
        parser.add_argument("--user-id", required=True, help="whose memories they become")
        parser.add_argument("--dry-run", action="store_true", help="say what would happen and write nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        doing = record_imports.foresee if options["dry_run"] else record_imports.take_in
        try:
            actor = system_actor(tenant_named(options["tenant"]).pk, "import_memories")
            taken = doing(actor, options["user_id"], self._records(options["file"]))
        except DomainError as error:
            raise CommandError(error.detail) from error
        for (outcome, reason), count in sorted(Counter((one.outcome, one.reason) for one in taken).items()):
            self.stdout.write(f"{count:>6}  {outcome}{f' ({reason})' if reason else ''}")

    def _records(self, file: Path) -> list[Record]:
        try:
            return records_in(file)
        except (OSError, ValueError, KeyError, TypeError, RecursionError, zipfile.BadZipFile) as error:
            raise CommandError(f"The file cannot be read as an export: {type(error).__name__}.") from error


def records_in(file: Path) -> list[Record]:
    """The memories of an export in one of its machine-readable forms."""
    now = timezone.now()
    return [record_of(entry, place, now) for place, entry in enumerate(_entries(file), start=1)]


def _entries(file: Path) -> list[object]:
    if zipfile.is_zipfile(file):
        with zipfile.ZipFile(file) as archive:
            return _lines(archive.read(f"{SECTION}.jsonl").decode())
    text = file.read_text(encoding="utf-8-sig")
    if file.suffix == ".jsonl":
        return _lines(text)
    entries = json.loads(text)[SECTION]
    if not isinstance(entries, list):
        raise ValueError("no list of memories")
    return entries


def _lines(text: str) -> list[object]:
    """A line ends with a line feed only: texts hold other line breaks as they are."""
    return [json.loads(line) for line in text.split("\n") if line.strip()]
