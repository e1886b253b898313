"""The connections of the minimal views, made known before Django looks at its databases."""

from __future__ import annotations

import os

from django.conf import settings
from django.db import connections

from memoryapp.environment import database_settings

SUPERUSER_URL = "BENCH_SUPERUSER_URL"


def add_minimal_databases() -> None:
    """`plain` and `heap`: connections past row-level security and triggers, pooled like the service's own."""
    url = os.environ[SUPERUSER_URL]
    for alias, switch in (("plain", ""), ("heap", " -c enable_indexonlyscan=off")):
        one = database_settings(url, pool_size=4, server_side=True)
        one["OPTIONS"]["options"] += f" -c session_replication_role=replica{switch}"
        settings.DATABASES[alias] = one
        connections.settings[alias] = connections.configure_settings({"default": {}, alias: one})[alias]
