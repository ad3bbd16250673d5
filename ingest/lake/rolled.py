"""Hours that remain after the records of old intervals are removed: raw.usage_hour.

A roll-up is a load of its own for each origin. Its `source_id` is hours-<origin>-<number>, where a
later roll-up has a higher number; its kind is HOURS. The columns are those of
marts.fct_usage_hour, and of marts.fct_system_hour for LPARs. An hour says in which of its minutes
the intervals begin that it holds, so that the marts add to it what it lacks, and nothing twice.
"""

from __future__ import annotations

import polars as pl

__all__ = [
    "ATTRIBUTES", "HOURS", "IN_MART", "KEY", "MEASURES", "NOTES", "OF_LPAR", "OWNER", "TABLE",
    "TITLE", "schema",
]  # fmt: skip

HOURS = "hours"  # the kind of these loads in the ledger
TABLE = "usage_hour"
TITLE = "One row per roll-up, hour and user of resources, for times whose records were removed"

#: Rows of these tables go with the load that this column names, not with the one they are about.
OWNER = {"ledger_rolled": "rolled_into"}

KEY = ("hour_utc", "subject", "sysplex", "system_id", "queue_manager", "name")
#: Sums over the intervals of an hour.
MEASURES = (
    "interval_seconds",
    "general_purpose_seconds",
    "ziip_seconds",
    "ziip_on_cp_seconds",
    "eligible_seconds",
    "service_units",
    "highest_long_term_average_msu",
    "transactions",
    "mqi_calls",
    "puts",
    "gets",
    "log_bytes_written",
    "messages",
    "bytes_sent",
    "bytes_received",
)
#: Columns that only LPARs have, in marts.fct_system_hour: texts, and figures.
ATTRIBUTES = ("machine_type", "machine_model", "machine_serial", "capacity_group")
OF_LPAR = (
    "consumed_msu",
    "consumed_seconds",
    "consumed_cp_seconds",
    "long_term_average_msu",
    "long_term_seconds",
    "four_hour_average_msu",
    "four_hour_seconds",
    "latent_demand_msu",
    "latent_seconds",
    "soft_capped_seconds",
    "class_seconds",
    "highest_four_hour_average_msu",
    "highest_group_four_hour_average_msu",
    "highest_latent_demand_msu",
    "lowest_available_capacity_msu",
    "lowest_defined_capacity_msu",
    "highest_ziips_needed",
    "highest_ziips_online",
    "highest_ziip_factor",
)
#: What the mart calls a measure where that differs: columns of the lake keep their names.
IN_MART = {"puts": "messages_put"}
NOTES = {
    "hour_utc": "hour in which the intervals begin, give or take half a minute; UTC",
    "subject": "lpar, service class, address space, container, queue manager or channel",
    "sysplex": "sysplex of the system; empty for queue managers and channels",
    "queue_manager": "queue manager; empty for subjects that have none",
    "name": "name of the subject: partition, class, job, queue manager or channel",
    "intervals": "intervals that were added up",
    "minutes": "bit n: an interval that begins in minute n, UTC, is in the hour, or of an LPAR one "
    "that covers it; missing in roll-ups of earlier releases, which hold the whole hour",
    "utc_offset_minutes": "local time minus UTC; missing in roll-ups of earlier releases",
    **{name: f"{IN_MART.get(name, name)} of marts.fct_usage_hour" for name in MEASURES},
    **{name: f"{name} of marts.fct_system_hour" for name in (*ATTRIBUTES, *OF_LPAR)},
}


def schema() -> dict[str, pl.DataType]:
    """Return the columns, without the source_id."""
    return {
        "record_no": pl.Int64(),
        "hour_utc": pl.Datetime("us"),
        **dict.fromkeys(KEY[1:], pl.String()),
        "intervals": pl.Int64(),
        "minutes": pl.Int64(),
        "utc_offset_minutes": pl.Int64(),
        **dict.fromkeys(ATTRIBUTES, pl.String()),
        **dict.fromkeys((*MEASURES, *OF_LPAR), pl.Float64()),
    }
