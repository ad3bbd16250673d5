"""What is loaded, how recent it is, and the result of the last audit."""

from __future__ import annotations

import polars as pl

from app.results.reader import Reader

__all__ = ["build", "by_record_type", "failing", "ledger", "newest", "quarantine", "unpublished",
           "verdict"]  # fmt: skip


def by_record_type(reader: Reader) -> pl.DataFrame:
    """Return one row per origin and kind of record in the published build."""
    return reader.frame(
        """
        select
            origin,
            case
                when kind <> 'smf' then kind
                else 'SMF ' || record_type || coalesce('-' || record_subtype, '')
            end as record,
            count(distinct source_id) as loads,
            cast(sum(coalesce(type_records, records_loaded)) as bigint) as records,
            cast(sum(type_sections) as bigint) as sections,
            min(first_record_at_utc) as first_at,
            max(last_record_at_utc) as last_at
        from marts.dim_load
        where record_type is not null or kind <> 'smf'
        group by origin, kind, record_type, record_subtype
        order by origin, kind desc, record_type, record_subtype
        """
    )


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


def ledger(reader: Reader) -> pl.DataFrame:
    """Return every load, newest first; `published` says whether the published build includes it."""
    return reader.live_frame(
        """
        select
            loaded_at,
            origin,
            path,
            kind,
            status,
            bytes,
            records,
            records_loaded,
            records_quarantined,
            source_id in (select source_id from marts.dim_load) as published,
            framing,
            compression,
            decoder_version,
            source_id
        from raw.ledger
        order by loaded_at desc, path
        """
    )


def quarantine(reader: Reader) -> pl.DataFrame:
    """Return records that could not be loaded, and why; newest load first, at most 500."""
    return reader.live_frame(
        """
        select entry.path, entry.record_no, entry.file_offset, entry.record_type,
            entry.record_subtype, entry.reason, entry.source_id
        from raw.quarantine as entry
        left join raw.ledger as load using (source_id)
        order by load.loaded_at desc, entry.path, entry.record_no
        limit 500
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
