"""The kinds of fields: for each, bytes to column, column to bytes, and the column's SQL type.

Numbers are big-endian. Moments are in the format of the TOD clock (z/Architecture Principles of
Operation, "TOD clock": bit 51 is one microsecond, the epoch is 1900-01-01 00:00 UTC); "tod" is a
duration, below zero where clocks were subtracted the wrong way round, "offset" the difference of
two moments, and "etod" the first six bytes of the extended clock, whose first byte counts epochs.
Packed dates are 0cyydddF, and times are hundredths of a second since midnight (MVS System
Management Facilities, "Standard SMF record header"). RMF packs a time of day as 0hhmmssF, the
length of an interval as mmsstttF and a cycle in milliseconds as 000ttttF. "hexfloat" is IBM
hexadecimal floating point (z/Architecture Principles of Operation, "Hexadecimal-Floating-Point
Instructions").
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ingest.formats.binary.arrow import binaries
from ingest.formats.binary.layout import Field
from ingest.formats.binary.text import decode_text, encode_text

__all__ = ["KINDS", "Column", "Elements", "Kind", "Rows"]

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]
_EPOCH_1900_US = 2_208_988_800_000_000  # from 1900-01-01 to 1970-01-01
_TOD_PER_US = 12  # the TOD clock's value, shifted right by this, is in microseconds
_MOST_US = (1 << 64 - _TOD_PER_US) - 1
_HUNDREDTHS_PER_DAY = 8_640_000
_ETOD_US_BITS = 12  # the last bit of the clock's first six bytes is 2**12 microseconds
_HEX_MOST = 63  # the greatest power of 16 that the exponent can express


class Rows:
    """Equal sections: (n, length) bytes, and their big-endian words in native order, transposed.

    Transposing all words at once, in blocks that stay in the cache, is about ten times as fast as
    picking each field from rows that are kilobytes apart.
    """

    _BLOCK = 256  # rows that are transposed at once, unless more of them fit in the cache
    _CACHED = 1 << 17

    def __init__(self, data: Bytes) -> None:
        self.data = np.ascontiguousarray(data)
        self.count, self.length = self.data.shape
        self._words: NDArray[np.uint32] | None = None

    def bytes_of(self, offset: int, length: int) -> Bytes:
        """Return the (n, length) bytes at `offset` of each section."""
        return self.data[:, offset : offset + length]

    def uint(self, offset: int, length: int) -> Ints:
        """Return the (n,) big-endian unsigned numbers at `offset`; 8 bytes as signed, same bits."""
        first, inner = divmod(offset, 4)
        if offset + length <= 4 * (self.length // 4):
            if inner == 0 and length == 4:
                return self._turned()[first].astype(np.int64)
            if inner == 0 and length == 8:
                words = self._turned()
                return words[first].astype(np.int64) << 32 | words[first + 1]
            if length <= 2 and inner + length <= 4:
                shift, mask = 8 * (4 - inner - length), (1 << 8 * length) - 1
                return ((self._turned()[first] >> shift) & mask).astype(np.int64)
        value = np.zeros(self.count, np.int64)
        for i in range(offset, offset + length):
            value = value << 8 | self.data[:, i]
        return value

    def _turned(self) -> NDArray[np.uint32]:
        if self._words is None:
            width = self.length // 4
            big_endian = self.data[:, : 4 * width]
            if big_endian.shape[1] != self.length:
                big_endian = np.ascontiguousarray(big_endian)
            source = big_endian.view(">u4")
            self._words = np.empty((width, self.count), np.uint32)
            block = max(self._BLOCK, self._CACHED // self.length)
            for i in range(0, self.count, block):
                self._words[:, i : i + block] = source[i : i + block].T
        return self._words


class Elements(Rows):
    """All elements of a repeated field, section by section: (n, length) bytes.

    Numbers are read from the sections; the elements' bytes are only copied if they are asked for.
    """

    def __init__(self, sections: Bytes, field: Field) -> None:
        self._sections, self._field = sections, field
        self.count, self.length = len(sections) * field.size, field.length
        self._words = None

    @cached_property
    def data(self) -> Bytes:  # type: ignore[override]
        """The elements, contiguous."""
        return self._of(np.dtype((np.uint8, self.length))).reshape(self.count, self.length)

    def uint(self, offset: int, length: int) -> Ints:
        """Return the (n,) big-endian unsigned numbers at `offset`; 8 bytes as signed, same bits."""
        if length == self.length and length in (1, 2, 4, 8):
            # Copying first is three times as fast as converting from where they are.
            together = self._of(np.dtype(f"u{length}")).copy()
            return together.view(f">u{length}").astype(np.int64).reshape(-1)
        return super().uint(offset, length)

    def _of(self, dtype: np.dtype[Any]) -> NDArray[Any]:
        """Return the elements where they are, (sections, *shape) of this type."""
        f, sections = self._field, self._sections
        strides = sections.strides[0], *f.strides
        return np.ndarray((len(sections), *f.shape), dtype, sections, f.offset, strides)


class Column(NamedTuple):
    """Return (n,) numbers with the column's width, and which of them are missing (None: none)."""

    values: NDArray[Any]
    missing: NDArray[np.bool_] | None = None


@dataclass(frozen=True, slots=True)
class Kind:
    """How one kind of field is decoded, encoded, stored and shown.

    `decode` takes the elements at an offset of all rows and returns numbers, or Arrow strings or
    binaries; `encode` takes all elements of a field as one flat column. `dtype` is the Polars type
    in the Parquet files; `sql` turns the stored column (its argument) into what the raw view shows,
    of DuckDB type `sql_type`.
    """

    dtype: Callable[[Field], pl.DataType]
    decode: Callable[[Rows, Field, int, str], Column | Any]
    encode: Callable[[pl.Series, Field, str], Bytes]
    sql_type: Callable[[Field], str]
    sql: str = "{}"


def _big_endian(values: NDArray[np.generic], length: int) -> Bytes:
    """Convert (n,) integers to (n, length) bytes, two's complement."""
    wide = values.astype(np.uint64 if values.dtype.kind == "u" else np.int64)
    return wide.astype(wide.dtype.newbyteorder(">")).view(np.uint8).reshape(-1, 8)[:, 8 - length :]


def _numbers(values: pl.Series, least: int, most: int) -> NDArray[Any]:
    """Return (n,) integers, zero for null. Raises ValueError outside `least` to `most`."""
    filled = values.cast(pl.Int64) if values.dtype == pl.Null else values
    if filled.null_count():
        filled = filled.fill_null(0)
    for value in (filled.min(), filled.max()):
        if isinstance(value, int) and not least <= value <= most:
            raise ValueError(f"{values.name}: {value} is not from {least} to {most}")
    return filled.cast(pl.Int64 if least < 0 else pl.UInt64).to_numpy()


def _unsigned_dtype(f: Field) -> pl.DataType:
    return pl.Int32() if f.length <= 2 else pl.Int64() if f.length < 8 else pl.UInt64()


def _decode_unsigned(rows: Rows, f: Field, offset: int, _page: str) -> Column:
    value = rows.uint(offset, f.length)
    return Column(value.astype(np.int32) if f.length <= 2 else value)


def _encode_unsigned(values: pl.Series, f: Field, _page: str) -> Bytes:
    return _big_endian(_numbers(values, 0, (1 << 8 * f.length) - 1), f.length)


def _signed_dtype(f: Field) -> pl.DataType:
    return pl.Int32() if f.length <= 2 else pl.Int64()


def _decode_signed(rows: Rows, f: Field, offset: int, _page: str) -> Column:
    unused = 64 - 8 * f.length
    signed = rows.uint(offset, f.length) << unused >> unused
    return Column(signed.astype(np.int32) if f.length <= 2 else signed)


def _encode_signed(values: pl.Series, f: Field, _page: str) -> Bytes:
    half = 1 << (8 * f.length - 1)
    return _big_endian(_numbers(values, -half, half - 1), f.length)


def _decode_text(rows: Rows, f: Field, offset: int, page: str) -> Any:
    return decode_text(rows.bytes_of(offset, f.length), page)


def _decode_bytes(rows: Rows, f: Field, offset: int, _page: str) -> Any:
    return binaries(rows.bytes_of(offset, f.length))


def _encode_bytes(values: pl.Series, f: Field, _page: str) -> Bytes:
    contents = [value or b"" for value in values.to_list()]
    if longer := [v for v in contents if len(v) > f.length]:
        raise ValueError(f"{values.name}: {longer[0]!r} is longer than {f.length} bytes")
    padded = b"".join(v.ljust(f.length, b"\0") for v in contents)
    return np.frombuffer(padded, np.uint8).reshape(len(values), f.length)


def _tod_us(rows: Rows, f: Field, offset: int) -> Ints:
    return rows.uint(offset, f.length) >> _TOD_PER_US


def _decode_stck(rows: Rows, f: Field, offset: int, _page: str) -> Column:
    """Return UTC moments from 1970 to 2112: the clock began in 1900, and starts again in 2042."""
    us = _tod_us(rows, f, offset) & _MOST_US
    moments = us + np.where(us < _EPOCH_1900_US, _MOST_US + 1, 0) - _EPOCH_1900_US
    return Column(moments, us == 0)


def _encode_stck(values: pl.Series, f: Field, _page: str) -> Bytes:
    us = values.cast(pl.Datetime("us")).cast(pl.Int64) + _EPOCH_1900_US
    us = us - (us > _MOST_US).cast(pl.Int64) * (_MOST_US + 1)
    return _big_endian(_numbers(us, 0, _MOST_US) << np.uint64(_TOD_PER_US), f.length)


def _decode_tod(rows: Rows, f: Field, offset: int, _page: str) -> Column:
    return Column(_tod_us(rows, f, offset))


def _encode_tod(values: pl.Series, f: Field, _page: str) -> Bytes:
    us = _numbers(values, -(_MOST_US + 1) // 2, _MOST_US // 2)
    return _big_endian(us << np.int64(_TOD_PER_US), f.length)


def _decode_ticks(rows: Rows, f: Field, offset: int, _page: str) -> Column:
    ticks = rows.uint(offset, f.length)
    if f.tick_us == 1:
        return Column(ticks)
    if f.tick_us == int(f.tick_us):
        return Column(ticks * int(f.tick_us))
    return Column(np.rint(ticks * f.tick_us).astype(np.int64))


def _encode_ticks(values: pl.Series, f: Field, _page: str) -> Bytes:
    most = (1 << min(8 * f.length, 63)) - 1
    us = _numbers(values, 0, round(most * f.tick_us) if f.tick_us != 1 else most)
    ticks = us if f.tick_us == 1 else np.rint(us / f.tick_us).astype(np.uint64)
    return _big_endian(ticks, f.length)


def _decode_bit(rows: Rows, f: Field, offset: int, _page: str) -> Column:
    byte, bit = divmod(f.bit or 0, 8)
    return Column(rows.data[:, offset + byte] & np.uint8(0x80 >> bit) != 0)


def _encode_bit(values: pl.Series, f: Field, _page: str) -> Bytes:
    byte, bit = divmod(f.bit or 0, 8)
    out = np.zeros((len(values), f.length), np.uint8)
    out[:, byte] = values.fill_null(value=False).to_numpy().astype(np.uint8) << np.uint8(7 - bit)
    return out


def _decode_bits(rows: Rows, f: Field, offset: int, _page: str) -> Column:
    byte, bit = divmod(f.bit or 0, 8)
    shifted = rows.data[:, offset + byte] >> np.uint8(8 - bit - f.width)
    return Column((shifted & np.uint8((1 << f.width) - 1)).astype(np.int32))


def _encode_bits(values: pl.Series, f: Field, _page: str) -> Bytes:
    byte, bit = divmod(f.bit or 0, 8)
    out = np.zeros((len(values), f.length), np.uint8)
    number = _numbers(values, 0, (1 << f.width) - 1).astype(np.uint8)
    out[:, byte] = number << np.uint8(8 - bit - f.width)
    return out


def _decode_date(rows: Rows, f: Field, offset: int, _page: str) -> Column:
    digit, sign = _packed_digits(rows, f, offset)
    year = 1900 + 100 * digit[:, 1] + 10 * digit[:, 2] + digit[:, 3]
    day = 100 * digit[:, 4] + 10 * digit[:, 5] + digit[:, 6]
    leap = (year % 4 == 0) & ((year % 100 != 0) | (year % 400 == 0))
    valid = (digit <= 9).all(axis=1) & (sign == 15) & (day >= 1) & (day <= 365 + leap)
    first = (np.where(valid, year, 1970) - 1970).astype("datetime64[Y]").astype("datetime64[D]")
    return Column((first.astype(np.int64) + day - 1).astype(np.int32), ~valid)


def _encode_date(values: pl.Series, f: Field, _page: str) -> Bytes:
    out = np.zeros((len(values), f.length), np.uint8)
    for day in values.drop_nulls().unique():  # a record batch has few different days
        number = f"0{(day.year - 1900) // 100}{day.year % 100:02}{day.timetuple().tm_yday:03}F"
        same = (values == day).fill_null(value=False).to_numpy()
        out[same] = np.frombuffer(bytes.fromhex(number), np.uint8)
    return out


def _decode_time(rows: Rows, f: Field, offset: int, _page: str) -> Column:
    hundredths = rows.uint(offset, f.length)
    return Column(hundredths * 10_000, hundredths >= _HUNDREDTHS_PER_DAY)


def _encode_time(values: pl.Series, f: Field, _page: str) -> Bytes:
    most = (1 << 8 * f.length) - 1
    return _big_endian(_numbers(values, 0, most * 10_000) // 10_000, f.length)


def _packed_digits(rows: Rows, f: Field, offset: int) -> tuple[Ints, Ints]:
    """Return the (n, digits) digits of packed decimal numbers, and their (n,) signs."""
    packed = rows.bytes_of(offset, f.length)
    half = np.stack([packed >> 4, packed & 15], axis=2).reshape(rows.count, 2 * f.length)
    return half[:, :-1].astype(np.int64), half[:, -1].astype(np.int64)


def _decode_packed(rows: Rows, f: Field, offset: int, _page: str) -> Column:
    digit, sign = _packed_digits(rows, f, offset)
    value: Ints = digit @ 10 ** np.arange(digit.shape[1] - 1, -1, -1, dtype=np.int64)
    negative = (sign == 0xB) | (sign == 0xD)
    return Column(np.where(negative, -value, value), ~((digit <= 9).all(axis=1) & (sign >= 10)))


def _encode_packed(values: pl.Series, f: Field, _page: str) -> Bytes:
    digits = 2 * f.length - 1
    number = _numbers(values, -(10**digits) + 1, 10**digits - 1)
    packed = _pack(np.abs(number), np.where(number < 0, 0xD, 0xF), f.length)
    return _zeros_for_nulls(values, packed)


def _pack(number: NDArray[Any], sign: NDArray[Any], length: int) -> Bytes:
    """Convert (n,) non-negative numbers to (n, length) bytes of packed decimal."""
    powers = 10 ** np.arange(2 * length - 2, -1, -1, dtype=np.int64)
    half: Bytes = np.column_stack([number[:, None] // powers % 10, sign]).astype(np.uint8)
    return half[:, ::2] << np.uint8(4) | half[:, 1::2]


def _zeros_for_nulls(values: pl.Series, packed: Bytes) -> Bytes:
    """Encode packed numbers; null becomes binary zeros, which no packed number is."""
    packed[values.is_null().to_numpy()] = 0
    return packed


def _clock(
    units: tuple[tuple[int, int, int], ...], most: tuple[int, ...]
) -> tuple[Callable[[Rows, Field, int, str], Column], Callable[[pl.Series, Field, str], Bytes]]:
    """Return decoder and encoder of a packed time with parts (first digit, digits, microseconds).

    The parts run from the largest unit; one that is not below its `most` makes the time invalid.
    """

    def decode(rows: Rows, f: Field, offset: int, _page: str) -> Column:
        digit, sign = _packed_digits(rows, f, offset)
        valid = (digit <= 9).all(axis=1) & (sign == 15)
        total = np.zeros(rows.count, np.int64)
        for (first, count, us), limit in zip(units, most, strict=True):
            part = digit[:, first : first + count] @ 10 ** np.arange(count - 1, -1, -1)
            valid &= part < limit
            total += part * us
        return Column(total, ~valid)

    def encode(values: pl.Series, f: Field, _page: str) -> Bytes:
        left = _numbers(values, 0, units[0][2] * most[0] - 1).astype(np.int64)
        number = np.zeros(len(values), np.int64)
        for first, count, us in units:
            number += left // us * 10 ** (7 - first - count)
            left %= us
        return _zeros_for_nulls(values, _pack(number, np.full(len(values), 15), f.length))

    return decode, encode


_SECOND = 1_000_000
_decode_rmf_time, _encode_rmf_time = _clock(
    ((1, 2, 3600 * _SECOND), (3, 2, 60 * _SECOND), (5, 2, _SECOND)), (24, 60, 60)
)
_decode_rmf_interval, _encode_rmf_interval = _clock(
    ((0, 2, 60 * _SECOND), (2, 2, _SECOND), (4, 3, 1000)), (100, 60, 1000)
)
_decode_rmf_cycle, _encode_rmf_cycle = _clock(((3, 4, 1000),), (10_000,))


def _decode_offset(rows: Rows, f: Field, offset: int, _page: str) -> Column:
    return Column(rows.uint(offset, f.length) >> _TOD_PER_US)


def _encode_offset(values: pl.Series, f: Field, _page: str) -> Bytes:
    half = 1 << 63 - _TOD_PER_US
    return _big_endian(_numbers(values, -half, half - 1) << _TOD_PER_US, f.length)


def _decode_etod(rows: Rows, f: Field, offset: int, _page: str) -> Column:
    us = rows.uint(offset, f.length) << _ETOD_US_BITS
    return Column(us - _EPOCH_1900_US, us == 0)


def _encode_etod(values: pl.Series, f: Field, _page: str) -> Bytes:
    us = values.cast(pl.Datetime("us")).cast(pl.Int64) + _EPOCH_1900_US
    return _big_endian(_numbers(us, 0, (1 << 60) - 1) >> np.uint64(_ETOD_US_BITS), f.length)


def _decode_hexfloat(rows: Rows, f: Field, offset: int, _page: str) -> Column:
    bits = 8 * f.length - 8  # of the fraction
    value = rows.uint(offset, f.length)
    top = value >> bits
    fraction = (value & ((1 << bits) - 1)).astype(np.float64)
    magnitude = np.ldexp(fraction, 4 * ((top & 0x7F) - 64) - bits)
    return Column(np.where(top & 0x80, -magnitude, magnitude))


def _encode_hexfloat(values: pl.Series, f: Field, _page: str) -> Bytes:
    bits = 8 * f.length - 8
    number = values.cast(pl.Float64).fill_null(0.0).to_numpy()
    if not np.isfinite(number).all():
        raise ValueError(f"{values.name}: hexadecimal floating point has no infinity and no NaN")
    mantissa, exponent = np.frexp(np.abs(number))
    digits = -(-exponent // 4)  # powers of 16
    fraction = np.rint(np.ldexp(mantissa, bits + exponent - 4 * digits)).astype(np.int64)
    carried = fraction >> bits != 0
    fraction = np.where(carried, fraction >> 4, fraction)
    digits = np.where(carried, digits + 1, digits)
    if (digits > _HEX_MOST).any():
        raise ValueError(f"{values.name}: {np.abs(number).max()} is beyond 16**{_HEX_MOST}")
    present = (number != 0) & (digits >= -64)
    top = np.where(number < 0, 0x80, 0) | np.clip(digits + 64, 0, 0x7F)
    return _big_endian(np.where(present, top << bits | fraction, 0), f.length)


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
    # An unsigned number of more than 8 bytes is stored unchanged and shown as the nearest double.
    "wide": Kind(
        _constant(pl.Binary()),
        _decode_bytes,
        _encode_bytes,
        lambda _f: "DOUBLE",
        "('0x' || hex({0})[:-17])::UBIGINT * 18446744073709551616::DOUBLE"
        " + ('0x' || hex({0})[-16:])::UBIGINT",
    ),
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
    "bits": Kind(_constant(pl.Int32()), _decode_bits, _encode_bits, lambda _f: "INTEGER"),
    "date": Kind(_constant(pl.Date()), _decode_date, _encode_date, lambda _f: "DATE"),
    "offset": Kind(
        _constant(pl.Int64()),
        _decode_offset,
        _encode_offset,
        lambda _f: "INTERVAL",
        "to_microseconds({})",
    ),
    "etod": Kind(_constant(pl.Datetime("us")), _decode_etod, _encode_etod, lambda _f: "TIMESTAMP"),
    "hexfloat": Kind(
        _constant(pl.Float64()), _decode_hexfloat, _encode_hexfloat, lambda _f: "DOUBLE"
    ),
    "packed": Kind(_constant(pl.Int64()), _decode_packed, _encode_packed, lambda _f: "BIGINT"),
    "rmf_time": Kind(
        _constant(pl.Int64()),
        _decode_rmf_time,
        _encode_rmf_time,
        lambda _f: "TIME",
        "TIME '00:00:00' + to_microseconds({})",
    ),
    "rmf_interval": Kind(
        _constant(pl.Int64()),
        _decode_rmf_interval,
        _encode_rmf_interval,
        lambda _f: "INTERVAL",
        "to_microseconds({})",
    ),
    "rmf_cycle": Kind(
        _constant(pl.Int64()),
        _decode_rmf_cycle,
        _encode_rmf_cycle,
        lambda _f: "INTERVAL",
        "to_microseconds({})",
    ),
    "time": Kind(
        _constant(pl.Int64()),
        _decode_time,
        _encode_time,
        lambda _f: "TIME",
        "TIME '00:00:00' + to_microseconds({})",
    ),
}
