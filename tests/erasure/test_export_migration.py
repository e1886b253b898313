"""The migration of the exports: there and back and there again, and what its trigger costs."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from django.core.management import call_command
from django.db import IntegrityError, connections, transaction
from psycopg import sql
from pytest_django.plugin import DjangoDbBlocker

from memoryapp.database_roles import DATABASE, OWNER
from memoryapp.models import MemoryExport
from memoryapp.services import bulk, changes, exports
from memoryapp.services.scope import tenant_scope
from tests.cast import make_cast

CLONE = "memoryapp_there_and_back"
MADE = (
    "SELECT (SELECT count(*) FROM pg_trigger WHERE tgname = 'exports_follow' AND tgtype & 1 = 0), "
    "(SELECT count(*) FROM pg_proc WHERE proname IN ('memoryapp_exports_follow', 'due_memory_exports')), "
    "(SELECT count(*) FROM pg_class WHERE relname = 'memoryapp_memoryexport')"
)


@pytest.fixture
def clone(superuser: psycopg.Connection, django_db_blocker: DjangoDbBlocker) -> Iterator[str]:
    """A database of its own as the migrations leave it; the owner's connection leads there."""
    name, owner = sql.Identifier(CLONE), connections["owner"]
    drop = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(name)
    superuser.execute(drop)
    template, role = sql.Identifier(DATABASE), sql.Identifier(OWNER)
    superuser.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {} OWNER {}").format(name, template, role))
    own = owner.settings_dict["NAME"]
    try:
        with django_db_blocker.unblock():
            owner.close()
            owner.settings_dict["NAME"] = CLONE
            yield CLONE
    finally:
        owner.close()
        owner.settings_dict["NAME"] = own
        superuser.execute(drop)


def migrated(to: str) -> tuple[int, ...]:
    """What the migration made, when the database stands there: triggers, functions, tables."""
    call_command("migrate", "memoryapp", to, database="owner", verbosity=0, interactive=False)
    with connections["owner"].cursor() as cursor:
        cursor.execute(MADE)
        return tuple(cursor.fetchone())


def test_the_exports_can_be_migrated_there_and_back_and_there_again(clone: str) -> None:
    assert migrated("0015") == (1, 2, 1)
    assert migrated("0014") == (0, 0, 0)
    with connections["owner"].cursor() as cursor:
        cursor.execute("UPDATE memoryapp_memoryitem SET status = 'forgotten'")
    assert migrated("0015") == (1, 2, 1)


@pytest.mark.django_db
def test_forgetting_many_at_once_withdraws_what_holds_one_of_them_and_only_that() -> None:
    cast = make_cast()
    theirs = {
        person: [changes.add(cast.agent, person, changes.NewItem(f"Shelf {n} holds {n} jars"))[0].id for n in range(3)]
        for person in ("alice", "bob")
    }
    jobs = {person: exports.start(cast.agent, person, "json") for person in theirs}
    for job in jobs.values():
        exports.run(cast.agent.tenant_id, job)
    bulk.batch(cast.agent, theirs["alice"][:2], "pause")
    assert exports.export(cast.agent, jobs["alice"]).state == "succeeded"
    bulk.batch(cast.agent, theirs["alice"][1:], "forget")
    assert exports.export(cast.agent, jobs["alice"]).error_code == "memory_forgotten"
    assert exports.export(cast.agent, jobs["bob"]).state == "succeeded"


@pytest.mark.django_db
def test_an_export_has_no_state_that_nobody_knows() -> None:
    cast = make_cast()
    changes.add(cast.agent, "alice", changes.NewItem("Likes rain."))
    job = exports.start(cast.agent, "alice", "json")
    with pytest.raises(IntegrityError), tenant_scope(cast.agent), transaction.atomic():
        MemoryExport.objects.filter(pk=job).update(state="lost")
