"""A view of one raw table, in which fields have plain names and units."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["KEYS", "View"]

#: Columns that many views have, under the same name as the raw table.
KEYS = {
    "source_id": "Source file of the record, identified by the SHA-256 of its content (hexadecimal). "
    "Unit: none. Source: raw.ledger.source_id.",
    "record_no": "Position of the logical record in its source file, from 1, including header and "
    "trailer records. Unit: records. Source: the loader.",
    "section_no": "Position of the section within its record and table, from 1. Unit: sections. "
    "Source: the loader.",
}


@dataclass(frozen=True, slots=True)
class View:
    """The view staging.<name> of raw.<table>.

    columns: (field, plain name), or the name alone if both are the same. The name says the unit: an
    interval becomes seconds in `..._seconds` and microseconds in `..._us`. The text is that of the
    field in its Layout or parser, or of a key that many views have. Instead of a field, SQL may say
    how its value is converted: blanks to NULL, bytes to hexadecimal digits. Then a third value is
    the text: meaning, unit, and source unless that is what the SQL names.
    where: SQL for the rows that the view has; all of them if empty.
    """

    name: str
    table: str
    title: str
    columns: tuple[str | tuple[str, ...], ...]
    where: str = ""
