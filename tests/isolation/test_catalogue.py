"""Asks the database's own catalogue whether every table of a tenant is closed to the others. New tables are found."""

from __future__ import annotations

import re
from pathlib import Path

import psycopg
import pytest
from django.apps import apps

from memoryapp.row_security import TENANT

PROJECT = Path(__file__).resolve().parents[2]

WITHOUT_TENANT = {
    # A login may sit in several tenants; who sits where is in accounts_membership.
    "accounts_user",
    "accounts_user_groups",
    "accounts_user_user_permissions",
    # Django's own, which hold nothing of a tenant.
    "auth_group",
    "auth_group_permissions",
    "auth_permission",
    "django_content_type",
    "django_migrations",
    "django_session",
}
DOORS = {
    # Before the tenant is known: a key's row, a login's seats.
    "api_key",
    "seats",
    # Work that is due, in any tenant: ids only.
    "due_runs",
    "due_exports",
    "due_memory_exports",
    "due_erasures",
    "due_consolidations",
    # Counts by state for the metrics of the whole service: no id, no tenant.
    "run_counts",
    "tenants",
    "tenants_without_vectors",
    # Triggers.
    "note_unaudited",
    "refuse_unaudited",
    "refuse_tombstoned",
}
"""SECURITY DEFINER functions that may exist. Whoever adds one says here what it shows to whom."""

TABLES = """
SELECT c.relname, c.relrowsecurity, c.relforcerowsecurity,
       EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'tenant_id' AND NOT a.attisdropped)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p')
"""
POLICIES = """
SELECT tablename, policyname, permissive, roles::text[], cmd, qual, with_check FROM pg_policies WHERE schemaname = 'public'
"""
REFERENCES = """
SELECT f.conname, src.relname, dst.relname,
       (SELECT array_agg(a.attname::text ORDER BY k.n) FROM unnest(f.conkey) WITH ORDINALITY k(num, n)
        JOIN pg_attribute a ON a.attrelid = f.conrelid AND a.attnum = k.num)
FROM pg_constraint f JOIN pg_class src ON src.oid = f.conrelid JOIN pg_class dst ON dst.oid = f.confrelid
WHERE f.contype = 'f'
"""


def closed_tables(server: psycopg.Connection) -> set[str]:
    return {str(name) for name, *_ in server.execute(TABLES)} - WITHOUT_TENANT


def test_every_table_is_closed_to_other_tenants_or_known_to_hold_nothing_of_one(superuser: psycopg.Connection) -> None:
    open_tables = {
        name: (enabled, forced, tenant)
        for name, enabled, forced, tenant in superuser.execute(TABLES)
        if name not in WITHOUT_TENANT and not (enabled and forced and (tenant or name == "accounts_tenant"))
    }
    assert open_tables == {}
    assert {m._meta.db_table for m in apps.get_models()} - WITHOUT_TENANT <= closed_tables(superuser)


def test_each_closed_table_has_one_rule_for_reading_and_writing_and_one_for_the_look_up(
    superuser: psycopg.Connection,
) -> None:
    found: dict[str, set[tuple[str, ...]]] = {}
    for table, _, _, roles, command, qual, check in superuser.execute(POLICIES):
        found.setdefault(table, set()).add((",".join(roles), command, _plain(qual), _plain(check)))
    for table in closed_tables(superuser):
        column = "id" if table == "accounts_tenant" else "tenant_id"
        own = _plain(f"{column} = {TENANT}")
        assert found[table] == {("public", "ALL", own, own), ("memoryapp_lookup", "ALL", "true", "")}, table


def _plain(expression: str | None) -> str:
    """A policy's expression without the parentheses, casts and names that PostgreSQL puts around it."""
    text = (expression or "").replace("::text", "").replace("AS current_setting", "").replace("AS nullif", "")
    return re.sub(r"[()\s]", "", text).lower()


def test_a_reference_between_rows_of_a_tenant_carries_the_tenant(superuser: psycopg.Connection) -> None:
    closed = closed_tables(superuser) - {"accounts_tenant"}
    single = [
        (name, source, target)
        for name, source, target, columns in superuser.execute(REFERENCES)
        if source in closed and target in closed and columns[0] != "tenant_id"
    ]
    assert single == []


def test_a_reference_of_a_model_is_held_by_the_database(superuser: psycopg.Connection) -> None:
    closed = closed_tables(superuser) - {"accounts_tenant"}
    held = {(source, target, columns[-1]) for _, source, target, columns in superuser.execute(REFERENCES)}
    asked = {
        (model._meta.db_table, f.related_model._meta.db_table, f.column)
        for model in apps.get_models()
        for f in model._meta.get_fields()
        if f.concrete and f.many_to_one and model._meta.db_table in closed
    }
    assert asked - held == set()


def test_what_is_unique_is_unique_inside_a_tenant(superuser: psycopg.Connection) -> None:
    """Or it would tell one tenant what another one has. A key's public id is random and found before the tenant is."""
    rows = superuser.execute(
        "SELECT t.relname, i.relname, (SELECT array_agg(a.attname::text) FROM pg_attribute a WHERE a.attrelid = t.oid"
        " AND a.attnum = ANY (x.indkey)) FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid"
        " JOIN pg_class t ON t.oid = x.indrelid JOIN pg_namespace n ON n.oid = t.relnamespace"
        " WHERE n.nspname = 'public' AND x.indisunique AND NOT x.indisprimary"
    )
    closed = closed_tables(superuser) - {"accounts_tenant"}
    across = {columns[0] for table, _, columns in rows if table in closed and "tenant_id" not in columns}
    assert across <= {"public_id"}


@pytest.mark.parametrize("role", ["memoryapp_app", "memoryapp_owner", "memoryapp_lookup", "memoryapp_auditor"])
def test_no_role_at_work_stands_above_the_rules(superuser: psycopg.Connection, role: str) -> None:
    row = superuser.execute(
        "SELECT rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication FROM pg_roles WHERE rolname = %s",
        [role],
    ).fetchone()
    assert row == (False,) * 5


def test_the_application_can_neither_empty_own_nor_reference_a_table(superuser: psycopg.Connection) -> None:
    rows = superuser.execute(
        "SELECT c.relname, p FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace,"
        " unnest(ARRAY['TRUNCATE', 'TRIGGER', 'REFERENCES', 'MAINTAIN']) p"
        " WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p', 'v', 'm')"
        " AND (has_table_privilege('memoryapp_app', c.oid, p) OR c.relowner = 'memoryapp_app'::regrole)"
    ).fetchall()
    assert rows == []
    member = superuser.execute(
        "SELECT count(*) FROM pg_auth_members WHERE member = 'memoryapp_app'::regrole"
    ).fetchone()
    assert member == (0,)


def test_functions_that_see_every_tenant_are_the_known_ones_and_found_by_a_fixed_path(
    superuser: psycopg.Connection,
) -> None:
    rows = superuser.execute(
        "SELECT p.proname, n.nspname, p.proowner::regrole::text, p.proconfig FROM pg_proc p"
        " JOIN pg_namespace n ON n.oid = p.pronamespace WHERE p.prosecdef AND n.nspname NOT LIKE 'pg_%%'"
    ).fetchall()
    assert {name for name, *_ in rows} == DOORS
    for name, schema, owner, config in rows:
        assert (schema, owner) == ("door", "memoryapp_lookup"), name
        assert config == ["search_path=public, pg_temp"], name


def test_no_view_looks_with_its_owners_eyes(superuser: psycopg.Connection) -> None:
    views = superuser.execute(
        "SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
        " WHERE n.nspname = 'public' AND c.relkind IN ('v', 'm')"
        " AND NOT coalesce('security_invoker=true' = ANY (c.reloptions), false)"
    ).fetchall()
    assert views == []


def test_rows_are_locked_without_their_keys() -> None:
    """FOR UPDATE waits for references that others check at their commit; two of them then wait for each other."""
    sources = [*PROJECT.glob("memoryapp/**/*.py"), *PROJECT.glob("accounts/**/*.py")]
    hard = re.compile(r"select_for_update\((?![^)]*no_key=True)|\bFOR UPDATE\b")
    assert [path.name for path in sources if hard.search(path.read_text(encoding="utf-8"))] == []
