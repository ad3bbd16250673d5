"""Levels outside the band that a model predicts for the configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from statistics import NormalDist

import duckdb
import polars as pl

from expectations.detector.significance import LEVEL as FALSE_DISCOVERIES
from expectations.detector.significance import adjust_for_many
from expectations.regressions.finding import MODEL, Finding
from expectations.regressions.present import Level
from expectations.regressions.series import Series, has_mart

__all__ = ["find_outside_band", "read_predictions"]

_TEXTS = ("configuration_id", "metric", "unit")
_BAND = ("predicted", "low", "high")
_NORMAL, _END_OF_BAND = NormalDist(), 0.9


def read_predictions(connection: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    """Read the bands of the models by configuration and metric; no rows if the build has none.

    Transfer times are left out: they depend on the amount moved, which is not in a configuration.
    """
    if not has_mart(connection, "fct_run_against_model"):
        return pl.DataFrame(
            schema=dict.fromkeys(_TEXTS, pl.String) | dict.fromkeys(_BAND, pl.Float64)
        )
    columns = ", ".join((*_TEXTS, *_BAND))
    return connection.sql(
        f"SELECT DISTINCT {columns} FROM marts.fct_run_against_model "
        "WHERE metric <> 'transfer_time' ORDER BY ALL"
    ).pl()


def find_outside_band(
    series: Sequence[Series], levels: Sequence[Sequence[Level]], predictions: pl.DataFrame
) -> list[Finding]:
    """Find series of whole runs whose current level is far outside the band, on the worse side.

    predictions: as read_predictions returns them; low and high are a 10-90 % band for one run, so
    one good run in ten is on the worse side of it. The more series are judged, the more of them are
    outside by chance: as if errors were normal, the false discovery rate over them is limited to
    5 % (Benjamini and Hochberg; errors of one model are dependent positively).
    """
    bands = {
        (row["configuration_id"], row["metric"], row["unit"]): row
        for row in predictions.drop_nulls(_BAND).iter_rows(named=True)
    }
    judged = [
        (item, stretches[-1], bands[name])
        for item, stretches in zip(series, levels, strict=True)
        if item.key.whole
        and (name := (item.key.configuration_id, item.key.metric, item.unit)) in bands
    ]
    chances = [_chance(outlier, level.value, band) for outlier, level, band in judged]
    findings = []
    for (outlier, level, band), adjusted in zip(judged, adjust_for_many(chances), strict=True):
        if adjusted <= FALSE_DISCOVERIES:
            side = "below" if outlier.more_is_better else "above"
            findings.append(
                Finding(
                    kind=MODEL,
                    **outlier.onset(level.start),
                    before=band["predicted"],
                    after=level.value,
                    runs_after=len(outlier.values) - level.start,
                    run_ids=outlier.run_ids_of(level.start),
                    what=(
                        f"{level.value:.4g} {outlier.unit} is {side} the model's band of "
                        f"{band['low']:.4g} to {band['high']:.4g} (predicted "
                        f"{band['predicted']:.4g})"
                    ),
                )
            )
    return findings


def _chance(series: Series, value: float, band: Mapping[str, float]) -> float:
    """Return the probability that a level is as far on the worse side if the model is right."""
    predicted = band["predicted"]
    if not series.worse(predicted, value):
        return 1.0
    width = abs((band["low"] if series.more_is_better else band["high"]) - predicted)
    far = abs(value - predicted) / width if width else inf
    return 1 - _NORMAL.cdf(far * _NORMAL.inv_cdf(_END_OF_BAND))
