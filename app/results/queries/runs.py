"""Benchmark runs: what they measured, what they cost, and where."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from app.results.labels import in_order
from app.results.reader import Reader

__all__ = [
    "MAIN_METRICS",
    "MOST_RUNS",
    "WHOLE",
    "by_configuration",
    "campaigns",
    "groups",
    "metrics",
    "over_time",
]

#: The main metrics, listed before all others.
MAIN_METRICS = (
    "rate",
    "cost_per_GB",
    "cost_per_GB_of_workload",
    "transactions_per_second",
    "cost_per_transaction",
    "cost_per_transaction_of_workload",
    "transfer_time",
    "ziip_share",
    "cost_per_GB_after_offload",
)
MOST_RUNS = 1000  # of a configuration, over time
WHOLE = "whole runs"
# The metrics that tools print on hosts, by what they are about; those that end with _ begin a name.
_GROUPS: dict[str, tuple[str, ...]] = {
    "CPU": (
        "host_cpu_busy", "container_cpu", "Agent1-CPU", "Agent2-CPU", "AgentQ-CPU", "Coord-CPU",
        "host_load_average",
    ),
    "Memory": ("host_memory_used", "host_memory_available", "container_memory", "host_swap_used"),
    "Disks": ("response_time_", "docker_space", "docker_volume_space", "directory_size"),
    "Log of the queue manager": (
        "amqsrua_log_write_latency", "amqsrua_log_write_size", "amqsrua_log_physical_rate",
        "amqsrua_log_logical_rate",
    ),
    "Channels and queues": (
        "NETTIME", "batch_size_achieved", "compression", "compression_time", "secret_key_resets",
        "queue_depth", "oldest_message_age", "queue_time",
    ),
    "Network storage of z/OS": (
        "csm_in_use", "csm_fixed_current", "csm_fixed_max", "csm_fixed_max_used_last",
        "csm_fixed_max_used_ipl",
    ),
    "Messages": ("mq_error_messages", "csm_shortage_messages", "structure_failure_messages"),
}  # fmt: skip
# A configuration's label without the file size, which has its own axis.
_WITHOUT_SIZE = """list_aggregate(
                list_filter(
                    string_split(configuration, ', '),
                    lambda part: not regexp_full_match(part, '[0-9]+ MB')
                ), 'string_agg', ', '
            )"""


def campaigns(reader: Reader) -> pl.DataFrame:
    """Return one row per campaign and origin, newest first: number of runs, first and last."""
    return reader.frame(
        """
        select
            origin, campaign, count(*) as runs,
            count(*) filter (where not is_compared) as incomplete,
            count(distinct configuration_id) as configurations,
            min(start_utc) as first_utc, max(stop_utc) as last_utc
        from marts.fct_run
        group by all
        order by last_utc desc, campaign
        """
    )


def metrics(reader: Reader, origin: str, campaign: str) -> pl.DataFrame:
    """Return one row per metric of whole runs: unit, more_is_better, formula; main ones first."""
    return reader.frame(
        """
        with counted as (
            select metric, unit, more_is_better, count(*) as runs
            from marts.fct_measurement
            where origin = ? and campaign = ?
            group by all
        )
        select counted.*, formula
        from counted
        join marts.dim_metric using (metric)
        order by coalesce(list_position(?, metric), 99), metric
        """,
        (origin, campaign, MAIN_METRICS),
    )


def groups(metrics: Sequence[str]) -> dict[str, list[str]]:
    """Return metrics by what they are of: all of them as those of whole runs, first."""
    return {WHOLE: list(metrics)} | {
        group: members
        for group, starts in _GROUPS.items()
        if (members := [metric for start in starts for metric in in_order(metrics)
                    if metric == start or (start.endswith("_") and metric.startswith(start))])
    }  # fmt: skip


def by_configuration(
    reader: Reader, origin: str, campaign: str, chosen: tuple[str, ...]
) -> pl.DataFrame:
    """Return one row per configuration and metric: median, min and max of its runs that count.

    Columns: configuration (without file size), file_size_mb, metric, unit, value, low, high, runs.
    """
    return reader.frame(
        f"""
        select
            {_WITHOUT_SIZE} as configuration, file_size_mb, metric, unit,
            median(value) as value, min(value) as low, max(value) as high, count(*) as runs
        from marts.fct_measurement
        join marts.dim_configuration using (configuration_id)
        where fct_measurement.origin = ? and campaign = ? and list_contains(?, metric)
            and is_compared
        group by all
        order by configuration, file_size_mb, metric
        """,
        (origin, campaign, chosen),
    )


def over_time(reader: Reader, origin: str, campaign: str, chosen: tuple[str, ...]) -> pl.DataFrame:
    """Return one row per run and metric, in time order: the latest MOST_RUNS of a configuration.

    is_compared marks those that count.
    """
    return reader.frame(
        """
        select
            m.run_id, m.start_utc, configuration, metric, m.unit, value, m.is_compared,
            m.git_revision, m.mq_level
        from marts.fct_measurement as m
        join marts.dim_configuration using (configuration_id)
        where m.origin = ? and campaign = ? and list_contains(?, metric)
        qualify row_number() over (
            partition by configuration_id, metric order by m.start_utc desc, m.run_id desc
        ) <= ?
        order by m.start_utc
        """,
        (origin, campaign, chosen, MOST_RUNS),
    )
