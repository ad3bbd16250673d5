"""Layouts as data: what a section of a record looks like, in the manual's names and order.

A `Layout` serves decoding, encoding, the table's columns and their documentation, and the tests of
sizes. It knows no file, database or codec: a field only names its kind (see `kinds`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import prod

__all__ = ["Field", "Layout", "LayoutError", "Repeat"]


_ANY = range(1, 1 << 16)
# The kinds in `kinds.KINDS`, and how many bytes an element may have.
_LENGTHS: Mapping[str, range] = {
    "unsigned": range(1, 9),
    "signed": range(1, 9),
    "text": _ANY,
    "bytes": _ANY,
    "stck": range(8, 9),
    "tod": range(8, 9),
    "ticks": range(1, 9),
    "bit": _ANY,
    "bits": _ANY,
    "wide": range(9, 17),
    "date": range(4, 5),
    "time": range(4, 5),
    "offset": range(8, 9),
    "etod": range(6, 7),
    "hexfloat": range(4, 9, 4),
    "packed": range(1, 10),
    "rmf_time": range(4, 5),
    "rmf_interval": range(4, 5),
    "rmf_cycle": range(4, 5),
}


class LayoutError(ValueError):
    """A layout contradicts itself: misplaced bits, an overlap, a field beyond the end."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a section.

    `offset` and `length` are in bytes from the start of the section; `kind` names an entry of
    `kinds.KINDS`. An array has a `shape` and as many `strides` (bytes from one element to the next,
    outermost first); `length` remains that of one element. `bit` is the position of a flag in the
    field, 0 being the leftmost; a "bits" field is the number made of `width` bits from `bit` on.
    `tick_us` is the length in microseconds of one unit of a "ticks" field. `unit` is what the
    stored number counts; `codes` are the documented values of a code.
    """

    name: str
    offset: int
    length: int
    kind: str
    note: str
    unit: str = ""
    shape: tuple[int, ...] = ()
    strides: tuple[int, ...] = ()
    bit: int | None = None
    width: int = 1
    tick_us: float = 1.0
    codes: Mapping[int, str] | None = None

    @property
    def end(self) -> int:
        """First byte after the last element of the field."""
        return (
            self.offset
            + sum((n - 1) * s for n, s in zip(self.shape, self.strides, strict=True))
            + self.length
        )

    @property
    def size(self) -> int:
        """Number of elements: 1 for a scalar."""
        return prod(self.shape)


@dataclass(frozen=True, slots=True)
class Repeat:
    """A section that is a header and `count` equal entries, each of which is a row.

    `offset` is that of the first entry, `stride` the distance between entries. An entry whose
    `present` field is blank or zero is not in use and gives no row.
    """

    offset: int
    count: int
    stride: int
    present: str


@dataclass(frozen=True, slots=True)
class Layout:
    """One section of a record type, as described for one release.

    `table` is the raw table that holds its rows; `length` is the newest release's length in bytes.
    A shorter section lacks the fields beyond its end; extra bytes of a longer one are ignored.
    `eyecatcher` is the constant text at `eyecatcher_at`, if the section has one. With `repeat`,
    field offsets count from the start of the entry.
    """

    table: str
    title: str
    source: str
    length: int
    fields: tuple[Field, ...]
    eyecatcher: str = ""
    eyecatcher_at: int = 4
    min_length: int = 0
    repeat: Repeat | None = None
    by_name: Mapping[str, Field] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_name", {f.name: f for f in self.fields})

    @property
    def row_length(self) -> int:
        """Bytes that contain the fields of one row: the section, or one entry of it."""
        return self.repeat.stride if self.repeat else self.length

    def verify(self) -> None:
        """Raise LayoutError if the layout contradicts itself; the tests ask every layout."""
        if len(self.by_name) != len(self.fields):
            raise LayoutError(f"{self.table}: a field name occurs twice")
        taken: dict[int, list[tuple[int, str]]] = {}  # byte -> its bits in use, and by which field
        for f in self.fields:
            self._verify_field(f)
            for byte, bits in _bits(f):
                for others, rival in taken.setdefault(byte, []):
                    if bits & others:
                        raise LayoutError(f"{self.table}.{f.name}: overlaps {rival}")
                taken[byte].append((bits, f.name))

    def _verify_field(self, f: Field) -> None:
        name = f"{self.table}.{f.name}"
        if f.kind not in _LENGTHS:
            raise LayoutError(f"{name}: no kind {f.kind}")
        if f.length not in _LENGTHS[f.kind]:
            raise LayoutError(f"{name}: {f.length} bytes are no {f.kind}")
        if len(f.shape) != len(f.strides):
            raise LayoutError(f"{name}: shape and strides differ in rank")
        if f.offset < 0 or f.end > self.row_length:
            raise LayoutError(f"{name}: from {f.offset} to {f.end} is beyond {self.row_length}")
        if (f.bit is not None) != (f.kind in {"bit", "bits"}):
            raise LayoutError(f"{name}: a bit has a place, and nothing else has one")
        if f.bit is not None and not 0 <= f.bit < f.bit + f.width <= 8 * f.length:
            raise LayoutError(f"{name}: bit {f.bit} outside {f.length} bytes")
        if f.width != 1 and (f.kind != "bits" or f.bit is None or f.bit // 8 != _last(f) // 8):
            raise LayoutError(f"{name}: only bits of one byte make a number")


def _last(f: Field) -> int:
    """Return the position of the last of a field's bits."""
    return (f.bit or 0) + f.width - 1


def _mask(width: int) -> int:
    return (1 << width) - 1


def _bits(f: Field) -> Iterator[tuple[int, int]]:
    """Return the bytes that a field has bits in, and which bits."""
    for start in _element_offsets(f):
        if f.bit is not None:
            yield start + f.bit // 8, _mask(f.width) << (7 - _last(f) % 8)
        else:
            yield from ((byte, 0xFF) for byte in range(start, start + f.length))


def _element_offsets(f: Field) -> list[int]:
    offsets = [f.offset]
    for n, stride in zip(f.shape, f.strides, strict=True):
        offsets = [o + i * stride for o in offsets for i in range(n)]
    return offsets
