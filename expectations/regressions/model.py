"""Levels against what a model predicts for the configuration."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from expectations.regressions.finding import MODEL, Finding
from expectations.regressions.levels import Level
from expectations.regressions.series import Series

__all__ = ["find_unlike_model"]


def find_unlike_model(
    series: Sequence[Series], levels: Sequence[Sequence[Level]], predictions: pl.DataFrame
) -> list[Finding]:
    """Series of whole runs whose present level lies outside the band, on the worse side.

    predictions: configuration_id, metric, unit, predicted, low, high (a 10-90 % band of one run);
    rows without a prediction, or in another unit than the series, are left out.
    """
    bands = {
        (row["configuration_id"], row["metric"], row["unit"]): row
        for row in predictions.drop_nulls(["predicted", "low", "high"]).iter_rows(named=True)
    }
    findings = []
    for of, stretches in zip(series, levels, strict=True):
        key, level = of.key, stretches[-1]
        band = bands.get((key.configuration_id, key.metric, of.unit)) if key.whole else None
        if band is None:
            continue
        bound = band["low"] if of.more_is_better else band["high"]
        if of.worse(bound, level.value):
            side = "below" if of.more_is_better else "above"
            findings.append(
                Finding(
                    kind=MODEL,
                    key=key,
                    configuration=of.configuration,
                    onset_run_id=of.run_ids[level.start],
                    onset_utc=of.starts[level.start],
                    onset_build=of.builds[level.start],
                    onset_no=of.build_nos[level.start],
                    unit=of.unit,
                    more_is_better=of.more_is_better,
                    before=band["predicted"],
                    after=level.value,
                    runs_after=len(of.run_ids) - level.start,
                    run_ids=tuple(of.run_ids[level.start :]),
                    what=(
                        f"{level.value:.4g} {of.unit} is {side} the model's band of "
                        f"{band['low']:.4g} to {band['high']:.4g} (it predicts "
                        f"{band['predicted']:.4g})"
                    ),
                )
            )
    return findings
