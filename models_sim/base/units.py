"""Units of figures: which one a model answers in, and the factor to the one that a row asks for."""

from __future__ import annotations

import polars as pl

#: Metric, or document and metric, to the unit of its figures. Others have only one unit.
UNITS = {
    "002 rate": "Mb/s",
    "rate": "MB/s",
    "cost_per_GB": "CPU s/GB",
    "cost_per_transaction": "CPU us",
    "ziip_share": "%",
    "transfer_time": "s",
    "best_transfer_time": "s",
    "response_time": "us",
    "NETTIME": "ms",
    "messages_per_second": "messages/s",
    "repo_init": "s",
    "mqopen_resolution": "s",
    "secret_key_negotiation_cost": "CPU ms",
    "start_cost": "CPU ms/channel",
    "channels_started": "1/s",
    "peak_messages": "million/s",
    "expected_improvement": "%",
    "change_transaction_cost": "%",
    "change_throughput": "%",
}
_TIMES = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}
#: Bytes are counted in powers of two, bits of a network in powers of ten, as in the documents.
_SIZES = {f"{k}B": 1024.0**n for n, k in enumerate(("", "K", "M", "G", "T"))} | {
    f"{k}b": 1000.0**n / 8.0 for n, k in enumerate(("", "K", "M", "G", "T"))
}
_COUNTS = {"": 1.0, "1": 1.0, "messages": 1.0, "million": 1e6, "channel": 1.0, "%": 0.01,
           "ratio": 1.0}  # fmt: skip
_DIMENSIONS = (_TIMES, _SIZES, _COUNTS)


def _measure(part: str) -> tuple[int, float] | None:
    """Return the dimension and the size of one side of a unit; None if it is none."""
    return next(((i, each[part]) for i, each in enumerate(_DIMENSIONS) if part in each), None)


def factor(unit: str, wanted: str) -> float | None:
    """Return by what to multiply a figure in `unit` so that it is in `wanted`; None if it cannot.

    CPU time may be called time.
    """
    result = 1.0
    ours, theirs = (text.removeprefix("CPU ").partition("/")[::2] for text in (unit, wanted))
    for (mine, other), power in zip(zip(ours, theirs, strict=True), (1, -1), strict=True):
        first, second = _measure(mine.strip()), _measure(other.strip())
        if first is None or second is None or first[0] != second[0]:
            return None
        result *= (first[1] / second[1]) ** power
    return result


def factors(cells: pl.DataFrame) -> tuple[pl.Series, pl.Series]:
    """Return the factor of each row to the unit that it asks for, and why it has none, or null."""
    ours = pl.coalesce(
        pl.format("{} {}", "document", "metric").replace_strict(UNITS, default=None),
        pl.col("metric").replace_strict(UNITS, default=None),
        "unit",
    )
    key = pl.concat_str(ours, pl.coalesce("unit", ours), separator="|")
    keys = cells.select(key.alias("key")).to_series()
    by_units = {
        key: 1.0 if unit == wanted else factor(unit, wanted)
        for key in keys.unique().drop_nulls() for unit, wanted in [key.split("|")]
    }  # fmt: skip
    reasons = {
        unit_key: "unit {1}: the figure is in {0}".format(*unit_key.split("|"))
        for unit_key, size in by_units.items() if size is None
    }  # fmt: skip
    return (
        keys.replace_strict(by_units, default=1.0, return_dtype=pl.Float64),
        keys.replace_strict(reasons, default=None, return_dtype=pl.String),
    )
