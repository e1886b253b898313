from __future__ import annotations

import json
import os
import secrets
import time
from pathlib import Path
from typing import Any

import httpx
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.actor import Actor
from memoryapp.demo_conversations import CONVERSATIONS, NOTES, PEOPLE
from memoryapp.domain.errors import DomainError
from memoryapp.services import access, housekeeping
from memoryapp.services.tenants import tenant_named

V1 = {"guard_effects": {"noise": "flag"}}
WAITING_SECONDS = 90


class Command(BaseCommand):
    help = "Seed two people and staff through the running API and worker. Refused in production."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--address", required=True)
        parser.add_argument("--summary-out", type=Path, required=True)

    def handle(self, *args: Any, **options: Any) -> None:
        if settings.MEMORYAPP.production:
            raise CommandError("The demo is refused when ENVIRONMENT=production.")
        try:
            tenant_named("demo")
        except DomainError:
            summary = self._seed(options["address"])
        else:
            summary = {"tenant": "demo", "api_key": "", "users": []}
            self.stdout.write("The demo is there already; its logins were printed when it was made.")
        descriptor = os.open(options["summary_out"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w") as file:
            json.dump(summary, file)

    def _seed(self, address: str) -> dict[str, Any]:
        made = access.create_tenant("demo")
        key, _ = access.create_key(made.actor, "demo agent")
        users = [_person(made.actor, *person) for person in PEOPLE]
        access.activate_policy(made.actor, V1)
        with httpx.Client(base_url=f"{address}/api/v1", headers={"Authorization": f"Bearer {key}"}) as client:
            for conversation in CONVERSATIONS:
                _converse(client, conversation)
            for note in NOTES:
                client.post("/memories", json=note).raise_for_status()
        access.activate_policy(made.actor, {})
        flagged = housekeeping.scan_noise(made.tenant.pk)
        self.stdout.write(f"Seeded two people; {flagged} memories look like noise.")
        return {"tenant": "demo", "api_key": key, "users": users}


def _person(actor: Actor, user_id: str, email: str, role: str, language: str, name: str) -> dict[str, str]:
    password = secrets.token_urlsafe(9)
    access.add_person(actor, email, role, user_id, password=password, language=language, name=name)
    return {"user_id": user_id, "email": email, "password": password, "role": role, "language": language}


def _converse(client: httpx.Client, conversation: dict[str, Any]) -> None:
    """Send one conversation and wait until the worker has finished its run."""
    event = client.post("/memories", json=conversation).raise_for_status().json()
    if event.get("door") != "cue":
        return
    end = time.monotonic() + WAITING_SECONDS
    while time.monotonic() < end:
        state = client.get(f"/events/{event['event_id']}").raise_for_status().json()["status"]
        if state in ("succeeded", "failed"):
            return
        time.sleep(0.2)
    raise CommandError("A demo conversation was not finished in time; look at the worker's lines in the log.")
