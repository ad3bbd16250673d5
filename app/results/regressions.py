"""The runs behind a regression, as a table and as a chart."""

from __future__ import annotations

from typing import Any

import duckdb
import polars as pl

from expectations.regressions.series import MEASUREMENTS
from expectations.regressions.store import Row

__all__ = ["plot", "series_of"]


def series_of(db: duckdb.DuckDBPyConnection, row: Row) -> pl.DataFrame:
    """The complete runs of a regression's series in order: start_utc, run_id, build, value."""
    return db.execute(
        f"""
        SELECT start_utc, run_id, coalesce(git_revision, '') AS build, value::DOUBLE AS value
        FROM {MEASUREMENTS}
        WHERE is_complete AND origin = $1 AND campaign = $2 AND configuration_id = $3
            AND metric = $4 AND coalesce(system_id, '') = $5 AND coalesce(address_space, '') = $6
        ORDER BY start_utc, run_id
        """,
        [row[name] for name in (
            "origin", "campaign", "configuration_id", "metric", "system_id", "address_space"
        )],
    ).pl()  # fmt: skip


def plot(row: Row, runs: pl.DataFrame) -> dict[str, Any]:
    """A Vega-Lite chart of a regression's series (as `series_of` gives it), its levels drawn in."""
    points = [
        {"start": of["start_utc"].isoformat(), "run": of["run_id"], "value": of["value"]}
        for of in runs.iter_rows(named=True)
    ]
    inside = [p["start"] for p in points if p["run"] in set(row["run_ids"])]
    onset = row["onset_utc"].isoformat()
    levels = [
        {"from": points[0]["start"] if points else onset, "to": onset, "level": row["before"]},
        {"from": onset, "to": max(inside, default=onset), "level": row["after"]},
    ]
    y = {"type": "quantitative", "title": row["unit"]}
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
                    "x": {"field": "start", "type": "temporal", "title": "start (UTC)"},
                    "y": y | {"field": "value", "scale": {"zero": False}},
                    "tooltip": [{"field": "run"}, {"field": "value"}],
                },
            },
            {
                "data": {"values": [of for of in levels if of["level"] is not None]},
                "mark": {"type": "rule", "color": "#b00020", "strokeWidth": 2},
                "encoding": {
                    "x": {"field": "from", "type": "temporal"},
                    "x2": {"field": "to"},
                    "y": y | {"field": "level"},
                },
            },
        ],
    }
