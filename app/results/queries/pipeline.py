"""What the pipeline did, from the log of the warehouse, and what it has not done yet.

The log is live; the marts fct_pipeline_step and fct_pipeline_day have it up to the published build.
"""

from __future__ import annotations

import polars as pl

from app.results.reader import Reader

__all__ = ["states"]


def states(reader: Reader) -> pl.DataFrame:
    """Return one row per step of the pipeline, the one that began last first.

    last_ok_at; last_begun_at, status, reason, seconds, step_id: of the last one (status is null
    while it is under way); failed: how often it failed or was interrupted since last_ok_at;
    median_seconds: of the last 20 that succeeded.
    """
    return reader.live_frame("from meta.pipeline_state order by last_begun_at desc")
