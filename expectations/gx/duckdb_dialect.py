"""The one patch of a private attribute of Great Expectations, which does not support DuckDB.

Great Expectations 1.24 closes the connection after each query unless it lists the dialect among
those whose connection it keeps; with DuckDB the result is then gone before it is read. The list
holds members of an enumeration that cannot be extended, so a string with a `value` is appended.
"""

from __future__ import annotations

from great_expectations.execution_engine import sqlalchemy_execution_engine

__all__ = ["keep_duckdb_connections"]

_LIST = "_PERSISTED_CONNECTION_DIALECTS"


class _Dialect(str):
    """The name of a dialect that looks like a member of GXSqlDialect."""

    __slots__ = ()

    @property
    def value(self) -> str:
        return str(self)


def keep_duckdb_connections() -> None:
    """Let Great Expectations read from DuckDB; calling it twice changes nothing."""
    dialects = getattr(sqlalchemy_execution_engine, _LIST)
    if "duckdb" not in dialects:
        setattr(sqlalchemy_execution_engine, _LIST, (*dialects, _Dialect("duckdb")))
