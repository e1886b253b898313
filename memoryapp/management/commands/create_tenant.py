from __future__ import annotations

import json
import secrets
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from memoryapp.domain.errors import DomainError
from memoryapp.services import access


class Command(BaseCommand):
    help = "Make a tenant with an owner and an API key; each secret is shown once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")
        parser.add_argument("--json", action="store_true", help="print tenant, api_key and users as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            made = access.create_tenant(options["name"])
        except DomainError as error:
            raise CommandError(error.detail) from error
        key, _ = access.create_key(made.actor, "first key")
        password = secrets.token_urlsafe(12)
        email = f"owner@{made.tenant.pk.hex[-12:]}.example"
        access.add_person(made.actor, email, "owner", "owner", password=password)
        user = {"user_id": "owner", "email": email, "password": password, "role": "owner", "language": "en"}
        summary = {"tenant": options["name"], "api_key": key, "users": [user]}
        if options["json"]:
            self.stdout.write(json.dumps(summary))
            return
        self.stdout.write(f"Tenant {options['name']}\nAPI key {key}\nOwner {email} / {password}")
