"""SQL of row-level security and composite foreign keys, for migrations and for the meta-test.

Every table of a tenant gets: security enabled and forced, a policy on `app.tenant` for reading and writing, a policy
for the look-up role, UNIQUE (tenant_id, id), and references that carry the tenant.
"""

from __future__ import annotations

from collections.abc import Sequence

TENANT = "NULLIF((SELECT current_setting('app.tenant', true)), '')::uuid"


def protect(table: str, column: str = "tenant_id") -> str:
    """Statements that close one table to every tenant but the present one."""
    return f"""
ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
ALTER TABLE {table} FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_rows ON {table} USING ({column} = {TENANT}) WITH CHECK ({column} = {TENANT});
CREATE POLICY lookup_rows ON {table} TO memoryapp_lookup USING (true);
GRANT SELECT ON {table} TO memoryapp_lookup;
"""


def tenant_key(table: str) -> str:
    """The unique pair that composite references point at."""
    return f"ALTER TABLE {table} ADD CONSTRAINT {table}_tenant_id_key UNIQUE (tenant_id, id);\n"


def tenant_reference(table: str, column: str, target: str) -> str:
    """A reference inside the tenant; checked at commit, so that a write plan may insert in any order."""
    return (
        f"ALTER TABLE {table} ADD CONSTRAINT {table}_{column}_in_tenant FOREIGN KEY (tenant_id, {column}) "
        f"REFERENCES {target} (tenant_id, id) DEFERRABLE INITIALLY DEFERRED;\n"
    )


def all_tables(tables: Sequence[str]) -> str:
    return "".join(protect(table) + tenant_key(table) for table in tables)
