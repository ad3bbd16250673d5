"""The published figures nearest to a configuration."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from app.results.reader import Reader

__all__ = ["COLUMNS", "nearest"]


def _on(column: str) -> str:
    """Return a protection or compression as cells write it: marts write 'none' for 'N'."""
    return f"if({column} = 'none', 'N', {column})"


#: Columns of marts.fct_published_measurement by the names of factors in cells.
COLUMNS = {
    "source": "source_system",
    "target": "target_system",
    "network": "network",
    "queue": "queue_type",
    "zhpf": "if(zhpf, 'Y', 'N')",
    "tls": _on("tls"),
    "ams": _on("ams"),
    "compmsg": _on("compression"),
    "p2wg": "if(put_to_waiting_getter, 'Y', 'N')",
    "batchint": "batch_interval_ms",
    "mode": "mode",
    "file_size_mb": "file_size_mb",
    "chunk_size": "chunk_size_bytes",
    "md5": "if(md5, 'Y', 'N')",
    "connection": "connection",
    "transfer": "transfer",
    "ziip_offload": "if(is_after_ziip_offload, 'Y', 'N')",
    "protocol": "protocol",
    "latency_ms_oneway": "latency_ms_one_way",
    "loss_pct": "loss_percent",
    "channels": "channels",
    "machine": "machine",
    "compared_with": "compared_with_machine",
    "cpus": "cpus",
    "rni": "relative_nest_intensity",
    "cipher": "cipher",
    "message_size_bytes": "message_size_bytes",
}


def nearest(
    reader: Reader,
    document: str,
    metrics: tuple[str, ...],
    settings: Mapping[str, str | float],
    names: Mapping[str, str],
    most: int = 12,
) -> pl.DataFrame:
    """Return the published figures that differ in the fewest factors, and say in which.

    metric, value, unit, configuration_label, file_size_mb, differs, table_id, cell_id, is_suspect.
    `names`: how `differs` calls factors. A factor that a document does not print does not differ;
    numbers differ by the logarithm of their ratio.
    """
    cells = reader.frame(
        f"""
        select
            cell_id, table_id, metric, unit, value, configuration_label, is_suspect,
            {", ".join(f"{column} as f_{name}" for name, column in COLUMNS.items())}
        from marts.fct_published_measurement
        where document_id = ? and list_contains(?, metric) and value is not null
        """,
        (document, metrics),
    )
    far, misses = [], []
    for name, setting in settings.items():
        printed = pl.col(f"f_{name}")
        if isinstance(setting, str):
            apart = (printed.cast(pl.String) != setting).cast(pl.Float64)
        else:
            ratio = (printed.cast(pl.Float64) + 0.01) / (setting + 0.01)
            same = printed.cast(pl.Float64) == setting  # whose ratio's logarithm is not quite 0
            apart = pl.when(same).then(0.0).otherwise(ratio.log().abs())
        far.append(apart.fill_null(0.0))
        misses.append(
            pl.when(apart > 0).then(
                pl.format("{} {}", pl.lit(names.get(name, name)), printed.cast(pl.String))
            )
        )
    return (
        cells.with_columns(
            distance=pl.sum_horizontal(far),
            differs=pl.concat_str(misses, separator=", ", ignore_nulls=True),
        )
        .sort("distance", "cell_id")
        .select("metric", "value", "unit", "configuration_label", "f_file_size_mb", "differs",
                "table_id", "cell_id", "is_suspect")
        .rename({"f_file_size_mb": "file_size_mb"})
        .head(most)
    )  # fmt: skip
