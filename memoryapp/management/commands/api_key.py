from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.actor import ALL_SCOPES, system_actor
from accounts.models import Tenant
from memoryapp.domain.errors import DomainError
from memoryapp.services import access
from memoryapp.services.tenants import tenant_named


class Command(BaseCommand):
    help = "Make an API key of a tenant (shown once), or revoke one by its public id."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("tenant")
        parser.add_argument("--name", default="agent")
        parser.add_argument("--scopes", default=",".join(ALL_SCOPES))
        parser.add_argument("--user-id", default="", help="bind the key to one person")
        parser.add_argument("--agent-id", default="")
        parser.add_argument("--revoke", metavar="PUBLIC_ID")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            tenant: Tenant = tenant_named(options["tenant"])
            actor = system_actor(tenant.pk, "command")
            if options["revoke"]:
                access.revoke_key(actor, options["revoke"])
                self.stdout.write("Revoked.")
                return
            scopes = [s.strip() for s in options["scopes"].split(",") if s.strip()]
            text, _ = access.create_key(
                actor, options["name"], scopes, user_key=options["user_id"], agent_id=options["agent_id"]
            )
        except DomainError as error:
            raise CommandError(error.detail) from error
        self.stdout.write(text)
