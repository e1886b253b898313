from __future__ import annotations

from types import ModuleType
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from memoryapp.management.evaluation import recall, write

SUBCOMMANDS: dict[str, ModuleType] = {"write": write, "recall": recall}


class Command(BaseCommand):
    help = "Measure the service on case files, in scratch tenants that are gone afterwards."

    def add_arguments(self, parser: CommandParser) -> None:
        subparsers = parser.add_subparsers(dest="subcommand", required=True)
        for name, module in SUBCOMMANDS.items():
            module.add_arguments(subparsers.add_parser(name, help=module.HELP))

    def handle(self, *args: Any, **options: Any) -> None:
        SUBCOMMANDS[options["subcommand"]].run(options, self.stdout)
