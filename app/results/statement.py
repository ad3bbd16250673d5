"""A query that a person wrote: it runs in another process, reads one warehouse, can be stopped."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import duckdb
import polars as pl

from ingest.base.errors import PerfhouseError, RequestError
from ingest.lake.queries import Query, prepare

__all__ = ["MOST_ROWS", "Statement", "StatementError", "prepare"]

MOST_ROWS = 100_000
MOST_BYTES = 200_000_000


class StatementError(RequestError):
    """A query is wrong, was refused, or took too long; the message may have several lines."""


class Statement:
    """A query on the published file; `start` it, wait until it `is_done`, and take its `answer`.

    rows: the first MOST_ROWS, in MOST_BYTES; is_cut: whether there are more; seconds: how long it
    took. `stop` ends its process, also when it is done.
    """

    def __init__(self, file: Path, sql: str) -> None:
        self._sql = sql
        self._query = Query(file)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._error: str | None = None
        self.rows = pl.DataFrame()
        self.is_cut = False
        self.seconds = 0.0

    def start(self) -> None:
        """Begin to run it."""
        self._thread.start()

    def is_done(self, seconds: float = 0) -> bool:
        """Return whether it has ended, after at most this long."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def stop(self) -> None:
        """Stop it, and end its process."""
        if self._thread.is_alive():
            self._query.stop()
            self._thread.join()
        self._query.end()

    def answer(self) -> pl.DataFrame:
        """Return the rows. Raises StatementError."""
        if self._error is not None:
            raise StatementError(self._error)
        return self.rows

    def _run(self) -> None:
        began = time.monotonic()
        try:
            table, self.is_cut = self._query.rows(self._sql, MOST_ROWS, MOST_BYTES)
            self.rows = pl.DataFrame(table)
        except (duckdb.Error, PerfhouseError) as error:
            self._error = str(error).strip()
        # A mistake of perfhouse or Polars, which is not to look like no rows.
        except (Exception, pl.exceptions.PanicException) as error:
            self._error = f"{type(error).__name__}: {error}"
            raise
        finally:
            self.seconds = time.monotonic() - began
