"""What the files of a simulated campaign say of its runs, beside the truth.

queries_of_runs/ has a query for each figure: METRIC.sql, or METRIC by KEYS.sql.
"""

from __future__ import annotations

from pathlib import Path

import duckdb
import polars as pl

RUN = """
    CREATE TEMP VIEW run AS
    SELECT run_id, start_utc AS start, stop_utc AS stop FROM raw.bench_run
"""
# RMF's records of an interval begin with the run's window, to the second.
OF_RUN = """
    CREATE TEMP VIEW record{type}_{subtype} AS
    SELECT run.run_id, p.source_id, p.record_no, p.smf{type}snm AS system
    FROM raw.smf{type}_{subtype}_product AS p
    JOIN run ON run.start = p.smf{type}dat + p.smf{type}ist - p.smf{type}lgo
            AND run.stop = p.smf{type}iet
"""
KEYS = {"system": "system_id", "job": "address_space"}
QUERIES = {
    file.stem: file.read_text()
    for file in sorted(Path(__file__).parent.glob("queries_of_runs/*.sql"))
}


def prepared(db: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """Return a connection with views of runs, and of the records of each run."""
    db.execute(RUN)
    for kind, subtype in ((70, 1), (72, 3)):
        db.execute(OF_RUN.format(type=kind, subtype=subtype))
    return db


def errors(db: duckdb.DuckDBPyConnection, given: pl.DataFrame, what: str) -> pl.DataFrame:
    """Return each figure of the truth, and what the files say of it."""
    metric, _, by = what.partition(" by ")
    keys = by.split(" and ") if by else []
    names = ["run_id", *(KEYS[key] for key in keys)]
    rows = db.execute(QUERIES[what]).fetchall()
    found = pl.DataFrame(rows, schema=[*names, "found"], orient="row")
    found = found.with_columns(pl.col("found").cast(pl.Float64))
    others = [column for column in KEYS.values() if column not in names]
    wanted = given.filter(
        pl.col("metric") == metric,
        *(pl.col(column).is_null() for column in others),
        *(pl.col(KEYS[key]).is_not_null() for key in keys),
    )
    return wanted.join(found, on=names, how="left")
