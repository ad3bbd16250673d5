"""Calibration of document 004's figures: posterior means, and least squares for structures."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl
from scipy import stats

from models_sim.base.family import Z90, Floats
from models_sim.base.parameters import Parameter, Parameters
from models_sim.models.processors import linear
from models_sim.models.processors.family import CAPACITY, SMALLEST, STRUCTURE, TABLES, Table

SCALE: dict[str, Callable[[Floats], Floats]] = {
    "log": np.log,
    "change": lambda v: np.log1p(v / 100.0),
    "plain": lambda v: v,
}


def fit(cells: pl.DataFrame, weights: Floats, start: Parameters) -> Parameters:
    """Fit all tables and the structure to the cells with a weight above zero, without `start`."""
    used = cells.filter(pl.Series(weights > 0))
    parameters: list[Parameter] = []
    for table in TABLES:
        parameters += _fit_table(table, used.filter(pl.col("metric") == table.metric))
    return Parameters([*parameters, *_fit_capacity(used.filter(pl.col("metric") == CAPACITY))])


def _fit_table(table: Table, cells: pl.DataFrame) -> list[Parameter]:
    features = table.features(cells)
    measured = SCALE[table.scale](cells["value"].to_numpy())
    means = linear.posterior(features, measured, table.noise, table.weights)
    where = f"document 004, {table.metric}"
    unit = {"log": "ln value", "change": "ln ratio", "plain": "%"}[table.scale]
    parameters = [
        Parameter(f"{table.metric}: {w.name}", float(mean), unit, fitted=where)
        for w, mean in zip(table.weights, means, strict=True)
    ]
    sd = _left_out(table, features, measured)
    return [*parameters, Parameter(f"{table.metric}: sd", sd, unit, fitted=where)]


def _left_out(table: Table, features: Floats, measured: Floats) -> float:
    """Return the sd of a prediction on the table's scale, but at least `least`.

    It is the rms of the leave-one-out errors, wider by Student's quantile as there are few of them,
    or such that the band holds as many of them as it should of the next figures.
    """
    errors = []
    for i in range(len(measured)):
        rest = np.arange(len(measured)) != i
        means = linear.posterior(features[rest], measured[rest], table.noise, table.weights)
        errors.append(features[i] @ means - measured[i])
    count = len(errors)
    if count < 2:
        return table.least
    few = stats.t.ppf(0.9, count - 1) / Z90 * np.sqrt(1.0 + 1.0 / count)
    error = few * np.sqrt(np.mean(np.square(errors)))
    level = min(0.8 * (1.0 + 1.0 / count), 1.0)
    reach = np.quantile(np.abs(errors), level, method="higher") / Z90
    return max(float(error), float(reach), table.least)


def _fit_capacity(cells: pl.DataFrame) -> Sequence[Parameter]:
    """Fit the space that a message takes: relative least squares, linear in both parameters."""
    messages = cells["value"].to_numpy()
    size = np.maximum(cells["message_size_bytes"].cast(pl.Float64).to_numpy(), SMALLEST)
    share = np.column_stack([messages, messages * size]) / STRUCTURE
    (entry, per_byte), *_ = np.linalg.lstsq(share, np.ones(len(messages)), rcond=None)
    error = share @ np.array([entry, per_byte]) - 1.0
    sd = float(np.sqrt(np.sum(error**2) / max(len(error) - 2, 1)))
    where = "document 004, messages_in_4GB_structure"
    return [
        Parameter("structure entry", float(entry), "B/message", fitted=where),
        Parameter("structure per byte", float(per_byte), "B/B", fitted=where),
        Parameter("structure sd", max(sd, 0.04), "ln ratio", fitted=where),
    ]
