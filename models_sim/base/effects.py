"""A statistical correction on top of a mechanism: shrunken effects of factor levels.

What a mechanism leaves unexplained, in logarithms, is treated as a sum of random effects, one for
each level of each term, plus noise:

    ln(measured / mechanism) = sum over terms (effect of the row's level, at its size) + noise

An effect is piecewise linear in ln(size), with knots at the four measured file sizes. The knots are
normal with the term's standard deviation; `together` is the correlation between the knots of one
level. Effects are best linear unbiased predictions (C. R. Henderson, "Best linear unbiased
estimation and prediction under a selection model", Biometrics 31, 1975): an effect with little data
is shrunk towards zero, and a level that was never measured has none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from models_sim.base.family import Floats
from models_sim.base.parameters import Parameter

KNOTS = (1, 10, 100, 1024)  # MB


@dataclass(frozen=True, slots=True)
class Term:
    """Effects of the combined levels of some factors; the parameter `<name>_sd` is their sd."""

    name: str
    columns: tuple[str, ...]
    together: float  # correlation of the knots of one level

    def keys(self, cells: pl.DataFrame) -> pl.Series:
        """Return the level of each row, as text."""
        parts = [pl.col(name).cast(pl.String).fill_null("-") for name in self.columns]
        return cells.select(pl.concat_str(parts, separator=" ")).to_series()


def hats(size: Floats) -> Floats:
    """Return the knots' weights (rows x knots): linear in ln(size), flat outside the knots."""
    at, knots = np.log(size), np.log(KNOTS)
    return np.column_stack([np.interp(at, knots, row) for row in np.eye(len(KNOTS))])


def _design(cells: pl.DataFrame, term: Term, levels: Sequence[str]) -> Floats:
    """Return the design matrix of a term: rows x (levels * knots)."""
    index = {level: i for i, level in enumerate(levels)}
    weights = hats(cells["file_size_mb"].cast(pl.Float64).to_numpy())
    columns = np.array([index.get(key, -1) for key in term.keys(cells).to_list()])
    design = np.zeros((cells.height, max(len(levels), 1), len(KNOTS)))
    is_known = columns >= 0
    design[np.flatnonzero(is_known), columns[is_known]] = weights[is_known]
    return design.reshape(cells.height, -1)


def fit(
    cells: pl.DataFrame,
    residual: Floats,
    noise: Floats,
    terms: Sequence[Term],
    sds: Mapping[str, float],
    row_sd: float,
    rows: Sequence[str],
) -> dict[tuple[str, str, int], float]:
    """Return the effects by (term, level, knot in MB).

    `noise` is the standard deviation of each row's own error. `row_sd` is that of an error shared
    by all rows with the same key in `rows` (one measurement session): because of it, four sizes
    from one session count for less than four sessions. It is not predicted.
    """
    covariance = np.diag(noise**2)
    same = np.array(rows)[:, None] == np.array(rows)[None, :]
    covariance = covariance + row_sd**2 * same
    pieces = []
    for term in terms:
        levels = sorted(set(term.keys(cells)))
        design = _design(cells, term, levels)
        knots = len(KNOTS)
        block = term.together + (1 - term.together) * np.eye(knots)
        prior = sds[term.name] ** 2 * np.kron(np.eye(len(levels)), block)
        pieces.append((term, levels, design, prior))
        covariance = covariance + design @ prior @ design.T
    weighted = np.linalg.solve(covariance, residual)
    effects = {}
    for term, levels, design, prior in pieces:
        values = (prior @ design.T @ weighted).reshape(len(levels), len(KNOTS))
        for level, row in zip(levels, values, strict=True):
            for knot, value in zip(KNOTS, row, strict=True):
                effects[term.name, level, knot] = float(value)
    return effects


def name_of(prefix: str, term: str, level: str, knot: int) -> str:
    """Return the name of the parameter that holds an effect."""
    return f"{prefix} {term}: {level} @ {knot} MB"


def as_parameters(
    prefix: str, effects: Mapping[tuple[str, str, int], float], fitted: str
) -> list[Parameter]:
    """Return the effects as parameters (natural logarithms of ratios)."""
    return [
        Parameter(name_of(prefix, *key), value, "ln ratio", fitted=fitted)
        for key, value in effects.items()
    ]


def apply(
    cells: pl.DataFrame, prefix: str, terms: Sequence[Term], parameters: Mapping[str, float]
) -> tuple[Floats, dict[str, Floats]]:
    """Return each row's sum of effects and, by term, whether its level is known (1 or 0)."""
    weights = hats(cells["file_size_mb"].cast(pl.Float64).to_numpy())
    total = np.zeros(cells.height)
    values = {}
    for term in terms:
        keys = term.keys(cells)
        levels = keys.unique()
        table = np.zeros((len(levels), len(KNOTS)))
        seen = np.zeros(len(levels))
        for i, level in enumerate(levels.to_list()):
            names = [name_of(prefix, term.name, level, knot) for knot in KNOTS]
            if names[0] in parameters:
                table[i] = [parameters[name] for name in names]
                seen[i] = 1.0
        which = keys.replace_strict(
            levels, pl.arange(len(levels), eager=True), return_dtype=pl.Int64
        ).to_numpy()
        total += np.sum(weights * table[which], axis=1)
        values[term.name] = seen[which]
    return total, values
