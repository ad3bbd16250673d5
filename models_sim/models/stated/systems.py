"""Figures that no model explains, stored as parameters: settings, sizes of machines, displays.

The prediction of such a row is the figure that the document states, without an error; a row that no
document states is not predicted. Tests check that the figures of one display agree, such as a total
and its parts.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import polars as pl

from models_sim.base import notes
from models_sim.base.family import Prediction, covered
from models_sim.base.parameters import Parameters

TABLES = {
    "001": ("amqsrua", "csm", "free", "tcp-profile"),
    "002": ("qm-ini",),
    "004": ("machine", "sysappl"),
}
_ONE_TICK = 1e-3  # log sd: exact to the printed digits


class StatedSystems:
    """The tables of settings and displays in documents 001, 002 and 004."""

    name = "stated_systems"
    file = Path(__file__).with_name("stated_systems.toml")
    metrics: tuple[str, ...] = (
        "log_logical_bytes", "log_logical_rate", "log_physical_bytes", "log_physical_rate",
        "log_write_latency", "log_write_size",
        "csm_fixed_current", "csm_fixed_max", "csm_fixed_max_used_ipl", "csm_fixed_max_used_last",
        "csm_total_1", "csm_total_2", "csm_total_3",
        "available", "buff/cache", "free", "shared", "total", "used",
        "CHINTCPRBDYNSZ", "CHINTCPSBDYNSZ", "MTU", "TCPMAXRCVBUFRSIZE", "TCPMAXSENDBUFRSIZE",
        "TCPRCVBUFRSIZE", "TCPSENDBUFRSIZE",
        "Active cores per PU", "Cores per drawer", "Drawers", "L1", "L2", "L3", "L4",
        "Processor units (PU) per drawer", "Processors (cores) per PU",
        "sysappl_min", "sysappl_requested",
        "LogPrimaryFiles", "LogFilePages", "DefaultPQBufferSize", "DefaultQBufferSize",
    )  # fmt: skip
    excluded: frozenset[int] = frozenset()
    targets: Mapping[str, tuple[float, float]] = {}

    def mine(self) -> pl.Expr:
        """Rows of these tables, except headings without a figure."""
        tables = pl.any_horizontal(
            (pl.col("document") == document) & pl.col("table_id").is_in(list(tables))
            for document, tables in TABLES.items()
        )
        return tables & pl.col("metric").is_in(list(self.metrics))

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
        return pl.Series("line", ["stated, not modelled"] * cells.height, dtype=pl.String)

    def predict(self, cells: pl.DataFrame, parameters: Parameters) -> Prediction:
        """Return the stated figures."""
        keys = keys_of(cells)
        value = np.array([parameters.get(key, np.nan) for key in keys], dtype=np.float64)
        reason = pl.Series(
            [None if key in parameters else "no document states this figure" for key in keys],
            dtype=pl.String,
        )
        caution = pl.Series([notes.PRINTED] * cells.height, dtype=pl.String)
        return Prediction(value, np.full(cells.height, _ONE_TICK), reason=reason, caution=caution)


def keys_of(cells: pl.DataFrame) -> list[str]:
    """Return the names of the parameters: document, table, row if needed, metric, machine."""
    machine = pl.when(pl.col("table_id") == "machine").then(pl.col("machine"))
    row = pl.when(pl.col("table_id") == "free").then(pl.col("row_label"))
    return (
        cells.select(
            pl.concat_str(
                ["document", "table_id", row, "metric", machine], separator=" ", ignore_nulls=True
            )
        )
        .to_series()
        .to_list()
    )


STATED_SYSTEMS = StatedSystems()
