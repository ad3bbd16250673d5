"""Files to frames, without a warehouse."""

from __future__ import annotations

import io
import os
from pathlib import Path

import duckdb
import polars as pl
from polars.datatypes import DataTypeClass

from ingest.base.errors import SourceError
from ingest.formats.binary.framing import Framing, Readable, detect_framing, read_batches
from ingest.formats.binary.records import decode_batch
from ingest.formats.parsers import find_parser
from ingest.formats.sources import HEAD, open_source
from ingest.formats.text.parser import Parser
from ingest.formats.zeros import PAGE, leading_zeros
from ingest.lake.answers import data_frame
from ingest.lake.catalogue import raw_columns, smf_catalogue

QUARANTINE = "quarantine"
_SCHEMA = {"record_no": pl.Int64(), "file_offset": pl.Int64(), "reason": pl.String()}

_Tables = dict[str, pl.DataFrame]
_Damage = tuple[int, int | None, str]


def decode_dump(
    dump: bytes | str | os.PathLike[str], code_page: str, ams_type: int
) -> dict[str, pl.DataFrame]:
    """Return the tables of a file as the views of `raw` show them, and its damaged parts."""
    if isinstance(dump, bytes):
        content = memoryview(dump)
        start = content[leading_zeros(content) // PAGE * PAGE :]
        heads = dump[:HEAD], bytes(start[:HEAD]), len(start) <= HEAD
        tables, damage = _tables(*heads, io.BytesIO(dump), code_page, ams_type)
    else:
        with open_source(Path(dump)) as source:
            heads = source.head, source.start, source.start_is_all
            tables, damage = _tables(*heads, source, code_page, ams_type)
            if fault := source.identity().fault:
                damage.append((0, None, fault))
    with duckdb.connect() as db:
        shown = {name: _as_raw(db, name, rows) for name, rows in tables.items()}
    return shown | {QUARANTINE: pl.DataFrame(damage, _SCHEMA, orient="row")}


def _tables(
    head: bytes,
    start: bytes,
    start_is_all: bool,
    stream: io.RawIOBase | io.BytesIO,
    code_page: str,
    ams_type: int,
) -> tuple[_Tables, list[_Damage]]:
    if parser := find_parser(head):
        return _text(stream.read() or b"", parser[0])
    framing = detect_framing(start, whole=start_is_all, records=smf_catalogue(ams_type))
    if framing is None:
        raise SourceError("not an SMF dump, RMF report or benchmark output of a known kind")
    return _smf(stream, framing, code_page, ams_type)


def _text(content: bytes, parser: Parser) -> tuple[_Tables, list[_Damage]]:
    parsed = parser.parse(content)
    tables = {name: rows for name, rows in parsed.tables.items() if rows.height}
    return tables, [
        (r.line if r.record_no is None else r.record_no, None, r.reason) for r in parsed.rejected
    ]


def _smf(
    stream: Readable, framing: Framing, code_page: str, ams_type: int
) -> tuple[_Tables, list[_Damage]]:
    catalogue = smf_catalogue(ams_type)
    pieces: dict[str, list[pl.DataFrame]] = {}
    damage: list[_Damage] = []
    for batch in read_batches(stream, framing, records=catalogue):
        decoded = decode_batch(batch, catalogue, code_page)
        for name, rows in decoded.tables.items():
            if rows.height:
                pieces.setdefault(name, []).append(rows)
        damage += [(d.record_no, d.file_offset, d.reason) for d in batch.damages]
        damage += [
            (int(batch.record_no[r.index]), int(batch.file_offset[r.index]), r.reason)
            for r in decoded.rejected
        ]
    return {name: pl.concat(frames) for name, frames in pieces.items()}, sorted(damage)


def _as_raw(db: duckdb.DuckDBPyConnection, table: str, rows: pl.DataFrame) -> pl.DataFrame:
    """Apply the expressions of the raw view: intervals, wide numbers, times of day."""
    lists = rows.cast({name: _lists(kind) for name, kind in rows.schema.items()})  # as in Parquet
    db.register("stored", lists.to_arrow())
    expressions = {name: sql for name, sql, _ in raw_columns(table)}
    chosen = ", ".join(f'{expressions[name]} AS "{name}"' for name in rows.columns)
    return data_frame(db.sql(f"SELECT {chosen} FROM stored"))


def _lists(kind: pl.DataType | DataTypeClass) -> pl.DataType | DataTypeClass:
    """Return a type with lists instead of fixed arrays."""
    return pl.List(_lists(kind.inner)) if isinstance(kind, pl.Array) else kind
