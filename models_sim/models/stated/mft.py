"""Figures of documents 000 and 003 that are stored as parameters instead of being modelled.

Message-to-file transfers were measured once per target, compression once per file size; agent
settings, file sets and the CPU of the partner's Java process are stated. The prediction of such a
row is the printed figure, with the run-to-run variability as its error.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import polars as pl

from models_sim.base.family import Prediction, covered
from models_sim.base.parameters import Parameters

_M2F = "^m2f-"
_TABLES = f"{_M2F}|^comp-pct$|^comp-time$|^B-config$|^B-default$|^file-sets$|^top-"
_VARIABILITY = 0.06  # between runs: document 000, section 1 (claim 1)
_JIT = 0.3  # text to xLinux: 25 to 38 MB/s by JIT state, regardless of the disk (anomaly 9)
_EXACT = 1e-3  # settings have no error


class StatedMft:
    """Message-to-file, compression, agent settings, file sets, the partner's CPU."""

    name = "stated_mft"
    file = Path(__file__).with_name("stated_mft.toml")
    metrics: tuple[str, ...] = (
        *("rate", "cost_per_GB", "compression", "compression_time", "files_per_transfer"),
        *("agentChunkSize", "agentWindowSize", "agentFrameSize", "agentCheckpointInterval"),
        *("%CPU", "%MEM", "VIRT", "RES", "SHR", "TIME+"),
    )
    excluded: frozenset[int] = frozenset()
    targets: Mapping[str, tuple[float, float]] = {}

    def mine(self) -> pl.Expr:
        """Rows of these tables; process numbers, names and headings are not figures."""
        return (
            pl.col("document").is_in(["000", "003"])
            & pl.col("table_id").str.contains(_TABLES)
            & pl.col("metric").is_in(list(self.metrics))
        )

    def needs(self) -> Mapping[str, pl.Expr]:
        """None: a figure is stated or not."""
        return {}

    def covers(self, cells: pl.DataFrame) -> pl.Series:
        """Rows of these tables."""
        return covered(self, cells)

    def groups(self, cells: pl.DataFrame) -> pl.Series:
        """One group: nothing is fitted."""
        return pl.Series("group", ["stated"] * cells.height, dtype=pl.String)

    def lines(self, cells: pl.DataFrame) -> pl.Series:
        """One line for all."""
        return pl.Series("line", ["MFT, stated, not modelled"] * cells.height, dtype=pl.String)

    def predict(self, cells: pl.DataFrame, parameters: Parameters) -> Prediction:
        """Return the printed figures."""
        keys = keys_of(cells)
        value = np.array([parameters.get(key, np.nan) for key in keys], dtype=np.float64)
        measured = cells["table_id"].str.contains(f"{_M2F}|^comp-time$|^top-").to_numpy()
        to_linux = (cells["mode"] == "text") & (cells["target"] == "xLinux")
        sigma = np.where(measured, _VARIABILITY, _EXACT)
        rate = (cells["metric"] == "rate") & to_linux
        sigma = np.where(rate.fill_null(value=False).to_numpy(), _JIT, sigma)
        reason = pl.Series(
            [None if key in parameters else "no document states this figure" for key in keys],
            dtype=pl.String,
        )
        return Prediction(value, sigma, reason=reason)


def keys_of(cells: pl.DataFrame) -> list[str]:
    """Return the names of the parameters: the factors that distinguish these figures."""
    table = pl.col("table_id").str.replace("^m2f-.*", "m2f")
    row = pl.when(pl.col("table_id").str.starts_with("B-")).then(pl.col("row_label"))
    m2f = table == "m2f"
    parts = [
        *("document", table, "metric", row, "compmsg"),
        *(pl.when(m2f).then(pl.col(name)) for name in ("mode", "target", "target_storage")),
        pl.col("file_size_mb").cast(pl.Int64).cast(pl.String) + " MB",
    ]
    return (
        cells.select(pl.concat_str(parts, separator=" ", ignore_nulls=True)).to_series().to_list()
    )


STATED_MFT = StatedMft()
