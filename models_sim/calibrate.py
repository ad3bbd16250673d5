"""Fit every family anew to the published figures, and say how good it is.

    python -m models_sim.calibrate [--family NAME]

It reads data/published/cells.csv, rewrites the parameters in models_sim/parameters, and writes
docs/calibration.md, docs/calibration/*.svg and data/calibration.json. Nothing in these is written
by hand. With --family only that family is fitted anew; the figures of the others stay.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from models_sim import baselines, calibration_report, parameters
from models_sim.cells import normalise
from models_sim.family import Z90, Family, Floats
from models_sim.parameters import Parameter, Parameters
from models_sim.predict import FAMILIES, predict_with

ROOT = Path(__file__).parents[1]
WITHIN = 0.8  # share of the errors that a 10-90 % band should hold


@dataclass(frozen=True, slots=True)
class Calibration:
    """A family's fit: its cells, parameters and errors, one element a cell.

    Errors are ln(measured / predicted): `train` of the fit to all cells, `cross` of each group of
    rows from a fit to the others, `nearest` and `regression` of the baselines in the same folds.
    `width` is half the 10-90 % band as a share of the prediction, `inside` whether the measured
    figure was in it, both with the band widened by what the other groups show. `flagged`
    cells were not fitted.
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


def published(root: Path = ROOT) -> pl.DataFrame:
    """The published cells with a figure."""
    raw = pl.read_csv(root / "data" / "published" / "cells.csv", infer_schema=False)
    return normalise(raw).filter(pl.col("value").is_not_null())


def calibrate(family: Family, cells: pl.DataFrame, start: Parameters) -> Calibration:
    """Fit, cross-validate, and measure how wide the bands have to be."""
    cells = cells.filter(family.covers(cells))
    flagged = _flagged(family, cells)
    weights = np.where(flagged, 0.0, 1.0)
    fitted = family.fit(cells, weights, start.at_start())
    begin = fitted.without_made()
    groups = family.groups(cells).to_numpy()
    measured = cells["value"].to_numpy()
    cross, sigma, near, regressed, low, high, middle = np.full((7, cells.height), np.nan)
    for group in dict.fromkeys(groups):
        out = groups == group
        held, known = cells.filter(out), cells.filter(~out & ~flagged)
        if known.is_empty():  # one group: nothing to learn it from
            continue
        answer = predict_with(family, held, family.fit(cells, np.where(out, 0.0, weights), begin))
        cross[out], sigma[out] = _error(measured[out], answer.value), answer.sigma
        middle[out] = np.where(answer.value == 0, np.nan, answer.value)
        if answer.low is not None and answer.high is not None:
            low[out], high[out] = answer.low, answer.high
        near[out] = _error(measured[out], baselines.nearest(known, held))
        regressed[out] = _error(measured[out], baselines.regression(known, held))
    given = ~np.isnan(low) & ~np.isnan(high)
    lines = family.lines(cells).to_numpy()
    usable = ~given & ~flagged & (sigma > 0)
    ratio = np.full(cells.height, np.nan)
    ratio[usable] = np.abs(cross[usable]) / (Z90 * sigma[usable])
    half = Z90 * sigma * _stretch_from_others(ratio, lines, groups)
    inside = np.where(given, (measured >= low) & (measured <= high), np.abs(cross) <= half)
    width = np.where(given, np.abs(high - low) / 2 / np.abs(middle), np.expm1(half))
    fitted = fitted.merged(_spreads(family, ratio, lines))
    train = _error(measured, predict_with(family, cells, fitted).value)
    return Calibration(family, cells, fitted, train, cross, near, regressed, width, inside, flagged)


def _error(measured: Floats, predicted: Floats) -> Floats:
    """ln(measured / predicted); infinite where only one is zero or their signs differ.

    NaN where nothing was predicted.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(measured == predicted, 1.0, measured / predicted)
        logs = np.where(ratio > 0, np.log(np.abs(ratio)), np.inf)
    return np.where(np.isnan(predicted), np.nan, logs)


def _stretch(ratio: Floats) -> float:
    """By how much bands have to be wider for `WITHIN` of the errors to be inside."""
    ratio = ratio[~np.isnan(ratio)]
    return float(np.quantile(ratio, WITHIN, method="higher")) if len(ratio) else 1.0


def _stretch_from_others(
    ratio: Floats, lines: NDArray[np.str_], groups: NDArray[np.str_]
) -> Floats:
    """The stretch of each row's line, by the rows of the other groups: so coverage is honest."""
    stretch = np.ones(len(ratio))
    for line in dict.fromkeys(lines):
        here = lines == line
        for group in dict.fromkeys(groups[here]):
            stretch[here & (groups == group)] = _stretch(ratio[here & (groups != group)])
    return stretch


def _spreads(family: Family, ratio: Floats, lines: NDArray[np.str_]) -> list[Parameter]:
    source = f"cross-validated errors of {family.name}"
    return [
        Parameter(f"spread {line}", max(_stretch(ratio[lines == line]), 1e-3), "1", fitted=source)
        for line in sorted(set(lines))
        if not np.isnan(ratio[lines == line]).all()
    ]


def _flagged(family: Family, cells: pl.DataFrame) -> NDArray[np.bool_]:
    """The cells that an excluded anomaly touches."""
    found = [
        not family.excluded.isdisjoint(int(part) for part in (text or "").split(";") if part)
        for text in cells["anomalies"]
    ]
    return np.array(found, dtype=np.bool_)


def main(argv: Sequence[str] | None = None) -> int:
    """Calibrate; the return value is the exit status."""
    parser = argparse.ArgumentParser(prog="calibrate", description="fit the families anew")
    names = [family.name for family in FAMILIES]
    parser.add_argument("--family", choices=names, help="only this one (default: all)")
    wanted = parser.parse_args(argv).family
    cells = published()
    found = []
    for family in FAMILIES:
        if wanted in (None, family.name):
            found.append(calibrate(family, cells, parameters.load(family.name)))
            parameters.save(family.name, found[-1].fitted)
    for one in found:
        calibration_report.draw(ROOT, one)
    table = calibration_report.write(
        ROOT, [calibration_report.measure(one) for one in found], names
    )
    sys.stdout.write(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
