"""Django's PostgreSQL backend, which asks the server less often and reads moments faster."""

from __future__ import annotations

import select
from datetime import UTC
from functools import cache
from typing import Any

from django.db.backends.postgresql import base
from psycopg import _queries, errors
from psycopg.adapt import AdaptersMap
from psycopg.pq import ExecStatus
from psycopg.types.datetime import TimestamptzLoader

# The driver keeps how a statement reads once its placeholders are numbered, but only of statements that are no longer
# than this. A search and a write are longer, and always the same: reading them anew took a tenth of a forget.
_queries.MAX_CACHED_STATEMENT_LENGTH = 32_768
_queries.MAX_CACHED_STATEMENT_PARAMS = 300


@cache
def _with_compiled_moments(template: AdaptersMap) -> AdaptersMap:
    """Django's adapters with the driver's own loader of moments. The driver exchanges this class for its compiled one,
    but nothing that is derived from it, as Django's loader is: in Python a moment takes fifteen times as long.
    """
    adapters = AdaptersMap(template)
    adapters.register_loader("timestamptz", TimestamptzLoader)
    return adapters


class DatabaseWrapper(base.DatabaseWrapper):
    """`CONN_HEALTH_CHECKS` of pooled connections as a look at the socket: Django's own asks the server every time."""

    @property
    def pool(self) -> Any:
        pool = super().pool
        if pool is not None:
            pool._check = still_open
        return pool

    def get_connection_params(self) -> dict[str, Any]:
        params: dict[str, Any] = super().get_connection_params()
        if self._reads_moments_compiled:
            params["context"] = _with_compiled_moments(params["context"].adapters)
        return params

    def create_cursor(self, name: str | None = None) -> Any:
        """As Django makes it, without asking the loader of moments for its time zone: it has that of the session."""
        if not self._reads_moments_compiled:
            return super().create_cursor(name)
        connection: Any = self.connection
        if name is None:
            return connection.cursor()
        return connection.cursor(name, scrollable=False, withhold=connection.autocommit)

    @property
    def _reads_moments_compiled(self) -> bool:
        return self.timezone is UTC and self.settings_dict["OPTIONS"].get("server_side_binding") is True

    def begin(self, statements: str) -> str | None:
        """Begin the transaction of an `atomic` block that was just entered with its first statements, in one message.

        Answers the first value of the last one as text. They go as they are: nothing from outside may stand in them. A
        connection that breaks here was ended by the server: nothing was done on it yet, so another one takes its place.
        """
        self.ensure_connection()
        connection: Any = self.connection
        message = f"BEGIN; {statements}".encode()
        with self.wrap_database_errors:
            result = connection.pgconn.exec_(message)
            if connection.broken:
                result = self._another().pgconn.exec_(message)
            if result.status != ExecStatus.TUPLES_OK:
                raise errors.error_from_result(result)
        value = result.get_value(0, 0) if result.ntuples else None
        return value.decode() if value is not None else None

    def _another(self) -> Any:
        """A new connection in the place of one that broke, in the state that Django believes the old one to be in."""
        django: Any = self
        django._close()
        self.connection = self.get_new_connection(self.get_connection_params())
        self.init_connection_state()
        django._set_autocommit(self.autocommit)
        return self.connection


def still_open(connection: Any) -> None:
    """Raises OperationalError when the server has ended the connection: its end is there to be read."""
    waiting = select.poll()
    waiting.register(connection.fileno(), select.POLLIN)
    while waiting.poll(0):
        connection.pgconn.consume_input()
