"""A person takes everything kept about them away as a file: without JavaScript, and before erasing it all."""

from __future__ import annotations

import json
import re
from uuid import UUID

import pytest
from django.test import Client
from django.urls import reverse

from memoryapp.models import MemoryExport
from memoryapp.services import changes, exports
from memoryapp.services.scope import tenant_scope
from tests.cast import Cast
from tests.erasure.steps import said

pytestmark = pytest.mark.django_db


def page(client: Client, address: str) -> str:
    return client.get(address).content.decode()


def begun(cast: Cast) -> UUID:
    with tenant_scope(cast.agent):
        return MemoryExport.objects.get(state="pending").pk


def test_an_export_is_asked_for_watched_and_downloaded(cast: Cast, alice: Client) -> None:
    item = said(cast, "Remember that I breed Welsummer hens.")
    assert f'action="{reverse("start_my_export")}"' in page(alice, reverse("privacy"))
    answer = alice.post(reverse("start_my_export"), {"format": "json"}, follow=True)
    text = answer.content.decode()
    assert "The export has begun." in text and "Refresh" in text and "In the queue" in text
    job = begun(cast)
    address = reverse("my_export", args=[f"exp_{job.hex}"])
    assert alice.get(f"{address}/download").status_code == 400
    line = alice.get(address, headers={"HX-Request": "true"}).content.decode()
    assert line.startswith("<li") and 'hx-trigger="every 1s"' in line
    exports.run(cast.agent.tenant_id, job)
    for where in (address, reverse("privacy")):
        assert f'href="{address}/download"' in page(alice, where) and "hx-trigger" not in page(alice, where)
    file = alice.get(f"{address}/download")
    assert file.headers["Content-Type"] == "application/json" and file.headers["Cache-Control"] == "no-store"
    assert "Welsummer" in json.loads(b"".join(file.streaming_content))["memories"][0]["content"]
    changes.forget(cast.agent, item)
    text = page(alice, address)
    assert "Withdrawn" in text and "forgotten since" in text and "/download" not in text
    refused = alice.get(f"{address}/download")
    assert refused.status_code == 400 and "ask for a new one" in refused.content.decode()


def test_whoever_erases_everything_is_offered_an_export_first(cast: Cast, alice: Client) -> None:
    assert "take it with you" not in page(alice, reverse("erase_me"))
    said(cast, "Remember that I breed Welsummer hens.")
    text = page(alice, reverse("erase_me"))
    assert text.index(reverse("start_my_export")) < text.index("cannot be undone") < text.index('name="confirm"')
    alice.post(reverse("start_my_export"), {"format": "markdown"})
    exports.run(cast.agent.tenant_id, begun(cast))
    assert re.search(r'/privacy/exports/exp_\w+/download"', page(alice, reverse("erase_me")))


def test_a_format_that_does_not_exist_is_refused(cast: Cast, alice: Client) -> None:
    said(cast, "Remember that I breed Welsummer hens.")
    assert alice.post(reverse("start_my_export"), {"format": "docx"}).status_code == 400


def test_the_line_says_what_waits_in_the_trash(cast: Cast, alice: Client) -> None:
    changes.forget(cast.agent, said(cast, "Remember that I breed Welsummer hens."))
    alice.post(reverse("start_my_export"), {"format": "jsonl"})
    exports.run(cast.agent.tenant_id, begun(cast))
    assert "without 1 memory in the trash" in page(alice, reverse("privacy"))
