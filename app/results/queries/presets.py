"""Every published table, with the runs of its configurations."""

from __future__ import annotations

import polars as pl

from app.results.queries.nearest import COLUMNS
from app.results.reader import Reader
from expectations.verdicts.measure import Measure
from expectations.verdicts.samples import mean_interval

__all__ = ["cells_of", "figures", "tables"]

#: More columns of marts.fct_published_measurement by their names in cells.
_MORE = {
    "cell_id": "cell_id",
    "document": "document_id",
    "table_id": "table_id",
    "section": "section",
    "source_line": "source_line",
    "row_label": "row_label",
    "target_printed": "target_printed",
    "target_storage": "target_storage",
    "chunk_size_printed": "chunk_size_printed",
    "address_space": "address_space",
    "latency_km": "latency_km",
    "message_size": "message_size",
    "metric": "metric",
    "unit": "unit",
    "printed": "printed",
    "value": "value",
    "value_low": "value_low",
    "value_high": "value_high",
}


def tables(reader: Reader) -> pl.DataFrame:
    """Return one row per published table, in printed order.

    Columns: preset (its name: document and table), document_id, title, section, table_id, cells,
    metrics.
    """
    return reader.frame(
        """
        select
            measured.document_id || ' ' || measured.table_id as preset,
            any_value(printed.title) as title,
            measured.document_id,
            any_value(document.citation) as citation,
            any_value(measured.section) as section,
            measured.table_id,
            count(*) as cells,
            list(distinct measured.metric order by measured.metric) as metrics
        from marts.fct_published_measurement as measured
        left join marts.dim_published_document as document using (document_id)
        left join marts.dim_published_table as printed using (document_id, table_id)
        group by measured.document_id, measured.table_id
        order by measured.document_id, min(measured.cell_id)
        """
    )


def figures(reader: Reader, document: str, table: str) -> pl.DataFrame:
    """Return one row per cell of a table, as printed, and the runs of its configuration.

    measured, simulated: the median of the runs in the printed unit, null without runs; _low and
    _high: the 95 % interval of their mean, null of one run; _runs: how many there are.
    """
    cells = reader.frame(
        """
        select
            cell_id, row_label, configuration_label, metric, metric_kind, unit, printed,
            value, value_low, value_high, more_is_better, address_space, file_size_mb,
            coalesce(message_size_bytes, try_cast(replace(message_size, ',', '') as bigint))
                as message_size_bytes,
            message_size, machine, is_after_ziip_offload, is_suspect, anomaly_note as note
        from marts.fct_published_measurement
        where document_id = ? and table_id = ?
        order by cell_id
        """,
        (document, table),
    )
    runs = reader.frame(
        """
        -- in the unit in which the figure is printed
        select
            cell_id, compared.origin, count(*) as counted,
            list(compared.value * case
                when compared.published_value <> 0 then cell.value / compared.published_value
                when compared.unit = cell.unit then 1
            end) as runs
        from (
            -- a cost that is compared both ways: as that of the workload
            from marts.fct_run_against_published
            qualify
                rank() over (
                    partition by run_id, cell_id order by contains(metric, '_of_workload') desc
                ) = 1
        ) as compared
        join marts.fct_published_measurement as cell using (cell_id)
        where cell.document_id = ? and cell.table_id = ? and compared.is_compared
        group by all
        """,
        (document, table),
    )
    for origin in ("measured", "simulated"):
        found = []
        of_origin = runs.filter(pl.col("origin") == origin)
        for cell, values, counted in of_origin.select("cell_id", "runs", "counted").rows():
            known = [value for value in values if value is not None]
            span = mean_interval(known, Measure()) if known else None
            found.append((cell, pl.Series(known).median(), *(span or (None, None)), counted))
        columns = [f"{origin}{suffix}" for suffix in ("", "_low", "_high", "_runs")]
        schema = {"cell_id": cells.schema["cell_id"]} | dict.fromkeys(columns, pl.Float64)
        cells = cells.join(
            pl.DataFrame(found, schema=schema, orient="row"), on="cell_id", how="left"
        )
    return cells.with_columns(
        pl.col("measured_runs", "simulated_runs").fill_null(0).cast(pl.Int64)
    ).sort("cell_id")


def cells_of(reader: Reader, document: str, table: str) -> pl.DataFrame:
    """Return the cells of a table in the columns that the models read."""
    columns = _MORE | COLUMNS
    return reader.frame(
        f"""
        select {", ".join(f"{sql} as {name}" for name, sql in columns.items())}
        from marts.fct_published_measurement
        where document_id = ? and table_id = ?
        order by cell_id
        """,
        (document, table),
    )
