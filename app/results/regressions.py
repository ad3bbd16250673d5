"""The runs behind a regression, as a table and as a chart."""

from __future__ import annotations

import json
from typing import Any

import duckdb
import polars as pl

from app.results.labels import metric_label, unit_label
from expectations.regressions.series import ALL_MEASUREMENTS
from expectations.regressions.store import Row

__all__ = ["plot", "series_of", "split_of"]


def series_of(db: duckdb.DuckDBPyConnection, row: Row) -> pl.DataFrame:
    """Return the complete runs of a regression's series: start_utc, run_id, build, value."""
    return db.execute(
        f"""
        SELECT start_utc, run_id, coalesce(git_revision, '') AS build, value::DOUBLE AS value
        FROM {ALL_MEASUREMENTS}
        WHERE is_compared AND origin = $1 AND campaign = $2 AND configuration_id = $3
            AND metric = $4 AND system_id = $5 AND address_space = $6
        ORDER BY start_utc, run_id
        """,
        [row[name] for name in (
            "origin", "campaign", "configuration_id", "metric", "system_id", "address_space"
        )],
    ).pl()  # fmt: skip


def plot(row: Row, runs: pl.DataFrame) -> dict[str, Any]:
    """Return a Vega-Lite chart of a regression's runs (from `series_of`) and its two levels."""
    points = [
        {"start": run["start_utc"].isoformat(), "run": run["run_id"], "value": run["value"]}
        for run in runs.iter_rows(named=True)
    ]
    inside = [p["start"] for p in points if p["run"] in set(row["run_ids"])]
    onset = row["onset_utc"].isoformat()
    levels = [
        {"from": points[0]["start"] if points else onset, "to": onset, "level": row["before"]},
        {"from": onset, "to": max(inside, default=onset), "level": row["after"]},
    ]
    y = {"type": "quantitative", "title": unit_label(row["unit"] or "")}
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "title": row["message"],
        "width": 640,
        "height": 240,
        "layer": [
            {
                "data": {"values": points},
                "mark": {"type": "point", "filled": True},
                "encoding": {
                    "x": {"field": "start", "type": "temporal", "title": "start of the run, UTC"},
                    "y": y | {"field": "value", "scale": {"zero": False}},
                    "tooltip": [
                        {"field": "run"},
                        {"field": "value", "title": unit_label(row["unit"] or "")},
                    ],
                },
            },
            {
                "data": {"values": [level for level in levels if level["level"] is not None]},
                "mark": {"type": "rule", "color": "#d6455d", "strokeWidth": 2},
                "encoding": {
                    "x": {"field": "from", "type": "temporal"},
                    "x2": {"field": "to"},
                    "y": y | {"field": "level"},
                },
            },
        ],
    }


def split_of(row: Row) -> pl.DataFrame:
    """Return what changed, largest first: name, dimension, unit, before, after, change.

    The dimension "figure" has other metrics; any other dimension has parts of this one.
    """
    columns = {"dimension": pl.String(), "what": pl.String(), "unit": pl.String(),
               "before": pl.Float64(), "after": pl.Float64()}  # fmt: skip
    parts = pl.DataFrame(json.loads(row["parts"] or "[]"), schema_overrides=columns)
    if parts.is_empty():
        parts = pl.DataFrame(schema=columns)
    is_metric = pl.col("dimension") == "figure"
    return parts.with_columns(
        unit=pl.col("unit").fill_null(row["unit"]).map_elements(unit_label, return_dtype=pl.String),
        name=pl.when(is_metric)
        .then(pl.col("what").map_elements(metric_label, return_dtype=pl.String))
        .otherwise("what"),
        change=pl.col("after") - pl.col("before"),
    ).sort(pl.col("change").abs(), descending=True)
