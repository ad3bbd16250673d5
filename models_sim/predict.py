"""Predict the figures of cells: each row goes to the first family that covers it."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import polars as pl

from models_sim.base import notes, units
from models_sim.base.cells import CELL_COLUMNS, OTHER_NAMES, normalise
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


_BATCH = 100_000  # rows
_THREADS = min(os.cpu_count() or 1, 4)
#: The columns that `predict` appends.
ANSWERS = ("predicted", "low", "high", "caution", "reason")
#: The columns that need no caution: those of cells, and what extracts of the tables say besides.
KNOWN = frozenset((*CELL_COLUMNS, *OTHER_NAMES, *ANSWERS, "value_kind", "note", "flag"))


def predict(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows with `predicted`, `low`, `high` (Float64), `caution` and `reason` appended.

    `rows` has the columns of the published cells (see base.cells); `value` is ignored, `unit` is
    that of the answer. `caution` says which columns do not move the figure or contradict each
    other, and which settings were not measured. If nothing can be predicted, the figures are null
    and `reason` says why.
    """
    if rows.height <= _BATCH:
        return _predict_batch(rows)
    # Numbers are worked out without Python's lock, so two threads use two processors.
    batches = rows.iter_slices(_BATCH)
    with ThreadPoolExecutor(_THREADS) as threads:
        return pl.concat(threads.map(_predict_batch, batches))


def _predict_batch(rows: pl.DataFrame) -> pl.DataFrame:
    cells = normalise(rows)
    figures = np.full((3, rows.height), np.nan)
    cautions, reasons = _nothing(rows.height), _nothing(rows.height)
    left = np.ones(rows.height, dtype=bool)
    for family in FAMILIES:
        mine = left & family.covers(cells).to_numpy()
        if not mine.any():
            continue
        left &= ~mine
        at = np.flatnonzero(mine)
        answer = predict_with(family, cells.filter(mine), load(family.file))
        figures[:, mine] = np.vstack((answer.value, *answer.band()))
        reasons = reasons.scatter(at, _reasons(answer, family))
        if answer.caution is not None:
            is_known = pl.Series(~np.isnan(answer.value))
            cautions = cautions.scatter(at, answer.caution.zip_with(is_known, _nothing(len(at))))
    if left.any():
        reasons = reasons.scatter(np.flatnonzero(left), _why_not(cells.filter(left)))
    scale, refused = units.factors(cells)
    figures *= scale.fill_null(np.nan).to_numpy()
    reasons = reasons.zip_with(refused.is_null() | reasons.is_not_null(), refused)
    remarks = rows.with_columns(cells["latency_ms_oneway"], cautions.alias("caution")).select(
        notes.join("caution", notes.unknown(rows, KNOWN), notes.contradictions(rows))
    )
    cautions = remarks.to_series().zip_with(reasons.is_null(), _nothing(rows.height))
    appended = [
        pl.Series(name, values).fill_nan(None)
        for name, values in zip(ANSWERS, figures, strict=False)
    ]
    return rows.drop(*ANSWERS, strict=False).with_columns(
        *appended, cautions.alias("caution"), reasons.alias("reason")
    )


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
    figures = [
        pl.when(pl.col(name).abs() < 1e5).then(pl.col(name).round_sig_figs(6))
        .otherwise(pl.col(name).round())
        for name in ("predicted", "low", "high")
    ]  # fmt: skip
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
    lines = family.lines(blind)
    names = lines.unique().to_list()
    spreads = [parameters.get(f"spread {line}", 1.0) for line in names]
    stretch = lines.replace_strict(names, spreads, return_dtype=pl.Float64).to_numpy()
    return answer._replace(sigma=answer.sigma * stretch)


def _reasons(answer: Prediction, family: Family) -> pl.Series:
    """Return why there is no figure, or null where there is one."""
    none = _nothing(len(answer.value))
    given = none if answer.reason is None else answer.reason
    silent = f"outside what {family.name} can model"
    return given.fill_null(silent).zip_with(pl.Series(np.isnan(answer.value)), none)


def _nothing(height: int) -> pl.Series:
    return pl.repeat(None, height, dtype=pl.String, eager=True)


def _why_not(cells: pl.DataFrame) -> pl.Series:
    """Return why no family covers the rows: the factors that do not fit, or the metric."""
    modelled = {metric for family in FAMILIES for metric in family.metrics}
    metric = pl.col("metric")
    why = [
        pl.when(family.mine().fill_null(value=False)).then(notes.refusal(family.needs()))
        for family in FAMILIES
        if family.needs()
    ]
    other = (
        pl.when(metric.is_null())
        .then(pl.lit("the metric is missing"))
        .when(~metric.is_in(modelled))
        .then(pl.format("no family models the metric {}", metric))
        .otherwise(
            pl.format(
                "no family models {} of document {}", metric, pl.col("document").fill_null("?")
            )
        )
    )
    return cells.select(pl.coalesce(*why, other).alias("reason")).to_series()
