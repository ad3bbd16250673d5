"""A query that a person wrote: it runs in a thread, reads one warehouse, and can be stopped."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import duckdb
import polars as pl

from ingest.errors import PerfhouseError
from ingest.locked import limited, lock, open_database, require_reading

__all__ = ["MOST_ROWS", "Statement", "StatementError"]

MOST_ROWS = 100_000
_BATCH = 10_000  # rows


class StatementError(PerfhouseError):
    """A query is wrong, was refused, or took too long; the message may have several lines."""


class Statement:
    """A query on the published file; `start` it, wait until it `is_done`, and take its `answer`.

    rows: the first MOST_ROWS; is_cut: whether there are more; seconds: how long it took.
    """

    def __init__(self, file: Path, sql: str) -> None:
        self._sql = sql
        # In an instance of its own: a publish closes the connection that pages share.
        self._db = open_database(file, read_only=True, apart=True)
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
        """Stop it, and close its connection."""
        if self._thread.is_alive():
            self._db.interrupt()
            self._thread.join()
        self._db.close()

    def answer(self) -> pl.DataFrame:
        """Return the rows. Raises StatementError."""
        if self._error is not None:
            raise StatementError(self._error)
        return self.rows

    def _run(self) -> None:
        began = time.monotonic()
        try:
            lock(self._db)
            if not self._db.extract_statements(self._sql):
                raise StatementError("the query is empty")
            require_reading(self._db, self._sql)
            with limited(self._db):
                self._fetch(self._db.execute(self._sql))
        except duckdb.InterruptException:
            self._error = "stopped"
        except (duckdb.Error, PerfhouseError) as error:
            self._error = str(error).strip()
        finally:
            self.seconds = time.monotonic() - began

    def _fetch(self, result: duckdb.DuckDBPyConnection) -> None:
        batches = result.to_arrow_reader(_BATCH)
        parts, rows = [pl.DataFrame(batches.schema.empty_table())], 0
        for batch in batches:
            parts.append(pl.DataFrame(batch))
            rows += batch.num_rows
            if rows > MOST_ROWS:
                break
        self.rows = pl.concat(parts).head(MOST_ROWS)
        self.is_cut = rows > MOST_ROWS
