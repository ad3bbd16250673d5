"""The plugin that attaches a lake for writing, which dbt's own options cannot do."""

from __future__ import annotations

from dbt.adapters.duckdb.plugins import BasePlugin
from duckdb import DuckDBPyConnection

from ingest.lake.ducklake import attach, profile_shown, read_profile

__all__ = ["Plugin"]


class Plugin(BasePlugin):  # type: ignore[misc]
    """Attaches the lake that the working database's views read."""

    def configure_connection(self, conn: DuckDBPyConnection) -> None:
        """Attach it; called once, before dbt attaches anything."""
        if profile := profile_shown(conn):
            attach(conn, read_profile(profile), read_only=False)
