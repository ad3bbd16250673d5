"""The interface of a family: one modelled system, as functions over a frame of cells.

A *cell* is one figure of a table: the factors it was measured with, and a metric. Frames of cells
have the columns and types of `CELL_COLUMNS`; a factor that does not apply is null. A family returns
arrays with one element per row, in the frame's order.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray

from models_sim.base.parameters import Parameters

Floats = NDArray[np.float64]

#: Quantile of the standard normal distribution at 90 %: a band of value*exp(+-Z90*sigma) is the
#: 10-90 % band of a log-normal error.
Z90 = 1.2815515655446004


class Prediction(NamedTuple):
    """Predictions of a family, one element per row.

    `value` is in the metric's unit, or NaN if the family cannot predict it; `reason` then says why.
    `caution` says what the figure does not take into account; both are text or null. `sigma` is
    the standard deviation of the natural logarithm of the error. `low` and `high` are the ends of
    the 10-90 % band if it is not log-normal around the value (otherwise NaN). `most` is where any
    band ends, such as the rate of the line.
    """

    value: Floats
    sigma: Floats
    low: Floats | None = None
    high: Floats | None = None
    reason: pl.Series | None = None
    caution: pl.Series | None = None
    most: Floats | None = None

    def band(self) -> tuple[Floats, Floats]:
        """Return the ends of the 10-90 % band, in the unit of `value`."""
        spread = np.exp(Z90 * self.sigma)
        ends = self.value / spread, self.value * spread
        low, high = np.minimum(*ends), np.maximum(*ends)  # a figure may be negative
        if self.low is not None:
            low = np.where(np.isnan(self.low), low, self.low)
        if self.high is not None:
            high = np.where(np.isnan(self.high), high, self.high)
        if self.most is not None:
            low, high = np.minimum(low, self.most), np.minimum(high, self.most)
        return low, high


class Family(Protocol):
    """A modelled system: which cells it covers and what it predicts for them.

    `excluded`, `targets`, `groups` and `lines` are for calibration.
    """

    @property
    def name(self) -> str:
        """Name of the family."""

    @property
    def file(self) -> Path:
        """TOML file with its parameters."""

    @property
    def metrics(self) -> tuple[str, ...]:
        """Metrics that it predicts."""

    @property
    def excluded(self) -> frozenset[int]:
        """Anomalies (anomaly_id) whose cells are never fitted, but predicted and reported."""

    @property
    def targets(self) -> Mapping[str, tuple[float, float]]:
        """Target median and 90th percentile of the absolute error (percent), by report line."""

    def mine(self) -> pl.Expr:
        """Return which rows are about this system: the document and the metric."""

    def needs(self) -> Mapping[str, pl.Expr]:
        """Return the condition that each factor must meet; null counts as not met."""

    def covers(self, cells: pl.DataFrame) -> pl.Series:
        """Return which rows the family can model; boolean, no nulls."""

    def predict(self, cells: pl.DataFrame, parameters: Parameters) -> Prediction:
        """Predict every row; all rows must be covered."""

    def groups(self, cells: pl.DataFrame) -> pl.Series:
        """Return a key per row: rows with the same key are left out together."""

    def lines(self, cells: pl.DataFrame) -> pl.Series:
        """Return the report line of each row."""


def covered(family: Family, cells: pl.DataFrame) -> pl.Series:
    """Return which rows are about the family's system and meet its needs."""
    mine = cells.select(family.mine().fill_null(value=False).alias("covered")).to_series()
    needs = family.needs()
    if not needs or not mine.any():
        return mine
    met = pl.all_horizontal(*needs.values()).fill_null(value=False)
    return mine.scatter(mine.arg_true(), cells.filter(mine).select(met).to_series())
