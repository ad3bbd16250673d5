"""Which records perfhouse decodes, and the raw tables and columns that they become."""

from __future__ import annotations

import re
from functools import lru_cache

import polars as pl

from ingest.formats.binary.layout import Field, Layout
from ingest.formats.binary.record import RecordLayout
from ingest.formats.binary.records import ANY_SUBTYPE, OPAQUE, RECORD_TABLE, table_schemas
from ingest.formats.binary.section import sql_columns
from ingest.formats.layouts import AMS_RECORD, LAYOUTS, RECORDS
from ingest.formats.names import KEYS, View
from ingest.formats.parsers import PARSERS
from ingest.lake import rolled

__all__ = [
    "LEDGER_SCHEMAS",
    "codes",
    "describe_record",
    "plain_columns",
    "raw_columns",
    "raw_schemas",
    "smf_catalogue",
    "title",
]

_UTC = pl.Datetime("us")
#: The units of plain names, by their ends; other values keep the unit of their field.
_UNITS = {
    "_seconds": "seconds",
    "_us": "microseconds",
    "_utc": "timestamp, UTC",
    "_local": "timestamp, local",
}
_WORD = re.compile(r"'[^']*'|[a-z_]\w*")  # of SQL
LEDGER_SCHEMAS: dict[str, dict[str, pl.DataType]] = {
    "ledger": {
        "source_id": pl.String(),
        "path": pl.String(),
        "origin": pl.String(),
        "kind": pl.String(),
        "bytes": pl.Int64(),
        "stored_bytes": pl.Int64(),
        "framing": pl.String(),
        "compression": pl.String(),
        "decoder_version": pl.String(),
        "decoder": pl.String(),
        "code_page": pl.String(),
        "ams_type": pl.Int32(),
        "about": pl.String(),
        "loaded_at": _UTC,
        "status": pl.String(),
        "records": pl.Int64(),
        "records_loaded": pl.Int64(),
        "records_quarantined": pl.Int64(),
    },
    "ledger_count": {
        "source_id": pl.String(),
        "record_type": pl.Int32(),
        "record_subtype": pl.Int32(),
        "records": pl.Int64(),
        "sections": pl.Int64(),
        "extra_bytes": pl.Int64(),
    },
    "ledger_day": {
        "source_id": pl.String(),
        "first_day": pl.Date(),
        "last_day": pl.Date(),
        "first_record_no": pl.Int64(),
        "last_record_no": pl.Int64(),
    },
    "ledger_rolled": {
        "source_id": pl.String(),
        "path": pl.String(),
        "kind": pl.String(),
        "bytes": pl.Int64(),
        "records": pl.Int64(),
        "loaded_at": _UTC,
        "rolled_until": _UTC,
        "rolled_into": pl.String(),
        "removed_at": _UTC,
    },
    "quarantine": {
        "source_id": pl.String(),
        "path": pl.String(),
        "record_no": pl.Int64(),
        "file_offset": pl.Int64(),
        "record_type": pl.Int32(),
        "record_subtype": pl.Int32(),
        "reason": pl.String(),
        "content": pl.Binary(),
    },
}


@lru_cache
def smf_catalogue(ams_type: int = 180) -> dict[tuple[int, int], RecordLayout]:
    """Return (type, subtype) -> layout; `ams_type` is the record type of AMS at the site."""
    records = {(r.record_type, r.subtype): r for r in RECORDS}
    return records | {(ams_type, ANY_SUBTYPE): AMS_RECORD}


@lru_cache
def raw_schemas() -> dict[str, dict[str, pl.DataType]]:
    """Return the columns of every raw table and their Polars types, as stored in Parquet."""
    tables = dict(LEDGER_SCHEMAS)
    key = {"source_id": pl.String()}
    tables[rolled.TABLE] = key | rolled.schema()
    tables |= {name: key | columns for name, columns in table_schemas(smf_catalogue()).items()}
    for parser in PARSERS:
        tables |= {name: key | dict(columns) for name, columns in parser.SCHEMAS.items()}
    return tables


def describe_record(record_type: int, subtype: int | None) -> str:
    """Return a short description of a record type: its title, or those of its sections."""
    dump = {2: "dump header", 3: "dump trailer"}.get(record_type)
    if dump:
        return dump
    catalogue = smf_catalogue()
    record = catalogue.get((record_type, -1 if subtype is None else subtype))
    record = record or catalogue.get((record_type, ANY_SUBTYPE))
    if record is None:
        return "counted, not decoded"
    titles = [s.layout.title for s in record.sections if s.chain is None]
    return record.title or "; ".join(dict.fromkeys(titles))


def _layouts_of(table: str) -> list[Layout]:
    return [layout for layout in LAYOUTS if layout.table == table]


def raw_columns(table: str) -> list[tuple[str, str, str]]:
    """Return (name, SQL expression over the stored column, comment) of each column of a table."""
    shown = {
        name: (f'"{name}"', note)
        for parser in PARSERS
        for name, note in parser.COLUMN_DOCS.get(table, {}).items()
    }
    shown |= {name: (f'"{name}"', note) for name, note in _variable_notes(table)}
    for layout in _layouts_of(table):
        notes = {f.name: _comment(f) for f in layout.fields}
        for name, expression, _type in sql_columns(layout):
            shown.setdefault(name, (expression, notes[name]))
    columns = []
    for name in raw_schemas()[table]:
        expression, note = shown.get(name, (f'"{name}"', _COMMON_NOTES.get(name, "")))
        columns.append((name, expression, note))
    return columns


def plain_columns(view: View) -> list[tuple[str, str, str]]:
    """Return (name, SQL expression over the raw table's columns, comment) of a plain view."""
    fields: dict[str, tuple[Field, str]] = {}
    for layout in _layouts_of(view.table):
        for name, _, kind in sql_columns(layout):
            fields.setdefault(name, (layout.by_name[name], kind))
    notes = {name: note for name, _, note in raw_columns(view.table)}
    columns = []
    for column in view.columns:
        sql, name, *given = (column, column) if isinstance(column, str) else column
        field, kind = fields.get(sql, (None, ""))
        text = given[0] if given else _text(sql, name, field, notes[sql])
        if "Unit:" in text and "Source:" not in text:
            read = dict.fromkeys(word for word in _WORD.findall(sql) if word in notes)
            text += f" Source: {', '.join(read).upper()}."
        columns.append((name, _plain(sql, name, field, kind), text))
    return columns


def _text(column: str, name: str, field: Field | None, note: str) -> str:
    """Return what the raw table says of a column, with the unit of its plain name."""
    if field is None:
        is_key = column in KEYS and note == _COMMON_NOTES[column]
        return KEYS[column] if is_key else note
    unit = next((unit for end, unit in _UNITS.items() if name.endswith(end)), field.unit)
    unit = unit or ("boolean" if field.kind == "bit" else "none")
    return f"{field.note[0].upper()}{field.note[1:]}. Unit: {unit}."


def _plain(sql: str, name: str, field: Field | None, kind: str) -> str:
    """Return SQL for a field in the unit that its plain name implies; other SQL unchanged."""
    if kind == "INTERVAL" and name.endswith("_seconds"):
        return f"epoch({sql})"
    if kind == "INTERVAL" and name.endswith("_us"):
        return f"epoch_us({sql})"
    is_number = field is not None and field.kind in {"unsigned", "signed"} and not field.shape
    if field and is_number and field.length == 8 and not name.endswith("_64bit"):
        # A value beyond 2^53 is corrupt: one bad byte must not overflow a sum over good records.
        return f"CASE WHEN {sql} BETWEEN 0 AND {1 << 53} - 1 THEN {sql}::BIGINT END"
    return sql


def _variable_notes(table: str) -> list[tuple[str, str]]:
    """Return names and notes of the columns whose length is stored in the record."""
    located = [s for record in smf_catalogue().values() for s in record.sections]
    notes = [note for s in located if s.layout.table == table for note in s.notes.items()]
    entries = [s.entries for s in located if s.entries and s.entries.layout.table == table]
    return notes + [(e.text.name, e.text.note) for e in entries]


def title(table: str) -> str:
    """Return the description of a raw table."""
    layouts = _layouts_of(table)
    if layouts:
        return f"{layouts[0].title} ({layouts[0].source})"
    return next((p.TITLES[table] for p in PARSERS if table in p.TITLES), _TITLES.get(table, ""))


def codes() -> list[tuple[str, str, int, str]]:
    """Return the documented values of code columns: table, column, code, label."""
    labels = {
        (layout.table, f.name, code): label
        for layout in LAYOUTS
        for f in layout.fields
        for code, label in (f.codes or {}).items()
    }
    return [(*key, label) for key, label in labels.items()]


def _comment(f: Field) -> str:
    unit = f" [{f.unit}]" if f.unit else ""
    values = "; ".join(f"{code} {label}" for code, label in (f.codes or {}).items())
    return f"{f.note}{unit}" + (f" ({values})" if values else "")


_TITLES = {
    RECORD_TABLE: "One row per SMF record of any type",
    OPAQUE: "One row per section whose layout is not documented",
    "ledger": "One row per load of a source file",
    "ledger_count": "One row per load, record type and subtype",
    "ledger_day": "One row per load and consecutive records of the same days",
    "ledger_rolled": "One row per load and roll-up that its records are in",
    rolled.TABLE: rolled.TITLE,
    "quarantine": "One row per part of a source file that could not be loaded",
}
_COMMON_NOTES = {
    "source_id": "SHA-256 of the source file's unpacked content, or of the file itself if not all "
    "of it can be unpacked",
    "record_no": "position of the record in the source file, from 1",
    "section_no": "position of the section in its record, from 1",
    "parent_no": "section_no of the section that points to this one",
    "file_offset": "where the record begins in the unpacked file [bytes]",
    "length": "length of the record with its descriptor word [bytes]",
    "record_type": "SMF record type",
    "record_subtype": "SMF record subtype",
    "system_id": "system that wrote the record",
    "subsystem_id": "subsystem that wrote the record",
    "smf_time": "when SMF took the record, local time of the system",
    "content_hash": "XXH3 of the record after its descriptor word, 64 bits: equal in all copies; "
    "null: an earlier release",
    "triplet_no": "index of the pointer that leads to the section, from 0",
    "content": "the bytes, not decoded",
    "reason": "why this part could not be loaded",
    "path": "where the file was found",
    "origin": "measured, simulated or published",
    "kind": "kind of file, detected from its content",
    "bytes": "size of the unpacked content [bytes]",
    "stored_bytes": "size of the file on disk [bytes]",
    "framing": "how records are delimited: rdw, bdw or none",
    "compression": "none, gzip or zstd",
    "decoder_version": "version of perfhouse that decoded the file",
    "decoder": "digest of what decoded the file: layouts or parser; null: an earlier release",
    "code_page": "EBCDIC code page that text in SMF records was read with",
    "ams_type": "SMF record type that was read as AMS",
    "about": "what was known of a file of results besides its content, as JSON: labels, columns, "
    "zone, time of change; null: not used",
    "loaded_at": "when the load began, UTC",
    "status": "loaded, partly or quarantined",
    "records": "records found",
    "records_loaded": "records that were decoded, or are of a type that is only counted",
    "records_quarantined": "records and damaged parts that were set aside",
    "sections": "sections decoded",
    "first_day": "earliest day of the records, local in SMF, otherwise as the file gives its "
    "times; null if nothing in the file has a time",
    "last_day": "latest day of the records",
    "first_record_no": "first record of the range",
    "last_record_no": "last record of the range",
    "rolled_until": "hours before this are in raw.usage_hour, UTC",
    "rolled_into": "source_id of the roll-up",
    "removed_at": "when the load was removed, UTC; null: it was kept",
    **rolled.NOTES,
    "extra_bytes": "bytes that only a newer release of the product defines [bytes]",
}
