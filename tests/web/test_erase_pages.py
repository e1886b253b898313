"""Erasing over HTTP, without JavaScript: what would go, the typed phrase, the job, the receipt that ends it."""

from __future__ import annotations

import json
import re
from uuid import UUID

import pytest
import rfc8785
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from django.core import signing
from django.test import Client
from django.urls import reverse
from django.utils.translation import override

from accounts.models import User
from memoryapp.domain.receipts import OUT_OF_SCOPE
from memoryapp.models import Erasure, MemoryItem
from memoryapp.services import access, changes, erasure, receipt_links
from memoryapp.services.ingest import Incoming, accept
from memoryapp.services.scope import tenant_scope
from memoryapp.web.erasure_labels import BEYOND
from tests.cast import Cast, finish, say, texts
from tests.erasure.steps import carried_out, said, waiting
from tests.web.stage import PASSWORD, browser_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def carol(cast: Cast) -> Client:
    return browser_of(access.add_person(cast.agent, "carol@example.org", "compliance", password=PASSWORD))


def page(client: Client, address: str, **query: str) -> str:
    return client.get(address, query).content.decode()


def erase_address(item: UUID) -> str:
    return reverse("erase_memory", args=[f"mem_{item.hex}"])


@pytest.mark.parametrize("phrase", ["erase", "永久删除", "  erase "])
def test_a_memory_is_erased_after_the_phrase_and_ends_in_a_receipt(cast: Cast, alice: Client, phrase: str) -> None:
    item = said(cast, "Remember that I breed Welsummer hens.")
    address = erase_address(item)
    assert address in page(alice, reverse("memory", args=[f"mem_{item.hex}"]))
    assert "Welsummer" in page(alice, address) and "cannot be undone" in page(alice, address)
    begun = alice.post(address, {"confirm": phrase}, follow=True)
    text = begun.content.decode()
    assert "1 of 6 steps" in text and "Refresh" in text and "Download" not in text
    assert texts(cast.agent, "alice") == []
    assert alice.get(address).status_code == 404
    (job,) = waiting(cast.agent)
    assert alice.get(reverse("my_receipt", args=[f"era_{job.hex}"])).status_code == 404
    carried_out(cast.agent, job)
    text = page(alice, reverse("my_erasure", args=[f"era_{job.hex}"]))
    assert "The removal is finished." in text and "Refresh" not in text and "Welsummer" not in text
    found = re.findall(r'level-(\w+)">(?:Done|Still to do|Not verified)<', text)
    assert found == ["done", "done", "pending", "not_verified"]
    assert "They should be gone on <time" in text and "Removed: 1 memory · 1 version<" in text
    assert text.count("<li>", text.index("Out of reach")) == len(OUT_OF_SCOPE)


@pytest.mark.parametrize("phrase", ["", "ERASE!", "yes", "删除"])
def test_without_the_phrase_nothing_is_erased(cast: Cast, alice: Client, phrase: str) -> None:
    item = said(cast, "Remember that I breed Welsummer hens.")
    answer = alice.post(erase_address(item), {"confirm": phrase})
    assert answer.status_code == 422
    assert "That is not the phrase. Nothing was erased." in answer.content.decode()
    assert f'value="{phrase}"' in answer.content.decode()
    assert waiting(cast.agent) == [] and len(texts(cast.agent, "alice")) == 1


def test_what_lies_in_the_trash_is_erased_from_there(cast: Cast, alice: Client) -> None:
    item = said(cast, "Remember that I breed Welsummer hens.")
    changes.forget(cast.agent, item)
    assert erase_address(item) in page(alice, reverse("trash"))
    alice.post(erase_address(item), {"confirm": "erase"})
    assert "The trash is empty." in page(alice, reverse("trash"))
    with tenant_scope(cast.agent):
        assert Erasure.objects.count() == 1


def test_the_downloaded_receipt_verifies_with_the_key_that_stands_on_the_page(cast: Cast, alice: Client) -> None:
    item = said(cast, "Remember that I breed Welsummer hens.")
    alice.post(erase_address(item), {"confirm": "erase"})
    (job,) = waiting(cast.agent)
    carried_out(cast.agent, job)
    answer = alice.get(reverse("my_receipt", args=[f"era_{job.hex}"]))
    assert answer.headers["Content-Disposition"] == f'attachment; filename="era_{job.hex}.json"'
    assert answer.headers["Cache-Control"] == "no-store"
    document = json.loads(answer.content)
    assert document["public_key"] in page(alice, reverse("my_erasure", args=[f"era_{job.hex}"]))
    key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(document["public_key"]))
    key.verify(bytes.fromhex(document["signature"]), rfc8785.dumps(document["receipt"]))
    assert "Welsummer" not in answer.content.decode()


def test_an_erasure_that_failed_is_told_and_tried_again(cast: Cast, alice: Client) -> None:
    job = erasure.erase_item(cast.agent, said(cast, "Remember that I breed Welsummer hens."))
    retry = reverse("retry_erasure", args=[f"era_{job.hex}"])
    assert "not possible in its present status" in alice.post(retry, follow=True).content.decode()
    with tenant_scope(cast.agent):
        Erasure.objects.filter(pk=job).update(state="failed", error_code="database")
    text = page(alice, reverse("my_erasure", args=[f"era_{job.hex}"]))
    assert "The removal could not be finished." in text and retry in text
    assert "It is tried again." in alice.post(retry, follow=True).content.decode()
    assert waiting(cast.agent) == [job]


def test_what_is_kept_is_counted(cast: Cast, alice: Client) -> None:
    assert '<p class="number">0</p><p>Memories' in page(alice, reverse("privacy"))
    said(cast, "Remember that I breed Welsummer hens.", session="yard")
    changes.forget(cast.agent, changes.add(cast.agent, "alice", changes.NewItem("Sold the car."))[0].id)
    changes.add(cast.agent, "bob", changes.NewItem("Likes jazz."))
    text = page(alice, reverse("privacy"))
    assert '<p class="number">2</p><p>Memories' in text and "Active 1 · Forgotten 1" in text
    assert '<p class="number">1</p><p>Conversations' in text and "1 stored message" in text
    assert '<option value="session yard">Conversation yard</option>' in text


def test_everything_about_a_person_goes_with_the_login_and_the_receipt_stays_behind_a_link(
    cast: Cast, alice: Client
) -> None:
    said(cast, "Remember that I breed Welsummer hens.")
    changes.add(cast.agent, "bob", changes.NewItem("Likes jazz."))
    text = page(alice, reverse("erase_me"))
    assert "erase alice" in text and re.search(r"Memories</th><td>1</td>", text)
    refused = alice.post(reverse("erase_me"), {"confirm": "erase bob"})
    assert refused.status_code == 422 and len(texts(cast.agent, "alice")) == 1
    begun = alice.post(reverse("erase_me"), {"confirm": "erase alice"})
    assert begun.status_code == 302
    link = begun.headers["Location"]
    assert not User.objects.filter(email="alice@example.org").exists()
    assert alice.get("/").headers["Location"].startswith("/login")
    stranger = browser_of(None)
    assert "Refresh" in page(stranger, link)
    assert stranger.get(f"{link}/download").status_code == 404
    (job,) = waiting(cast.agent)
    carried_out(cast.agent, job)
    text = page(stranger, link)
    assert "The removal is finished." in text and "for 90 days" in text
    assert not re.search(r"\balice\b|Welsummer", text)
    assert json.loads(stranger.get(f"{link}/download").content)["receipt"]["kind"] == "person"
    assert texts(cast.agent, "bob") == ["Likes jazz."]


def test_a_forged_or_lapsed_link_shows_nothing(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    job = erasure.erase_item(cast.agent, said(cast, "Remember that I breed Welsummer hens."))
    link = receipt_links.link_of(cast.agent.tenant_id, job)
    client = browser_of(None)
    assert client.get(reverse("linked_receipt", args=[link])).status_code == 200
    foreign = receipt_links.link_of(cast.charlie.tenant_id, job)
    other_use = signing.dumps({"t": cast.agent.tenant_id.hex, "e": job.hex}, salt="another")
    for bad in (link[:-2] + "xx", foreign, other_use, "nonsense"):
        assert client.get(reverse("linked_receipt", args=[bad])).status_code == 404
    monkeypatch.setattr(receipt_links, "KEPT", receipt_links.KEPT * 0)
    assert client.get(reverse("linked_receipt", args=[link])).status_code == 404


@pytest.mark.parametrize("source", ["session yard", "agent gardener"])
def test_what_one_source_taught_is_erased_and_the_rest_stays(cast: Cast, alice: Client, source: str) -> None:
    said_there = [Incoming("user", "Remember that I breed Welsummer hens.")]
    finish(cast.agent, accept(cast.agent, "alice", said_there, session="yard", agent_id="gardener"))
    finish(cast.agent, say(cast.agent, "alice", "Remember that I drink green tea.", session="kitchen"))
    assert f'<option value="{source}">' in page(alice, reverse("privacy"))
    text = page(alice, reverse("purge"), source=source)
    assert re.search(r"Memories</th><td>1</td>", text) and f"erase {source}" in text
    assert alice.post(reverse("purge"), {"source": source, "confirm": "erase"}).status_code == 422
    begun = alice.post(reverse("purge"), {"source": source, "confirm": f"erase {source}"}, follow=True)
    assert "Everything from one source" in begun.content.decode()
    (left,) = texts(cast.agent, "alice")
    assert "tea" in left
    (job,) = waiting(cast.agent)
    carried_out(cast.agent, job)
    with tenant_scope(cast.agent):
        assert MemoryItem.objects.filter(space__key="alice").count() == 1
    assert "Everything from one source" in page(alice, reverse("privacy"))


def test_a_source_that_taught_nothing_is_told(cast: Cast, alice: Client) -> None:
    for source in ("session nowhere", "import"):
        text = page(alice, reverse("purge"), source=source)
        assert "Nothing is kept that could be erased here." in text and 'name="confirm"' not in text
    assert alice.get(reverse("purge"), {"source": "weather x"}).status_code == 400


def test_compliance_lists_erasures_and_opens_receipts_without_a_name_or_a_text(
    cast: Cast, alice: Client, carol: Client
) -> None:
    assert "Nothing has been erased." in page(carol, reverse("erasures"))
    item = said(cast, "Remember that I breed Welsummer hens.")
    alice.post(erase_address(item), {"confirm": "erase"})
    (job,) = waiting(cast.agent)
    carried_out(cast.agent, job)
    text = page(carol, reverse("erasures"))
    assert "1 erasure<" in text and "One memory" in text and "Not verified" in text
    receipt = page(carol, reverse("erasure", args=[f"era_{job.hex}"]))
    assert "The removal is finished." in receipt
    assert not re.search(r"\balice\b|Welsummer", text + receipt)
    assert carol.get(reverse("erasure_receipt", args=[f"era_{job.hex}"])).status_code == 200


def test_every_sentence_of_a_receipt_is_said_in_chinese(cast: Cast, alice: Client) -> None:
    job = erasure.erase_item(cast.agent, said(cast, "记住：我养了三只寿光鸡"))
    carried_out(cast.agent, job)
    answer = alice.get(reverse("my_erasure", args=[f"era_{job.hex}"]), headers={"Accept-Language": "zh-CN"})
    text = answer.content.decode()
    with override("zh-hans"):
        assert all(str(sentence) in text for sentence in BEYOND.values())
    words = re.sub(
        r"<[^>]+>|era_\w+|\b[0-9a-f]{32,}\b|JSON|RFC|Ed25519|receipt|signature|alice|Memoryapp",
        " ",
        text[text.index("<main") :],
    )
    assert re.findall(r"\b[A-Za-z]{4,}\b", words) == []
