"""What a model has to beat: two predictions that know nothing about the system.

Both see the same rows as the model: the nearest published row, and a log-linear regression with
interactions.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

from models_sim.base.family import Floats

_NO_FACTOR = {
    *("cell_id", "document", "table_id", "section", "source_line", "metric", "unit", "printed"),
    *("value", "value_low", "value_high", "anomalies", "target_printed", "chunk_size_printed"),
}
_RIDGE = 0.1  # keeps the regression solvable when factors are confounded


def factors(cells: pl.DataFrame) -> list[str]:
    """Return the columns that distinguish these cells, except the metric."""
    return [name for name in cells.columns if name not in _NO_FACTOR and cells[name].n_unique() > 1]


def nearest(known: pl.DataFrame, wanted: pl.DataFrame) -> Floats:
    """Return the value of the known row that shares most factors; ties give their geometric mean.

    Numbers count by the difference of their ln(1 + x), relative to the largest difference. The size
    counts ten times, because a row of a printed table has every size.
    """
    return _by_metric(known, wanted, _nearest)


def regression(known: pl.DataFrame, wanted: pl.DataFrame) -> Floats:
    """Return exp of a linear model of levels, ln(1 + number), its square, and pairwise products.

    A ridge keeps the products solvable.
    """
    return _by_metric(known, wanted, _regression)


_Method = Callable[[pl.DataFrame, pl.DataFrame, Floats], Floats]


def _by_metric(known: pl.DataFrame, wanted: pl.DataFrame, method: _Method) -> Floats:
    """Apply the method to each metric, in logarithms if all its figures are positive."""
    value = np.full(wanted.height, np.nan)
    for metric in wanted["metric"].unique():
        learn, ask = (frame.filter(pl.col("metric") == metric) for frame in (known, wanted))
        if learn.is_empty():
            continue
        figures = learn["value"].to_numpy()
        positive = bool((figures > 0).all())
        answer = method(learn, ask, np.log(figures) if positive else figures)
        is_metric = (wanted["metric"] == metric).to_numpy()
        value[is_metric] = np.exp(answer) if positive else answer
    return value


def _nearest(learn: pl.DataFrame, ask: pl.DataFrame, figures: Floats) -> Floats:
    numbers, levels = _columns(learn, ask)
    distance = np.zeros((ask.height, learn.height))
    for name in levels:
        theirs, ours = (frame[name].fill_null("-").to_numpy() for frame in (learn, ask))
        distance += ours[:, None] != theirs[None, :]
    for number, name in enumerate(numbers):
        theirs, ours = (_log1p(frame[name]) for frame in (learn, ask))
        span = np.ptp(np.concatenate([theirs, ours])) or 1.0
        weight = 10.0 if number == 0 and "size" in name else 1.0
        distance += weight * np.abs(ours[:, None] - theirs[None, :]) / span
    near = distance <= distance.min(axis=1, keepdims=True) + 1e-9
    return np.asarray((near * figures).sum(axis=1) / near.sum(axis=1))


def _regression(learn: pl.DataFrame, ask: pl.DataFrame, figures: Floats) -> Floats:
    both = _design(learn, ask)
    seen, new = both[: learn.height], both[learn.height :]
    gram = seen.T @ seen + _RIDGE * np.eye(seen.shape[1])
    weights = np.linalg.solve(gram, seen.T @ (figures - figures.mean()))
    return np.asarray(figures.mean() + new @ weights)


def _columns(known: pl.DataFrame, wanted: pl.DataFrame) -> tuple[list[str], list[str]]:
    names = factors(pl.concat([known, wanted]))
    numbers = [name for name in names if known.schema[name].is_numeric()]
    order = sorted(numbers, key=lambda name: "size" not in name)
    return order, [name for name in names if name not in numbers]


def _design(learn: pl.DataFrame, ask: pl.DataFrame) -> Floats:
    both = pl.concat([learn, ask])
    numbers, levels = _columns(learn, ask)
    columns = [_log1p(both[name]) for name in numbers]
    columns = [(column - column.mean()) / (column.std() or 1.0) for column in columns]
    columns += [column**2 for column in columns]
    for name in levels:
        text = both[name].fill_null("-")
        columns += [(text == level).to_numpy().astype(np.float64) for level in text.unique().sort()]
    base = np.column_stack([np.ones(both.height), *columns])
    first, second = np.triu_indices(base.shape[1], k=1)
    products = base[:, first] * base[:, second]
    return np.asarray(products[:, np.ptp(products, axis=0) > 0])


def _log1p(column: pl.Series) -> Floats:
    return np.log1p(np.abs(column.cast(pl.Float64).fill_null(0.0).to_numpy()))
