from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.actor import Actor, system_actor
from memoryapp.domain.errors import DomainError
from memoryapp.services import imports, pipeline
from memoryapp.services.histories import History, history_of_line
from memoryapp.services.imports import ImportView
from memoryapp.services.tenants import tenant_named


class Command(BaseCommand):
    help = (
        "Take in a chat history: a JSONL file with one session a line, "
        '{"user_id": …, "session_id": …, "messages": [{"role", "content", "id"?, "name"?, "said_at"?}]}. '
        "Safe to stop and to repeat: what was taken in already is skipped, what was left open is finished."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--tenant", required=True)
        parser.add_argument("--user-id", default="", help="whose sessions they are, where a line does not say")
        parser.add_argument("--budget-tokens", type=int, help="ask the language model for about so many tokens at most")
        parser.add_argument("--dry-run", action="store_true", help="say what would happen and write nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            actor = system_actor(tenant_named(options["tenant"]).pk, "backfill")
            histories = list(sessions_in(options["file"], options["user_id"]))
            if options["dry_run"]:
                self._tell(imports.preview(actor, histories))
                return
            source = hashlib.sha256(options["file"].read_bytes() + options["user_id"].encode()).hexdigest()
            self._tell(self._take_in(actor, source, histories, options["budget_tokens"]))
        except DomainError as error:
            raise CommandError(error.detail) from error
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f"The file cannot be read: {type(error).__name__}.") from error

    def _take_in(self, actor: Actor, source: str, histories: list[History], budget: int | None) -> ImportView:
        """Session by session: take in, extract, say how far it is. Runs of an earlier, stopped attempt come first."""
        job = imports.open_job(actor, source, budget)
        self._extract(actor, imports.unfinished_runs(actor, job))
        for place, history in enumerate(histories, start=1):
            self._extract(actor, imports.take_in(actor, job, history))
            self._progress(place, len(histories))
        return imports.close_job(actor, job)

    def _extract(self, actor: Actor, runs: tuple[UUID, ...]) -> None:
        for run in runs:
            pipeline.extract(actor.tenant_id, run)

    def _progress(self, done: int, total: int) -> None:
        bar = "#" * (30 * done // total)
        ending = "\n" if done == total or not self.stderr.isatty() else ""
        self.stderr.write(f"\r[{bar:<30}] {done}/{total} sessions", ending=ending)
        self.stderr.flush()

    def _tell(self, view: ImportView) -> None:
        self.stdout.write(f"{view.state}: {view.sessions} sessions, {view.messages} messages")
        self.stdout.write(f"  known already: {view.duplicates}; refused: {_listed(view.refused)}")
        self.stdout.write(f"  runs: {view.runs_done} of {view.runs} done, {view.runs_failed} failed")
        self.stdout.write(f"  outcome: {_listed(view.counts)}; skipped: {_listed(view.skipped)}")
        budget = f" of {view.token_budget}" if view.token_budget is not None else ""
        self.stdout.write(f"  tokens: {view.tokens_used}{budget} used, {view.tokens_expected} expected")


def _listed(counts: Any) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(counts.items())) or "none"


def sessions_in(file: Path, person: str) -> Iterator[History]:
    """The sessions of a JSONL file; empty lines are skipped."""
    with file.open(encoding="utf-8") as lines:
        for place, line in enumerate(lines, start=1):
            if line.strip():
                yield history_of_line(line, place, person)
