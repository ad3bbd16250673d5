"""Rows of figures in the form that families need: the columns and types of the published cells.

`normalise` also accepts a raw extract of the tables, which has other names for some columns and
packs factors into labels ("Messages to xLinux SAN", "z16 vs z15").
"""

from __future__ import annotations

import polars as pl

from models_sim.base.notes import KM_PER_MS

#: Columns of a cell and their types. ingest.formats.published describes them;
#: ingest.formats.bench.factors has the factors that no table of figures has.
CELL_COLUMNS: dict[str, type[pl.DataType]] = {
    "cell_id": pl.Int64,
    "document": pl.String,
    "table_id": pl.String,
    "section": pl.String,
    "source_line": pl.Int32,
    "row_label": pl.String,
    "source": pl.String,
    "target": pl.String,
    "target_printed": pl.String,
    "target_storage": pl.String,
    "network": pl.String,
    "queue": pl.String,
    "zhpf": pl.String,
    "tls": pl.String,
    "ams": pl.String,
    "compmsg": pl.String,
    "p2wg": pl.String,
    "batchint": pl.Int32,
    "mode": pl.String,
    "file_size_mb": pl.Float64,
    "chunk_size_printed": pl.String,
    "chunk_size": pl.Int64,
    "md5": pl.String,
    "connection": pl.String,
    "transfer": pl.String,
    "address_space": pl.String,
    "ziip_offload": pl.String,
    "protocol": pl.String,
    "latency_km": pl.Float64,
    "latency_ms_oneway": pl.Float64,
    "loss_pct": pl.Float64,
    "channels": pl.Int32,
    "machine": pl.String,
    "compared_with": pl.String,
    "cpus": pl.Int32,
    "rni": pl.String,
    "cipher": pl.String,
    "message_size": pl.String,
    "message_size_bytes": pl.Int64,
    "agent_window_size": pl.Int32,
    "agent_frame_size": pl.Int32,
    "agent_checkpoint_interval": pl.Int32,
    "block_size": pl.Int32,
    "jit_level": pl.String,
    "metric": pl.String,
    "unit": pl.String,
    "printed": pl.String,
    "value": pl.Float64,
    "value_low": pl.Float64,
    "value_high": pl.Float64,
    "anomalies": pl.String,
}

#: A row without these cannot be identified.
REQUIRED = ("document", "metric")

OTHER_NAMES = {"file_size_MB": "file_size_mb", "src_line": "source_line", "value_raw": "printed"}

#: Numbers that may be packed into labels.
_UNPACKED = ("source_line", "chunk_size", "cpus", "message_size_bytes")
_AFTER = "_after_offload"  # how the marts call a cost without what zIIPs take
_FIRST_TEXT_LINE = 710  # document 000: message-to-file, text after this line, binary before


def normalise(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the rows in exactly the columns of `CELL_COLUMNS`, with packed factors unpacked.

    Blanks and unreadable numbers become null. Raise ValueError if a required column is missing.
    """
    names = {old: new for old, new in OTHER_NAMES.items() if old in frame.columns}
    frame = frame.rename({old: new for old, new in names.items() if new not in frame.columns})
    missing = [name for name in REQUIRED if name not in frame.columns]
    if missing:
        raise ValueError(f"lacks the column {', '.join(missing)}")
    present = [name for name in CELL_COLUMNS if name in frame.columns]
    text = frame.select(_text(name, frame.schema[name]) for name in present)
    text = text.with_columns(
        pl.lit(None, pl.String).alias(name) for name in CELL_COLUMNS if name not in present
    )
    typed = _unpack(text).select(_typed(name, dtype) for name, dtype in CELL_COLUMNS.items())
    return typed.with_columns(
        pl.col("latency_ms_oneway").fill_null(pl.col("latency_km") / KM_PER_MS),
    )


def _text(name: str, dtype: pl.DataType) -> pl.Expr:
    """Return the column as text, without blanks; a number that is not unpacked stays one."""
    if dtype.is_numeric() and CELL_COLUMNS[name] != pl.String and name not in _UNPACKED:
        return pl.col(name)
    column = pl.col(name) if dtype == pl.String else pl.col(name).cast(pl.String)
    stripped = column.str.strip_chars()
    if name == "document":  # Polars reads 000 as the number 0
        stripped = stripped.str.replace(r"\.0$", "").str.zfill(3)
    if name == "rni":
        stripped = stripped.str.to_lowercase()
    return pl.when(stripped != "").then(stripped).alias(name)


def _typed(name: str, dtype: type[pl.DataType]) -> pl.Expr:
    column = pl.col(name)
    if dtype == pl.String:
        return column
    number = column.cast(pl.Float64, strict=False).fill_nan(None)
    return (number if dtype == pl.Float64 else number.cast(dtype, strict=False)).alias(name)


def _unpack(text: pl.DataFrame) -> pl.DataFrame:
    """Unpack the factors that a raw extract packs into labels into their own columns."""
    col = pl.col
    m2f = col("mode") == "Message-to-file"
    lspr = col("table_id") == "lspr"
    costs = col("table_id") == "cost8000"
    text_lines = col("source_line").cast(pl.Float64, strict=False) > _FIRST_TEXT_LINE
    storage = col("target").str.extract(r"^xLinux (SAN|HDD|RAM disk)$")
    size = col("message_size").str.extract_groups(r"^([\d.]+) ?([KM]?)B?$")
    factor = (
        pl.when(size.struct.field("2") == "K").then(1024.0)
        .when(size.struct.field("2") == "M").then(1048576.0)
        .otherwise(1.0)
    )  # fmt: skip
    after = col("metric").str.ends_with(_AFTER)
    kept = {
        "target_printed": col("target"),
        "target_storage": storage,
        "address_space": pl.when(costs).then(
            col("row_label").str.replace("^TOTAL$", "total")
        ),
        "ziip_offload": pl.when(costs).then(
            pl.when(col("connection").str.ends_with("after zIIP"))
            .then(pl.lit("Y")).otherwise(pl.lit("N"))
        ).when(after).then(pl.lit("Y")),
        "compared_with": col("machine").str.extract(r" vs (z\d+)$"),
        "cpus": pl.when(lspr).then(col("row_label")),
        "rni": col("connection").str.extract(r"^RNI (LOW|AVERAGE|HIGH)$").str.to_lowercase(),
        "message_size_bytes": (
            size.struct.field("1").cast(pl.Float64, strict=False) * factor
        ).cast(pl.Int64).cast(pl.String),
        "chunk_size": col("chunk_size_printed").replace({"65635": "65536", "524228": "524288"}),
    }  # fmt: skip
    filled = [pl.coalesce(name, expression).alias(name) for name, expression in kept.items()]
    changed = [
        col("metric").str.strip_suffix(_AFTER),
        pl.when(m2f).then(pl.when(text_lines).then(pl.lit("text")).otherwise(pl.lit("binary")))
        .otherwise(col("mode")).alias("mode"),
        # IBM MQ and OpenSSL spell the suites of elliptic curves differently.
        col("cipher").str.replace(r"^TLS_(ECDHE_(?:RSA|ECDSA))_WITH_", "${1}_"),
        col("target").replace({"zOS": "z/OS", "Unix System Services": "USS"})
        .str.replace(r"^xLinux (SAN|HDD|RAM disk)$", "xLinux").alias("target"),
        col("machine").str.replace(r" vs z\d+$", "").alias("machine"),
        pl.when(~col("connection").str.starts_with("RNI "))
        .then(col("connection").str.replace(" after zIIP$", "").str.replace("(?i)^zcx$", "zCX"))
        .alias("connection"),
    ]  # fmt: skip
    return text.with_columns(*filled, *changed)
