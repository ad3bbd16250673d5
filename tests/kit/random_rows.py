"""Random values that a field can hold, its extremes among them, and rows of them.

The same seed gives the same rows. A failure names the record or layout; a seed makes it again.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from datetime import date, datetime, timedelta
from random import Random
from typing import Any

import numpy as np
import polars as pl

from ingest.formats.binary.layout import Field, Layout
from ingest.formats.binary.section import column_dtype
from ingest.formats.binary.text import alphabet

_DAY = timedelta(days=1)
_LAST_MOMENT = datetime(2112, 9, 17, 23, 53, 47, 370495)  # the last that a TOD clock can mean
_US = timedelta(microseconds=1)


def whole(dice: Random, least: int, most: int) -> int:
    """Return a whole number, often an end of its range or close to it."""
    near = (least, most, min(least + 1, most), 0 if least <= 0 <= most else most)
    return dice.choice(near) if dice.random() < 0.4 else dice.randint(least, most)


def text(dice: Random, longest: int, shortest: int = 0, code_page: str = "037") -> str:
    """Return text of a code page that does not end in padding."""
    letters = alphabet(code_page)
    length = whole(dice, shortest, longest)
    found = "".join(dice.choice(letters) for _ in range(length))
    return found.rstrip(" \0").ljust(shortest, "A")


def element(f: Field, dice: Random, code_page: str = "037") -> Any:
    """Return one element of a field, as decoding returns it."""
    bits = 8 * f.length
    match f.kind:
        case "unsigned":
            return whole(dice, 0, (1 << bits) - 1)
        case "signed":
            return whole(dice, -(1 << bits - 1), (1 << bits - 1) - 1)
        case "text":
            return text(dice, f.length, 0, code_page)
        case "bytes" | "wide":
            return dice.choice((bytes(f.length), b"\xff" * f.length, dice.randbytes(f.length)))
        case "stck":
            us = whole(dice, 0, (_LAST_MOMENT - datetime(1970, 1, 1)) // _US)
            return None if dice.random() < 0.2 else datetime(1970, 1, 1) + us * _US
        case "ticks":
            return whole(dice, 0, (1 << min(bits, 63)) - 1) * int(f.tick_us)
        case "bit":
            return dice.random() < 0.5
        case "bits":
            return whole(dice, 0, (1 << f.width) - 1)
        case "tod" | "offset":  # what remains without its fractions
            return whole(dice, -(1 << 51), (1 << 51) - 1)
        case "etod":  # in units of the clock's first six bytes
            units = whole(dice, 0, (1 << 44) - 1)
            return datetime(1900, 1, 1) + timedelta(microseconds=units << 12) if units else None
        case "hexfloat":
            # A number with this many bits is exact, whatever the power of 16.
            most = (1 << min(bits - 11, 53)) - 1
            return float(whole(dice, -most, most)) * 16.0 ** dice.randint(-9, 9)
        case "packed":
            most = 10 ** (2 * f.length - 1) - 1
            return whole(dice, -most, most)
        case "rmf_time":
            return whole(dice, 0, 86_399) * 1_000_000
        case "rmf_interval":
            return whole(dice, 0, 5_999_999) * 1000
        case "rmf_cycle":
            return whole(dice, 0, 9999) * 1000
        case "date":
            days = (date(2099, 12, 31) - date(1900, 1, 1)).days
            return date(1900, 1, 1) + whole(dice, 0, days) * _DAY
        case "time":
            return whole(dice, 0, 8_639_999) * 10_000
    raise AssertionError(f"no value for a field of kind {f.kind}")


def value(f: Field, dice: Random, code_page: str = "037") -> Any:
    """Return a value of a field; an array repeats a few elements until it is full."""
    if not f.shape:
        return element(f, dice, code_page)
    some = [element(f, dice, code_page) for _ in range(3)]
    flat = np.empty(math.prod(f.shape), object)
    flat[:] = [some[i % 3] for i in range(len(flat))]
    return flat.reshape(f.shape).tolist()


def rows(
    layout: Layout,
    dice: Random,
    count: int,
    *,
    without: Collection[str] = (),
    code_page: str = "037",
) -> list[dict[str, Any]]:
    """Return rows of a layout, with a value for each field except those in `without`."""
    fields = [f for f in layout.fields if f.name not in without]
    return [{f.name: value(f, dice, code_page) for f in fields} for _ in range(count)]


def frame(layout: Layout, found: list[dict[str, Any]]) -> pl.DataFrame:
    """Return rows as a frame with the columns' own types."""
    return pl.DataFrame(
        {
            f.name: pl.Series(f.name, [row[f.name] for row in found], dtype=column_dtype(f))
            for f in layout.fields
            if found and f.name in found[0]
        }
    )
