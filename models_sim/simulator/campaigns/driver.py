"""A driver's transaction: a task puts a message and gets it, and commits each time.

The tasks of a driver work in parallel, each on one transaction at a time:

    time of a transaction = own + COMMITS * LOG_WAIT * (a write to the log) + latches

The middle part applies only to persistent messages. A commit waits for the write that is under way
(half of it on average) and then for its own; one write serves all commits that arrived in the
meantime. The form and all figures are invented.
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
    "commits_of",
    "log_writes",
    "transaction_us",
]

COMMITS = 2  # per transaction
LOG_US = 310.0  # per write to the log
LOG_WAIT = 1.5  # writes that a commit waits for
SERVED = 0.3  # additional commits per write, for each task
WRITE_BYTES = 128 * 4096  # maximum per write to the log
LOGGED = 700  # bytes logged in addition to a persistent message: put, get, both commits


def transaction_us(own: pl.Expr, log_us: pl.Expr, latch_us: pl.Expr) -> pl.Expr:
    """Return the microseconds of a transaction of persistent messages."""
    return own + COMMITS * LOG_WAIT * log_us + latch_us


def commits_of(transactions: pl.Expr) -> pl.Expr:
    """Return the commits of persistent transactions.

    Messages that go over a channel are committed with the others of their batch. Needs the column
    `achieved_batch`.
    """
    return (transactions * COMMITS / pl.col("achieved_batch").fill_null(1.0)).ceil()


def log_writes() -> pl.Expr:
    """Return the writes to one copy of the log by runs of persistent messages; 0 for others.

    The more tasks there are, the more commits a write serves, up to a limit. Needs the columns
    `persistent`, `transactions`, `tasks`, `achieved_batch` and `message_size_bytes`.
    """
    commits = commits_of(pl.col("transactions")) / (1.0 + SERVED * pl.col("tasks"))
    full = pl.col("transactions") * (pl.col("message_size_bytes") + LOGGED) / WRITE_BYTES
    writes = pl.max_horizontal(commits, full).ceil().cast(pl.Int64)
    kept = pl.col("persistent") & pl.col("tasks").is_not_null()
    return pl.when(kept.fill_null(value=False)).then(writes).otherwise(0)
