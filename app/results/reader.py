"""Read the published warehouse, read-only: one connection and the results are kept by version."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import NamedTuple

import duckdb
import polars as pl

__all__ = ["MissingWarehouseError", "Reader", "UnreadableWarehouseError", "Version"]

# Opening a file takes longer than most queries: its catalogue has some thousand columns with their
# descriptions. But within one process DuckDB shares the instance of a path for as long as any
# connection to it is open, and a shared instance goes on reading a file that was replaced
# meanwhile. So there is one, of one version, and it is closed before that of the next is opened;
# one query at a time sees to it that none is under way then.
_ONE_AT_A_TIME = Lock()
_HELD: dict[Version, duckdb.DuckDBPyConnection] = {}


class MissingWarehouseError(Exception):
    """There is no file at the path of the published warehouse."""


class UnreadableWarehouseError(Exception):
    """The file is no DuckDB database, or lacks a table or column that a page reads."""


class Version(NamedTuple):
    """What tells one published file from the next, though the path stays the same."""

    path: str
    inode: int
    mtime_ns: int


class Reader:
    """Queries on the published warehouse.

    A result is kept as long as the published file is the same one, so that a page drawn twice
    asks the database once. Frames are Polars frames, which nobody can change in place.
    """

    def __init__(self, file: Path) -> None:
        self.file = file

    @property
    def version(self) -> Version:
        """The version that is published now. Raises MissingWarehouseError."""
        try:
            path = self.file.resolve(strict=True)
            state = path.stat()
        except OSError as error:
            raise MissingWarehouseError(str(self.file)) from error
        return Version(str(path), state.st_ino, state.st_mtime_ns)

    @property
    def published_at(self) -> datetime:
        """When the file was published, UTC. Raises MissingWarehouseError."""
        return datetime.fromtimestamp(self.version.mtime_ns / 1e9, tz=UTC).replace(tzinfo=None)

    @property
    def is_built(self) -> bool:
        """Whether the file has marts: before the first publish it shows raw records only."""
        marts = self.frame("select count(*) from duckdb_tables() where schema_name = 'marts'")
        return bool(marts.item())

    def frame(self, sql: str, parameters: Sequence[object] = ()) -> pl.DataFrame:
        """Rows of a query over tables, which change only with a publish.

        Parameters are scalars, or a tuple for a list.

        Raises MissingWarehouseError, UnreadableWarehouseError.
        """
        return _kept(self.version, sql, tuple(parameters))

    def live_frame(self, sql: str, parameters: Sequence[object] = ()) -> pl.DataFrame:
        """Rows of a query over `raw` or `meta`, whose views show each load at once: never kept.

        Raises MissingWarehouseError, UnreadableWarehouseError.
        """
        return _asked(self.version, sql, tuple(parameters))

    def connection(self) -> AbstractContextManager[duckdb.DuckDBPyConnection]:
        """The published file, read-only, for what is more than one query; no other runs meanwhile.

        Raises MissingWarehouseError, UnreadableWarehouseError.
        """
        return _opened(self.version)


@contextmanager
def _opened(version: Version) -> Iterator[duckdb.DuckDBPyConnection]:
    with _ONE_AT_A_TIME:
        try:
            with _held(version).cursor() as connection:
                yield connection
        except (duckdb.CatalogException, duckdb.BinderException, duckdb.IOException) as error:
            if not os.path.exists(version.path):  # noqa: PTH110 - a str from the version
                raise MissingWarehouseError(version.path) from error
            raise UnreadableWarehouseError(str(error).splitlines()[0]) from error


def _held(version: Version) -> duckdb.DuckDBPyConnection:
    """The connection to this version, opened if it is not, in place of that to another."""
    if version not in _HELD:
        while _HELD:
            _HELD.popitem()[1].close()
        _HELD[version] = duckdb.connect(version.path, read_only=True)
    return _HELD[version]


def _asked(version: Version, sql: str, parameters: tuple[object, ...]) -> pl.DataFrame:
    with _opened(version) as connection:
        return connection.execute(sql, [_plain(value) for value in parameters]).pl()


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value  # a list, as DuckDB takes it


_kept = lru_cache(maxsize=64)(_asked)
