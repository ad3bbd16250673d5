"""SMF 115 of a campaign's queue managers: log, storage, messages and buffer pools."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from models_sim.campaign.site import BATCH
from models_sim.zos.log import section

__all__ = ["buffer_pools", "log_manager", "managers", "storage_manager"]


def storage_manager(rows: pl.DataFrame) -> pl.DataFrame:
    """Storage: the same in every interval; rows as `messaging.work` gives them."""
    return section(
        rows, qsstgplv=30, qsstfplv=30, qsstexpv=34, qsstfrev=32, qsstgetm=40, qsstfrem=41
    )


def log_manager(rows: pl.DataFrame) -> pl.DataFrame:
    """The log: control messages, forced by their batches; two copies."""
    logged = (rows["control_bytes"] * 1.3).to_numpy()
    forces = np.ceil(rows["control"].to_numpy() / BATCH)
    pages = np.maximum(np.ceil(logged / 4096), forces)
    none = np.zeros_like(forces)

    def both(single: Any) -> pl.Series:
        return pl.Series(np.rint(np.stack([np.stack([single, none], 1)] * 2, 1)).astype(np.int64))

    return section(
        rows,
        qjstwrnw=pl.col("control"),
        qjstwrf=pl.Series(forces),
        qjstbsds=20,
        qjstlsus=pl.Series(forces),
        qjstlogw=pl.Series(2 * forces),
        qjstciwr=pl.Series(2 * pages),
        qjstbffl=pl.Series(pages),
        qjstbfwr=pl.Series(forces),
        qjstiocount=both(forces),
        qjstioci=both(pages),
        qjstiototio=both(forces * 310.0),
        qjstiototsus=both(forces * 322.0),
        qjstiomaxio=both(np.where(forces > 0, 4100.0, 0.0)),
    )


def managers(rows: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Messages, data and locks: what the calls of a transfer come to."""
    calls = pl.col("messages") + pl.col("control")
    opens = pl.when("active").then(6).otherwise(0)
    return {
        "smf115_qmst": section(
            rows,
            qmstopen=opens,
            qmstclos=opens,
            qmstget=calls + calls // 50,
            qmstput=calls,
            qmstspp=pl.col("control"),
            qmstsnp=pl.col("messages"),
            qmstpbp=pl.col("control_bytes"),
            qmstnbp=pl.col("message_bytes"),
        ),
        "smf115_qist": section(rows, qistmget=calls + calls // 50, qistmput=calls, qistdloc=opens,
                               qistgetb=calls),
        "smf115_qlst": section(rows, qlstgetl=calls * 6, qlsthldl=calls // 150, qlstrell=calls * 4),
    }  # fmt: skip


def buffer_pools(rows: pl.DataFrame) -> pl.DataFrame:
    """The data's buffer pool: messages are got before their pages have to be written."""
    pages = pl.when("shared").then(0).otherwise(pl.col("message_bytes") // 4096).fill_null(0)
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
