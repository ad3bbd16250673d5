"""Figures with the digits that their noise allows, as the dictionary of metrics says."""

from __future__ import annotations

import math
from collections.abc import Sequence

import polars as pl

from expectations.metrics import dictionary

__all__ = ["MISSING", "decimals", "figure", "sensible"]

MISSING = "–"  # noqa: RUF001 - a dash for a missing value
_DIGITS = 4  # significant, of a metric that the dictionary does not have
_FEW = 3
_MOST_DECIMALS = 7
#: Units of bytes: powers of 1,024.
_BYTES = {"B": 0, "KB": 1, "MB": 2, "GB": 3, "TB": 4}


def decimals(size: float, digits: int) -> int:
    """Return the decimals that give a number of this size so many significant digits.

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
    """Return a number as it is shown: so many significant digits, all before the point.

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


def sensible(frame: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """Return rows whose `columns` are figures of `metric` in `unit`, with the digits to show.

    Bytes are shown in the unit that suits the first of the columns that has a value, and `unit`
    says it: 10490000000 B are 9.77 GB. A rate in MB/s stays one, as documents print it.
    """
    digits = pl.col("metric").replace_strict(
        {name: one.digits or 0 for name, one in dictionary().items()},
        default=_DIGITS,
        return_dtype=pl.Int32,
    )
    name, per = pl.col("unit").str.extract(r"^(K?B)(/s)?$", 1), pl.col("unit").str.extract(r"(/s)$")
    power = name.replace_strict(_BYTES, default=None, return_dtype=pl.Int32)
    size = pl.coalesce(pl.col(c).cast(pl.Float64) for c in columns).abs()
    suits = size.log(1024).floor().clip(0, _BYTES["TB"] - power).fill_nan(0).fill_null(0)
    suits = pl.when(power.is_null()).then(0).otherwise(suits)
    unit = (power + suits).replace_strict(
        {power: unit for unit, power in _BYTES.items()}, default=None, return_dtype=pl.String
    )
    scale = 1024.0**suits
    return frame.with_columns(
        *(_rounded(pl.col(c).cast(pl.Float64) / scale, digits).alias(c) for c in columns),
        unit=pl.coalesce(unit + per.fill_null(""), "unit"),
    )


def _rounded(value: pl.Expr, digits: pl.Expr) -> pl.Expr:
    """Return figures with so many significant digits, all before the point; 0: as they are."""
    decimals = (digits - 1 - value.abs().log10().floor()).clip(0, 300)
    scale = 10.0**decimals
    return (
        pl.when((digits > 0) & (value != 0) & value.is_finite())
        .then((value * scale).round() / scale)
        .otherwise(value)
    )
