"""Regressions for people: acts on them, what a model predicts for comparison, and notices."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import duckdb
import polars as pl

from expectations.regressions.series import MEASUREMENTS
from expectations.regressions.store import SCHEMA, Row, read_current, write_events
from expectations.regressions.triage import OPEN
from ingest.errors import WarehouseError
from ingest.warehouse import Warehouse

__all__ = [
    "NoticeError",
    "RegressionError",
    "mark",
    "notice",
    "plot",
    "send",
    "series_of",
    "tell",
]

_SECONDS = 10.0  # that a receiver of notices may take


class RegressionError(WarehouseError):
    """No such regression, or not in that state; the message is one line for a person."""


class NoticeError(RuntimeError):
    """A notice did not reach its receiver; the message is one line for a person."""


def mark(warehouse: Warehouse, name: str, state: str, note: str, by: str) -> list[Row]:
    """Append a person's word on a regression (GROUP.N), or on all of a group that are open.

    Returns the events. The caller holds the lock of the steps. Raises RegressionError.
    """
    current = read_current(warehouse.regressions)
    named = [row for row in current if name in {row["regression_id"], row["group_id"]}]
    if not named:
        raise RegressionError(f"no regression {name!r}; see 'perfhouse regressions'")
    chosen = [row for row in named if row["state"] in OPEN]
    if not chosen:
        states = ", ".join(sorted({row["state"] for row in named}))
        raise RegressionError(f"regression {name} is not open but {states}")
    said = {"state": state, "note": note, "by": by, "build_id": ""}
    return write_events([{**row, **said} for row in chosen], warehouse.regressions)


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


def notice(build_id: str, events: Sequence[Row], failures: Iterable[str]) -> dict[str, Any] | None:
    """What a receiver is told of a check; None where there is nothing new to tell.

    Keys: build_id, failures (messages of what stops publishing), regressions (the new events, the
    columns of meta.regression_event).
    """
    failures = list(failures)
    if not events and not failures:
        return None
    shown = [
        {
            name: value.isoformat() if isinstance(value, datetime) else value
            for name in SCHEMA
            if name != "parts"
            for value in (row[name],)
        }
        | {"parts": json.loads(row["parts"] or "[]")}
        for row in events
    ]
    return {"build_id": build_id, "failures": failures, "regressions": shown}


def tell(receiver: str | None, body: dict[str, Any] | None) -> str:
    """Send a notice, if there is one, to the receiver (by default $PERFHOUSE_NOTIFY), if any.

    Returns why it was not taken, '' where it was or nothing was to be sent.
    """
    url = receiver or os.environ.get("PERFHOUSE_NOTIFY")
    try:
        if url and body:
            send(url, body)
    except NoticeError as error:
        return str(error)
    return ""


def send(url: str, body: dict[str, Any]) -> None:
    """POST a notice as JSON. Raises NoticeError where the receiver does not take it."""
    if not url.startswith(("http://", "https://")):
        raise NoticeError(f"{url}: a receiver of notices is an http or https address")
    request = urllib.request.Request(  # noqa: S310 (checked above)
        url,
        data=json.dumps(body, allow_nan=False, default=str).encode(),
        headers={"Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=_SECONDS):  # noqa: S310
            pass
    except (OSError, urllib.error.URLError, ValueError) as error:
        raise NoticeError(f"{url}: the notice was not taken: {error}") from error
