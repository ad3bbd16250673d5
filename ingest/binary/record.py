"""How the sections of a record are found, as data.

An SMF record is a header, a self-defining area of pointers, and the sections that they point to.
Offsets count from the first byte of the record descriptor word.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ingest.binary.layout import Field, Layout

__all__ = ["EntryList", "Inside", "Located", "RecordLayout", "VariablePart"]


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
class Inside:
    """A pointer that stands in another section of the record, as names of that section's fields.

    `offset` counts from `base`: the record's first byte, or that of the section which holds the
    pointer. `length` is a field of the same section, or, with `length_in`, of the one that this
    one was found from; or it is a number of bytes. Without `number` the pointer leads to one
    section. `next` is the field of the found section that leads on to the next one, as `offset`
    did to the first; 0 ends the chain.
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

    `at` is the pointer's index among the record's, or a pointer inside a section that was located
    before this one; rows of such a section have the other's number in `parent_no`. With `chain`
    the pointer leads to blocks that follow one another, each beginning with its length (2 bytes)
    and its type (1 byte at offset 2): the section is the block of that type; of type 0, the one
    that no other section of the record claims. With `only_length` the layout is that of sections
    of just this many bytes.

    With `text` the sections have no common length: the pointer tells that of all of them, and each
    is its layout's fields, the first of which is the length of the text that follows them.
    """

    layout: Layout
    at: int | Inside
    chain: int | None = None
    parts: tuple[VariablePart, ...] = ()
    entries: EntryList | None = None
    only_length: int = 0
    text: Field | None = None

    @property
    def place(self) -> tuple[str, int | str]:
        """Where the pointer stands: the section's table and the field, or the pointer's index."""
        return (
            (self.at.parent.table, self.at.offset) if isinstance(self.at, Inside) else ("", self.at)
        )

    @property
    def notes(self) -> dict[str, str]:
        """Columns beside the layout's, whose length the record tells, and their notes."""
        extra = {self.text.name: self.text.note} if self.text else {}
        return extra | {part.name: part.note for part in self.parts}


@dataclass(frozen=True, slots=True)
class RecordLayout:
    """One subtype of a record type: its header and where its sections are.

    `pointers` are the offsets of the pointers in the self-defining area, in order; a record that
    lacks the last ones is cut at its first section. A pointer is a triplet (offset, length,
    number: 4, 2 and 2 bytes) or a doublet (offset and length, 4 bytes each). What the pointers
    whose indexes are in `undocumented` lead to is kept raw. `title` says what the record is, where
    the titles of its sections would be too many.
    """

    record_type: int
    subtype: int
    header: Layout
    pointers: tuple[int, ...]
    sections: tuple[Located, ...]
    undocumented: tuple[int, ...] = ()
    pointer: Literal["triplet", "doublet"] = "triplet"
    title: str = ""

    def lengths(self, located: Located) -> list[int]:
        """The lengths that decide on the layout of the sections that a pointer leads to."""
        return [s.only_length for s in self.sections if s.only_length and s.place == located.place]

    @property
    def runs(self) -> frozenset[int]:
        """The pointers whose length is that of all their sections."""
        return frozenset(s.at for s in self.sections if s.text and isinstance(s.at, int))

    @property
    def area(self) -> int:
        """Where the self-defining area begins."""
        return self.pointers[0]
