"""EBCDIC text: code pages as tables, fixed-length fields to strings and back."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ingest.formats.binary.arrow import constant, strings

__all__ = ["CODE_PAGES", "alphabet", "decode_text", "encode_text"]

CODE_PAGES = ("037", "1047", "500", "1140")
# Code page 1047 is 037 with these six pairs of code points exchanged (IBM CDRA, CPGID 01047).
_EXCHANGED_IN_1047 = ((0x5F, 0xB0), (0xAD, 0xBA), (0xBB, 0xBD))
_PADDING = " \0"


@lru_cache
def alphabet(code_page: str) -> str:
    """Return the 256 characters of an EBCDIC code page, in code order.

    Raises ValueError for a code page that is not in `CODE_PAGES`.
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
def _ascii_table(code_page: str) -> bytes:
    """Return code point -> ASCII code, 0xFF if the character is not ASCII."""
    return bytes(ord(c) if ord(c) < 128 else 0xFF for c in alphabet(code_page))


@lru_cache
def _utf8_table(code_page: str) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """Return code point -> UTF-8, (256, 3) bytes, and which of the three are used."""
    encoded = [c.encode() for c in alphabet(code_page)]
    content = np.frombuffer(b"".join(c.ljust(3, b"\0") for c in encoded), np.uint8)
    lengths = np.array([len(c) for c in encoded])
    return content.reshape(256, 3), np.arange(3) < lengths[:, None]


@lru_cache
def _code_of(code_page: str) -> dict[str, int]:
    return {c: code for code, c in enumerate(alphabet(code_page))}


def decode_text(rows: NDArray[np.uint8], code_page: str) -> Any:
    """Convert (n, length) EBCDIC bytes to n strings, without padding blanks and zeros (Arrow)."""
    count, length = rows.shape
    if count > 1 and (rows[0] == rows[-1]).all() and (rows == rows[0]).all():
        # Eyecatchers and the system's name often have just one value.
        return constant(decode_text(rows[:1], code_page), count)
    content = rows.tobytes().translate(_ascii_table(code_page))
    if b"\xff" in content:
        return pc.ascii_rtrim(_wide_strings(rows, code_page), _PADDING)
    return pc.ascii_rtrim(strings(content, count, length), _PADDING)


def _wide_strings(rows: NDArray[np.uint8], code_page: str) -> Any:
    """Convert (n, length) EBCDIC bytes, some not ASCII, to n strings."""
    characters, used = _utf8_table(code_page)
    kept = used[rows]
    content = characters[rows][kept]
    offsets = np.zeros(len(rows) + 1, np.int32)
    np.cumsum(kept.sum(axis=(1, 2)), out=offsets[1:])
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(content)]
    return pa.Array.from_buffers(pa.string(), len(rows), buffers)


def encode_text(values: pl.Series, length: int, code_page: str) -> NDArray[np.uint8]:
    """Convert n strings to (n, length) EBCDIC bytes, padded with blanks.

    Raises ValueError if a string is too long or has a character that the code page lacks.
    """
    texts = [text or "" for text in values.cast(pl.String).to_list()]
    places = {text: index for index, text in enumerate(dict.fromkeys(texts))}
    encoded = _encode_each(values.name, places, length, code_page)
    if len(places) == len(texts):
        return encoded
    return encoded[[places[text] for text in texts]]  # records repeat a few names


def _encode_each(
    name: str, texts: Collection[str], length: int, code_page: str
) -> NDArray[np.uint8]:
    code_of = _code_of(code_page)
    out = np.full((len(texts), length), code_of[" "], np.uint8)
    for i, text in enumerate(texts):
        if len(text) > length:
            raise ValueError(f"{name}: {text!r} is longer than {length} characters")
        try:
            out[i, : len(text)] = [code_of[c] for c in text]
        except KeyError as missing:
            raise ValueError(f"{name}: code page {code_page} has no {missing}") from None
    return out
