"""Fit a family and cross-validate it: how large its errors are, how wide its bands must be."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from models_sim.base.family import Z90, Family, Floats
from models_sim.base.parameters import Parameter, Parameters
from models_sim.calibration import baselines
from models_sim.calibration.fits import Fit
from models_sim.predict import predict_with

WITHIN = 0.8  # share of the figures that a 10-90 % band should hold


@dataclass(frozen=True, slots=True)
class Calibration:
    """The fit of a family: its cells, parameters and errors, one element per cell.

    Errors are ln(measured / predicted). `train` comes from the fit to all cells. `cross` comes from
    fits that leave out one group of rows at a time; `nearest` and `regression` are the baselines in
    the same folds. `width` is half the 10-90 % band as a share of the prediction and `inside`
    whether the band holds the measured figure; both use the band as widened by the other groups.
    `flagged` cells were not fitted.
    """

    family: Family
    cells: pl.DataFrame
    fitted: Parameters
    train: Floats
    cross: Floats
    nearest: Floats
    regression: Floats
    width: Floats
    inside: NDArray[np.bool_]
    flagged: NDArray[np.bool_]


def calibrate(family: Family, fit: Fit, cells: pl.DataFrame, start: Parameters) -> Calibration:
    """Fit, cross-validate, and measure how wide the bands have to be."""
    cells = cells.filter(family.covers(cells))
    flagged = _flags(family, cells)
    weights = np.where(flagged, 0.0, 1.0)
    fitted = fit(cells, weights, start.at_start())
    begin = fitted.without_made()
    groups = family.groups(cells).to_numpy()
    measured = cells["value"].to_numpy()
    cross, sigma, near, regressed, low, high, middle = np.full((7, cells.height), np.nan)
    for group in dict.fromkeys(groups):
        out = groups == group
        held_out, training = cells.filter(out), cells.filter(~out & ~flagged)
        if training.is_empty():  # there is only one group
            continue
        answer = predict_with(family, held_out, fit(cells, np.where(out, 0.0, weights), begin))
        cross[out], sigma[out] = _error(measured[out], answer.value), answer.sigma
        middle[out] = np.where(answer.value == 0, np.nan, answer.value)
        if answer.low is not None and answer.high is not None:
            low[out], high[out] = answer.low, answer.high
        near[out] = _error(measured[out], baselines.nearest(training, held_out))
        regressed[out] = _error(measured[out], baselines.regression(training, held_out))
    given = ~np.isnan(low) & ~np.isnan(high)
    lines = family.lines(cells).to_numpy()
    usable = ~given & ~flagged & (sigma > 0)
    ratio = np.full(cells.height, np.nan)
    ratio[usable] = np.abs(cross[usable]) / (Z90 * sigma[usable])
    half = Z90 * sigma * _stretch_from_others(ratio, lines, groups)
    inside = np.where(given, (measured >= low) & (measured <= high), np.abs(cross) <= half)
    width = np.where(given, np.abs(high - low) / 2 / np.abs(middle), np.expm1(half))
    fitted = fitted.merged(_spreads(family, ratio, lines, groups))
    train = _error(measured, predict_with(family, cells, fitted).value)
    return Calibration(family, cells, fitted, train, cross, near, regressed, width, inside, flagged)


def _error(measured: Floats, predicted: Floats) -> Floats:
    """Return ln(measured / predicted), or NaN if nothing was predicted.

    It is infinite if only one of the two is zero or their signs differ.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(measured == predicted, 1.0, measured / predicted)
        logs = np.where(ratio > 0, np.log(np.abs(ratio)), np.inf)
    return np.where(np.isnan(predicted), np.nan, logs)


def _stretch(ratio: Floats, groups: NDArray[np.str_]) -> float:
    """Return how much wider bands must be to hold `WITHIN` of the figures of another group.

    Few groups say little of the next: the quantile is that of conformal prediction (J. Lei et al.,
    "Distribution-free predictive inference for regression", 2018), counted by groups.
    """
    is_known = ~np.isnan(ratio)
    if not is_known.any():
        return 1.0
    level = min(WITHIN * (1.0 + 1.0 / len(np.unique(groups[is_known]))), 1.0)
    return float(np.quantile(ratio[is_known], level, method="higher"))


def _stretch_from_others(
    ratio: Floats, lines: NDArray[np.str_], groups: NDArray[np.str_]
) -> Floats:
    """Return the stretch of each row's line, from the rows of other groups only."""
    stretch = np.ones(len(ratio))
    for line in dict.fromkeys(lines):
        is_line = lines == line
        for group in dict.fromkeys(groups[is_line]):
            others = is_line & (groups != group)
            stretch[is_line & (groups == group)] = _stretch(ratio[others], groups[others])
    return stretch


def _spreads(
    family: Family, ratio: Floats, lines: NDArray[np.str_], groups: NDArray[np.str_]
) -> list[Parameter]:
    source = f"cross-validated errors of {family.name}"
    return [
        Parameter(f"spread {line}", max(_stretch(ratio[at], groups[at]), 1e-3), "1", fitted=source)
        for line in sorted(set(lines))
        if not np.isnan(ratio[at := lines == line]).all()
    ]


def _flags(family: Family, cells: pl.DataFrame) -> NDArray[np.bool_]:
    """Return which cells are touched by an excluded anomaly."""
    flagged = [
        not family.excluded.isdisjoint(int(part) for part in (text or "").split(";") if part)
        for text in cells["anomalies"]
    ]
    return np.array(flagged, dtype=np.bool_)
