from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.actor import Actor, ActorKind
from memoryapp.management.benchmarks import guard, index, recall, write
from memoryapp.management.benchmarks.given_embedder import give
from memoryapp.management.benchmarks.report import text_of
from memoryapp.management.benchmarks.server import serving
from memoryapp.management.benchmarks.stage import inside, own_services
from memoryapp.management.benchmarks.tenants import SMALL, filling_owners, leaving_owners, load, measured_owners
from memoryapp.management.benchmarks.wsgi_environment import SUPERUSER_URL, add_minimal_databases
from memoryapp.services import access

SIZES = (100, 1_000, 5_000)
LARGEST = 20_000


class Command(BaseCommand):
    help = (
        "Measure reading or writing beside minimal views, in one interleaved run, on a database of its own; or the guard, "
        "in CPU time and without any database."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("what", choices=["recall", "write", "index", "guard"])
        parser.add_argument(
            "--totals",
            default="20000",
            help="memories of all owners together, rising: 20000,100000; for index, of one owner each, above 20000",
        )
        parser.add_argument("--rounds", type=int, default=100, help="calls of every case (100)")
        parser.add_argument("--port", type=int, default=8900, help="port of the measured server (8900)")
        parser.add_argument("--json", action="store_true", help="print the report as JSON")
        parser.add_argument("--inside", type=Path, help="(used by the command itself)")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["what"] == "guard":
            figures = guard.measured(options["rounds"])
            lines = (f"{name:<18} {figure}" for name, figure in figures.items())
            self.stdout.write(json.dumps(figures, ensure_ascii=False) if options["json"] else "\n".join(lines))
            return
        totals = _totals(options["totals"])
        if options["inside"]:
            report = _report(options["what"], totals, options["rounds"], options["port"])
            options["inside"].write_text(json.dumps(report), encoding="utf-8")
            return
        given = (options["what"], "--totals", options["totals"], "--rounds", str(options["rounds"]))
        with own_services() as environment:
            report = inside(environment, (*given, "--port", str(options["port"])))
        self.stdout.write(json.dumps(report, ensure_ascii=False) if options["json"] else text_of(report))


def _totals(text: str) -> list[int]:
    try:
        totals = [int(part) for part in text.split(",")]
    except ValueError as error:
        raise CommandError("--totals takes numbers: 20000,100000") from error
    if totals != sorted(totals) or totals[0] < 10_000:
        raise CommandError("--totals rise and begin at 10000 or above.")
    return totals


def _report(what: str, totals: list[int], rounds: int, port: int) -> dict[str, Any]:
    """Load up to each total and measure there."""
    superuser_url = _prepared()
    made = access.create_tenant("bench")
    key, row = access.create_key(made.actor, "bench")
    actor = Actor(made.tenant.pk, ActorKind.KEY, row.public_id, tuple(row.scopes))
    if what == "index":
        return index.measured(actor, superuser_url, totals, rounds)
    sizes = (*SIZES, LARGEST) if totals[-1] >= 5 * LARGEST else SIZES
    owners = measured_owners(made.tenant.pk, (SMALL, *sizes))
    report: dict[str, Any] = {}
    loaded = 0
    for number, total in enumerate(totals):
        mine = owners if number == 0 else ()
        rest = max(total - loaded - sum(owner.size for owner in mine), 0)
        leaving = leaving_owners(made.tenant.pk, number) if what == "write" else ()
        load(superuser_url, (*mine, *leaving, *filling_owners(rest, number)), seed=number)
        loaded = max(total, loaded)
        with serving(port, key, settings.MEMORYAPP.data_dir) as client:
            if what == "recall":
                report[f"total {total}"] = recall.measured(client, actor, owners, rounds)
                report[f"total {total}"]["cold"] = recall.cold(client, superuser_url, owners)
            else:
                report[f"total {total}"] = write.measured(client, actor, owners[2], leaving, rounds)
        recall.close()
    return report


def _prepared() -> str:
    """Make this process like the measured server; the URL for loading."""
    add_minimal_databases()
    give()
    return os.environ[SUPERUSER_URL]
