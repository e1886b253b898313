from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from memoryapp.embedded_home import find_home
from memoryapp.services import canary


class Command(BaseCommand):
    help = "Look for words in rows, database files, Valkey and our own files. Exit 1 when one is found."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("words", nargs="*", metavar="WORD", help="none: one a line from standard input")
        parser.add_argument("--database-files", type=Path, help="PostgreSQL's data folder (the embedded one's)")
        parser.add_argument("--hex", action="append", default=[], metavar="BYTES", help="further bytes, in hexadecimal")

    def handle(self, *args: Any, **options: Any) -> None:
        words = options["words"] or [line.strip() for line in sys.stdin if line.strip()]
        if not words or min(map(len, words)) < 2:
            raise CommandError("Name words of at least two characters.")
        found = canary.scan(words, database_files=_files(options["database_files"]), raw=_bytes(options["hex"]))
        for one in found:
            hits = "not seen" if one.hits is None else str(one.hits)
            self.stdout.write(f"{hits:>8}  {one.place}{f'  ({one.note})' if one.note else ''}")
        if any(one.hits for one in found):
            raise SystemExit(1)


def _files(named: Path | None) -> Path | None:
    """The folder that was named, else the embedded server's, when there is one."""
    return named or (find_home(settings.MEMORYAPP.data_dir.resolve()).postgres)


def _bytes(texts: list[str]) -> list[bytes]:
    try:
        return [bytes.fromhex(text) for text in texts]
    except ValueError as error:
        raise CommandError("--hex takes pairs of hexadecimal digits.") from error
