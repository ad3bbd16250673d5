"""The series of a build: the metrics of every configuration in order of time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import duckdb
import polars as pl

from expectations.regressions.finding import Key
from expectations.rule import literal

__all__ = [
    "ALL_MEASUREMENTS",
    "MEASUREMENTS",
    "RUNS",
    "Series",
    "has_mart",
    "holds_runs",
    "mean_of",
    "read_runs",
    "read_series",
]

MEASUREMENTS = "marts.fct_measurement"
RUNS = "marts.fct_run"
_MARTS = ("fct_run", "fct_measurement", "fct_system_measurement", "fct_address_space_measurement")
_MEASURED = (
    "origin, campaign, configuration_id, run_id, start_utc, git_revision, is_compared, metric, "
    "unit, more_is_better, value"
)
#: What is measured of whole runs, of each of their systems, and of each of their address spaces.
ALL_MEASUREMENTS = f"""(
    SELECT {_MEASURED}, '' AS system_id, '' AS address_space FROM {MEASUREMENTS}
    UNION ALL
    SELECT {_MEASURED}, system, '' FROM marts.fct_system_measurement
    UNION ALL
    SELECT {_MEASURED}, '', address_space FROM marts.fct_address_space_measurement
)"""

_KEY = ("origin", "campaign", "configuration_id", "metric", "system_id", "address_space")

# A build is identified by the git_revision of its runs, otherwise by the day. The builds of a
# campaign are numbered in order of their first run. Published figures are not runs.
_BUILDS = f"""
    SELECT
        origin, campaign, run_id, configuration_id, start_utc, is_compared, issues,
        coalesce(git_revision, '') AS build,
        dense_rank() OVER (PARTITION BY origin, campaign ORDER BY first_utc, label) AS build_no
    FROM (
        SELECT *, min(start_utc) OVER (PARTITION BY origin, campaign, label) AS first_utc
        FROM (
            SELECT *, coalesce(git_revision, strftime(start_utc, '%Y-%m-%d')) AS label
            FROM {RUNS}
            WHERE origin <> 'published'
        )
    )
"""


@dataclass(frozen=True, slots=True)
class Series:
    """One metric of one configuration over the runs that count; lists have one entry per run.

    values: in `unit`; more_is_better: None if neither direction is better; build_nos: number of the
    run's build in its campaign; builds: its git revision.
    """

    key: Key
    configuration: str
    unit: str
    more_is_better: bool | None
    values: list[float]
    run_ids: list[str]
    starts: list[datetime]
    builds: list[str]
    build_nos: list[int]

    def since(self, moment: datetime) -> Series:
        """Return the series from the first run on that starts at or after `moment`."""
        at = sum(start < moment for start in self.starts)
        return Series(
            *(self.key, self.configuration, self.unit, self.more_is_better),
            *(self.values[at:], self.run_ids[at:], self.starts[at:]),
            *(self.builds[at:], self.build_nos[at:]),
        )

    def worse(self, before: float, after: float) -> bool:
        """Whether the change from one level to the other is for the worse."""
        return (after < before) if self.more_is_better else (after > before)


def mean_of(values: Sequence[float]) -> float:
    """Return the mean of at least one number."""
    return sum(values) / len(values)


def holds_runs(connection: duckdb.DuckDBPyConnection) -> bool:
    """Whether the build has the marts of runs."""
    return all(has_mart(connection, name) for name in (*_MARTS, "dim_configuration"))


def has_mart(connection: duckdb.DuckDBPyConnection, name: str) -> bool:
    """Whether the build has a mart of that name."""
    # A bound parameter would make DuckDB import pandas.
    found = connection.execute(
        "SELECT 1 FROM duckdb_columns() "
        f"WHERE schema_name = 'marts' AND table_name = {literal(name)} LIMIT 1"
    ).fetchall()
    return bool(found)


def read_runs(connection: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    """Read every run, whether it counts or not, in order of configuration and time.

    Columns: origin, campaign, configuration_id, configuration, run_id, start_utc, build, build_no,
    is_compared, issues (list).
    """
    return connection.execute(
        f"""
        SELECT r.*, c.configuration
        FROM ({_BUILDS}) AS r
        LEFT JOIN marts.dim_configuration AS c USING (configuration_id)
        ORDER BY r.origin, r.campaign, r.configuration_id, r.start_utc, r.run_id
        """
    ).pl()


def read_series(connection: duckdb.DuckDBPyConnection) -> list[Series]:
    """Read all series, of runs without issues only."""
    rows = connection.execute(
        f"""
        SELECT
            m.origin, m.campaign, m.configuration_id, m.metric, m.system_id, m.address_space,
            m.unit, m.more_is_better, m.value::DOUBLE AS value,
            m.run_id, m.start_utc, r.build, r.build_no,
            coalesce(c.configuration, m.configuration_id) AS configuration
        FROM {ALL_MEASUREMENTS} AS m
        JOIN ({_BUILDS}) AS r USING (origin, campaign, run_id)
        LEFT JOIN marts.dim_configuration AS c ON c.configuration_id = m.configuration_id
        WHERE m.is_compared AND isfinite(m.value::DOUBLE)
        """
    ).pl()
    grouped = (
        rows.sort(*_KEY, "start_utc", "run_id")
        .group_by(*_KEY, maintain_order=True)
        .agg(
            pl.col("configuration", "unit", "more_is_better").first(),
            pl.col("value", "run_id", "start_utc", "build", "build_no"),
        )
    )
    columns = [grouped[name].to_list() for name in grouped.columns]
    return [Series(Key(*row[: len(_KEY)]), *row[len(_KEY) :]) for row in zip(*columns, strict=True)]
