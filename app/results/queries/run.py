"""One run: what it was, what it measured, how that compares, and what it used where."""

from __future__ import annotations

from typing import Any

import polars as pl

from app.results.queries.runs import MAIN_METRICS
from app.results.queries.scope import QUEUE_MANAGER, utc
from app.results.reader import Reader

__all__ = [
    "address_spaces",
    "busy",
    "figures",
    "latest",
    "peers",
    "queue_managers",
    "run",
    "runs_of",
    "systems",
    "workload",
]  # fmt: skip

_MOST = 2000  # runs to choose from


def latest(reader: Reader) -> tuple[str, str, str] | None:
    """Return origin, campaign and name of the run that ended last, or None without any run."""
    rows = reader.frame(
        "select origin, campaign, run_id from marts.fct_run order by stop_utc desc, run_id limit 1"
    )
    return None if rows.is_empty() else rows.row(0)


def runs_of(reader: Reader, origin: str, campaign: str) -> list[str]:
    """Return the names of a campaign's runs, the latest first; at most 2000."""
    return reader.frame(
        f"""
        select run_id
        from marts.fct_run
        where origin = ? and campaign = ?
        order by start_utc desc, run_id
        limit {_MOST}
        """,
        (origin, campaign),
    ).to_series().to_list()  # fmt: skip


def run(reader: Reader, name: str) -> dict[str, Any] | None:
    """Return a run by its name: the columns of marts.fct_run, and its configuration."""
    rows = reader.frame(
        """
        select fct_run.*, configuration
        from marts.fct_run
        join marts.dim_configuration using (configuration_id)
        where run_id = ?
        """,
        (name,),
    )
    return None if rows.is_empty() else rows.row(0, named=True)


def figures(reader: Reader, name: str) -> pl.DataFrame:
    """Return one row per metric of a run, main ones first.

    metric, unit, value, value_low, value_high (null where they are the value), more_is_better,
    is_given; level, usual_low, usual_high, level_runs, verdict: of marts.fct_run_verdict;
    level_before, level_verdict: of that level, of marts.fct_series_level;
    published, document_id, cell_id, print_verdict: of marts.fct_print_on_runs, the figure with the
    fewest assumptions; predicted, predicted_low, predicted_high.
    """
    return reader.frame(
        """
        with own as (
            select m.*, if(m.is_given and is_derived, 'as given', dim_metric.formula) as formula
            from marts.fct_measurement as m
            left join marts.dim_metric using (metric)
            where run_id = $1
        ),

        printed as (
            select
                metric, coalesce(published_value, published_low) as published, document_id, cell_id,
                verdict as print_verdict
            from marts.fct_print_on_runs
            semi join own using (origin, campaign, configuration_id)
            where address_space is null
            qualify row_number() over (partition by metric order by len(assumed), cell_id) = 1
        )

        select
            own.metric, own.unit, own.value,
            if(own.value_low < own.value_high, own.value_low, null) as value_low,
            if(own.value_low < own.value_high, own.value_high, null) as value_high,
            own.more_is_better, own.is_given, own.formula,
            placed.level, placed.usual_low, placed.usual_high, placed.runs as level_runs,
            placed.verdict, series.level_before, series.verdict as level_verdict,
            printed.* exclude (metric),
            model.predicted, model.low as predicted_low, model.high as predicted_high
        from own
        left join marts.fct_run_verdict as placed using (origin, run_id, metric)
        left join marts.fct_series_level as series
            on
                placed.origin = series.origin
                and placed.campaign is not distinct from series.campaign
                and placed.configuration_id = series.configuration_id
                and placed.metric = series.metric
                and placed.level_no = series.level_no
        left join printed on own.metric = printed.metric
        left join (
            from marts.fct_run_against_model where run_id = $1
        ) as model on own.metric = model.metric
        order by coalesce(list_position($2, own.metric), 99), own.metric
        """,
        (name, MAIN_METRICS),
    )


def peers(reader: Reader, name: str) -> pl.DataFrame:
    """Return the figures of the complete runs of the same series: metric, value, run_id."""
    return reader.frame(
        """
        select metric, value, run_id
        from marts.fct_measurement
        semi join (from marts.fct_run where run_id = $1) using (origin, campaign, configuration_id)
        where (is_compared or run_id = $1) and list_contains($2, metric)
        order by start_utc desc
        limit 20000
        """,
        (name, MAIN_METRICS),
    )


def systems(reader: Reader, name: str) -> pl.DataFrame:
    """Return one row per system of a run: what it used, from types 70 and 72."""
    return reader.frame(
        "from marts.fct_run_system where run_id = ? order by cpu_seconds desc nulls last, system",
        (name,),
    )


def address_spaces(reader: Reader, name: str) -> pl.DataFrame:
    """Return one row per address space and system of a run: what it used, from type 30."""
    return reader.frame(
        """
        select * from marts.fct_run_address_space
        where run_id = ?
        order by cpu_seconds desc nulls last, system, address_space
        """,
        (name,),
    )


def workload(reader: Reader, name: str) -> list[str]:
    """Return the address spaces or classes that are the workload of a run."""
    rows = reader.frame("select parts from marts.fct_run_workload where run_id = ?", (name,))
    return rows["parts"].explode().drop_nulls().to_list()


def busy(reader: Reader, name: str) -> pl.DataFrame:
    """Return how busy the CPs of a run's systems were, from an hour before to an hour after."""
    return utc(
        reader.frame(
            """
            select
                i.system_id as queue_manager,
                i.interval_start_utc as "start",
                i.interval_end_utc as "end",
                i.processor_type as series,
                i.lpar_busy_percent as value
            from marts.fct_processor_interval as i
            join marts.fct_run_coverage as part
                on
                    i.origin = part.origin
                    and i.system_id = part.system_id
                    and i.sysplex is not distinct from part.sysplex
            join marts.fct_run as run on part.origin = run.origin and part.run_id = run.run_id
            where
                run.run_id = ?
                and i.interval_end_utc > run.start_utc - interval 1 hour
                and i.interval_start_utc < run.stop_utc + interval 1 hour
                and i.lpar_busy_percent is not null
            order by queue_manager, "start", series
            """,
            (name,),
        )
    )


def samples(reader: Reader, name: str) -> pl.DataFrame:
    """Return the figures that tools printed several of during a run, in order.

    Columns: file, metric, sample (from 1), value in `unit`, time_utc (null if not printed).
    """
    return utc(
        reader.frame(
            """
            select
                regexp_extract(path, '[^/]*$') as file, metric, sample, value, unit, time_utc
            from marts.fct_run_sample
            where run_id = ?
            qualify count(*) over (partition by source_id, metric) > 1
            order by metric, file, sample
            """,
            (name,),
        )
    )


def queue_managers(reader: Reader, name: str) -> list[str]:
    """Return the queue managers with statistics of the time of a run, as SYSTEM/NAME.

    Those on its LPARs; of a run without any, all of its origin.
    """
    return reader.frame(
        f"""
        with run as (from marts.fct_run where run_id = ?),

        part as (from marts.fct_run_coverage semi join run using (origin, run_id))

        select distinct {QUEUE_MANAGER} as queue_manager
        from marts.fct_queue_manager_interval as one
        join run on
            one.origin = run.origin
            and one.interval_start_utc < run.stop_utc
            and one.interval_end_utc > run.start_utc
        where
            not exists (from part)
            or one.system_id in (select system_id from part)
        order by 1
        """,
        (name,),
    ).to_series().to_list()  # fmt: skip
