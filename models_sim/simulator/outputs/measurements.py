"""Write plain measurements in CSV or JSON (format: ingest/formats/bench/measurements.py).

Values are written to the last digit, moments to the microsecond in UTC.
"""

from __future__ import annotations

import polars as pl

from models_sim.simulator.outputs.manifest import MEASUREMENT, measurement, utc
from models_sim.simulator.outputs.text import Tables, rows_of

__all__ = ["WRITERS", "write_csv", "write_json"]

COLUMNS = (*MEASUREMENT, "time_utc")


def write_csv(tables: Tables) -> bytes:
    """Return a header line and a line for each measurement."""
    rows = rows_of(tables, "bench_measurement", COLUMNS)
    return rows.select(*MEASUREMENT, time=utc("time_utc")).write_csv().encode()


def write_json(tables: Tables) -> bytes:
    """Return one object with the list of measurements, with their run and moment if known."""
    rows = rows_of(tables, "bench_measurement", COLUMNS)
    texts = rows.select(measurement({"run_id": pl.col("run_id"), "time": utc("time_utc")}))
    listed = ",\n    ".join(texts.to_series())
    head = '{\n  "perfhouse_measurements": 1,\n  "measurements": ['
    return f"{head}\n    {listed}\n  ]\n}}\n".encode()


WRITERS = {"measurements_csv": write_csv, "measurements_json": write_json}
