"""Hypothesis strategies for the values that a field can hold, and for rows of them."""

from __future__ import annotations

import math
from collections.abc import Collection
from datetime import date, datetime, timedelta
from itertools import cycle, islice
from typing import Any

import numpy as np
import polars as pl
from hypothesis import strategies as st

from ingest.formats.binary.layout import Field, Layout
from ingest.formats.binary.section import column_dtype
from ingest.formats.binary.text import alphabet

_LAST_MOMENT = datetime(2112, 9, 17, 23, 53, 47, 370495)  # the last that a TOD clock can mean
_MOST_US = (1 << 52) - 1  # what remains of a TOD value without its fractions


def texts(code_page: str, longest: int, shortest: int = 0) -> st.SearchStrategy[str]:
    """Return text of a code page that does not end in padding."""
    letters = st.text(alphabet(code_page), min_size=shortest, max_size=longest)
    return letters.filter(lambda t: not t.endswith((" ", "\0")))


def elements(f: Field, code_page: str = "037") -> st.SearchStrategy[Any]:
    """Return the values of one element of a field, as decoding returns them."""
    bits = 8 * f.length
    match f.kind:
        case "unsigned":
            return st.integers(0, (1 << bits) - 1)
        case "signed":
            return st.integers(-(1 << bits - 1), (1 << bits - 1) - 1)
        case "text":
            return texts(code_page, f.length)
        case "bytes" | "wide":
            return st.binary(min_size=f.length, max_size=f.length)
        case "stck":
            moments = st.datetimes(datetime(1970, 1, 1), _LAST_MOMENT)
            return st.none() | moments
        case "tod":
            return st.integers(0, _MOST_US)
        case "ticks":
            tick = int(f.tick_us)
            return st.integers(0, (1 << min(bits, 63)) - 1).map(lambda n: n * tick)
        case "bit":
            return st.booleans()
        case "bits":
            return st.integers(0, (1 << f.width) - 1)
        case "offset":
            return st.integers(-(1 << 51), (1 << 51) - 1)
        case "etod":
            return st.none() | st.integers(1, (1 << 44) - 1).map(_etod)
        case "hexfloat":
            # A number with this many bits is exact, whatever the power of 16.
            most = (1 << min(bits - 11, 53)) - 1
            fractions = st.integers(-most, most)
            return st.builds(lambda n, power: float(n) * 16.0**power, fractions, st.integers(-9, 9))
        case "packed":
            most = 10 ** (2 * f.length - 1) - 1
            return st.integers(-most, most)
        case "rmf_time":
            return st.integers(0, 86_399).map(lambda n: n * 1_000_000)
        case "rmf_interval":
            return st.integers(0, 5_999_999).map(lambda n: n * 1000)
        case "rmf_cycle":
            return st.integers(0, 9999).map(lambda n: n * 1000)
        case "date":
            return st.dates(date(1900, 1, 1), date(2099, 12, 31))
        case "time":
            return st.integers(0, 8_639_999).map(lambda n: n * 10_000)
    raise AssertionError(f"no strategy for a field of kind {f.kind}")


def _etod(units: int) -> datetime:
    """Return the moment that is this many units of the clock's first six bytes after 1900."""
    return datetime(1900, 1, 1) + timedelta(microseconds=units << 12)


def values(f: Field, code_page: str = "037") -> st.SearchStrategy[Any]:
    """Return the values of a field; an array repeats a few values until it is full."""
    if not f.shape:
        return elements(f, code_page)

    def fill(some: list[Any]) -> Any:
        flat = np.empty(math.prod(f.shape), object)
        flat[:] = list(islice(cycle(some), len(flat)))
        return flat.reshape(f.shape).tolist()

    return st.lists(elements(f, code_page), min_size=1, max_size=3).map(fill)


def rows(
    layout: Layout,
    *,
    least: int = 0,
    most: int = 3,
    without: Collection[str] = (),
    code_page: str = "037",
) -> st.SearchStrategy[list[dict[str, Any]]]:
    """Return rows of a layout, with a value for each field except those in `without`."""
    fields = {f.name: values(f, code_page) for f in layout.fields if f.name not in without}
    return st.lists(st.fixed_dictionaries(fields), min_size=least, max_size=most)


def frame(layout: Layout, found: list[dict[str, Any]]) -> pl.DataFrame:
    """Return rows as a frame with the columns' own types."""
    return pl.DataFrame(
        {
            f.name: pl.Series(f.name, [row[f.name] for row in found], dtype=column_dtype(f))
            for f in layout.fields
            if found and f.name in found[0]
        }
    )
