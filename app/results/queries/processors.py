"""Processors and who used them, from SMF 70, 72 and 30."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import polars as pl

from app.results.queries.scope import spans, utc
from app.results.reader import Reader

__all__ = [
    "System",
    "address_spaces",
    "busiest",
    "capacity",
    "classes",
    "reconciliation",
    "systems",
    "utilisation",
    "ziip",
]


@dataclass(frozen=True)
class System:
    """A z/OS system with CPU activity records (SMF 70-1), and a time range (UTC).

    latest: the start of the last stretch of records without a gap of half a day.
    """

    origin: str
    sysplex: str
    name: str
    start: datetime
    end: datetime
    latest: datetime

    @property
    def label(self) -> str:
        """Sysplex and system: PLEX1/SY1."""
        return f"{self.sysplex}/{self.name}"

    @property
    def parameters(self) -> tuple[object, ...]:
        """The values of the placeholders in `_OF_SYSTEM`, in order."""
        return (self.origin, self.sysplex, self.name, self.start, self.end)


_OF_SYSTEM = (
    "origin = ? and sysplex is not distinct from ? and system_id = ? "
    "and interval_start_utc >= ? and interval_start_utc < ?"
)
# Charts over time expect their owner in a column of this name.
_WHEN = 'system_id as queue_manager, interval_start_utc as "start", interval_end_utc as "end"'


def systems(reader: Reader) -> list[System]:
    """Return every system with CPU activity, newest records first."""
    rows = reader.frame(
        f"""
        with seen as (
            select
                origin, sysplex, system_id as name, interval_start_utc as s, interval_end_utc as e
            from marts.fct_processor_interval
        )
        {spans("seen", "origin, sysplex, name")}
        order by "end" desc, name
        """
    )
    return [System(**row) for row in rows.iter_rows(named=True)]


def utilisation(reader: Reader, system: System) -> pl.DataFrame:
    """Return one row per interval and processor type: busy % as PR/SM and as z/OS sees it."""
    return utc(
        reader.frame(
            f"""
            select
                {_WHEN}, interval_seconds, processor_type, processors_online,
                lpar_busy_percent, mvs_busy_percent, in_ready_work_units
            from marts.fct_processor_interval
            where {_OF_SYSTEM}
            order by interval_start_utc, processor_type
            """,
            system.parameters,
        )
    )


def classes(reader: Reader, system: System, most: int) -> pl.DataFrame:
    """Return processors used per interval and report class, for the `most` classes by CPU."""
    return utc(
        reader.frame(
            f"""
            with used as (
                select *, sum(cpu_seconds) over (partition by class_name) as total
                from marts.fct_report_class_interval
                where {_OF_SYSTEM}
            )
            select {_WHEN}, class_name, cpu_seconds / interval_seconds as processors
            from used
            qualify dense_rank() over (order by total desc, class_name) <= {most}
            order by interval_start_utc, class_name
            """,
            system.parameters,
        )
    )


def ziip(reader: Reader, system: System) -> pl.DataFrame:
    """Return one row per interval: % of CPU time eligible for zIIPs, on zIIPs, and on CPs."""
    return utc(
        reader.frame(
            f"""
            select
                {_WHEN}, interval_seconds, eligible_percent, offloaded_percent,
                100 * ziip_on_cp_seconds
                    / nullif(general_purpose_seconds + ziip_cp_equivalent_seconds, 0)
                    as eligible_on_cp_percent
            from marts.fct_ziip_interval
            where {_OF_SYSTEM}
            order by interval_start_utc
            """,
            system.parameters,
        )
    )


def capacity(reader: Reader, system: System) -> pl.DataFrame:
    """Return one row per interval: MSU consumed, WLM's four-hour average of it, and the limits."""
    return utc(
        reader.frame(
            f"""
            select
                {_WHEN}, consumed_msu,
                coalesce(long_term_average_msu, four_hour_average_msu) as average_msu,
                available_capacity_msu, defined_capacity_msu, latent_demand_msu
            from marts.fct_lpar_capacity_interval
            where {_OF_SYSTEM}
            order by interval_start_utc
            """,
            system.parameters,
        )
    )


def reconciliation(reader: Reader, system: System) -> pl.DataFrame:
    """Return one row per interval and processor type: CPU seconds from SMF 70, 72 and 30."""
    return utc(
        reader.frame(
            f"""
            select
                {_WHEN}, processor_type, processor_seconds, class_seconds, address_space_seconds,
                capture_percent, uncaptured_seconds, unexplained_seconds
            from marts.fct_cpu_reconciliation
            where {_OF_SYSTEM}
            order by interval_start_utc, processor_type
            """,
            system.parameters,
        )
    )


def address_spaces(reader: Reader, system: System) -> pl.DataFrame:
    """Return one row per job: its CPU time over all intervals, and its zIIP-eligible share."""
    return reader.frame(
        f"""
        select
            job_name, report_class, count(*) as intervals,
            sum(cpu_seconds) as cpu_seconds,
            sum(general_purpose_seconds) as general_purpose_seconds,
            sum(ziip_cp_equivalent_seconds) as ziip_cp_equivalent_seconds,
            sum(ziip_on_cp_seconds) as ziip_on_cp_seconds,
            100 * sum(eligible_seconds) / nullif(sum(cpu_seconds), 0) as eligible_percent,
            sum(dasd_requests) as dasd_requests
        from marts.fct_address_space_interval
        where {_OF_SYSTEM} and record_subtype in (2, 3)
        group by job_name, report_class
        order by cpu_seconds desc nulls last, job_name
        """,
        system.parameters,
    )


def busiest(reader: Reader, system: System) -> dict[str, float | None]:
    """Return the values of the tiles: means over the range, weighted by interval length."""
    return reader.frame(
        f"""
        with cpu as (
            select
                sum(mvs_busy_percent * interval_seconds)
                    filter (where processor_type = 'CP')
                    / nullif(sum(interval_seconds) filter (where processor_type = 'CP'), 0) as cp,
                max(mvs_busy_percent) filter (where processor_type = 'CP') as most_cp,
                sum(mvs_busy_percent * interval_seconds)
                    filter (where processor_type <> 'CP')
                    / nullif(sum(interval_seconds) filter (where processor_type <> 'CP'), 0)
                    as ziip,
                max(mvs_busy_percent) filter (where processor_type <> 'CP') as most_ziip
            from marts.fct_processor_interval
            where {_OF_SYSTEM}
        ),

        eligible as (
            select
                100 * sum(eligible_seconds)
                    / nullif(sum(general_purpose_seconds + ziip_cp_equivalent_seconds), 0)
                    as eligible_percent,
                max(ziips_needed) as ziips_needed,
                max(ziips_online) as ziips_online
            from marts.fct_ziip_interval
            where {_OF_SYSTEM}
        ),

        captured as (
            select 100 * sum(class_seconds) / nullif(sum(processor_seconds), 0) as capture_percent
            from marts.fct_cpu_reconciliation
            where {_OF_SYSTEM} and processor_type = 'CP'
        )

        from cpu, eligible, captured
        """,
        system.parameters * 3,
    ).row(0, named=True)
