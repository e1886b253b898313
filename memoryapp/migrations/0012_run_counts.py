"""Runs by state over all tenants, for the operator's numbers: counts only."""

from __future__ import annotations

from django.db import migrations

COUNTS = """
SET ROLE memoryapp_lookup;
CREATE FUNCTION door.run_counts(at timestamptz)
RETURNS TABLE (state text, amount bigint, due bigint, oldest_seconds double precision)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT counted.state, count(*), count(*) FILTER (WHERE counted.waits),
           COALESCE(EXTRACT(EPOCH FROM at - min(counted.since) FILTER (WHERE counted.waits)), 0)::double precision
    FROM (
        SELECT r.state::text AS state, r.due_at AS since,
               (r.state = 'pending' AND r.due_at <= at) OR (r.state = 'running' AND r.lease_until < at) AS waits
        FROM memoryapp_run r
    ) AS counted
    GROUP BY counted.state
$$;
RESET ROLE;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("memoryapp", "0011_idempotency_lease"),
    ]
    operations = [migrations.RunSQL(COUNTS, migrations.RunSQL.noop)]
