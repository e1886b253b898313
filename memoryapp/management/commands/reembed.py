from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError, CommandParser

from memoryapp.domain.errors import DomainError, ProviderError
from memoryapp.services import reembedding
from memoryapp.services.embedding_choice import answering
from memoryapp.services.reembedding import Change
from memoryapp.services.tenants import tenant_ids, tenant_named


class Command(BaseCommand):
    help = (
        "Change the embedding model without a gap: set NEXT_EMBEDDING_… beside EMBEDDING_… for all processes, then run "
        "this. Vectors of the new model are made beside the old ones, which answer until all are there. Safe to stop "
        "and to repeat. Afterwards --rollback, or --finish and the new settings as EMBEDDING_…."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--tenant", help="only this one")
        parser.add_argument("--accept-missing", action="store_true", help="switch although some texts were refused")
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--status", action="store_true", help="which model answers, and how far the change is")
        what.add_argument("--rollback", action="store_true", help="let the old model answer again")
        what.add_argument("--finish", action="store_true", help="drop the vectors of the model that does not answer")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            tenants = [tenant_named(options["tenant"]).pk] if options["tenant"] else tenant_ids()
            action = self._action(options)
            for tenant_id in tenants:
                self._tell(tenant_id, action(tenant_id))
        except ProviderError as error:
            raise CommandError(f"{error.detail} What is made is kept: run the command again, it goes on.") from error
        except DomainError as error:
            raise CommandError(error.detail) from error

    def _action(self, options: dict[str, Any]) -> Callable[[UUID], Change | None]:
        if options["status"]:
            return reembedding.change_of
        if options["rollback"]:
            return self._where_changed(lambda one: reembedding.roll_back(one, self._progress))
        if options["finish"]:
            return self._where_changed(reembedding.finish)
        accept = options["accept_missing"]
        return lambda one: reembedding.carry_out(one, self._progress, accept_missing=accept)

    def _where_changed(self, action: Callable[[UUID], Change]) -> Callable[[UUID], Change | None]:
        """Tenants that were made after the change have nothing to take back or to drop."""
        return lambda one: action(one) if reembedding.change_of(one) is not None else None

    def _progress(self, made: int, items: int) -> None:
        bar = "#" * (30 * made // max(items, 1))
        ending = "\n" if made == items or not self.stderr.isatty() else ""
        self.stderr.write(f"\r[{bar:<30}] {made}/{items} memories", ending=ending)
        self.stderr.flush()

    def _tell(self, tenant_id: UUID, change: Change | None) -> None:
        searched = answering(tenant_id).model
        if change is None:
            self.stdout.write(f"{tenant_id}: {searched} answers")
        else:
            self.stdout.write(
                f"{tenant_id}: {change.answering} answers; {change.from_model} → {change.to_model} is {change.state}, "
                f"{change.made} of {change.items} memories have the new vector"
            )
        for one in reembedding.held(tenant_id):
            place = "searched" if one.model == searched else "kept beside"
            self.stdout.write(f"  {one.count} vectors of {one.model or 'no model'}, {one.dimensions} numbers, {place}")
