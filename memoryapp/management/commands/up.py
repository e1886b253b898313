from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from memoryapp.command_services import wanted_services
from memoryapp.embedded_home import EmbeddedError
from memoryapp.supervisor import UpOptions, run_up


class Command(BaseCommand):
    help = "Start everything: services, migrations, web, worker and beat. Ctrl-C stops it."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--demo", action="store_true", help="seed two people, staff and an API key")
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on (127.0.0.1)")
        parser.add_argument("--port", type=int, default=8000, help="port to listen on (8000)")
        parser.add_argument("--data-dir", type=Path, help="folder of this instance (DATA_DIR, or .data)")
        parser.add_argument("--workers", type=int, default=2, help="number of web server processes (2)")
        parser.add_argument("--summary", type=Path, metavar="FILE", help="write address and logins as JSON when ready")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["demo"] and settings.MEMORYAPP.production:
            raise CommandError("--demo is refused when ENVIRONMENT=production: it makes accounts with known roles.")
        try:
            run_up(_up_options(options))
        except EmbeddedError as error:
            raise CommandError(str(error)) from error


def _up_options(options: dict[str, Any]) -> UpOptions:
    return UpOptions(
        data_dir=options["data_dir"] or settings.MEMORYAPP.data_dir,
        host=options["host"],
        port=options["port"],
        web_workers=options["workers"],
        demo=options["demo"],
        summary=options["summary"],
        wanted=wanted_services(settings.MEMORYAPP),
    )
