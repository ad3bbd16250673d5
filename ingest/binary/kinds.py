"""The kinds of fields: for each, bytes to column, column to bytes, and the column's SQL type.

Numbers are big-endian. Moments are in the TOD clock's format (z/Architecture Principles of
Operation, "TOD clock": bit 51 is one microsecond, the epoch 1900-01-01 00:00 UTC). Packed dates
are 0cyydddF and times hundredths of a second since midnight (MVS System Management Facilities,
"Standard SMF record header").
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ingest.binary.layout import Field
from ingest.binary.text import binary_series, decode_text, encode_text

__all__ = ["KINDS", "Kind", "Rows"]

Bytes = NDArray[np.uint8]
_EPOCH_1900_US = 2_208_988_800_000_000  # from 1900-01-01 to 1970-01-01
_TOD_PER_US = 12  # the TOD clock's value shifted right by this is in microseconds
_MOST_US = (1 << 64 - _TOD_PER_US) - 1
_HUNDREDTHS_PER_DAY = 8_640_000


class Rows:
    """Equal sections side by side: (n, length) bytes, and their big-endian words turned over.

    Turning all words over at once, in blocks that stay in the cache, is about ten times as fast
    as picking each field out of rows that are kilobytes apart.
    """

    _BLOCK = 256

    def __init__(self, data: Bytes) -> None:
        self.data = np.ascontiguousarray(data)
        self.count, self.length = self.data.shape
        self._words: NDArray[np.uint32] | None = None

    def bytes_of(self, offset: int, length: int) -> Bytes:
        """(n, length) bytes at `offset` of each section."""
        return self.data[:, offset : offset + length]

    def uint(self, offset: int, length: int) -> NDArray[np.uint64 | np.uint32]:
        """(n,) the big-endian unsigned number at `offset`, of 1 to 8 bytes."""
        first, place = divmod(offset, 4)
        words_end = 4 * (self.length // 4)
        if length == 4 and place == 0 and offset + 4 <= words_end:
            return self._turned()[first]
        if length == 8 and place == 0 and offset + 8 <= words_end:
            words = self._turned()
            return (words[first].astype(np.uint64) << 32) | words[first + 1]
        if length <= 2 and place + length <= 4 and offset + length <= words_end:
            shift, mask = 8 * (4 - place - length), (1 << 8 * length) - 1
            return (self._turned()[first] >> shift) & mask
        value = np.zeros(self.count, np.uint64)
        for i in range(offset, offset + length):
            value = (value << np.uint64(8)) | self.data[:, i]
        return value

    def _turned(self) -> NDArray[np.uint32]:
        if self._words is None:
            width = self.length // 4
            big_endian = self.data[:, : 4 * width]
            if big_endian.shape[1] != self.length:
                big_endian = np.ascontiguousarray(big_endian)
            source = big_endian.view(">u4")
            self._words = np.empty((width, self.count), np.uint32)
            for i in range(0, self.count, self._BLOCK):
                self._words[:, i : i + self._BLOCK] = source[i : i + self._BLOCK].T
        return self._words


@dataclass(frozen=True, slots=True)
class Kind:
    """How one kind of field is decoded, encoded, stored and shown.

    `decode` takes all elements of a field as one flat column; `encode` is its inverse. `dtype` is
    the Polars type in the Parquet files; `sql` turns the stored column (its argument) into what
    the raw view shows, of DuckDB type `sql_type`.
    """

    dtype: Callable[[Field], pl.DataType]
    decode: Callable[[Rows, Field, int, str], pl.Series]
    encode: Callable[[pl.Series, Field, str], Bytes]
    sql_type: Callable[[Field], str]
    sql: str = "{}"


def _big_endian(values: NDArray[np.generic], length: int) -> Bytes:
    """(n,) integers -> (n, length) bytes, two's complement."""
    wide = values.astype(np.uint64 if values.dtype.kind == "u" else np.int64)
    return wide.astype(wide.dtype.newbyteorder(">")).view(np.uint8).reshape(-1, 8)[:, 8 - length :]


def _numbers(values: pl.Series, least: int, most: int) -> NDArray[Any]:
    """(n,) integers, zeros for nulls; ValueError for one that is not from `least` to `most`."""
    known = values.cast(pl.Int64) if values.dtype == pl.Null else values
    known = known.fill_null(0)
    for value in (known.min(), known.max()):
        if isinstance(value, int) and not least <= value <= most:
            raise ValueError(f"{values.name}: {value} is not from {least} to {most}")
    return known.cast(pl.Int64 if least < 0 else pl.UInt64).to_numpy()


def _unsigned_dtype(f: Field) -> pl.DataType:
    return pl.Int32() if f.length <= 2 else pl.Int64() if f.length < 8 else pl.UInt64()


def _decode_unsigned(rows: Rows, f: Field, offset: int, _page: str) -> pl.Series:
    wide = np.int32 if f.length <= 2 else np.int64 if f.length < 8 else np.uint64
    return pl.Series(f.name, rows.uint(offset, f.length).astype(wide))


def _encode_unsigned(values: pl.Series, f: Field, _page: str) -> Bytes:
    return _big_endian(_numbers(values, 0, (1 << 8 * f.length) - 1), f.length)


def _signed_dtype(f: Field) -> pl.DataType:
    return pl.Int32() if f.length <= 2 else pl.Int64()


def _decode_signed(rows: Rows, f: Field, offset: int, _page: str) -> pl.Series:
    value = rows.uint(offset, f.length)
    if f.length == 4:
        return pl.Series(f.name, value.astype(np.uint32).view(np.int32).astype(np.int64))
    unused = np.uint64(64 - 8 * f.length)
    signed = (value.astype(np.uint64) << unused).view(np.int64) >> np.int64(unused)
    return pl.Series(f.name, signed.astype(np.int32 if f.length <= 2 else np.int64))


def _encode_signed(values: pl.Series, f: Field, _page: str) -> Bytes:
    half = 1 << (8 * f.length - 1)
    return _big_endian(_numbers(values, -half, half - 1), f.length)


def _decode_text(rows: Rows, f: Field, offset: int, page: str) -> pl.Series:
    return decode_text(f.name, rows.bytes_of(offset, f.length), page)


def _decode_bytes(rows: Rows, f: Field, offset: int, _page: str) -> pl.Series:
    return binary_series(f.name, rows.bytes_of(offset, f.length))


def _encode_bytes(values: pl.Series, f: Field, _page: str) -> Bytes:
    contents = values.fill_null(b"").to_list()
    if longer := [v for v in contents if len(v) > f.length]:
        raise ValueError(f"{values.name}: {longer[0]!r} is longer than {f.length} bytes")
    padded = b"".join(v.ljust(f.length, b"\0") for v in contents)
    return np.frombuffer(padded, np.uint8).reshape(len(values), f.length)


def _tod_us(rows: Rows, f: Field, offset: int) -> NDArray[np.int64]:
    return (rows.uint(offset, f.length).astype(np.uint64) >> np.uint64(_TOD_PER_US)).view(np.int64)


def _decode_stck(rows: Rows, f: Field, offset: int, _page: str) -> pl.Series:
    us = pl.Series(f.name, _tod_us(rows, f, offset))
    present = us.set(us == 0, None) if (us == 0).any() else us
    return (present - _EPOCH_1900_US).cast(pl.Datetime("us"))


def _encode_stck(values: pl.Series, f: Field, _page: str) -> Bytes:
    us = values.cast(pl.Datetime("us")).cast(pl.Int64) + _EPOCH_1900_US
    return _big_endian(_numbers(us, 0, _MOST_US) << np.uint64(_TOD_PER_US), f.length)


def _decode_tod(rows: Rows, f: Field, offset: int, _page: str) -> pl.Series:
    return pl.Series(f.name, _tod_us(rows, f, offset))


def _encode_tod(values: pl.Series, f: Field, _page: str) -> Bytes:
    return _big_endian(_numbers(values, 0, _MOST_US) << np.uint64(_TOD_PER_US), f.length)


def _decode_ticks(rows: Rows, f: Field, offset: int, _page: str) -> pl.Series:
    ticks = rows.uint(offset, f.length).astype(np.uint64).view(np.int64)
    us = ticks if f.tick_us == 1 else np.rint(ticks * f.tick_us).astype(np.int64)
    return pl.Series(f.name, us)


def _encode_ticks(values: pl.Series, f: Field, _page: str) -> Bytes:
    most = (1 << min(8 * f.length, 63)) - 1
    us = _numbers(values, 0, round(most * f.tick_us) if f.tick_us != 1 else most)
    ticks = us if f.tick_us == 1 else np.rint(us / f.tick_us).astype(np.uint64)
    return _big_endian(ticks, f.length)


def _decode_bit(rows: Rows, f: Field, offset: int, _page: str) -> pl.Series:
    byte, place = divmod(f.bit or 0, 8)
    return pl.Series(f.name, (rows.data[:, offset + byte] >> np.uint8(7 - place)) & 1).cast(
        pl.Boolean
    )


def _encode_bit(values: pl.Series, f: Field, _page: str) -> Bytes:
    byte, place = divmod(f.bit or 0, 8)
    out = np.zeros((len(values), f.length), np.uint8)
    out[:, byte] = values.fill_null(value=False).to_numpy().astype(np.uint8) << np.uint8(7 - place)
    return out


def _decode_date(rows: Rows, f: Field, offset: int, _page: str) -> pl.Series:
    packed = rows.bytes_of(offset, f.length)
    digit = np.stack([packed >> 4, packed & 15], axis=2).reshape(rows.count, 8).astype(np.int32)
    year = 1900 + 100 * digit[:, 1] + 10 * digit[:, 2] + digit[:, 3]
    day = 100 * digit[:, 4] + 10 * digit[:, 5] + digit[:, 6]
    leap = (year % 4 == 0) & ((year % 100 != 0) | (year % 400 == 0))
    valid = (digit[:, :7] <= 9).all(axis=1) & (digit[:, 7] == 15) & (day >= 1)
    valid &= day <= 365 + leap
    first = (np.where(valid, year, 1970) - 1970).astype("datetime64[Y]").astype("datetime64[D]")
    days = pl.Series(f.name, first.astype(np.int32) + day - 1, dtype=pl.Int32)
    return days.set(pl.Series(~valid), None).cast(pl.Date)


def _encode_date(values: pl.Series, f: Field, _page: str) -> Bytes:
    out = np.zeros((len(values), f.length), np.uint8)
    for i, day in enumerate(values.to_list()):
        if day is not None:
            number = f"0{(day.year - 1900) // 100}{day.year % 100:02}{day.timetuple().tm_yday:03}F"
            out[i] = np.frombuffer(bytes.fromhex(number), np.uint8)
    return out


def _decode_time(rows: Rows, f: Field, offset: int, _page: str) -> pl.Series:
    hundredths = rows.uint(offset, f.length).astype(np.int64)
    us = pl.Series(f.name, hundredths * 10_000)
    beyond = hundredths >= _HUNDREDTHS_PER_DAY
    return us.set(pl.Series(beyond), None) if beyond.any() else us


def _encode_time(values: pl.Series, f: Field, _page: str) -> Bytes:
    most = (1 << 8 * f.length) - 1
    return _big_endian(_numbers(values, 0, most * 10_000) // 10_000, f.length)


def _constant(dtype: pl.DataType) -> Callable[[Field], pl.DataType]:
    return lambda _f: dtype


KINDS: dict[str, Kind] = {
    "unsigned": Kind(
        _unsigned_dtype,
        _decode_unsigned,
        _encode_unsigned,
        lambda f: "INTEGER" if f.length <= 2 else "BIGINT" if f.length < 8 else "UBIGINT",
    ),
    "signed": Kind(
        _signed_dtype,
        _decode_signed,
        _encode_signed,
        lambda f: "INTEGER" if f.length <= 2 else "BIGINT",
    ),
    "text": Kind(
        _constant(pl.String()),
        _decode_text,
        lambda values, f, page: encode_text(values, f.length, page),
        lambda _f: "VARCHAR",
    ),
    "bytes": Kind(_constant(pl.Binary()), _decode_bytes, _encode_bytes, lambda _f: "BLOB"),
    "stck": Kind(_constant(pl.Datetime("us")), _decode_stck, _encode_stck, lambda _f: "TIMESTAMP"),
    "tod": Kind(
        _constant(pl.Int64()),
        _decode_tod,
        _encode_tod,
        lambda _f: "INTERVAL",
        "to_microseconds({})",
    ),
    "ticks": Kind(
        _constant(pl.Int64()),
        _decode_ticks,
        _encode_ticks,
        lambda _f: "INTERVAL",
        "to_microseconds({})",
    ),
    "bit": Kind(_constant(pl.Boolean()), _decode_bit, _encode_bit, lambda _f: "BOOLEAN"),
    "date": Kind(_constant(pl.Date()), _decode_date, _encode_date, lambda _f: "DATE"),
    "time": Kind(
        _constant(pl.Int64()),
        _decode_time,
        _encode_time,
        lambda _f: "TIME",
        "TIME '00:00:00' + to_microseconds({})",
    ),
}
