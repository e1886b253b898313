from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.actor import system_actor
from memoryapp.domain.errors import DomainError
from memoryapp.domain.types import SpaceKind
from memoryapp.retrieval.vector_indexes import read_catalogue
from memoryapp.services import vector_index
from memoryapp.services.tenants import tenant_ids, tenant_named
from memoryapp.services.vector_index import LargeSpace


class Command(BaseCommand):
    help = (
        "Approximate search for spaces above the policy's `exact_up_to` (20,000 items): make an index of one space, drop "
        "it, or say which spaces are that large, what serves them and how much of the exact answer it finds. Spaces "
        "without an index are searched exactly, whatever their size."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("what", choices=["create", "drop", "status"])
        parser.add_argument("--tenant", help="needed to create and drop")
        whose = parser.add_mutually_exclusive_group()
        whose.add_argument("--user-id", help="the person whose space it is")
        whose.add_argument("--project-id", help="the project whose space it is")
        whose.add_argument("--organisation", action="store_true", help="the organisation's own space")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["what"] == "status":
                self._status()
                return
            kind, key = _space(options)
            actor = system_actor(tenant_named(options["tenant"] or "").pk, "command")
            if options["what"] == "create":
                made = vector_index.create(actor, kind, key)
                self.stdout.write(f"{made.name}: {made.items} items, {made.dimensions} numbers of {made.model}")
            else:
                vector_index.drop(actor, kind, key)
                self.stdout.write("dropped; the space is searched exactly")
        except DomainError as error:
            raise CommandError(error.detail) from error

    def _status(self) -> None:
        large = [one for tenant_id in tenant_ids() for one in vector_index.large_spaces(tenant_id)]
        for space in large:
            self.stdout.write(f"{space.tenant_id} {space.space_id}: {space.items} items, {_served(space)}")
        rest = {one.space_id for one in read_catalogue()} - {one.space_id for one in large}
        for space_id in rest:
            self.stdout.write(f"{space_id}: an index that is not used, as the space is small; drop it")
        if not large and not rest:
            self.stdout.write("no space is large; all are searched exactly")


def _space(options: dict[str, Any]) -> tuple[str, str]:
    if options["user_id"]:
        return SpaceKind.PERSON, options["user_id"]
    if options["project_id"]:
        return SpaceKind.PROJECT, options["project_id"]
    if options["organisation"]:
        return SpaceKind.ORGANISATION, ""
    raise CommandError("Name the space: --user-id, --project-id or --organisation.")


def _served(space: LargeSpace) -> str:
    if space.index is None:
        return "searched exactly"
    if not space.index.usable:
        return "searched exactly; its index was left half-made, create it again"
    recall = vector_index.recall_of(space.index)
    return f"index of {space.index.model}, recall@10 {recall.share:.3f} on {recall.sampled} stored vectors"
