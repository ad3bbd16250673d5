"""Read the published warehouse; the connection and the results are cached by version."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import NamedTuple

import duckdb
import polars as pl

from ingest.base.errors import PerfhouseError
from ingest.lake.frames import frame
from ingest.lake.lake_tables import ROWS
from ingest.lake.locked import (
    MISREAD,
    MISREAD_OR_LOST,
    cursor_of,
    lock,
    misread,
    open_database,
    time_limit,
)
from ingest.lake.profile import data_of

__all__ = ["MissingWarehouseError", "Reader", "UnreadableWarehouseError", "Version", "close"]

# Opening a file takes longer than most queries: its catalogue has thousands of columns with
# descriptions. But DuckDB shares one instance per path within a process while any connection to it
# is open, and a shared instance keeps reading a file that has been replaced. So there is one
# connection, to one version, closed before the next version is opened. One query runs at a time, so
# none is under way then.
_ONE_AT_A_TIME = Lock()
_HELD: dict[Version, duckdb.DuckDBPyConnection] = {}
_PUBLISHED: dict[Version, datetime] = {}
_HAS_BUILD = """
    select count(*) > 0 from information_schema.columns
    where table_catalog = current_database() and table_schema = 'meta' and table_name = 'build'
"""
_LAST_PUBLISH = """
    select max(ended_at)
    from meta.pipeline_step
    where step = 'publish' and status = 'ok' and build_id in (select build_id from meta.build)
"""


class MissingWarehouseError(PerfhouseError):
    """There is no file at the path of the published warehouse."""


class UnreadableWarehouseError(PerfhouseError):
    """The file is not a DuckDB database, or lacks a table or column that a page reads."""


class Version(NamedTuple):
    """Identifies one published file; the next one has the same path."""

    path: str
    inode: int
    mtime_ns: int


class Reader:
    """Queries on the published warehouse.

    Results are cached until the next publish, so a page drawn twice queries the database once.
    They are Polars frames, which cannot be changed in place.
    """

    def __init__(self, file: Path) -> None:
        self.file = file

    @property
    def version(self) -> Version:
        """The version published now. Raises MissingWarehouseError."""
        try:
            path = self.file.resolve(strict=True)
            state = path.stat()
        except OSError as error:
            raise MissingWarehouseError(f"{self.file}: no warehouse here") from error
        return Version(str(path), state.st_ino, state.st_mtime_ns)

    @property
    def published_at(self) -> datetime:
        """When its build was published, UTC; without a log, when it was built.

        The time of the file is that of its copy if somebody copied it; it only counts where
        nothing is built yet. Raises MissingWarehouseError, UnreadableWarehouseError.
        """
        version = self.version
        if version in _PUBLISHED:
            return _PUBLISHED[version]
        if not self.catalogue_frame(_HAS_BUILD).item():
            return datetime.fromtimestamp(version.mtime_ns / 1e9, tz=UTC).replace(tzinfo=None)
        try:
            logged: datetime | None = self.live_frame(_LAST_PUBLISH).item()
        except UnreadableWarehouseError:  # a copy without its lake
            logged = None
        if logged is None:  # or the step has not ended yet, so this is asked again
            built: datetime = self.frame("select max(built_at) from meta.build").item()
            return built
        _PUBLISHED.clear()
        _PUBLISHED[version] = logged
        return logged

    @property
    def is_built(self) -> bool:
        """Whether the file has marts; before the first publish it only has raw records."""
        marts = self.catalogue_frame(
            "select count(*) from information_schema.columns "
            "where table_catalog = current_database() and table_schema = 'marts'"
        )
        return bool(marts.item())

    def frame(
        self, sql: str, parameters: Sequence[object] | Mapping[str, object] = ()
    ) -> pl.DataFrame:
        """Return the rows of a query on tables, which only change with a publish.

        Parameters are scalars, or tuples for lists; by place, or by name.

        Raises MissingWarehouseError, UnreadableWarehouseError.
        """
        if isinstance(parameters, Mapping):
            return _kept_named(self.version, sql, tuple(parameters.items()))
        return _kept(self.version, sql, tuple(parameters))

    def catalogue_frame(self, sql: str, parameters: Sequence[object] = ()) -> pl.DataFrame:
        """Return the rows of a query on names, types and comments, which the file has, as `frame`.

        Of a DuckLake, DuckDB would look up the size of each table.
        """
        return _kept_of_catalogue(self.version, sql, tuple(parameters))

    def rows_in_lake(self) -> pl.DataFrame | None:
        """Return how many rows each table in DuckLake has: name, rows; None without one."""
        with self.connection() as db:
            if data_of(db) is None:
                return None
        return self.frame(ROWS)

    def live_frame(self, sql: str, parameters: Sequence[object] = ()) -> pl.DataFrame:
        """Return the rows of a query on live views, as of `raw` and `meta`; never cached.

        Raises MissingWarehouseError, UnreadableWarehouseError.
        """
        return _query(self.version, sql, tuple(parameters))

    def connection(self) -> AbstractContextManager[duckdb.DuckDBPyConnection]:
        """Open the published file, read-only, for several queries; others wait until it closes.

        Raises MissingWarehouseError, UnreadableWarehouseError.
        """
        return _opened(self.version)


@contextmanager
def _opened(version: Version) -> Iterator[duckdb.DuckDBPyConnection]:
    with _ONE_AT_A_TIME:
        try:
            with cursor_of(_held(version)) as connection, time_limit(connection):
                try:
                    yield connection
                except MISREAD_OR_LOST as error:
                    if reason := misread(connection, error):
                        raise UnreadableWarehouseError(reason) from error
                    raise
        except MISREAD as error:
            if not os.path.exists(version.path):  # noqa: PTH110 - a str from the version
                raise MissingWarehouseError(f"{version.path}: no warehouse here") from error
            raise UnreadableWarehouseError(str(error).splitlines()[0]) from error


def _held(version: Version) -> duckdb.DuckDBPyConnection:
    """Return the connection to this version; close any to another version first."""
    if version not in _HELD:
        close()
        connection = open_database(Path(version.path), read_only=True)
        lock(connection)
        _HELD[version] = connection
    return _HELD[version]


def close() -> None:
    """Close the connection that readers hold, so that others can write the file."""
    while _HELD:
        _HELD.popitem()[1].close()


def _query(version: Version, sql: str, parameters: tuple[object, ...]) -> pl.DataFrame:
    with _opened(version) as connection:
        return frame(connection, sql, [_plain(value) for value in parameters])


def _asked_by_name(
    version: Version, sql: str, parameters: tuple[tuple[str, object], ...]
) -> pl.DataFrame:
    with _opened(version) as connection:
        return frame(connection, sql, {name: _plain(value) for name, value in parameters})


def _asked_of_catalogue(version: Version, sql: str, parameters: tuple[object, ...]) -> pl.DataFrame:
    values = [_plain(value) for value in parameters]
    with _opened(version) as connection:
        if data_of(connection) is None:
            return frame(connection, sql, values)
        with open_database(Path(version.path), read_only=True, apart=True, lake=False) as alone:
            return frame(alone, sql, values)


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value  # a list, as DuckDB takes it


_kept = lru_cache(maxsize=256)(_query)  # several pages of thirty queries
_kept_of_catalogue = lru_cache(maxsize=64)(_asked_of_catalogue)
_kept_named = lru_cache(maxsize=64)(_asked_by_name)
