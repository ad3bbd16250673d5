"""Where figures come from: the models behind them, the loads, and the records."""

from __future__ import annotations

from typing import Any

import polars as pl

from app.results.queries.catalogue import columns
from app.results.reader import Reader
from ingest.lake.sql import identifier

__all__ = [
    "MOST", "cell_record", "figure", "files", "loads", "mart_row",
    "marts_of_records", "models", "raw_rows", "record", "records_of_row", "records_of_run", "run",
    "runs_like", "transfers",
]  # fmt: skip

MOST = 500  # rows of a list


def models(reader: Reader) -> pl.DataFrame:
    """Return one row per table that a build reads or makes.

    name: with its schema; layer, kind, path, description, parents, columns (see meta.lineage);
    rows: number of rows, null if the file does not hold the table itself.
    """
    rows = reader.catalogue_frame(
        """
        select
            lineage.* exclude (audit)
                replace (coalesce(lineage.description, raw.comment) as description),
            kept.estimated_size as rows
        from meta.lineage as lineage
        left join duckdb_tables() as kept
            on kept.schema_name || '.' || kept.table_name = name
            and kept.database_name = current_database()
        left join duckdb_views() as raw
            on raw.schema_name || '.' || raw.view_name = name
            and raw.database_name = current_database()
        order by
            array_position(
                ['team', 'marts', 'intermediate', 'staging', 'seed', 'raw', 'meta'],
                lineage.layer
            ),
            name
        """
    )
    kept = reader.rows_in_lake()
    return rows if kept is None else rows.update(kept, on="name")


def marts_of_records(reader: Reader) -> list[str]:
    """Return the marts whose rows lead to a record."""
    return reader.catalogue_frame(
        """
        select table_name
        from duckdb_columns()
        where
            database_name = current_database()
            and schema_name = 'marts' and column_name in ('source_id', 'record_no')
        group by table_name
        having count(*) = 2
        order by table_name
        """
    ).to_series().to_list()  # fmt: skip


def run(reader: Reader, name: str) -> dict[str, Any] | None:
    """Return a run: origin, campaign, start and end, the loads behind it, where it is declared."""
    rows = reader.frame(
        """
        select run_id, origin, campaign, start_utc, stop_utc, source_ids, source_id, record_no,
            is_compared, issues
        from marts.fct_run
        where run_id = ?
        """,
        (name,),
    )
    return None if rows.is_empty() else rows.row(0, named=True)


def runs_like(reader: Reader, name: str | None) -> list[str]:
    """Return the runs of a run's campaign, the latest first; of the latest campaign by default."""
    rows = reader.frame(
        """
        select run_id
        from marts.fct_run
        where (origin, campaign) = (
            select (origin, campaign)
            from marts.fct_run
            order by run_id = $1 desc nulls last, stop_utc desc, run_id
            limit 1
        )
        order by start_utc desc, run_id
        limit 2000
        """,
        (name,),
    ).to_series().to_list()  # fmt: skip
    if name is None or name in rows or run(reader, name) is None:
        return rows
    return [*rows, name]  # an old one


def figure(reader: Reader, name: str) -> pl.DataFrame:
    """Return one row per figure of a run: metric, value, unit, formula, derived_from, is_given."""
    return reader.frame(
        """
        select m.metric, m.value, m.unit, m.more_is_better, m.is_given, m.source_id, m.record_no,
            if(m.is_given and is_derived, 'as given', formula) as formula,
            if(m.is_given and is_derived, 'manifest or output of a tool', derived_from)
                as derived_from
        from marts.fct_measurement as m
        left join marts.dim_metric using (metric)
        where m.run_id = ?
        order by m.metric
        """,
        (name,),
    )


# Marts with a row per record, interval and system: what they are made of.
_BY_INTERVAL = {
    "SMF 70-1": "marts.fct_processor_interval",
    "SMF 72-3": "marts.fct_service_class_period_interval",
    "SMF 74-1": "marts.fct_volume_interval",
    "SMF 74-4": "marts.fct_cf_interval",
    "SMF 70-2": "marts.fct_crypto_card_interval",
    "SMF 30": "marts.fct_address_space_interval",
    "SMF 115": "marts.fct_queue_manager_interval",
    "SMF 116-10": "marts.fct_channel_interval",
}


def records_of_run(reader: Reader, name: str, kinds: tuple[str, ...]) -> pl.DataFrame:
    """Return the records behind the figures of a run: those of `kinds` at its time on its LPARs.

    kind, system_id, start_utc, end_utc, source_id, record_no; at most MOST of each kind. The texts
    of tools and the declaration of the run come first.
    """
    intervals = "".join(
        f"""
        union all
        (
            select distinct '{kind}' as kind, i.system_id, i.interval_start_utc as start_utc,
                i.interval_end_utc as end_utc, i.source_id, i.record_no
            from {mart} as i
            join own on
                i.origin = own.origin
                and list_contains(own.systems, i.system_id)
                and i.interval_end_utc > own.start_utc
                and i.interval_start_utc < own.stop_utc
            order by start_utc, system_id, record_no
            limit {MOST}
        )"""
        for kind, mart in _BY_INTERVAL.items()
        if kind in kinds
    )
    return reader.frame(
        f"""
        with own as (
            select
                run.origin, run.run_id, run.start_utc, run.stop_utc, run.source_ids, run.source_id,
                run.record_no,
                (
                    select list(system_id)
                    from marts.fct_run_coverage as part
                    where part.origin = run.origin and part.run_id = run.run_id
                ) as systems
            from marts.fct_run as run
            where run.run_id = $1
        )

        select 'declared' as kind, null as system_id, start_utc, stop_utc as end_utc, source_id,
            record_no
        from own
        union all
        select regexp_extract(path, '[^/]*$'), null, null, null, output.source_id, output.record_no
        from marts.fct_run_output as output
        join own on list_contains(output.run_ids, own.run_id)
        where list_contains($2, 'outputs')
        {intervals}
        """,
        (name, kinds),
    )


def transfers(
    reader: Reader, sources: tuple[str, ...], start: object, stop: object
) -> pl.DataFrame:
    """Return the messages of the transfer log between two times: who moved how much, when."""
    return reader.live_frame(
        f"""
        select source_id, record_no, transfer_id, message, action, time_utc, actual_start_utc,
            files, bytes_sent
        from raw.bench_mft_transfer
        where list_contains(?, source_id) and time_utc between ? and ?
        order by time_utc, record_no
        limit {MOST}
        """,
        (sources, start, stop),
    )


def loads(reader: Reader, sources: tuple[str, ...]) -> pl.DataFrame:
    """Return one row per load: path, origin, kind, loaded_at_utc, decoder_version, records."""
    return reader.frame(
        """
        select path, origin, kind, any_value(loaded_at_utc) as loaded_at_utc,
            any_value(decoder_version) as decoder_version, any_value(records) as records,
            any_value(status) as status, source_id
        from marts.dim_load
        where list_contains(?, source_id)
        group by path, origin, kind, source_id
        order by path
        """,
        (sources,),
    )


def files(reader: Reader) -> pl.DataFrame:
    """Return one row per load, the latest first: path, kind, source_id; at most 2000."""
    return reader.frame(
        """
        select distinct path, kind, source_id, loaded_at_utc
        from marts.dim_load
        order by loaded_at_utc desc, path
        limit 2000
        """
    )


def record(reader: Reader, source: str, number: int) -> dict[str, Any] | None:
    """Return a record of a dump: its place in the file, type, subtype, system and time; or None."""
    rows = reader.live_frame(
        """
        select record_type, record_subtype, system_id, subsystem_id, smf_time, file_offset, length
        from raw.smf_record
        where source_id = ? and record_no = ?
        """,
        (source, number),
    )
    return None if rows.is_empty() else rows.row(0, named=True)


def raw_rows(reader: Reader, table: str, source: str, number: int) -> pl.DataFrame:
    """Return the rows of a record in a raw table, values as text; at most 50."""
    return reader.live_frame(
        f"""
        select columns(* exclude (source_id, record_no))::varchar
        from raw.{identifier(table)}
        where source_id = ? and record_no = ?
        limit 50
        """,
        (source, number),
    )


def mart_row(reader: Reader, table: str, source: str, number: int) -> pl.DataFrame:
    """Return the rows of a mart that belong to a record, values as text; at most 50."""
    return reader.frame(
        f"""
        select columns(*)::varchar
        from marts.{identifier(table)}
        where source_id = ? and record_no = ?
        limit 50
        """,
        (source, number),
    )


def records_of_row(reader: Reader, table: str, source: str, number: int) -> pl.DataFrame:
    """Return the records behind the rows of a mart that begin with a record: source_id, record_no.

    A row that is made of several records lists them all in its column source_records.
    """
    key = pl.DataFrame({"source_id": [source], "record_no": [number]})
    if "source_records" not in columns(reader, "marts", table)["name"]:
        return key
    listed = reader.frame(
        f"""
        select distinct one.source_id, one.record_no
        from (
            select unnest(source_records) as one
            from marts.{identifier(table)}
            where source_id = ? and record_no = ?
        )
        order by one.source_id, one.record_no
        limit {MOST}
        """,
        (source, number),
    )
    return key if listed.is_empty() else listed


def cell_record(reader: Reader, cell: int) -> tuple[str, int] | None:
    """Return the load and the record of a published figure."""
    rows = reader.frame(
        "select source_id, record_no from marts.fct_published_measurement where cell_id = ?",
        (cell,),
    )
    return None if rows.is_empty() else rows.row(0)
