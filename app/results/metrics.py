"""Figures with the digits that their noise allows, as the dictionary of metrics says."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import polars as pl

from expectations.metrics import dictionary

__all__ = [
    "MISSING", "alike", "decimals", "figure", "measured", "sensible", "suited", "written",
]  # fmt: skip

MISSING = "–"  # noqa: RUF001 - a dash for a missing value
_DIGITS = 4  # significant, of a metric that the dictionary does not have
_FEW = 3
_MOST_DECIMALS = 7
_BYTES: tuple[str, ...] = ("B", "KB", "MB", "GB", "TB")
_TIMES: tuple[str, ...] = ("us", "ms", "s")
_BYTE_UNIT = re.compile(r"(K?B)(/s)?")
_TIME_UNIT = re.compile(r"(CPU )?(us|ms|s)")
_READABLE = (0.1, 10_000)  # times from the first up to the second stay in their own unit


def decimals(size: float, digits: int) -> int:
    """Return the decimals that give a number of this size this many significant digits.

    >>> [decimals(size, 3) for size in (1234.5, 21.4, 0.0123, 0.0)]
    [0, 1, 4, 0]
    """
    if not math.isfinite(size) or size == 0:
        return 0
    return max(digits - 1 - math.floor(math.log10(abs(size))), 0)


def figure(
    value: float | None,
    digits: int | None = _FEW,
    *,
    interval: tuple[float | None, float | None] | None = None,
) -> str:
    """Return a number as it is shown: significant digits, and all digits before the point.

    `interval`: from what to what it may be; the number has the digits that two digits of half its
    width have. `digits`: otherwise; None: all of them.

    >>> [figure(value) for value in (1185.4, 21.44, 0.06132, 7, None)]
    ['1,185', '21.4', '0.0613', '7', '–']
    >>> figure(157.31274, 4), figure(157.31274, interval=(155.1, 159.5)), figure(12.5, None)
    ('157.3', '157.3', '12.5')
    """  # noqa: RUF002
    if value is None or not math.isfinite(value):
        return MISSING
    low, high = interval or (None, None)
    if low is not None and high is not None and math.isfinite(high - low) and high > low:
        places = min(decimals((high - low) / 2, 2), 6)
    elif float(value).is_integer():
        places = 0
    elif digits is None:
        return f"{value:,.10g}"
    else:
        places = decimals(value, digits)
        if places > _MOST_DECIMALS:
            return f"{value:.{digits}g}"
    text = f"{value:,.{places}f}"
    return text.removeprefix("-") if not text.strip("-0.,") else text


def suited(size: float | None, unit: str) -> tuple[float, str]:
    """Return the unit that suits a figure of this size, and how many of `unit` it is.

    A rate in MB/s stays one, as documents print it, and a time as long as it is easily read.

    >>> suited(10490000000, "B"), suited(10470000, "us"), suited(4750, "CPU us"), suited(95, "MB/s")
    ((1073741824.0, 'GB'), (1000000.0, 's'), (1.0, 'CPU us'), (1.0, 'MB/s'))
    """
    size = abs(size or 0)
    if not size or not math.isfinite(size):
        return 1.0, unit
    if match := _BYTE_UNIT.fullmatch(unit):
        base, names, name, before, after = 1024, _BYTES, match[1], "", match[2] or ""
    elif (match := _TIME_UNIT.fullmatch(unit)) and not _READABLE[0] <= size < _READABLE[1]:
        base, names, name, before, after = 1000, _TIMES, match[2], match[1] or "", ""
    else:
        return 1.0, unit
    index = names.index(name)
    # A time may be in too large a unit; bytes are counted in the one that they come in.
    least = index if names is _BYTES else 0
    power = min(max(index + math.floor(math.log(size, base) + 1e-9), least), len(names) - 1)
    return float(base) ** (power - index), f"{before}{names[power]}{after}"


def measured(metric: str, value: float | None, unit: str) -> tuple[str, str]:
    """Return a figure of a metric as it is shown, and its unit.

    >>> measured("cost_per_transaction", 10472345.0, "CPU us")
    ('10.47', 'CPU s')
    """
    scale, unit = suited(value, unit)
    definition = dictionary().get(metric)
    digits = definition.digits if definition else _DIGITS
    return figure(None if value is None else value / scale, digits), unit


def sensible(frame: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """Return rows whose `columns` are figures of `metric` in `unit`, with the digits to show.

    They are shown in the unit that suits the first of the columns that has a value, and `unit`
    says it: 10490000000 B are 9.77 GB, 10470000 us are 10.5 s.
    """
    digits = pl.col("metric").replace_strict(
        {name: definition.digits or 0 for name, definition in dictionary().items()},
        default=_DIGITS,
        return_dtype=pl.Int32,
    )
    size = pl.coalesce(pl.col(c).cast(pl.Float64) for c in columns)
    rows = frame.select(size=size, unit=pl.col("unit").fill_null("")).rows()
    scales, units = zip(*(suited(*row) for row in rows), strict=True) if rows else ((), ())
    scale = pl.Series(scales, dtype=pl.Float64)
    return frame.with_columns(
        *(_rounded(pl.col(c).cast(pl.Float64) / scale, digits).alias(c) for c in columns),
        unit=pl.Series(units, dtype=pl.String).replace("", None),
    )


def written(frame: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """Return rows of `sensible` with their figures as texts, which keep the zeros at their end.

    >>> rows = pl.DataFrame({"metric": ["rate", "files"], "one": [98.7, 21.0], "two": [92.78, 9.0]})
    >>> written(rows, ["one", "two"]).drop("metric").rows()
    [('98.70', '92.78'), ('21', '9')]
    """
    texts: dict[str, list[str | None]] = {column: [] for column in columns}
    for metric, *values in frame.select("metric", *columns).iter_rows():
        definition = dictionary().get(metric)
        digits = (definition.digits or 0) if definition else _DIGITS
        is_whole = all(value is None or float(value).is_integer() for value in values)
        for column, value in zip(columns, values, strict=True):
            if value is None:
                texts[column].append(None)
            elif is_whole or not digits:
                texts[column].append(figure(value, None))
            else:
                places = decimals(value, digits)
                few = value == 0 or places > _MOST_DECIMALS
                texts[column].append(figure(value, digits) if few else f"{value:,.{places}f}")
    return frame.with_columns(
        pl.Series(name, held, dtype=pl.String) for name, held in texts.items()
    )


def alike(frame: pl.DataFrame, columns: Sequence[str], unit: str) -> tuple[pl.DataFrame, str]:
    """Return rows of one metric, for a chart, in one unit, and that unit.

    It suits the median of the first of the columns, which are all figures.
    """
    size: float | None = frame.select(pl.col(columns[0]).cast(pl.Float64).abs().median()).item()
    scale, unit = suited(size, unit)
    return (frame if scale == 1 else frame.with_columns(pl.col(*columns) / scale)), unit


def _rounded(value: pl.Expr, digits: pl.Expr) -> pl.Expr:
    """Return figures rounded to significant digits, never before the point; 0: unchanged."""
    decimals = (digits - 1 - value.abs().log10().floor()).clip(0, 300)
    scale = 10.0**decimals
    return (
        pl.when((digits > 0) & (value != 0) & value.is_finite())
        .then((value * scale).round() / scale)
        .otherwise(value)
    )
