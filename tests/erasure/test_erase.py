"""Erasing one item: gone at once, removed by the job, proven, and told by a signed receipt."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from uuid import UUID

import psycopg
import pytest
import rfc8785
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from django.db import connection
from django.utils import timezone

from memoryapp.domain.errors import DomainError, NotFound
from memoryapp.models import Erasure, MemoryItem, Message
from memoryapp.services import changes, erasure, events, housekeeping, memories, recall
from memoryapp.services.erasure import ErasureView
from memoryapp.services.erasure_tables import pointing_at_items
from memoryapp.services.scope import tenant_scope
from tests.cast import Cast, finish, make_cast, only, say, texts
from tests.erasure.steps import carried_out, said, waiting

pytestmark = pytest.mark.django_db


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


def everywhere(cast: Cast, word: str) -> list[str]:
    """Tables of the tenant that hold a word in any column."""
    found: list[str] = []
    with tenant_scope(cast.agent), connection.cursor() as cursor:
        cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename LIKE 'memoryapp_%%'")
        for (table,) in cursor.fetchall():
            cursor.execute(f"SELECT count(*) FROM {table} t WHERE strpos(t::text, %s) > 0", [word])
            if cursor.fetchone()[0]:
                found.append(table)
    return found


def test_an_erased_item_is_gone_at_once_and_every_door_to_it_says_not_found(cast: Cast) -> None:
    item = said(cast, "记住：我在霜叶街开了一家面包店")
    erasure.erase_item(cast.agent, item)
    assert texts(cast.agent, "alice") == []
    assert texts(cast.agent, "alice", trash=True) == []
    assert recall.search(cast.agent, "alice", "面包店") == ()
    for call in (memories.item, memories.history, memories.evidence, changes.forget, changes.restore):
        with pytest.raises(NotFound):
            call(cast.agent, item)
    with pytest.raises(NotFound):
        erasure.erase_item(cast.agent, item)
    with pytest.raises(NotFound):
        changes.edit(cast.agent, item, {"kind": "note"}, expected_version=None)


def test_after_the_job_no_table_holds_the_text(cast: Cast) -> None:
    item = said(cast, "Remember that I keep bees in Quillfeather Lane.")
    changes.edit(cast.agent, item, {"content": "Keeps forty Quillfeather bees"}, expected_version=None)
    recall.search(cast.agent, "alice", "bees")
    assert len(everywhere(cast, "Quillfeather")) >= 3
    view = carried_out(cast.agent, erasure.erase_item(cast.agent, item))
    assert everywhere(cast, "Quillfeather") == []
    assert everywhere(cast, "quillfeather") == []
    assert (view.state, view.items_done) == ("succeeded", 1)
    with tenant_scope(cast.agent):
        assert not MemoryItem.objects.filter(pk=item).exists()
        assert not any(m._default_manager.filter(**{c: item}).exists() for m, c in pointing_at_items())


def test_the_rest_of_a_message_stays_readable_and_so_does_what_else_was_learnt_from_it(cast: Cast) -> None:
    finish(cast.agent, say(cast.agent, "alice", "记住：我对花粉过敏。记住：我养了一只叫墨点的猫"))
    (pollen,) = [i.id for i in memories_of(cast) if "花粉" in i.content]
    carried_out(cast.agent, erasure.erase_item(cast.agent, pollen))
    assert everywhere(cast, "花粉") == []
    (cat,) = texts(cast.agent, "alice")
    assert "墨点" in cat
    with tenant_scope(cast.agent):
        assert "墨点" in Message.objects.get().text


def memories_of(cast: Cast) -> tuple[memories.ItemView, ...]:
    return memories.list_items(cast.agent, "alice", memories.ListFilter()).items


def test_an_agents_echo_of_the_text_is_blanked_too(cast: Cast) -> None:
    item = said(cast, "Remember that I collect Zephyrine stamps.")
    say(cast.agent, "alice", "Noted: I collect Zephyrine stamps, is that right?", role="assistant")
    carried_out(cast.agent, erasure.erase_item(cast.agent, item))
    assert everywhere(cast, "Zephyrine") == []


def test_the_event_that_made_the_item_keeps_its_id_and_loses_its_text(cast: Cast) -> None:
    event = say(cast.agent, "alice", "记住：我每周三练大提琴")
    finish(cast.agent, event)
    item = only(cast.agent, "alice")
    carried_out(cast.agent, erasure.erase_item(cast.agent, item))
    (entry,) = [e for e in events.event(cast.agent, event.id).entries if e.section == "added"]
    assert (entry.id, entry.content) == (item, None)


def test_the_receipt_is_signed_names_every_level_and_what_is_out_of_reach(cast: Cast) -> None:
    item = said(cast, "Remember that I sail a Marigold dinghy.")
    view = carried_out(cast.agent, erasure.erase_item(cast.agent, item))
    assert view.levels == {"logical": "done", "derived": "done", "physical": "pending", "backups": "not_verified"}
    assert view.receipt is not None and view.receipt["out_of_scope"]
    document = rfc8785.dumps(view.receipt)  # type: ignore[arg-type]
    assert b"Marigold" not in document and b"alice" not in document
    key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(view.public_key))
    key.verify(bytes.fromhex(view.signature), document)
    with pytest.raises(InvalidSignature):
        key.verify(bytes.fromhex(view.signature), document.replace(b'"physical"', b'"invented"'))


@pytest.fixture
def versions_that_stay(superuser: psycopg.Connection) -> Iterator[None]:
    """A fault that nobody foresaw: rows of one table refuse to go, without an error."""
    superuser.execute("CREATE FUNCTION stay() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'")
    superuser.execute("CREATE TRIGGER stay BEFORE DELETE ON memoryapp_use FOR EACH ROW EXECUTE FUNCTION stay()")
    yield
    superuser.execute("DROP FUNCTION stay() CASCADE")


@pytest.mark.django_db(transaction=True)
def test_a_step_that_still_sees_something_is_failed_and_the_receipt_never_says_done(
    cast: Cast, versions_that_stay: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    item = said(cast, "记住：我喜欢收集旧地图")
    assert recall.search(cast.agent, "alice", "旧地图")
    changes.feedback(cast.agent, item, "helpful")
    job = erasure.erase_item(cast.agent, item)
    monkeypatch.setattr(erasure, "ATTEMPTS", 1)
    view = carried_out(cast.agent, job)
    assert (view.state, view.error_code, view.levels["derived"]) == ("failed", "not_proven", "failed")
    assert view.receipt is not None
    levels = view.receipt["levels"]
    assert isinstance(levels, dict) and levels["derived"]["state"] == "failed"
    assert texts(cast.agent, "alice") == []


def test_the_trash_ends_in_an_erasure(cast: Cast) -> None:
    item = said(cast, "Remember that I brew Saffronella tea.")
    changes.forget(cast.agent, item)
    housekeeping.clean(cast.agent.tenant_id)
    assert waiting(cast.agent) == []
    with tenant_scope(cast.agent):
        past = timezone.now() - timedelta(minutes=1)
        changes.audit.record(cast.agent, "test.time_passes", changes.audit.Target("memory", (item,)))
        MemoryItem.objects.filter(pk=item).update(undo_until=past)
    housekeeping.clean(cast.agent.tenant_id)
    (job,) = waiting(cast.agent)
    assert carried_out(cast.agent, job).kind == "trash"
    assert everywhere(cast, "Saffronella") == []


def test_an_erasure_runs_once_and_a_lost_fence_writes_nothing(cast: Cast) -> None:
    item = said(cast, "记住：我住在顶楼")
    job = erasure.erase_item(cast.agent, item)
    view = carried_out(cast.agent, job)
    erasure.run(cast.agent.tenant_id, job)
    assert erasure.erasure(cast.agent, job).receipt == view.receipt
    with tenant_scope(cast.agent):
        Erasure.objects.filter(pk=job).update(state="running", attempt=7)
    with pytest.raises(erasure.FenceLost), tenant_scope(cast.agent):
        erasure._job(cast.agent, job, 6).fence(1)


def test_charlie_and_a_key_of_bob_see_no_erasure_of_alice(cast: Cast) -> None:
    job = erasure.erase_item(cast.agent, said(cast, "Remember that I like jazz."))
    for stranger in (cast.charlie, cast.person("bob")):
        with pytest.raises(NotFound):
            erasure.erasure(stranger, job)
        assert erasure.list_erasures(stranger)[2] == 0
    assert erasure.list_erasures(cast.person("alice"))[2] == 1


def test_only_a_failed_erasure_can_be_tried_again(cast: Cast) -> None:
    job = erasure.erase_item(cast.agent, said(cast, "Remember that I like jazz."))
    with pytest.raises(DomainError) as refused:
        erasure.retry(cast.agent, job)
    assert refused.value.code == "invalid_transition"
    with tenant_scope(cast.agent):
        Erasure.objects.filter(pk=job).update(state="failed", attempt=8)
    view: ErasureView = erasure.retry(cast.agent, job)
    assert view.state == "pending"
    assert carried_out(cast.agent, UUID(str(job))).state == "succeeded"
