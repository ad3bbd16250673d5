"""How much the figures of a campaign vary from run to run and between builds."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from app.results.reader import Reader
from expectations.detector.variation import RUNS, noises
from expectations.limits import read_limits
from expectations.thresholds import Threshold, read_thresholds

__all__ = [
    "MOST_RUNS",
    "by_configuration",
    "by_runs",
    "metrics",
    "runs_of",
    "threshold",
]

MOST_RUNS = 1000  # of a configuration


def metrics(reader: Reader, origin: str, campaign: str) -> list[str]:
    """Return the metrics of a campaign with a better direction, those of most runs first."""
    return reader.frame(
        """
        select metric
        from marts.fct_measurement
        where origin = $1 and campaign = $2 and is_compared and more_is_better is not null
            and value > 0
        group by all
        order by metric
        """,
        (origin, campaign),
    )["metric"].to_list()


def runs_of(reader: Reader, origin: str, campaign: str, metric: str) -> pl.DataFrame:
    """Return the latest MOST_RUNS complete runs of a metric with a positive value, in time order.

    Columns: configuration, start_utc, run_id, git_revision, build (the day without a revision),
    value, unit. Runs in another unit than the last one are left out.
    """
    return reader.frame(
        """
        select
            coalesce(c.configuration, m.configuration_id) as configuration, m.start_utc, m.run_id,
            m.git_revision, coalesce(m.git_revision, strftime(m.start_utc, '%Y-%m-%d')) as build,
            m.value::double as value, coalesce(m.unit, '') as unit
        from marts.fct_measurement as m
        left join marts.dim_configuration as c using (configuration_id)
        where m.origin = $1 and m.campaign = $2 and m.metric = $3 and m.is_compared
            and m.value > 0 and isfinite(m.value::double)
        qualify unit = last_value(coalesce(m.unit, '')) over (
            partition by configuration order by m.start_utc, m.run_id
            rows between unbounded preceding and unbounded following
        ) and row_number() over (
            partition by configuration, coalesce(m.unit, '')
            order by m.start_utc desc, m.run_id desc
        ) <= $4
        order by configuration, m.start_utc, m.run_id
        """,
        (origin, campaign, metric, MOST_RUNS),
    )


def by_configuration(runs: pl.DataFrame) -> pl.DataFrame:
    """Return one row per configuration of `runs_of`, the noisiest first.

    Columns: configuration, runs, builds, run, within, between (percent), behaviour, moves
    (percent), modes, modes_apart, shifts, smallest_N for each number of runs, levels (one per run).
    """
    grouped = runs.group_by("configuration", maintain_order=True).agg("value", "build")
    noises_of_series = noises(
        list(zip(grouped["value"].to_list(), grouped["build"].to_list(), strict=True))
    )
    rows = [
        {name: getattr(noise, name) for name in noise.__slots__ if name != "smallest"}
        | {f"smallest_{n}": percent for n, percent in noise.smallest.items()}
        for noise in noises_of_series
    ]
    floats = ("run", "within", "between", "moves", "modes_apart", *(f"smallest_{n}" for n in RUNS))
    frame = pl.DataFrame(
        rows,
        schema_overrides={name: pl.Float64() for name in floats},
        infer_schema_length=None,
        orient="row",
    )
    named = frame.insert_column(0, grouped["configuration"])
    return named.sort("run", descending=True, nulls_last=True)


def by_runs(row: dict[str, float | None], runs: Sequence[int] = RUNS) -> pl.DataFrame:
    """Return the smallest change that each number of runs a side shows: runs, percent."""
    smallest = [(n, row[f"smallest_{n}"]) for n in runs if row[f"smallest_{n}"] is not None]
    return pl.DataFrame(
        smallest, schema={"runs": pl.Int64(), "percent": pl.Float64()}, orient="row"
    )


def threshold(metric: str, campaign: str) -> Threshold:
    """Return the least change that is reported of a metric, and why it is that much.

    Raises SettingsError.
    """
    thresholds = read_thresholds(read_limits().least_percent)
    return thresholds.rule(metric, campaign) or Threshold(metric, thresholds.usual)
