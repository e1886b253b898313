from __future__ import annotations

from datetime import timedelta
from smtplib import SMTPException
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.actor import ROLE_SCOPES, system_actor
from memoryapp.domain.errors import DomainError
from memoryapp.embedded import running_address
from memoryapp.environment import Environment
from memoryapp.services import invitations
from memoryapp.services.tenants import tenant_named

USUAL = "http://127.0.0.1:8000"
"""Where `up` serves without --host and --port."""


class Command(BaseCommand):
    help = "Invite a person to a tenant by a signed link, which is printed, and mailed when EMAIL_URL is set."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email")
        parser.add_argument("--tenant", required=True, help="name of the tenant")
        parser.add_argument("--role", default="member", choices=sorted(ROLE_SCOPES))
        parser.add_argument("--user-id", default="", help="whose memories this login may see (the tenant's user_id)")
        parser.add_argument("--language", default="", choices=["", *dict(settings.LANGUAGES)])
        parser.add_argument("--days", type=int, default=7, help="how long the link works (7)")
        parser.add_argument(
            "--base", default="", help="address of the pages without PUBLIC_URL (that of the running `up`)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if not 1 <= options["days"] <= 90:
            raise CommandError("--days is 1 to 90.")
        try:
            actor = system_actor(tenant_named(options["tenant"]).pk, "command")
            made, token = invitations.invite(
                actor,
                options["email"],
                options["role"],
                user_key=options["user_id"],
                language=options["language"],
                lifetime=timedelta(days=options["days"]),
            )
        except DomainError as error:
            raise CommandError(error.detail) from error
        address = invitations.link(token, options["base"] or self._base())
        self.stdout.write(f"{made.email} can join until {made.expires_at:%Y-%m-%d %H:%M} UTC:\n{address}")
        if invitations.mail_is_configured():
            self._mail(made, address)

    def _base(self) -> str:
        """Where the pages are, as far as this machine knows."""
        environment: Environment = settings.MEMORYAPP
        running = running_address(environment.data_dir)
        if not running and not environment.public_url:
            self.stderr.write(f"No `up` runs here, so the link begins with {USUAL}. Set PUBLIC_URL, or give --base.")
        return running or USUAL

    def _mail(self, made: invitations.InvitationView, address: str) -> None:
        try:
            invitations.mail(made, address)
        except (OSError, SMTPException) as error:
            raise CommandError(
                f"The mail was not sent ({type(error).__name__}); hand the link over yourself."
            ) from error
        self.stdout.write("Mailed.")
