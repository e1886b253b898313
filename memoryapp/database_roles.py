"""The SQL of the database roles: who owns, who serves, who looks up, who dumps. Every statement can be repeated.

| role | may |
|---|---|
| `memoryapp_owner` | owns the database and its tables, runs migrations; bound by row-level security like everyone |
| `memoryapp_app` | web and workers: reads and writes rows of the tenant it has set; no TRUNCATE, no tables of its own |
| `memoryapp_lookup` | nobody logs in as it: owns the SECURITY DEFINER functions in schema `door` |
| `memoryapp_auditor` | nobody logs in as it: for grants on the audit trail |
| `memoryapp_dump` | backups: reads everything |
"""

from __future__ import annotations

from dataclasses import dataclass, field

DATABASE = "memoryapp"
OWNER = "memoryapp_owner"
APP = "memoryapp_app"
DUMP = "memoryapp_dump"


@dataclass(frozen=True, slots=True)
class Passwords:
    owner: str = field(repr=False)
    app: str = field(repr=False)
    dump: str = field(repr=False)


PLACEHOLDERS = Passwords(owner="<OWNER_PASSWORD>", app="<APP_PASSWORD>", dump="<DUMP_PASSWORD>")

_ATTRIBUTES = {
    OWNER: "LOGIN NOSUPERUSER NOCREATEROLE NOCREATEDB NOREPLICATION NOBYPASSRLS",
    APP: "LOGIN NOSUPERUSER NOCREATEROLE NOCREATEDB NOREPLICATION NOBYPASSRLS",
    "memoryapp_lookup": "NOLOGIN NOSUPERUSER NOCREATEROLE NOCREATEDB NOREPLICATION NOBYPASSRLS",
    "memoryapp_auditor": "NOLOGIN NOSUPERUSER NOCREATEROLE NOCREATEDB NOREPLICATION NOBYPASSRLS",
    DUMP: "LOGIN NOSUPERUSER NOCREATEROLE NOCREATEDB NOREPLICATION BYPASSRLS",
}

# INHERIT FALSE: the owner can step into the role to create its functions, but must not see rows through its policies.
_MEMBERSHIP = (
    "GRANT memoryapp_lookup TO memoryapp_owner WITH INHERIT FALSE, SET TRUE;\n"
    # Physical erasure moves the write-ahead log on after it has rewritten the tables.
    "GRANT pg_checkpoint TO memoryapp_owner;"
)

EXTENSION_SQL = "CREATE EXTENSION IF NOT EXISTS vector;"
"""Run in template1 and in the database, as superuser: the extension is not a trusted one."""

CREATE_DATABASE_SQL = f"CREATE DATABASE {DATABASE} OWNER {OWNER} TEMPLATE template1 ENCODING 'UTF8';"

RIGHTS_SQL = """
ALTER SCHEMA public OWNER TO memoryapp_owner;
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
CREATE SCHEMA IF NOT EXISTS door AUTHORIZATION memoryapp_lookup;
GRANT USAGE ON SCHEMA public TO memoryapp_app, memoryapp_lookup, memoryapp_auditor, memoryapp_dump;
GRANT USAGE ON SCHEMA door TO memoryapp_app, memoryapp_owner, memoryapp_dump;
ALTER DEFAULT PRIVILEGES FOR ROLE memoryapp_owner
    GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO memoryapp_app;
ALTER DEFAULT PRIVILEGES FOR ROLE memoryapp_owner GRANT USAGE, SELECT ON SEQUENCES TO memoryapp_app;
ALTER DEFAULT PRIVILEGES FOR ROLE memoryapp_owner GRANT SELECT ON TABLES TO memoryapp_dump;
ALTER DEFAULT PRIVILEGES FOR ROLE memoryapp_owner GRANT SELECT ON SEQUENCES TO memoryapp_dump;
ALTER DEFAULT PRIVILEGES FOR ROLE memoryapp_lookup REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;
ALTER DEFAULT PRIVILEGES FOR ROLE memoryapp_lookup
    GRANT EXECUTE ON FUNCTIONS TO memoryapp_app, memoryapp_owner;
REVOKE ALL ON DATABASE memoryapp FROM PUBLIC;
GRANT CONNECT ON DATABASE memoryapp TO memoryapp_app, memoryapp_dump;
GRANT EXECUTE ON FUNCTION pg_catalog.pg_switch_wal() TO memoryapp_owner;
"""
"""Run inside the database, as superuser, before the first migration: default privileges act on later tables only."""


def roles_sql(passwords: Passwords) -> str:
    """Creates or corrects the roles, for the whole server."""
    secrets = {OWNER: passwords.owner, APP: passwords.app, DUMP: passwords.dump}
    statements = [_role_sql(role, attributes, secrets.get(role)) for role, attributes in _ATTRIBUTES.items()]
    return "\n".join([*statements, _MEMBERSHIP])


def operator_script() -> str:
    """What an operator runs once with psql, as superuser, on a server of their own; passwords are placeholders."""
    return "\n".join(
        [
            "-- Replace the three passwords, then: psql -v ON_ERROR_STOP=1 -d postgres -f this-file.sql",
            "-- PostgreSQL 16 or later with pgvector 0.8 or later.",
            roles_sql(PLACEHOLDERS),
            f"SELECT '{CREATE_DATABASE_SQL.rstrip(';').replace(chr(39), chr(39) * 2)}'"
            f" WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = '{DATABASE}')\\gexec",
            f"\\connect {DATABASE}",
            EXTENSION_SQL,
            RIGHTS_SQL.strip(),
            "-- DATABASE_URL=postgresql://memoryapp_app:<APP_PASSWORD>@HOST/memoryapp",
            "-- DATABASE_OWNER_URL=postgresql://memoryapp_owner:<OWNER_PASSWORD>@HOST/memoryapp",
        ]
    )


def _role_sql(role: str, attributes: str, password: str | None) -> str:
    secret = "" if password is None else " PASSWORD " + _quoted(password)
    return (
        f"DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{role}') THEN "
        f"CREATE ROLE {role}; END IF; END $$;\n"
        f"ALTER ROLE {role} {attributes}{secret};"
    )


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
