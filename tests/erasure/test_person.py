"""Everything about a person, and everything from one source: counted first, confirmed by a phrase, others untouched."""

from __future__ import annotations

import hashlib
import json
import zipfile
from datetime import timedelta

import psycopg
import pytest
from django.conf import settings
from django.utils import timezone

from accounts.models import User
from memoryapp import keyring
from memoryapp.domain.errors import DomainError, NotFound
from memoryapp.models import Erasure, MemoryItem, Message, Run, Session, SourceMask, Space, Tombstone
from memoryapp.services import (
    access,
    audit_trail,
    changes,
    erasure,
    footing,
    housekeeping,
    ingest,
    invitations,
    person_deletion,
    pipeline,
    source_purge,
)
from memoryapp.services.erasure_steps import Proven
from memoryapp.services.ingest import Incoming, accept
from memoryapp.services.memories import list_items
from memoryapp.services.recall import search
from memoryapp.services.results import AuditFilter, ListFilter
from memoryapp.services.scope import tenant_scope
from memoryapp.services.source_purge import Source, SourceKind
from tests.cast import Cast, finish, make_cast, only, say, texts
from tests.erasure.steps import carried_out, said

pytestmark = pytest.mark.django_db


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


def test_the_dry_run_counts_and_changes_nothing(cast: Cast) -> None:
    said(cast, "记住：我对花生过敏")
    impact = person_deletion.impact(cast.agent, "alice")
    assert (impact.items, impact.sessions, impact.messages, impact.evidence) == (1, 1, 1, 1)
    assert impact.phrases == ("erase alice", "永久删除 alice")
    assert texts(cast.agent, "alice") != []
    assert person_deletion.impact(cast.agent, "nobody").items == 0


@pytest.mark.parametrize("typed", ["", "yes", "erase bob", "ERASE ALICE"])
def test_without_the_typed_phrase_nothing_happens(cast: Cast, typed: str) -> None:
    said(cast, "Remember that I like jazz.")
    with pytest.raises(DomainError) as refused:
        person_deletion.erase_person(cast.agent, "alice", typed)
    assert refused.value.code == "confirmation_required"
    assert texts(cast.agent, "alice") == ["I like jazz"]


def test_what_lands_in_the_space_while_the_erasure_begins_is_erased_with_the_rest(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Writers who looked the space up by its name, and then waited for the erasure to commit."""
    said(cast, "Remember that I like jazz.")
    with tenant_scope(cast.agent):
        at = footing.footing(cast.agent, "person", "alice", "alice")
    job = person_deletion.erase_person(cast.agent, "alice", "erase alice")
    with monkeypatch.context() as late:
        late.setattr(changes, "footing", lambda *_: at)
        late.setattr(ingest, "ensure_space", lambda *_: at.space)
        changes.add(cast.agent, "alice", changes.NewItem("Keeps two ferrets"))
        run = accept(cast.agent, "alice", [Incoming("user", "Remember that I row on Sundays")], session="late")
    with tenant_scope(cast.agent):
        assert MemoryItem.objects.filter(space=at.space, content="Keeps two ferrets").exists()
        proofs = len(Erasure.objects.get(pk=job).commitments)
    view = carried_out(cast.agent, job)
    with tenant_scope(cast.agent):
        assert len(Erasure.objects.get(pk=job).commitments) == proofs + 1
    assert (view.state, view.levels["derived"]) == ("succeeded", "done")
    pipeline.extract(cast.agent.tenant_id, run.id)
    with tenant_scope(cast.agent):
        for model in (MemoryItem, Session, Message, Run):
            assert not model.objects.exists(), model


def test_what_lands_between_two_attempts_of_the_erasure_is_erased_by_the_second(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    said(cast, "Remember that I like jazz.")
    with tenant_scope(cast.agent):
        at = footing.footing(cast.agent, "person", "alice", "alice")
    job = person_deletion.erase_person(cast.agent, "alice", "erase alice")
    with monkeypatch.context() as first:
        first.setitem(erasure.ACTIONS, "identity", lambda _: Proven("not yet", {"rows": 1}))
        erasure.run(cast.agent.tenant_id, job)
    with monkeypatch.context() as late:
        late.setattr(changes, "footing", lambda *_: at)
        late.setattr(ingest, "ensure_space", lambda *_: at.space)
        changes.add(cast.agent, "alice", changes.NewItem("Keeps two ferrets"))
        run = accept(cast.agent, "alice", [Incoming("user", "Remember that I row on Sundays")], session="late")
    with tenant_scope(cast.agent):
        Erasure.objects.filter(pk=job).update(due_at=timezone.now())
    assert carried_out(cast.agent, job).state == "succeeded"
    pipeline.extract(cast.agent.tenant_id, run.id)
    with tenant_scope(cast.agent):
        for model in (MemoryItem, Session, Message, Run):
            assert not model.objects.exists(), model


@pytest.mark.parametrize("typed", ["erase alice", "永久删除 alice"])
def test_a_person_is_gone_at_once_and_nothing_of_them_is_left_after_the_job(cast: Cast, typed: str) -> None:
    said(cast, "Remember that I like jazz.")
    said(cast, "记住：我对花生过敏", person="bob")
    search(cast.agent, "alice", "jazz")
    job = person_deletion.erase_person(cast.agent, "alice", typed)
    assert texts(cast.agent, "alice") == []
    assert search(cast.agent, "alice", "jazz") == ()
    view = carried_out(cast.agent, job)
    assert (view.state, view.levels["derived"]) == ("succeeded", "done")
    with tenant_scope(cast.agent):
        home = Space.objects.get(pk=Erasure.objects.get(pk=job).space_id)
        assert home.key.startswith("erased-")
        for rows in (MemoryItem.objects.filter(space=home), Session.objects.filter(space=home)):
            assert not rows.exists()
        assert Message.objects.count() == Run.objects.count() == 1
    assert len(texts(cast.agent, "bob")) == 1


def test_the_key_of_the_commitments_is_destroyed_and_that_of_the_tombstones_is_kept(cast: Cast) -> None:
    said(cast, "Remember that I like jazz.")
    with tenant_scope(cast.agent):
        home = Space.objects.get(key="alice")
    stones = keyring.tombstone_key(home.tenant_id, home.pk)
    view = carried_out(cast.agent, person_deletion.erase_person(cast.agent, "alice", "erase alice"))
    assert view.receipt is not None and view.receipt["commitments"]
    with pytest.raises(keyring.KeyDestroyed):
        keyring.commitment_key(home.tenant_id, home.pk)
    assert keyring.tombstone_key(home.tenant_id, home.pk) == stones


def test_an_erased_person_who_comes_back_does_not_get_old_history_again_and_may_say_anything_anew(cast: Cast) -> None:
    history = [Incoming("user", "Remember that I like jazz.", id="h-1"), Incoming("user", "And rain.", id="h-2")]
    finish(cast.agent, accept(cast.agent, "alice", history))
    carried_out(cast.agent, person_deletion.erase_person(cast.agent, "alice", "erase alice"))
    with tenant_scope(cast.agent):
        old = Tombstone.objects.first()
    assert old is not None
    dated = [Incoming("user", "Remember that I like jazz.", id="h-1", said_at=old.horizon - timedelta(hours=1))]
    finish(cast.agent, accept(cast.agent, "alice", dated))
    assert texts(cast.agent, "alice") == []
    with pytest.raises(DomainError, match="tombstoned"):
        changes.add(cast.agent, "alice", changes.NewItem("I like jazz"))
    finish(cast.agent, say(cast.agent, "alice", "Remember that I like jazz."))
    assert texts(cast.agent, "alice") == ["I like jazz"]
    carried_out(cast.agent, person_deletion.erase_person(cast.agent, "alice", "erase alice"))
    assert texts(cast.agent, "alice") == []


def test_when_the_last_backup_is_gone_the_marks_and_their_key_go_too(cast: Cast) -> None:
    said(cast, "Remember that I like jazz.")
    job = person_deletion.erase_person(cast.agent, "alice", "erase alice")
    carried_out(cast.agent, job)
    housekeeping.clean(cast.agent.tenant_id)
    with tenant_scope(cast.agent):
        assert Tombstone.objects.exists()
        past = timezone.now() - timedelta(days=settings.MEMORYAPP.backup_retention_days + 1)
        Erasure.objects.filter(pk=job).update(finished_at=past)
        home = Erasure.objects.get(pk=job).space
    housekeeping.clean(cast.agent.tenant_id)
    with tenant_scope(cast.agent):
        assert not Tombstone.objects.exists() and not SourceMask.objects.exists()
    with pytest.raises(keyring.KeyDestroyed):
        keyring.tombstone_key(cast.agent.tenant_id, home.pk)
    assert person_deletion.close_graves(cast.agent.tenant_id) == 0


def test_the_trail_stays_whole_and_no_longer_names_the_person(cast: Cast) -> None:
    access.add_person(cast.agent, "alice@example.org", "member", "alice", password="not-used-here")
    said(cast, "Remember that I like Zanzibarian jazz.")
    before = audit_trail.search(cast.agent, AuditFilter(person="alice"))[2]
    assert before > 0
    carried_out(cast.agent, person_deletion.erase_person(cast.agent, "alice", "erase alice"))
    export = audit_trail.start_export(cast.agent, AuditFilter())
    audit_trail.run_export(cast.agent.tenant_id, export)
    with audit_trail.export_file(cast.agent, export) as file, zipfile.ZipFile(file) as archive:
        told = b"".join(archive.read(n) for n in archive.namelist()).decode()
    assert "alice" not in told and "Zanzibarian" not in told
    leaves = [line for line in told.splitlines() if line.startswith('{"action"')]
    assert len(leaves) > before
    assert all(json.loads(line)["id"] for line in leaves)
    assert not User.objects.filter(email="alice@example.org").exists()


def test_an_invitation_that_names_an_erased_person_is_gone(cast: Cast) -> None:
    said(cast, "Remember that I like jazz.")
    invitations.invite(cast.agent, "alice@example.org", "member", user_key="alice")
    invitations.invite(cast.agent, "bob@example.org", "member", user_key="bob")
    person_deletion.erase_person(cast.agent, "alice", "erase alice")
    assert [one.email for one in invitations.list_invitations(cast.agent)] == ["bob@example.org"]


def test_a_key_bound_to_an_erased_person_opens_nothing_any_more(cast: Cast) -> None:
    said(cast, "Remember that I like jazz.")
    _, row = access.create_key(cast.agent, "phone", user_key="alice")
    carried_out(cast.agent, person_deletion.erase_person(cast.agent, "alice", "erase alice"))
    with tenant_scope(cast.agent):
        row.refresh_from_db()
    assert row.revoked_at is not None and "alice" not in row.user_key


def test_only_the_person_or_an_administrator_may_erase_a_person(cast: Cast) -> None:
    said(cast, "Remember that I like jazz.")
    with pytest.raises(DomainError, match="user_not_allowed"):
        person_deletion.impact(cast.person("bob"), "alice")
    plain = changes.replace(cast.agent, scopes=("memory:read", "memory:write", "memory:delete"))
    with pytest.raises(DomainError, match="scope_missing"):
        person_deletion.erase_person(plain, "alice", "erase alice")
    with pytest.raises(NotFound):
        person_deletion.erase_person(cast.charlie, "alice", "erase alice")
    assert person_deletion.erase_person(cast.person("alice"), "alice", "erase alice")


def test_what_others_support_too_stays_in_a_shared_space(cast: Cast) -> None:
    for person, line in (("alice", "记住：项目每周二发布"), ("alice", "记住：项目的口号是慢就是快")):
        event = accept(cast.agent, person, [Incoming("user", line)], space="project", project_id="p1")
        finish(cast.agent, event)
    shared = {i.content: i.id for i in project(cast)}
    assert len(shared) == 2
    release = next(i for text, i in shared.items() if "周二" in text)
    support(cast, release)
    carried_out(cast.agent, person_deletion.erase_person(cast.agent, "alice", "erase alice"))
    assert [i.id for i in project(cast)] == [release]
    (left,) = project(cast)
    assert left.evidence_count == 1


def project(cast: Cast) -> tuple[changes.ItemView, ...]:
    return list_items(cast.agent, "carol", ListFilter(project_id="p1")).items


def support(cast: Cast, item: object) -> None:
    """Bob's conversation founds the same item: evidence that is not Alice's."""
    event = say(cast.agent, "bob", "项目每周二发布，没错")
    with tenant_scope(cast.agent):
        (old,) = person_deletion.Evidence.objects.filter(item_id=item)
        run = Run.objects.get(pk=event.id)
        old.pk, old.session_id, old.run_id = None, run.session_id, run.pk
        old.id = changes.Use._meta.pk.get_default()
        old.message_id = Message.objects.get(run=run).pk
        old.save(force_insert=True)


def test_a_purge_by_session_takes_what_only_that_session_taught(cast: Cast) -> None:
    finish(cast.agent, say(cast.agent, "alice", "Remember that I like jazz.", session="monday"))
    finish(cast.agent, say(cast.agent, "alice", "Remember that I keep bees.", session="tuesday"))
    monday = Source(SourceKind.SESSION, "monday")
    impact = source_purge.impact(cast.agent, "alice", monday)
    assert (impact.items, impact.sessions, impact.messages) == (1, 1, 1)
    with pytest.raises(DomainError, match="confirmation_required"):
        source_purge.purge(cast.agent, "alice", monday, "yes")
    view = carried_out(cast.agent, source_purge.purge(cast.agent, "alice", monday, impact.phrases[0]))
    assert (view.kind, view.state) == ("source", "succeeded")
    assert texts(cast.agent, "alice") == ["I keep bees"]
    with tenant_scope(cast.agent):
        assert [s.name for s in Session.objects.all()] == ["tuesday"]
    with pytest.raises(NotFound):
        source_purge.purge(cast.agent, "alice", monday, impact.phrases[0])


def test_a_purge_by_agent_and_by_import(cast: Cast) -> None:
    finish(cast.agent, accept(cast.agent, "alice", [Incoming("user", "记住：我养了一只猫")], agent_id="helper"))
    kept, _, _ = changes.add(cast.agent, "alice", changes.NewItem("Likes jazz."))
    helper = Source(SourceKind.AGENT, "helper")
    phrase = source_purge.impact(cast.agent, "alice", helper).phrases[1]
    assert phrase == "永久删除 agent helper"
    carried_out(cast.agent, source_purge.purge(cast.agent, "alice", helper, phrase))
    assert only(cast.agent, "alice") == kept.id
    with tenant_scope(cast.agent):
        changes.audit.record(cast.agent, "test.imported", changes.audit.Target("memory", (kept.id,)))
        MemoryItem.objects.filter(pk=kept.id).update(origin="import")
    carried_out(cast.agent, source_purge.purge(cast.agent, "alice", Source(SourceKind.IMPORT), "erase import"))
    assert texts(cast.agent, "alice") == []


def hashes(server: psycopg.Connection, table: str, mine: str) -> str:
    """One hash over every byte of the rows that are not the erased person's."""
    rows = server.execute(f"SELECT t::text FROM {table} t WHERE {mine} ORDER BY 1".encode()).fetchall()
    return hashlib.sha256("\n".join(row[0] for row in rows).encode()).hexdigest()


OTHERS = "space_id IN (SELECT id FROM memoryapp_space WHERE key IN ('bob', 'carol', '甲'))"
OF_ITEMS = f"item_id IN (SELECT id FROM memoryapp_memoryitem WHERE {OTHERS})"


@pytest.mark.django_db(transaction=True)
def test_a_library_of_2350_is_erased_whole_and_other_peoples_rows_are_equal_byte_by_byte(
    cast: Cast, superuser: psycopg.Connection
) -> None:
    for person in ("bob", "carol", "甲"):
        said(cast, "Remember that I like jazz.", person=person)
        changes.add(cast.agent, person, changes.NewItem("爱喝茉莉花茶"))
    first, _, _ = changes.add(cast.agent, "alice", changes.NewItem("Shelf 0 holds 0 jars"))
    multiply(superuser, str(first.id), 2349)
    assert list_items(cast.agent, "alice", ListFilter()).total == 2350
    kept = [("memoryapp_memoryitem", OTHERS), ("memoryapp_retrievalentry", OTHERS), ("memoryapp_evidence", OF_ITEMS)]
    kept += [("memoryapp_memoryversion", OF_ITEMS)]
    before = [hashes(superuser, *one) for one in kept]
    job = person_deletion.erase_person(cast.agent, "alice", "erase alice")
    assert list_items(cast.agent, "alice", ListFilter()).total == 0
    view = carried_out(cast.agent, job)
    assert (view.state, view.items, view.items_done) == ("succeeded", 2350, 2350)
    assert [hashes(superuser, *one) for one in kept] == before
    left = superuser.execute("SELECT count(*) FROM memoryapp_memoryitem WHERE content LIKE 'Shelf%'").fetchone()
    assert left == (0,)
    assert texts(cast.agent, "甲") and texts(cast.agent, "bob")


def multiply(server: psycopg.Connection, item: str, times: int) -> None:
    """Copies of one item with texts of their own, with versions and index, made behind the application's back."""
    server.execute("SET session_replication_role = replica")
    server.execute("CREATE TEMP TABLE twin AS SELECT gen_random_uuid() AS id, n FROM generate_series(1, %s) n", [times])
    for table, set_id in (("memoryitem", "id"), ("retrievalentry", "id"), ("memoryversion", "item_id")):
        copy_rows(server, f"memoryapp_{table}", set_id, item)
    server.execute("DROP TABLE twin; SET session_replication_role = origin")


def copy_rows(server: psycopg.Connection, table: str, column: str, item: str) -> None:
    names = [
        str(r[0])
        for r in server.execute(
            "SELECT quote_ident(attname) FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped",
            [table],
        )
    ]
    changed = {
        "id": "gen_random_uuid()",
        "content": "'Shelf ' || n || ' holds ' || n || ' jars'",
        "norm_hash": "sha256(n::text::bytea)",
        "fingerprint": "sha256(('f' || n)::bytea)",
        column: "twin.id",
    }
    values = ", ".join(changed.get(n, f"old.{n}") for n in names)
    server.execute(
        f"INSERT INTO {table} ({', '.join(names)}) SELECT {values} FROM {table} old, twin WHERE old.{column} = %s".encode(),
        [item],
    )


def test_the_receipt_is_still_there_for_the_one_who_asked(cast: Cast) -> None:
    said(cast, "Remember that I like jazz.")
    me = cast.person("alice")
    job = person_deletion.erase_person(me, "alice", "erase alice")
    carried_out(cast.agent, job)
    assert erasure.erasure(me, job).state == "succeeded"
    assert erasure.list_erasures(me)[2] == 1
    assert erasure.list_erasures(cast.agent, "alice")[2] == 1
