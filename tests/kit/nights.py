"""Builds of nightly runs without regressions, with the columns of the marts that are read.

Two configurations run once per night; all metrics have 2 % noise. The CPU cost is the sum of two
address spaces: CHIN (40 %) and AGENT (60 %).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from types import MappingProxyType

import duckdb
import numpy as np
import polars as pl

from app.pipeline.places import ROOT

_MODEL = ROOT / "dbt/models/marts/runs/fct_run_session.sql"
#: The model of sessions as a view on runs that have no more than their start and build.
SESSIONS = (
    "CREATE VIEW marts.fct_run_session AS "
    + _MODEL.read_text()
    .replace(
        '{{ ref("fct_run") }}',
        "(SELECT *, NULL::TIMESTAMP AS stop_utc, '' AS source_id, 1 AS record_no FROM"
        " marts.fct_run)",
    )
    .replace(
        '{{ source("staging", "bench__build") }}',
        "(SELECT '' AS build, NULL::TIMESTAMP AS committed_utc, 1 AS record_no WHERE false)",
    )
    + ";"
)
MARTS = Path(__file__).with_suffix(".sql").read_text() + SESSIONS
PARTS = """
INSERT INTO marts.fct_run_part
SELECT origin, configuration_id, run_id, metric, 'address space', address_space, unit, value,
    is_compared
FROM marts.fct_address_space_measurement
"""
CONFIGURATIONS = ("c1", "c2")
METRICS = {"rate": ("MB/s", True), "cost_per_GB": ("CPU seconds per GB", False)}

#: (configuration, metric, address space or None, night) -> factor
Effect = Callable[[str, str, str | None, int], float]
#: (configuration, night) -> why the run is incomplete, or ''
Fault = Callable[[str, int], str]


def none(*_: object) -> float:
    """No effect."""
    return 1.0


def whole(*_: object) -> str:
    """No fault."""
    return ""


def build(
    nights: int,
    effect: Effect = none,
    fault: Fault = whole,
    repetitions: int = 1,
    lacks: Callable[[str, int], bool] = lambda _metric, _night: False,
    runs_as: Callable[[str, int], str | None] = lambda configuration, _night: configuration,
    again: Mapping[int, Mapping[int, int]] = MappingProxyType({}),
    environment: Effect = none,
) -> duckdb.DuckDBPyConnection:
    """Return the marts after so many nights; a night has the same metrics in every build.

    again: of builds that are run again on a later day: day -> night -> runs; environment: by the
    day of a run, whatever its build.
    """
    runs, figures, of_spaces = [], [], []
    more = {
        night: [day for day, of in again.items() if day <= nights for _ in range(of.get(night, 0))]
        for night in range(nights)
    }
    for night in range(nights):
        for place, configuration in enumerate(CONFIGURATIONS):
            for repetition in range(repetitions + len(more[night])):
                random = np.random.default_rng([night, place, repetition])
                start = datetime(2026, 1, 1, 22, 10 * place + repetition) + timedelta(days=night)
                day = night
                if repetition >= repetitions:
                    day = more[night][repetition - repetitions]
                    start += timedelta(days=day - night, hours=-9)
                run = f"{configuration}-{night:03}" + (f".{repetition}" if repetition else "")
                why = fault(configuration, night)
                name = runs_as(configuration, night)
                if name is None:
                    continue
                head = ("simulated", run, "nightly", name)
                last = (start, f"g{night:03}", not why)
                runs.append((*head, *last, [why] if why else []))
                parts = {}
                for space, level in (("CHIN", 0.4), ("AGENT", 0.6)):
                    noise = np.exp(random.normal(0, 0.02))
                    parts[space] = (
                        level
                        * noise
                        * effect(configuration, "cost_per_GB", space, night)
                        * environment(configuration, "cost_per_GB", space, day)
                    )
                rate = 100 * np.exp(random.normal(0, 0.02))
                rate *= effect(configuration, "rate", None, night)
                rate *= environment(configuration, "rate", None, day)
                figures += [
                    (*head, metric, value, *METRICS[metric], *last)
                    for metric, value in (("rate", rate), ("cost_per_GB", sum(parts.values())))
                    if not lacks(metric, night)
                ]
                of_spaces += [
                    (*head, "cost_per_GB", space, value, *METRICS["cost_per_GB"], *last)
                    for space, value in parts.items()
                    if not lacks("cost_per_GB", night)
                ]
    db = duckdb.connect()
    db.execute(MARTS)
    for table, rows in (
        ("fct_run", runs),
        ("fct_measurement", figures),
        ("fct_address_space_measurement", of_spaces),
    ):
        columns = [c for c in db.table(f"marts.{table}").columns if not c.startswith("value_")]
        frame = pl.DataFrame(rows, schema=columns, orient="row", infer_schema_length=None)
        db.register("rows", frame.to_arrow())
        db.execute(f"INSERT INTO marts.{table} BY NAME SELECT * FROM rows")
        db.unregister("rows")
    db.execute(PARTS)
    return db


def slower_chin(configuration: str, metric: str, space: str | None, night: int) -> float:
    """CHIN of c1 takes 30 % more from night 30 to 49."""
    return 1.3 if (configuration, space) == ("c1", "CHIN") and 30 <= night < 50 else 1.0
