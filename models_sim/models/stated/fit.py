"""Calibration of the stated figures: the parameters are the published figures themselves."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from models_sim.base.family import Floats
from models_sim.base.parameters import Parameter, Parameters


def fit(
    keys_of: Callable[[pl.DataFrame], list[str]],
    unit: str,
    cells: pl.DataFrame,
    weights: Floats,
    start: Parameters,
) -> Parameters:
    """Return `start` with the figures of the cells that have a weight above zero.

    `keys_of` names the parameter of each cell; `unit` is that of cells without one.
    """
    used = cells.filter(pl.Series(weights > 0) & cells["value"].is_not_null())
    rows = [
        Parameter(
            key,
            row["value"],
            row["unit"] or unit,
            source=f"document {row['document']}, {row['section']}, {row['table_id']}",
        )
        for key, row in zip(keys_of(used), used.iter_rows(named=True), strict=True)
    ]
    return start.merged(rows)
