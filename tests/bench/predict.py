"""How long predictions take: a million random configurations of all families, in one process.

The configurations are those of the tables, with random factors; the measurement is that of
models_sim.predict.predict, from a frame of cells to figures, bands, cautions and reasons.
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import polars as pl
from rich.console import Console
from rich.table import Table

from models_sim.predict import predict

ROWS = 1_000_000
TARGET_SECONDS = 5.0
NETWORKS = ("1Gb", "10Gb", "25Gb")
ENDS = ("z/OS", "USS", "xLinux")


def configurations(rows: int, seed: int = 1) -> pl.DataFrame:
    """Return random configurations: transfers on a LAN, over distance, on Linux; messages."""
    rng = np.random.default_rng(seed)

    def pick(*levels: str | int | None) -> pl.Series:
        return pl.Series(levels).gather(rng.integers(0, len(levels), rows))

    kind = pick("lan", "lan", "wan", "linux", "zcx")
    lan, wan, linux, zcx = (kind == name for name in ("lan", "wan", "linux", "zcx"))
    transfer = lan | wan
    nothing = pl.Series([None], dtype=pl.String).new_from_index(0, rows)

    def only(mask: pl.Series, values: pl.Series) -> pl.Series:
        return values.zip_with(mask, nothing.cast(values.dtype))

    metric = pick("rate", "cost_per_GB").zip_with(transfer, pick("transfer_time", "rate"))
    document = pick("000").zip_with(transfer, pick("002").zip_with(linux, pick("001")))
    return pl.DataFrame(
        {
            "document": document,
            "metric": metric.zip_with(~zcx, pick("NETTIME", "rate")),
            "source": only(lan, pick(*ENDS)),
            "target": only(lan, pick(*ENDS)),
            "network": only(lan, pick(*NETWORKS)),
            "queue": only(lan, pick("Private", "Shared - Db2", "Shared - SMDS")),
            "tls": only(lan, pick("N", "TLS 1.2", "TLS 1.3")),
            "ams": only(lan, pick("N", "Privacy")),
            "compmsg": only(lan, pick("N", "ZLIBFAST")),
            "mode": pick("binary", "text"),
            "file_size_mb": np.exp(rng.uniform(0.0, np.log(1024.0), rows)),
            "channels": only(lan, pick(1, 2, 4)),
            "protocol": only(wan | zcx, pick("TCP", "FASP")),
            "latency_ms_oneway": rng.uniform(0.0, 50.0, rows),
            "loss_pct": rng.uniform(0.0, 0.5, rows),
            "message_size": only(zcx, pick("10KB", "1MB")),
            "md5": only(linux, pick("Y", "N")),
            "connection": only(linux, pick("client", "bindings")),
            "transfer": only(linux, pick("single", "multi")),
            "chunk_size": only(linux, pick(65536, 131072, 262144, 524288)),
        }
    )


def run(console: Console, folder: Path, *, quick: bool) -> tuple[dict[str, object], bool]:
    """Measure and print; return the figures, and True because speed does not fail a benchmark."""
    del folder
    rows = ROWS // 10 if quick else ROWS
    cells = configurations(rows)
    predict(cells.head(1000))  # the parameters are read once
    begun, cpu = time.perf_counter(), time.process_time()
    answers = predict(cells)
    seconds, cpu = time.perf_counter() - begun, time.process_time() - cpu
    answered = rows - answers["predicted"].null_count()
    table = Table(title=f"{rows:,} configurations", title_justify="left")
    for head in ("seconds", "CPU seconds", "target", "configurations a second", "with a figure"):
        table.add_column(head, justify="right")
    target = f"{TARGET_SECONDS * rows / ROWS:.1f}"
    table.add_row(f"{seconds:.2f}", f"{cpu:.2f}", target, f"{rows / seconds:,.0f}", f"{answered:,}")
    console.print(table)
    return {
        "configurations": rows,
        "predict_seconds": seconds,
        "predict_cpu_seconds": cpu,
        "predicted": answered,
    }, True
