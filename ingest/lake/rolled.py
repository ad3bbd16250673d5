"""Hours that remain after the records of old intervals are removed: raw.usage_hour.

A roll-up is a load of its own for each origin. Its `source_id` is hours-<origin>-<number>, where a
later roll-up has a higher number; its kind is HOURS. The columns are those of
marts.fct_usage_hour, which shows the rows of the latest roll-up together with the hours of records
that no roll-up counted.
"""

from __future__ import annotations

import polars as pl

__all__ = ["HOURS", "IN_MART", "KEY", "MEASURES", "NOTES", "TABLE", "TITLE", "schema"]

HOURS = "hours"  # the kind of these loads in the ledger
TABLE = "usage_hour"
TITLE = "One row per roll-up, hour and user of resources, for times whose records were removed"

KEY = ("hour_utc", "subject", "sysplex", "system_id", "queue_manager", "name")
#: Sums over the intervals of an hour, except for a maximum.
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
#: What the mart calls a measure where that differs: columns of the lake keep their names.
IN_MART = {"puts": "messages_put"}
NOTES = {
    "hour_utc": "hour in which the intervals begin, give or take half a minute; UTC",
    "subject": "lpar, service class, address space, queue manager or channel",
    "sysplex": "sysplex of the system; empty for queue managers and channels",
    "queue_manager": "queue manager; empty for subjects that have none",
    "name": "name of the subject: partition, class, job, queue manager or channel",
    "intervals": "intervals that were added up",
    "utc_offset_minutes": "local time minus UTC; missing in roll-ups of earlier releases",
    **{name: f"{IN_MART.get(name, name)} of marts.fct_usage_hour" for name in MEASURES},
}


def schema() -> dict[str, pl.DataType]:
    """Return the columns, without the source_id."""
    texts = dict.fromkeys(KEY[1:], pl.String())
    return {
        "record_no": pl.Int64(),
        "hour_utc": pl.Datetime("us"),
        **texts,
        "intervals": pl.Int64(),
        "utc_offset_minutes": pl.Int64(),
        **dict.fromkeys(MEASURES, pl.Float64()),
    }
