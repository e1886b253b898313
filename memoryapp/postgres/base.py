"""Django's PostgreSQL backend, which asks the server less often and reads moments faster."""

from __future__ import annotations

import select
from datetime import UTC
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


class UtcLoader(TimestamptzLoader):
    """The driver's own loader of moments; Django looks at its time zone."""

    timezone = UTC


class DatabaseWrapper(base.DatabaseWrapper):
    """`CONN_HEALTH_CHECKS` of pooled connections as a look at the socket: Django's own asks the server every time."""

    @property
    def pool(self) -> Any:
        pool = super().pool
        if pool is not None:
            pool._check = still_open
        return pool

    def get_connection_params(self) -> dict[str, Any]:
        """Moments are read by the driver's compiled loader; Django's own gives the same ones, in Python."""
        params: dict[str, Any] = super().get_connection_params()
        if self.timezone is UTC:
            adapters = AdaptersMap(params["context"].adapters)
            adapters.register_loader("timestamptz", UtcLoader)
            params["context"] = adapters
        return params

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
