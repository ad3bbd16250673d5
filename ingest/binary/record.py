"""How the sections of a record are found, as data.

An SMF record is a header, a self-defining area of pointers, and the sections that they point to.
Offsets count from the first byte of the record descriptor word.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ingest.binary.layout import Field, Layout

__all__ = ["EntryList", "Located", "RecordLayout", "VariablePart"]


@dataclass(frozen=True, slots=True)
class VariablePart:
    """A part of a section whose place and length the section itself tells.

    `prefix` begins the names of the two fields that do: `<prefix>_offset`, from the section's
    start, and `<prefix>_length`. `kind` is "text" or "bytes".
    """

    name: str
    prefix: str
    kind: Literal["text", "bytes"]
    note: str


@dataclass(frozen=True, slots=True)
class EntryList:
    """Entries of variable length, one behind the other, in a section.

    `<prefix>_offset`, from the section's start, finds the first; the field `count` says how many
    there are. An entry is its length (a fullword that does not count itself) and as much text.
    Each entry is a row of `layout.table`, the length its first field and the text its second.
    """

    prefix: str
    count: str
    layout: Layout
    text: Field


@dataclass(frozen=True, slots=True)
class Located:
    """A section's layout and the pointer that finds it.

    `triplet` is the pointer's index in the self-defining area. With `chain` the pointer leads to
    blocks that follow one another, each beginning with its length (2 bytes) and its type (1 byte
    at offset 2): the section is the block of that type; of type 0, the one that no other section
    of the record claims.
    """

    layout: Layout
    triplet: int
    chain: int | None = None
    parts: tuple[VariablePart, ...] = ()
    entries: EntryList | None = None


@dataclass(frozen=True, slots=True)
class RecordLayout:
    """One subtype of a record type: its header and where its sections are.

    `triplets` is the number of pointers in the self-defining area, which begins at
    `triplet_base`; a record that lacks the last ones is cut at its first section. A pointer is a
    triplet (offset, length, number: 4, 2 and 2 bytes) or a doublet (offset and length, 4 bytes
    each). What the pointers in `undocumented` lead to is kept raw.
    """

    record_type: int
    subtype: int
    header: Layout
    triplets: int
    sections: tuple[Located, ...]
    triplet_base: int = 28
    undocumented: tuple[int, ...] = ()
    pointer: Literal["triplet", "doublet"] = "triplet"
