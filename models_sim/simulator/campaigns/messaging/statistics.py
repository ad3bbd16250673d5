"""SMF 115 of a campaign's queue managers: log, storage, messages and buffer pools."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from models_sim.simulator.log import section
from models_sim.simulator.mq import fields
from models_sim.simulator.mq.periods import Use

__all__ = ["buffer_pools", "log_manager", "managers", "region", "storage_manager"]

_PRELOADED = 1 << 20  # buffers of the pool of message-to-file: document 000, section 4


_MB = 1 << 20
#: MB of 31-bit storage: what a queue manager has left without clients, and what one client takes.
#: 8,000 take 110 MB (document 001, section 3); the rest is invented.
_AVAILABLE, _USED, _CLIENT = 1400, 210, 110 / 8000


def region(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the 31-bit storage of queue managers with `clients` connections."""
    used = ((_USED + _CLIENT * pl.col("clients")) * _MB).round().cast(pl.Int64)
    return section(
        rows,
        qsrsid=0xE20C,
        qsrsesiza=(_AVAILABLE + _USED) * _MB,
        qsrseloal=used,
        qsrsoeloal=used,
        qsrsaval=(_AVAILABLE + _USED) * _MB - used,
    )


def storage_manager(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the storage manager's figures, the same in every interval; rows as in `work`."""
    return section(
        rows, qsstgplv=30, qsstfplv=30, qsstexpv=34, qsstfrev=32, qsstgetm=40, qsstfrem=41
    )


def log_manager(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the writes to two copies of the log by persistent messages and waiting commits."""
    writes, forces = (rows[name].cast(pl.Float64).to_numpy() for name in ("log_writes", "forces"))
    pages = np.maximum(np.ceil(rows["logged"].to_numpy() / 4096), writes)
    us = rows["log_us"].to_numpy()
    length = (rows["end"] - rows["start"]).dt.total_microseconds().to_numpy()
    single = pages == writes  # either all writes of an interval have one page, or all have several

    def both(value: Any) -> pl.Series:
        kinds = np.stack([np.where(single, value, 0.0), np.where(single, 0.0, value)], 1)
        return pl.Series(np.rint(np.stack([kinds] * 2, 1)).astype(np.int64))

    return section(
        rows,
        qjstwrnw=pl.col("persistent") + pl.col("states"),
        qjstwrf=pl.Series(forces),
        qjstbsds=20,
        qjstlsus=pl.Series(forces),
        qjstlogw=pl.Series(2 * writes),
        qjstciwr=pl.Series(2 * pages),
        qjstbffl=pl.Series(pages),
        qjstbfwr=pl.Series(writes),
        qjstiocount=both(writes),
        qjstioci=both(pages),
        qjstiototio=both(writes * us),
        qjstiototsus=both(writes * us * 1.04),
        qjstiomaxio=both(np.where(writes > 0, 13 * us, 0.0)),
        # both copies are written at once
        qjstslptu=pl.Series(np.rint(np.maximum(length - writes * us, 0)).astype(np.int64)),
    )


def managers(rows: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Return messages, data and locks: the sums of the calls of a run."""
    calls, gets = pl.col("calls"), pl.col("gets")
    opens = pl.when("active").then(6).otherwise(pl.col("tasks").fill_null(0))
    persistent = pl.col("persistent_bytes") + pl.col("state_bytes")
    use = Use(
        opens=opens,
        closes=opens,
        puts=calls,
        persistent_puts=pl.col("persistent") + pl.col("states"),
        put_bytes=pl.col("message_bytes") + persistent,
        persistent_bytes=persistent,
        gets=gets,
        empty_gets=gets // 50,
    )
    return {
        "smf115_qmst": section(rows, **fields.messages(use)),
        "smf115_qist": section(rows, **fields.data(use), qistgetb=gets),
        "smf115_qlst": section(rows, **fields.locks(calls * 6, calls // 150, calls * 4)),
    }


def buffer_pools(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the data's buffer pool; messages are got before their pages have to be written.

    The messages of message-to-file were put before the run, on a queue with a pool of 4 GB.
    """
    size = pl.col("message_bytes") + pl.col("persistent_bytes")
    pages = pl.when("shared").then(0).otherwise(size // 4096).fill_null(0)
    loaded = rows.filter(pl.col("preloaded") > 0)
    read = (pl.col("preloaded") * pl.col("size")) // 4096
    free, changed = (_PRELOADED - read, _PRELOADED), (read, 0, 0)
    preloaded = section(loaded, **fields.pool(4, _PRELOADED, free, changed), qpstloc=True)
    pool = fields.pool(3, 262_144, (250_000, 262_000), (pages, pages, pages))
    data = section(rows, **pool, qpstloc=True)
    both = pl.concat([data, preloaded], how="vertical_relaxed")
    return both.sort("record_no", maintain_order=True)
