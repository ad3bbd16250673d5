"""Figures of one's own runs and records, as a plan asks for them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from statistics import stdev
from typing import Any

import polars as pl

from app.results.reader import Reader
from expectations.verdicts.prints import DOCUMENT_NOISE
from ingest.base.errors import RequestError
from ingest.formats.bench.factors import FACTORS

__all__ = ["figures", "settings", "with_records"]

_FULL_DAY = 20  # hours with records from which on a day counts among others


def figures(reader: Reader) -> pl.DataFrame:
    """Return one row per configuration and metric: factors, machine, runs, and its figure.

    metric: rate, cost_per_GB or ziip_share; predicted: the geometric mean of compared runs; low,
    high: the 10-90 % band of a run, which has the noise of the documents where it is alone.
    """
    return reader.frame(
        f"""
        with one as (
            select
                configuration_id, metric, count(*) as runs, exp(avg(ln(value))) as predicted,
                coalesce(stddev_samp(ln(value)), {DOCUMENT_NOISE}) as noise,
                exp(1.2816 * greatest(noise, 0.02)) as spread
            from marts.fct_measurement
            where metric in ('rate', 'cost_per_GB', 'ziip_share') and is_compared and value > 0
            group by all
        )

        select
            configuration.*, one.metric, one.runs, predicted, predicted / spread as low,
            predicted * spread as high
        from one inner join marts.dim_configuration as configuration using (configuration_id)
        """
    )


def settings(reader: Reader, run_id: str) -> dict[str, Any]:
    """Return the factors and the machine of a run that are known. Raises RequestError."""
    rows = reader.frame(
        """
        select configuration.*
        from marts.fct_run as run
        inner join marts.dim_configuration as configuration using (configuration_id)
        where run.run_id = ?
        """,
        (run_id,),
    ).to_dicts()
    if not rows:
        raise RequestError(f"no run {run_id}; 'perfhouse sql \"FROM marts.fct_run\"' lists them")
    known_factors = (*FACTORS, "machine")
    return {name: rows[0][name] for name in known_factors if rows[0].get(name) is not None}


def with_records(reader: Reader, workload: Mapping[str, Any]) -> dict[str, Any]:
    """Return a workload in which `recorded`, names of address spaces, is what they used.

    Raises RequestError if no record has such an address space.
    """
    names = workload.get("recorded")
    if not isinstance(names, str | list):
        return dict(workload)
    given = {name: value for name, value in workload.items() if name != "recorded"}
    return _recorded(reader, names if isinstance(names, str) else ",".join(names)) | given


def _recorded(reader: Reader, patterns: str) -> dict[str, Any]:
    """Return a workload for a plan: what address spaces used, by hour of a mean day.

    patterns: names of address spaces between commas, in which * stands for any text. An hour is
    that of the clock of its system; its mean is over the days on which there are records of it.
    """
    rows = reader.frame(
        """
        with
            used as (
                select
                    used.name, ledger.machine, ledger.msu_hours_per_cp_second as speed,
                    ledger.hour_local, hour(ledger.hour_local) as hour, used.system_id,
                    used.general_purpose_seconds + used.eligible_seconds
                    - used.ziip_on_cp_seconds as cpu,
                    used.eligible_seconds as eligible
                from marts.fct_usage_hour as used
                inner join
                    marts.fct_system_hour as ledger using (origin, sysplex, system_id, hour_utc)
                where
                    used.subject = 'address space'
                    and list_bool_or(
                        list_transform(string_split(?, ','), lambda p: used.name glob trim(p))
                    )
            ),

            days as (
                select system_id, hour(hour_local) as hour, count(distinct local_date) as days
                from marts.fct_system_hour
                group by all
            )

        select used.*, days.days
        from used
        inner join days using (system_id, hour)
        """,
        (patterns,),
    )
    if rows.is_empty():
        raise RequestError(f"no record has an address space {patterns}")
    mean = pl.col("cpu", "eligible") / pl.col("days")
    per_day = rows.with_columns(mean).group_by("name").agg(pl.col("cpu", "eligible").sum())
    curve = rows.group_by("hour").agg((pl.col("cpu") / pl.col("days")).sum())
    by_hour = dict(curve.iter_rows())
    daily = (
        rows.group_by(pl.col("hour_local").dt.date())
        .agg(pl.col("cpu").sum(), pl.col("hour").n_unique())
        .filter(pl.col("hour") >= _FULL_DAY, pl.col("cpu") > 0)["cpu"]
    )
    usual = rows.group_by("machine").agg(pl.col("cpu").sum(), pl.col("speed").mean())
    machine, _, speed = usual.sort("cpu").row(-1)
    spaces = {name: (cpu, eligible) for name, cpu, eligible in per_day.sort("name").rows()}
    return {
        "recorded": {
            "spaces": spaces,
            "hours": len(by_hour),
            "spread": stdev(map(math.log, daily)) if len(daily) > 1 else None,
            "machine": machine,
            "msu_per_cp": speed and speed * 3600,
        },
        "curve": [by_hour.get(hour, 0.0) for hour in range(24)],
        "machine": machine,
    }
