"""What tools printed on Linux hosts, in containers and on z/OS while benchmarks ran."""

from __future__ import annotations

import polars as pl

from app.results.queries.scope import utc
from app.results.reader import Reader

__all__ = ["GROUPS", "campaigns", "figures", "outputs"]

#: The metrics of tools, by what they are about; those that end with _ begin a name.
GROUPS: dict[str, tuple[str, ...]] = {
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
_NAMES = ", ".join(f"'{name}'" for names in GROUPS.values() for name in names)
_IS_PRINTED = f"is_given and (metric in ({_NAMES}) or metric like 'response_time_%')"


def campaigns(reader: Reader) -> pl.DataFrame:
    """Return origin and campaign of all that have such figures, the latest first."""
    return reader.frame(
        f"""
        select origin, campaign
        from marts.fct_measurement
        where {_IS_PRINTED}
        group by all
        order by max(start_utc) desc, campaign
        """
    )


def figures(reader: Reader, origin: str, campaign: str) -> pl.DataFrame:
    """Return one row per run and metric, those of a metric in time: value in `unit`.

    Several figures of a run are their mean.
    """
    return utc(
        reader.frame(
            f"""
            select
                run_id, start_utc, git_revision, configuration, metric, any_value(unit) as unit,
                avg(value) as value, bool_and(is_compared) as is_compared
            from marts.fct_measurement
            inner join marts.dim_configuration using (configuration_id)
            where marts.fct_measurement.origin = ? and campaign = ? and {_IS_PRINTED}
            group by run_id, start_utc, git_revision, configuration, metric
            order by metric, start_utc
            """,
            (origin, campaign),
        )
    )


def outputs(reader: Reader, origin: str, campaign: str) -> pl.DataFrame:
    """Return the files with figures of the campaign's runs, and those that belong to no run."""
    return reader.frame(
        """
        with run as (
            select run_id from marts.fct_run where origin = $1 and campaign = $2
        )

        select
            regexp_extract(path, '[^/]+$') as file, told_by, metrics,
            figures, figures_of_runs, run_ids[1] as run_id, len(run_ids) as runs, path
        from marts.fct_run_output
        where
            origin = $1
            and (len(run_ids) = 0 or list_has_any(run_ids, (select list(run_id) from run)))
        order by len(run_ids) = 0 desc, run_id desc, file
        limit 2000
        """,
        (origin, campaign),
    )
