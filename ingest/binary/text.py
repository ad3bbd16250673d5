"""EBCDIC text: code pages as tables, fixed-length fields to strings and back."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

__all__ = ["CODE_PAGES", "alphabet", "binary_series", "decode_text", "encode_text"]

CODE_PAGES = ("037", "1047", "500", "1140")
# Code page 1047 is 037 with these six pairs of code points exchanged (IBM CDRA, CPGID 01047).
_EXCHANGED_IN_1047 = ((0x5F, 0xB0), (0xAD, 0xBA), (0xBB, 0xBD))
_PADDING = " \0"


@lru_cache
def alphabet(code_page: str) -> str:
    """The 256 characters of an EBCDIC code page, in code order.

    Raises ValueError for a code page not in `CODE_PAGES`.
    """
    if code_page not in CODE_PAGES:
        raise ValueError(f"code page {code_page!r} is not one of {', '.join(CODE_PAGES)}")
    python_name = "cp037" if code_page == "1047" else f"cp{code_page}"
    chars = list(bytes(range(256)).decode(python_name))
    if code_page == "1047":
        for a, b in _EXCHANGED_IN_1047:
            chars[a], chars[b] = chars[b], chars[a]
    return "".join(chars)


@lru_cache
def _ascii_table(code_page: str) -> NDArray[np.uint8]:
    """Code point -> ASCII code, 0xFF where the character is not ASCII."""
    return np.array([ord(c) if ord(c) < 128 else 0xFF for c in alphabet(code_page)], np.uint8)


@lru_cache
def _code_of(code_page: str) -> dict[str, int]:
    return {c: code for code, c in enumerate(alphabet(code_page))}


def binary_series(name: str, rows: NDArray[np.uint8]) -> pl.Series:
    """(n, length) bytes -> n binary values of that length."""
    n, length = rows.shape
    values = pa.FixedSizeBinaryArray.from_buffers(
        pa.binary(length), n, [None, pa.py_buffer(np.ascontiguousarray(rows))]
    )
    return pl.Series(name, pl.from_arrow(values), dtype=pl.Binary)


def decode_text(name: str, rows: NDArray[np.uint8], code_page: str) -> pl.Series:
    """(n, length) EBCDIC bytes -> n strings without the blanks and zeros that pad them."""
    if len(rows) > 1 and (rows == rows[0]).all():  # eyecatchers, names of the one system
        return decode_text(name, rows[:1], code_page).new_from_index(0, len(rows))
    ascii_rows = _ascii_table(code_page)[rows]
    foreign = (ascii_rows == 0xFF).any(axis=1)
    strings = binary_series(name, ascii_rows)
    if foreign.any():
        ascii_rows[foreign] = 0x20
        strings = binary_series(name, ascii_rows).cast(pl.String)
        table = alphabet(code_page)
        decoded = ["".join(table[b] for b in row) for row in rows[foreign].tolist()]
        strings = strings.scatter(np.flatnonzero(foreign), decoded)
    return strings.cast(pl.String).str.strip_chars_end(_PADDING)


def encode_text(values: pl.Series, length: int, code_page: str) -> NDArray[np.uint8]:
    """n strings -> (n, length) EBCDIC bytes padded with blanks.

    Raises ValueError where a string is too long or has a character that the code page lacks.
    """
    code_of = _code_of(code_page)
    out = np.full((len(values), length), code_of[" "], np.uint8)
    for i, text in enumerate(values.fill_null("").to_list()):
        if len(text) > length:
            raise ValueError(f"{values.name}: {text!r} is longer than {length} characters")
        try:
            out[i, : len(text)] = [code_of[c] for c in text]
        except KeyError as missing:
            raise ValueError(f"{values.name}: code page {code_page} has no {missing}") from None
    return out
