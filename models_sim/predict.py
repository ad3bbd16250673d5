"""Predict the figures of cells: each row goes to the first family that covers it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from models_sim.base.cells import normalise
from models_sim.base.family import Family, Prediction
from models_sim.base.parameters import Parameters, load
from models_sim.models.linux.family import BINDINGS, CLIENT
from models_sim.models.mft.families import MFT_WAN, MFT_ZOS
from models_sim.models.processors.family import PROCESSORS
from models_sim.models.stated.mft import STATED_MFT
from models_sim.models.stated.systems import STATED_SYSTEMS
from models_sim.models.zcx.family import ZCX
from models_sim.models.ziip.family import ZIIP


class PredictError(ValueError):
    """A file cannot be predicted; the message is one line."""


#: The families, in the order in which they are tried.
FAMILIES: tuple[Family, ...] = (
    MFT_ZOS,
    MFT_WAN,
    CLIENT,
    BINDINGS,
    ZCX,
    PROCESSORS,
    STATED_SYSTEMS,
    STATED_MFT,
    ZIIP,
)


def predict(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows with `predicted`, `low`, `high` (Float64) and `reason` appended.

    `rows` has the columns of the published cells (see base.cells); `value` is ignored. If nothing
    can be predicted, the three figures are null and `reason` says why.
    """
    cells = normalise(rows)
    figures = np.full((3, rows.height), np.nan)
    reasons = np.full(rows.height, None, dtype=object)
    left = np.ones(rows.height, dtype=bool)
    for family in FAMILIES:
        mine = left & family.covers(cells).to_numpy()
        if not mine.any():
            continue
        left &= ~mine
        answer = predict_with(family, cells.filter(mine), load(family.file))
        figures[:, mine] = np.vstack((answer.value, *answer.band()))
        reasons[mine] = _reasons(answer, family)
    reasons[left] = [_why_not(cell) for cell in cells.filter(left).iter_rows(named=True)]
    appended = [
        pl.Series(name, values).fill_nan(None)
        for name, values in zip(("predicted", "low", "high"), figures, strict=True)
    ]
    kept = rows.drop("predicted", "low", "high", "reason", strict=False)
    return kept.with_columns(*appended, pl.Series("reason", reasons.tolist(), dtype=pl.String))


def predict_csv(source: Path, destination: Path) -> int:
    """Predict the rows of a CSV file into another; return how many rows got a figure.

    Every input column is copied unchanged. Raise PredictError if a file cannot be read, parsed or
    written.
    """
    try:
        rows = pl.read_csv(source.read_bytes(), infer_schema=False)
        answered = predict(rows)
    except OSError as error:
        raise PredictError(f"cannot read {source}: {error.strerror or error}") from error
    except (pl.exceptions.PolarsError, ValueError) as error:
        raise PredictError(f"{source}: {str(error).strip().splitlines()[0]}") from error
    figures = [pl.col(name).round_sig_figs(6) for name in ("predicted", "low", "high")]
    part = destination.with_name(f".{destination.name}.part")
    try:
        part.write_text(answered.with_columns(figures).write_csv(), encoding="utf-8")
        part.replace(destination)
    except OSError as error:
        raise PredictError(f"cannot write {destination}: {error.strerror or error}") from error
    return len(answered) - answered["predicted"].null_count()


def predict_with(family: Family, cells: pl.DataFrame, parameters: Parameters) -> Prediction:
    """Predict covered cells without looking at their `value`.

    If calibration found larger or smaller errors than the family states, the parameter `spread
    <line>` of the row's report line scales its sigma.
    """
    blind = cells.with_columns(pl.lit(None, pl.Float64).alias("value"))
    answer = family.predict(blind, parameters)
    stretch = [parameters.get(f"spread {line}", 1.0) for line in family.lines(blind)]
    return answer._replace(sigma=answer.sigma * np.array(stretch))


def _reasons(answer: Prediction, family: Family) -> list[str | None]:
    given: list[str] = answer.reason or [""] * len(answer.value)
    silent = f"outside what {family.name} can model"
    return [
        (text or silent) if np.isnan(value) else None
        for text, value in zip(given, answer.value, strict=True)
    ]


def _why_not(cell: dict[str, object]) -> str:
    modelled = {metric for family in FAMILIES for metric in family.metrics}
    if cell["metric"] not in modelled:
        return f"no family models the metric {cell['metric']}"
    return f"no family models {cell['metric']} of document {cell['document']} with these factors"
