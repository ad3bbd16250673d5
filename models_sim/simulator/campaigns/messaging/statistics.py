"""SMF 115 of a campaign's queue managers: log, storage, messages and buffer pools."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from models_sim.simulator.zos.log import section

__all__ = ["buffer_pools", "log_manager", "managers", "storage_manager"]


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
    single = pages == writes  # either all writes of an interval have one page, or all have several

    def both(value: Any) -> pl.Series:
        kinds = np.stack([np.where(single, value, 0.0), np.where(single, 0.0, value)], 1)
        return pl.Series(np.rint(np.stack([kinds] * 2, 1)).astype(np.int64))

    return section(
        rows,
        qjstwrnw=pl.col("persistent"),
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
            qmstspp=pl.col("persistent"),
            qmstsnp=pl.col("messages"),
            qmstpbp=pl.col("persistent_bytes"),
            qmstnbp=pl.col("message_bytes"),
        ),
        "smf115_qist": section(rows, qistmget=gets + gets // 50, qistmput=calls, qistdloc=opens,
                               qistgetb=gets),
        "smf115_qlst": section(rows, qlstgetl=calls * 6, qlsthldl=calls // 150, qlstrell=calls * 4),
    }  # fmt: skip


def buffer_pools(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the data's buffer pool; messages are got before their pages have to be written."""
    size = pl.col("message_bytes") + pl.col("persistent_bytes")
    pages = pl.when("shared").then(0).otherwise(size // 4096).fill_null(0)
    return section(
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
