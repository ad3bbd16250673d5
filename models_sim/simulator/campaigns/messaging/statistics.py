"""SMF 115 of a campaign's queue managers: log, storage, messages and buffer pools."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from models_sim.simulator.zos.log import section

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
    return {
        "smf115_qmst": section(
            rows,
            qmstopen=opens,
            qmstclos=opens,
            qmstget=gets + gets // 50,
            qmstput=calls,
            qmstspp=pl.col("persistent") + pl.col("states"),
            qmstsnp=pl.col("messages"),
            qmstpbp=pl.col("persistent_bytes") + pl.col("state_bytes"),
            qmstnbp=pl.col("message_bytes"),
        ),
        "smf115_qist": section(rows, qistmget=gets + gets // 50, qistmput=calls, qistdloc=opens,
                               qistgetb=gets),
        "smf115_qlst": section(rows, qlstgetl=calls * 6, qlsthldl=calls // 150, qlstrell=calls * 4),
    }  # fmt: skip


def buffer_pools(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the data's buffer pool; messages are got before their pages have to be written.

    The messages of message-to-file were put before the run, on a queue with a pool of 4 GB.
    """
    size = pl.col("message_bytes") + pl.col("persistent_bytes")
    pages = pl.when("shared").then(0).otherwise(size // 4096).fill_null(0)
    loaded = rows.filter(pl.col("preloaded") > 0)
    read = (pl.col("preloaded") * pl.col("size")) // 4096
    preloaded = section(
        loaded,
        qpstpool=4,
        qpstnbuf=_PRELOADED,
        qpstcbsl=_PRELOADED - read,
        qpstcbs=_PRELOADED,
        qpstgetp=read,
        qpstgetn=0,
        qpststw=0,
        qpstloc=True,
        qpstf4kb=False,
    )
    data = section(
        rows,
        qpstpool=3,
        qpstnbuf=262_144,
        qpstcbsl=250_000,
        qpstcbs=262_000,
        qpstgetp=pages,
        qpstgetn=pages,
        qpststw=pages,
        qpstloc=True,
        qpstf4kb=False,
    )
    both = pl.concat([data, preloaded], how="vertical_relaxed")
    return both.sort("record_no", maintain_order=True)
