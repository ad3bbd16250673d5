"""The runs behind a regression, as a table and as a chart."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import duckdb
import polars as pl

from app.results.labels import metric_label, unit_label
from expectations.regressions.series import ALL_MEASUREMENTS, SESSIONS
from expectations.regressions.store import Row
from ingest.lake.frames import frame

__all__ = ["REGRESSIONS", "listed", "plot", "series_of", "split_of"]

#: SQL: all regressions. Files that an earlier release published have no `impact`: it is NULL.
REGRESSIONS = "(FROM meta.regression UNION ALL BY NAME SELECT NULL::DOUBLE AS impact WHERE false)"

#: The parts of a series, and their colours, which suit both themes.
_PARTS = {"before": "#3f7fb5", "after": "#d6455d", "later": "#8a93a3"}


def listed(*, everything: bool) -> str:
    """SQL: what is open, one of each group, the greatest impact first; or all regressions."""
    chosen = "true" if everything else "is_open AND (leads OR lead_closed)"
    return f"""
        SELECT * EXCLUDE lead_closed FROM (
            SELECT *, count(*) FILTER (is_open) OVER by_group AS open_members,
                NOT bool_or(leads AND is_open) OVER by_group AS lead_closed
            FROM {REGRESSIONS} WINDOW by_group AS (PARTITION BY group_id)
        ) WHERE {chosen} ORDER BY is_open DESC, impact DESC, onset_utc DESC, regression_id
    """


def series_of(db: duckdb.DuckDBPyConnection, row: Row) -> pl.DataFrame:
    """Return the complete runs of a regression's series: start_utc, run_id, build, value.

    In order of builds: see marts.fct_run_session, of which start_utc is ordered_utc.
    """
    return frame(
        db,
        f"""
        SELECT ordered_utc AS start_utc, run_id, build, value::DOUBLE AS value
        FROM {ALL_MEASUREMENTS} JOIN {SESSIONS} USING (origin, campaign, run_id)
        WHERE is_compared AND origin = $1 AND campaign = $2 AND configuration_id = $3
            AND metric = $4 AND system_id = $5 AND address_space = $6
        ORDER BY ordered_utc, run_id
        """,
        [row[name] for name in (
            "origin", "campaign", "configuration_id", "metric", "system_id", "address_space"
        )],
    )  # fmt: skip


def plot(row: Row, runs: pl.DataFrame) -> dict[str, Any]:
    """Return a Vega-Lite chart of a regression's runs (from `series_of`) and its two levels.

    The levels lie over the runs that they are of; the band is the 95 % interval of the second one.
    """
    unit = unit_label(row["unit"] or "")
    after = set(row["run_ids"])
    points = [
        {
            "start": _moment(run["start_utc"]),
            "run": run["run_id"],
            "build": run["build"],
            "value": run["value"],
            "UTC": f"{run['start_utc']:%Y-%m-%d %H:%M}",
            "part": "after" if run["run_id"] in after
            else "before" if run["start_utc"] < row["onset_utc"] else "later",
        }
        for run in runs.iter_rows(named=True)
    ]  # fmt: skip
    levels = [
        level
        for part, value in (("before", row["before"]), ("after", row["after"]))
        if value is not None and (level := _level(points, part, value))
    ]
    for level in levels:
        if level["part"] == "after" and None not in (row["before"], row["low"], row["high"]):
            level |= {"low": row["before"] + row["low"], "high": row["before"] + row["high"]}
    present = {point["part"] for point in points}
    parts = {part: color for part, color in _PARTS.items() if part in present}
    time = {
        "type": "temporal",
        "title": "start of the run, UTC",
        "scale": {"type": "utc"},
        "axis": {"format": "%d %b" if len({p["UTC"][:10] for p in points}) > 2 else "%H:%M"},
    }
    y = {"type": "quantitative", "title": unit, "scale": {"zero": False}}
    color = {
        "field": "part",
        "type": "nominal",
        "scale": {"domain": list(parts), "range": list(parts.values())},
        "legend": {"orient": "top", "title": None, "symbolOpacity": 1},
    }
    span = {"x": time | {"field": "from"}, "x2": {"field": "to"}, "color": color}
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "title": row["message"],
        "width": 640,
        "height": 260,
        "layer": [
            {
                "data": {"values": [level for level in levels if "low" in level]},
                "mark": {"type": "rect", "opacity": 0.15},
                "encoding": span | {"y": y | {"field": "low"}, "y2": {"field": "high"}},
            },
            {
                "data": {"values": points},
                "mark": {"type": "point", "filled": True, "size": 36, "opacity": 0.9},
                "encoding": {
                    "x": time | {"field": "start"},
                    "y": y | {"field": "value"},
                    "color": color,
                    "tooltip": [
                        {"field": "UTC"},
                        {"field": "build"},
                        {"field": "value", "title": unit, "format": ",.4~r"},
                        {"field": "run"},
                    ],
                },
            },
            {
                "data": {"values": levels},
                "mark": {"type": "rule", "strokeWidth": 2.5},
                "encoding": span | {"y": y | {"field": "level"}},
            },
        ],
    }


def _moment(moment: datetime) -> str:
    return f"{moment.isoformat()}Z"


def _level(points: list[dict[str, Any]], part: str, value: float) -> dict[str, Any] | None:
    """Return a level over the runs of its part, or None without any."""
    moments = [point["start"] for point in points if point["part"] == part]
    if not moments:
        return None
    return {"part": part, "level": value, "from": min(moments), "to": max(moments)}


def _figure_label(what: str) -> str:
    """Return a metric in words, also one of a system: CF service time on MVS2."""
    metric, on, where = what.partition(" on ")
    return metric_label(metric) + on + where


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
        .then(pl.col("what").map_elements(_figure_label, return_dtype=pl.String))
        .otherwise("what"),
        change=pl.col("after") - pl.col("before"),
    ).sort(pl.col("change").abs(), descending=True)
