"""Figures of documents 000 and 003 that are stored as parameters instead of being modelled.

Message-to-file transfers were measured once per target, compression once per file size; agent
settings, file sets and the CPU of the partner's Java process are stated. The prediction of such a
row is the printed figure, with the run-to-run variability as its error.

A row is one of these tables if its `table_id` says so. Without one, a source that is a queue makes
it message-to-file, and compression is that of the channel.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import polars as pl

from models_sim.base import notes
from models_sim.base.family import Prediction, covered
from models_sim.base.parameters import Parameters

_M2F = "^m2f-"
_TABLES = f"{_M2F}|^comp-pct$|^comp-time$|^B-config$|^B-default$|^file-sets$|^top-"
_VARIABILITY = 0.06  # between runs: document 000, section 1 (claim 1)
_JIT = 0.3  # text to xLinux: 25 to 38 MB/s by JIT state, regardless of the disk (anomaly 9)
_EXACT = 1e-3  # settings have no error

#: The table that a row belongs to, of those that distinguish factors.
_TABLE = (
    pl.when((pl.col("source") == "queue") & pl.col("metric").is_in(["rate", "cost_per_GB"]))
    .then(pl.lit("m2f"))
    .when(pl.col("metric") == "compression")
    .then(pl.lit("comp-pct"))
    .when(pl.col("metric") == "compression_time")
    .then(pl.lit("comp-time"))
)
_USES = {
    "m2f": ("source", "target", "target_storage", "mode", "file_size_mb"),
    "comp-pct": ("compmsg", "file_size_mb"),
    "comp-time": ("compmsg", "file_size_mb"),
}
#: The test bed of both.
_USUAL: Mapping[str, tuple[object, ...]] = {
    "source": ("z/OS",),
    "target": ("z/OS",),
    "network": ("1Gb", "10Gb"),
    "machine": ("z15",),
    "message_size_bytes": (1 << 20,),
}


_ONLY = (
    "message-to-file was measured for 1 GB to USS and to xLinux on SAN, HDD or RAM disk only:"
    " file_size_mb, target or target_storage differs"
)


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
        listed = pl.col("table_id").str.contains(_TABLES) & pl.col("metric").is_in(
            list(self.metrics)
        )
        return pl.col("document").is_in(["000", "003"]) & (
            listed.fill_null(value=False) | (pl.col("table_id").is_null() & _TABLE.is_not_null())
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
        table = cells.select(_table().alias("table")).to_series()
        measured = table.str.contains("^m2f$|^comp-time$|^top-").fill_null(value=False).to_numpy()
        to_linux = (cells["mode"] == "text") & (cells["target"] == "xLinux")
        sigma = np.where(measured, _VARIABILITY, _EXACT)
        rate = (cells["metric"] == "rate") & to_linux
        sigma = np.where(rate.fill_null(value=False).to_numpy(), _JIT, sigma)
        unstated = pl.Series([key not in parameters for key in keys], dtype=pl.Boolean)
        kind = pl.coalesce(_TABLE, pl.lit("other"))
        uses = {**_USES, "other": tuple(notes.FACTORS)}
        remarks = cells.with_columns(unstated.alias("unstated")).select(
            caution=notes.join(pl.lit(notes.PRINTED), notes.ignored(cells, uses, _USUAL, kind)),
            reason=pl.when("unstated").then(
                pl.when(_TABLE == "m2f")
                .then(pl.lit(_ONLY))
                .otherwise(pl.lit("no document states this figure"))
            ),
        )
        return Prediction(value, sigma, reason=remarks["reason"], caution=remarks["caution"])


def keys_of(cells: pl.DataFrame) -> list[str]:
    """Return the names of the parameters: the factors that distinguish these figures."""
    table = _table()
    row = pl.when(pl.col("table_id").str.starts_with("B-")).then(pl.col("row_label"))
    m2f, size = table == "m2f", pl.col("file_size_mb")
    parts = [
        *("document", table, "metric", row),
        pl.when(table.str.starts_with("comp-")).then(pl.col("compmsg")),
        pl.when(m2f).then(pl.col("mode").fill_null("binary")),
        *(pl.when(m2f).then(pl.col(name)) for name in ("target", "target_storage")),
        pl.when(size == size.round())
        .then(size.cast(pl.Int64).cast(pl.String))
        .otherwise(size.cast(pl.String))
        + " MB",
    ]
    return (
        cells.select(pl.concat_str(parts, separator=" ", ignore_nulls=True)).to_series().to_list()
    )


def _table() -> pl.Expr:
    return pl.coalesce(pl.col("table_id").str.replace("^m2f-.*", "m2f"), _TABLE)


STATED_MFT = StatedMft()
