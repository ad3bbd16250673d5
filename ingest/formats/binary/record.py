"""How the sections of a record are found, as data.

An SMF record is a header, a self-defining area of pointers, and the sections that they point to.
Offsets count from the first byte of the record descriptor word.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ingest.formats.binary.layout import Field, Layout

__all__ = ["EntryList", "Inside", "Located", "RecordLayout", "VariablePart"]


@dataclass(frozen=True, slots=True)
class VariablePart:
    """A part of a section whose position and length are given in the section itself.

    `prefix` begins the names of the two fields for them: `<prefix>_offset`, from the start of the
    section, and `<prefix>_length`. `kind` is "text" or "bytes".
    """

    name: str
    prefix: str
    kind: Literal["text", "bytes"]
    note: str


@dataclass(frozen=True, slots=True)
class EntryList:
    """Entries of variable length, one after another, in a section.

    `<prefix>_offset`, from the start of the section, finds the first; the field `count` has their
    number. An entry is its length (a fullword that does not count itself) and a text of that
    length. Each entry is a row of `layout.table`, with the length as first field and the text as
    second.
    """

    prefix: str
    count: str
    layout: Layout
    text: Field


@dataclass(frozen=True, slots=True)
class Inside:
    """A pointer inside another section of the record, given by the names of that section's fields.

    `offset` counts from `base`: the first byte of the record, or of the section that contains the
    pointer. `length` is a field of the same section or, with `length_in`, of the section that it
    was found from; or it is a number of bytes. Without `number` the pointer leads to one section.
    `next` is the field of the found section that points to the next one; 0 ends the chain.
    """

    parent: Layout
    offset: str
    length: str | int
    number: str = ""
    length_in: Layout | None = None
    base: Literal["record", "section"] = "record"
    next: str = ""


@dataclass(frozen=True, slots=True)
class Located:
    """A section's layout and the pointer that finds it.

    `at` is the pointer's index in the record, or a pointer inside a section that was located
    earlier; rows of such a section have the other's number in `parent_no`. With `chain` the pointer
    leads to consecutive blocks, each beginning with its length (2 bytes) and its type (1 byte at
    offset 2): the section is the block of that type, or for type 0 the one that no other section of
    the record claims. With `word` the blocks may be preceded by these bytes instead of the first
    block, or the bytes may be all there is; the first two, where a block has its length, identify
    them. With `only_length` the layout applies only to sections of that many bytes.

    With `text` the sections have no common length: the pointer has the length of all of them, and
    each consists of the layout's fields, the first of which is the length of the text that follows.
    """

    layout: Layout
    at: int | Inside
    chain: int | None = None
    word: bytes = b""
    parts: tuple[VariablePart, ...] = ()
    entries: EntryList | None = None
    only_length: int = 0
    text: Field | None = None

    @property
    def place(self) -> tuple[str, int | str]:
        """Where the pointer is: the section's table and the field, or the pointer's index."""
        return (
            (self.at.parent.table, self.at.offset) if isinstance(self.at, Inside) else ("", self.at)
        )

    @property
    def notes(self) -> dict[str, str]:
        """Columns of variable length, in addition to the layout's, and their notes."""
        extra = {self.text.name: self.text.note} if self.text else {}
        return extra | {part.name: part.note for part in self.parts}


@dataclass(frozen=True, slots=True)
class RecordLayout:
    """One subtype of a record type, or -1 if it has none: its header and where its sections are.

    `pointers` are the offsets of the pointers in the self-defining area, in order; a record that
    lacks the last ones is cut at its first section. A pointer is a triplet (offset, length, number:
    4, 2 and 2 bytes) or a doublet (offset and length, 4 bytes each). The targets of the pointers
    whose indexes are in `undocumented` are kept raw. The target of the first pointer follows all
    others unless `product_first`. `title` describes the record if the titles of its sections would
    be too many, or if it has none.
    """

    record_type: int
    subtype: int
    header: Layout
    pointers: tuple[int, ...]
    sections: tuple[Located, ...]
    undocumented: tuple[int, ...] = ()
    pointer: Literal["triplet", "doublet"] = "triplet"
    product_first: bool = False
    title: str = ""

    def lengths(self, located: Located) -> list[int]:
        """Return the lengths that decide the layout of the sections that a pointer leads to."""
        return [s.only_length for s in self.sections if s.only_length and s.place == located.place]

    @property
    def runs(self) -> frozenset[int]:
        """The pointers whose length is that of all their sections."""
        return frozenset(s.at for s in self.sections if s.text and isinstance(s.at, int))

    @property
    def area(self) -> int:
        """Offset of the self-defining area, or the header's end if there is none."""
        return self.pointers[0] if self.pointers else self.header.length
