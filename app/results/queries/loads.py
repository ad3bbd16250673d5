"""What is loaded, how recent it is, and the result of the last audit."""

from __future__ import annotations

import polars as pl

from app.results.reader import Reader

__all__ = ["build", "failing", "newest", "unpublished", "verdict"]


def newest(reader: Reader) -> pl.DataFrame:
    """Return one row: the end of the newest interval in the published build, and its origin."""
    return reader.frame(
        """
        select max(moment) as moment, arg_max(origin, moment) as origin
        from (
            select origin, max(interval_end_utc) as moment
            from marts.fct_queue_manager_interval group by origin
            union all
            select origin, max(interval_end_utc) from marts.fct_channel_initiator_interval
            group by origin
            union all
            select origin, max(recorded_at_utc) from marts.fct_task_accounting group by origin
        )
        """
    )


def build(reader: Reader) -> pl.DataFrame:
    """Return one row: the published build."""
    return reader.live_frame("select build_id, built_at, code_version from meta.build")


def unpublished(reader: Reader) -> int:
    """Return how many loads the published build does not show."""
    return int(
        reader.live_frame(
            "select count(*) from raw.ledger "
            "where source_id not in (select source_id from marts.dim_load)"
        ).item()
    )


def verdict(reader: Reader) -> pl.DataFrame:
    """Return the last audit with its counts, and whether it audited this build; or no row."""
    return reader.live_frame(
        """
        select
            check_id,
            max(checked_at) as checked_at,
            count(*) as expectations,
            count(*) filter (where not passed and severity = 'fault') as faults,
            count(*) filter (where not passed and severity = 'error') as errors,
            count(*) filter (where not passed and severity = 'warning') as warnings,
            any_value(build_id) = (select any_value(build_id) from meta.build) as of_this_build
        from meta.expectation_result
        where suite <> 'regressions'  -- they have their own page and do not stop a publish
        group by check_id
        order by check_id desc  -- the clock may go back
        limit 1
        """
    )


def failing(reader: Reader, check_id: str) -> pl.DataFrame:
    """Return the failed expectations of an audit: faults first, then errors."""
    return reader.live_frame(
        """
        select severity, suite, table_name, column_name, expectation, message, observed, expected,
            rows_failed, rows_total
        from meta.expectation_result
        where check_id = ? and not passed and suite <> 'regressions'
        order by array_position(['fault', 'error', 'warning'], severity), suite, table_name,
            column_name, expectation
        """,
        (check_id,),
    )
