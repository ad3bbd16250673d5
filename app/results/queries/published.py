"""Published figures, each with its baseline."""

from __future__ import annotations

import polars as pl

from app.results.reader import Reader

__all__ = [
    "FACTORS", "baseline_sets", "cells", "claims", "figures", "place_of", "places", "raw_cells",
    "slips", "tables",
]  # fmt: skip

# The factors that a page can filter by, and their names on the page.
FACTORS = {
    "mode": "Mode",
    "source_system": "Source",
    "target_system": "Target",
    "network": "Network",
    "table_id": "Table",
    "queue_type": "Queue type",
    "zhpf": "zHPF",
    "tls": "TLS",
    "ams": "AMS",
    "compression": "Compression",
    "put_to_waiting_getter": "Put to waiting getter",
    "batch_interval_ms": "Batch interval, ms",
    "target_storage": "Target storage",
    "chunk_size_bytes": "Chunk size, bytes",
    "connection": "Connection",
    "transfer": "Parallel transfers",
    "md5": "MD5",
    "protocol": "Protocol",
    "latency_km": "Distance, km",
    "latency_ms_one_way": "Latency, ms",
    "loss_percent": "Packet loss, %",
    "channels": "Channels",
    "machine": "Machine",
    "cipher": "Cipher",
    "relative_nest_intensity": "Nest intensity",
    "address_space": "Address space",
}

_COMPARABLE = "('rate', 'cost', 'time', 'utilisation', 'ratio', 'change', 'capacity')"


def places(reader: Reader) -> pl.DataFrame:
    """Return one row per document and section that has tables or claims, in printed order.

    document_id, title, citation, place: number and subject of the section; tables, figures, claims;
    has_rate_and_cost marks sections that print both.
    """
    return reader.frame(
        """
        with of_table as (
            select
                document_id,
                place,
                min(first_line) as first_line,
                count(*) as tables,
                sum(figures) as figures
            from marts.dim_published_table
            group by all
        ),

        of_claim as (
            select document_id, place, min(source_line) as first_line, count(*) as claims
            from marts.fct_published_claim
            where place is not null
            group by all
        ),

        both_kinds as (
            select
                layout.document_id,
                layout.place,
                bool_or(measured.metric_kind = 'rate') and bool_or(measured.metric_kind = 'cost')
                    as has_rate_and_cost
            from marts.fct_published_measurement as measured
            join marts.dim_published_table as layout using (document_id, table_id)
            group by all
        )

        select
            document_id,
            document.title,
            document.citation,
            place,
            coalesce(tables, 0) as tables,
            coalesce(figures, 0)::bigint as figures,
            coalesce(claims, 0) as claims,
            coalesce(has_rate_and_cost, false) as has_rate_and_cost
        from of_table
        full join of_claim using (document_id, place)
        left join both_kinds using (document_id, place)
        left join marts.dim_published_document as document using (document_id)
        order by document_id, coalesce(of_table.first_line, of_claim.first_line), place
        """
    )


def place_of(reader: Reader, cell: int) -> pl.DataFrame:
    """Return the document and section of a figure, if there is one: document_id, place."""
    return reader.frame(
        """
        select document_id, layout.place
        from marts.fct_published_measurement
        join marts.dim_published_table as layout using (document_id, table_id)
        where cell_id = ?
        """,
        (cell,),
    )


def tables(reader: Reader, document: str, place: str) -> pl.DataFrame:
    """Return one row per table of a section, in printed order: how it is laid out."""
    return reader.frame(
        """
        select table_id, title, row_factors, column_factors, figures
        from marts.dim_published_table
        where document_id = ? and place = ?
        order by first_line, table_id
        """,
        (document, place),
    )


def cells(reader: Reader, document: str, place: str) -> pl.DataFrame:
    """Return one row per figure of a section, as printed, with what runs say of it.

    The columns of marts.fct_published_measurement; ours: mean of the complete runs of the campaign
    that ran last, in the unit of the figure; runs: how many; run_id: the latest; ours_origin;
    ours_verdict, ours_reason: of marts.fct_print_on_runs. Measured runs come before simulated ones.
    """
    return reader.frame(
        """
        with latest as (
            select
                origin, campaign, configuration_id, cell_id, max(start_utc) as start_utc,
                arg_max(run_id, start_utc) as run_id
            from marts.fct_run_against_published
            where document_id = $1 and is_compared
            group by all
        ),

        ours as (
            select
                cell_id, origin as ours_origin, judged.runs, run_id, verdict as ours_verdict,
                reason as ours_reason, mean / nullif(published_value, 0) as share
            from marts.fct_print_on_runs as judged
            join latest using (origin, campaign, configuration_id, cell_id)
            -- a cost that is compared both ways: as that of the workload
            qualify row_number() over (
                partition by cell_id
                order by origin, contains(metric, '_of_workload') desc, start_utc desc, run_id
            ) = 1
        )

        select measured.*, ours.* exclude (cell_id, share), share * value as ours
        from marts.fct_published_measurement as measured
        join marts.dim_published_table as layout using (document_id, table_id)
        left join ours using (cell_id)
        where document_id = $1 and layout.place = $2
        order by cell_id
        """,
        (document, place),
    )


def raw_cells(reader: Reader, document: str) -> pl.DataFrame:
    """Return the figures of a document as the models take them: the columns of raw."""
    return reader.live_frame("from raw.published_cell where document = ?", (document,))


def slips(reader: Reader) -> pl.DataFrame:
    """Return one row per slip or contradiction of the documents, and how it is treated."""
    return reader.frame(
        """
        select anomaly_id, document_ids, place, anomaly_kind, finding, treatment, cells, claims,
            affects_value
        from marts.dim_published_anomaly
        order by anomaly_id
        """
    )


def claims(reader: Reader) -> pl.DataFrame:
    """Return one row per figure that stands in prose, and what printed figures say about it.

    cells: printed figures it is computed from; runs: complete runs compared with one of these.
    """
    return reader.frame(
        """
        with run as (
            select claim_id, count(distinct run_id) as runs
            from (
                select claim_id, unnest(evidence_cell_ids) as cell_id
                from marts.fct_published_claim
            )
            join (
                select distinct cell_id, run_id
                from marts.fct_run_against_published
                where is_compared
            ) using (cell_id)
            group by claim_id
        ),

        -- measured runs before simulated ones, and the campaign with most
        on_runs as (
            select
                claim_id, verdict as runs_verdict, lowest, highest, campaign as runs_campaign,
                runs as deciding_runs, reason as runs_reason
            from marts.fct_claim_on_runs
            qualify row_number() over (
                partition by claim_id
                order by verdict = 'not judged', origin, runs desc, campaign
            ) = 1
        )

        select
            claim.*,
            len(evidence_cell_ids) as cells,
            coalesce(run.runs, 0) as runs,
            on_runs.* exclude (claim_id)
        from marts.fct_published_claim as claim
        left join run using (claim_id)
        left join on_runs using (claim_id)
        order by document_id, source_line, claim_id
        """
    )


def baseline_sets(reader: Reader, document: str, section: str) -> pl.DataFrame:
    """Return one row per stored baseline of a section, the default first."""
    return reader.frame(
        """
        select baseline_set, any_value(baseline_description) as description,
            bool_or(is_default_baseline) as is_default
        from marts.fct_published_comparison
        where document_id = ? and section = ?
        group by baseline_set
        order by is_default desc, baseline_set
        """,
        (document, section),
    )


def figures(
    reader: Reader,
    document: str,
    section: str,
    *,
    baseline_set: str | None = None,
    baseline_configuration: str | None = None,
) -> pl.DataFrame:
    """Return one row per figure of a section: its factors, its value and its baseline.

    The baseline comes from a stored set, or is a configuration's figure for the same metric, file
    size, message size and address space. Without either, baseline and ratio are null.
    """
    parameters: tuple[str, ...]
    if baseline_set is None:
        source, parameters = _MEASURED, (document, section)
    else:
        source, parameters = _COMPARED, (document, section, baseline_set)
    factors = ",\n".join(
        f"figure.{name}" if name in {"table_id", "address_space"} else f"factor.{name}"
        for name in FACTORS
    )
    rows = f"""
        with figure as ({source})

        select
            figure.cell_id,
            figure.metric,
            figure.metric_kind,
            figure.unit,
            figure.more_is_better,
            figure.configuration_id,
            coalesce(figure.configuration_label, figure.row_label) as configuration,
            figure.file_size_mb,
            figure.message_size_bytes,
            figure.value,
            figure.baseline_value,
            figure.baseline,
            figure.is_baseline,
            figure.is_suspect,
            figure.has_anomaly,
            figure.note,
            figure.unavailable_reason,
            {factors},
            figure.section,
            figure.source_line
        from figure
        left join marts.dim_published_configuration as factor using (configuration_id)
    """
    if baseline_configuration is not None:
        rows = f"""
            with figure as ({rows}),

            baseline as (
                select metric, file_size_mb, message_size_bytes, address_space,
                    arg_min(value, cell_id) as value,
                    any_value(configuration) as configuration
                from figure
                where configuration_id = ? and value is not null
                group by metric, file_size_mb, message_size_bytes, address_space
            )

            select figure.* replace (
                baseline.value as baseline_value,
                baseline.configuration as baseline,
                figure.configuration_id = ? as is_baseline
            )
            from figure
            left join baseline
                on figure.metric = baseline.metric
                and figure.file_size_mb is not distinct from baseline.file_size_mb
                and figure.message_size_bytes is not distinct from baseline.message_size_bytes
                and figure.address_space is not distinct from baseline.address_space
        """
        parameters = (*parameters, baseline_configuration, baseline_configuration)
    return reader.frame(
        f"""
        select
            *,
            value / nullif(baseline_value, 0) as ratio,
            100 * (value / nullif(baseline_value, 0) - 1) as change_percent
        from ({rows})
        order by cell_id, metric
        """,
        parameters,
    )


_COMPARED = """
    select
        compared.cell_id,
        compared.table_id,
        compared.section,
        compared.metric,
        compared.metric_kind,
        compared.unit,
        compared.more_is_better,
        compared.configuration_id,
        compared.configuration_label,
        measured.row_label,
        compared.address_space,
        compared.file_size_mb,
        compared.message_size_bytes,
        compared.candidate_value as value,
        compared.baseline_value,
        compared.baseline_configuration_label as baseline,
        compared.is_baseline,
        measured.is_suspect,
        measured.has_anomaly,
        measured.anomaly_note as note,
        compared.unavailable_reason,
        measured.source_line
    from marts.fct_published_comparison as compared
    left join marts.fct_published_measurement as measured using (cell_id)
    where compared.document_id = ? and compared.section = ? and compared.baseline_set = ?
"""

_MEASURED = f"""
    select
        cell_id,
        table_id,
        section,
        metric,
        metric_kind,
        unit,
        more_is_better,
        configuration_id,
        configuration_label,
        row_label,
        address_space,
        file_size_mb,
        message_size_bytes,
        value,
        cast(null as double) as baseline_value,
        cast(null as varchar) as baseline,
        false as is_baseline,
        is_suspect,
        has_anomaly,
        anomaly_note as note,
        cast(null as varchar) as unavailable_reason,
        source_line
    from marts.fct_published_measurement
    where document_id = ? and section = ? and value is not null and metric_kind in {_COMPARABLE}
"""
