"""What a transaction of a driver is to MQ: a message that a task puts and gets, each committed.

The tasks of a driver work side by side, each at one transaction at a time:

    time of a transaction = own + COMMITS * LOG_WAIT * (a write to the log) + latches

where the middle part is that of persistent messages alone. A commit waits for the write that is
under way, half of it on average, and for its own; one write serves the commits that came meanwhile.
The form and all figures are invented.
"""

from __future__ import annotations

import polars as pl

__all__ = [
    "COMMITS",
    "LOGGED",
    "LOG_US",
    "LOG_WAIT",
    "SERVED",
    "WRITE_BYTES",
    "log_writes",
    "transaction_us",
]

COMMITS = 2  # of a transaction
LOG_US = 310.0  # of a write to the log
LOG_WAIT = 1.5  # writes that a commit waits for
SERVED = 0.3  # commits more that a write serves for each task
WRITE_BYTES = 128 * 4096  # of a write to the log, at most
LOGGED = 700  # bytes in the log beside a persistent message's own: its put, its get, both commits


def transaction_us(own: pl.Expr, log_us: pl.Expr, latch_us: pl.Expr) -> pl.Expr:
    """Microseconds of a transaction of persistent messages."""
    return own + COMMITS * LOG_WAIT * log_us + latch_us


def log_writes() -> pl.Expr:
    """What runs of persistent messages write to a copy of the log; 0 of others.

    A write serves more commits, the more tasks there are, and has a limit. Of columns `persistent`,
    `transactions`, `tasks` and `message_size_bytes`.
    """
    commits = pl.col("transactions") * COMMITS / (1.0 + SERVED * pl.col("tasks"))
    full = pl.col("transactions") * (pl.col("message_size_bytes") + LOGGED) / WRITE_BYTES
    writes = pl.max_horizontal(commits, full).ceil().cast(pl.Int64)
    kept = pl.col("persistent") & pl.col("tasks").is_not_null()
    return pl.when(kept.fill_null(value=False)).then(writes).otherwise(0)
