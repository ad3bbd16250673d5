"""What a family of predictions is: one modelled system, seen as functions over a frame of cells.

A *cell* is one figure of a table: the factors it was measured under and a metric. Frames of cells
have the columns and types of `CELL_COLUMNS`, which are those of the published cells; a factor that
does not apply is null. A family answers in arrays, one element a row, in the frame's order.
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
    """Predictions of a family, one element a row.

    `value` is in the metric's unit; NaN where the family cannot tell, for the reason in `reason`.
    `sigma` is the standard deviation of the natural logarithm of the error. `low` and `high` are
    the ends of the 10-90 % band where it is not log-normal around the value (NaN elsewhere).
    """

    value: Floats
    sigma: Floats
    low: Floats | None = None
    high: Floats | None = None
    reason: list[str] | None = None

    def band(self) -> tuple[Floats, Floats]:
        """The ends of the 10-90 % band, in the unit of `value`."""
        spread = np.exp(Z90 * self.sigma)
        ends = self.value / spread, self.value * spread
        low, high = np.minimum(*ends), np.maximum(*ends)  # a figure may be negative
        if self.low is not None:
            low = np.where(np.isnan(self.low), low, self.low)
        if self.high is not None:
            high = np.where(np.isnan(self.high), high, self.high)
        return low, high


class Family(Protocol):
    """A modelled system: which cells it covers, what it predicts, how it is calibrated.

    `excluded` are the anomalies (anomaly_id) whose cells are never fitted; they are predicted and
    reported all the same. `targets` gives, by line of the report, the wanted median and 90th
    percentile of the absolute error in percent.
    """

    @property
    def name(self) -> str:
        """Name of the family."""

    @property
    def file(self) -> Path:
        """The TOML file with its parameters."""

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that it predicts."""

    @property
    def excluded(self) -> frozenset[int]:
        """The anomalies (anomaly_id) whose cells are never fitted."""

    @property
    def targets(self) -> Mapping[str, tuple[float, float]]:
        """Wanted median and 90th percentile of the error, by line of the report."""

    def covers(self, cells: pl.DataFrame) -> pl.Series:
        """Which rows the family can model; boolean, no nulls."""

    def predict(self, cells: pl.DataFrame, parameters: Parameters) -> Prediction:
        """Predict every row; the rows are those that `covers` says yes to."""

    def groups(self, cells: pl.DataFrame) -> pl.Series:
        """The key of the rows that are left out together in cross-validation."""

    def lines(self, cells: pl.DataFrame) -> pl.Series:
        """The line of the report that each row counts in."""
