"""Published figures, each with its baseline."""

from __future__ import annotations

import polars as pl

from app.results.reader import Reader

__all__ = ["cells", "claims", "place_of", "places", "raw_cells", "slips", "tables"]


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
