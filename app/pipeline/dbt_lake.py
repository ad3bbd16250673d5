"""The plugin that builds in a lake: what dbt-duckdb's own options cannot do.

If dbt makes no transactions of its own (`disable_transactions`), all models and tests of a build
are one. Each transaction reads what it needs of DuckLake's catalog again, and its commit costs more
than a small model; a table that is not committed yet is not looked up at all. Macros begin it and
commit it (dbt/macros/lake.sql).
"""

from __future__ import annotations

from typing import Any, ClassVar

import duckdb
from dbt.adapters.duckdb.environments import local
from dbt.adapters.duckdb.plugins import BasePlugin

from ingest.lake.lake_tables import note_statistics
from ingest.lake.profile import attach, profile_shown, read_profile

__all__ = ["Plugin"]


class Plugin(BasePlugin):  # type: ignore[misc]
    """Attaches the lake that the working database's views read."""

    def configure_connection(self, conn: duckdb.DuckDBPyConnection) -> None:
        """Attach it; called once, before dbt attaches anything."""
        if profile := profile_shown(conn):
            attach(conn, read_profile(profile), read_only=False)
        if self.creds.disable_transactions:
            _Shared.cursor_of_all = None
            local.DuckDBConnectionWrapper = _Shared
        else:
            local.DuckDBCursorWrapper = _Noting


class _Noting(local.DuckDBCursorWrapper):  # type: ignore[misc]
    """A cursor in builds of a transaction for each model: the next one may read an empty table."""

    def execute(self, sql: str, bindings: object = None) -> Any:
        done = super().execute(sql, bindings)
        if sql == "COMMIT":
            note_statistics(self._cursor, "lake_marts")
        return done


class _Shared(local.DuckDBConnectionWrapper):  # type: ignore[misc]
    """A connection of dbt that is the same for all nodes: transactions belong to connections."""

    cursor_of_all: ClassVar[duckdb.DuckDBPyConnection | None] = None

    def __init__(self, cursor: duckdb.DuckDBPyConnection, env: local.LocalEnvironment) -> None:
        _Shared.cursor_of_all = _Shared.cursor_of_all or cursor
        self._cursor, self._env = _Cursor(_Shared.cursor_of_all), env

    def close(self) -> None:
        self._env.notify_closed()


class _Cursor(local.DuckDBCursorWrapper):  # type: ignore[misc]
    def execute(self, sql: str, bindings: object = None) -> Any:
        if sql in ("BEGIN", "COMMIT"):  # dbt says both between nodes, whatever its options
            return self
        return super().execute(sql, bindings)

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """Return what a Python model writes its table with."""
        return self._cursor
