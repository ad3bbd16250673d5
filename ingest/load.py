"""Load source files: each one whole or not at all, and never twice.

A load writes its Parquet files into a folder in staging/ and renames that folder to
raw/<source_id>. The rename is the commit: nothing is visible before it and everything after it, and
a second load of the same content finds the name taken. The files do not repeat the source_id.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import accumulate
from pathlib import Path

import polars as pl

from ingest.binary.framing import Framing, RecordBatch, detect_framing, read_batches
from ingest.binary.records import RECORD_TABLE, Decoded, decode_batch, record_types
from ingest.catalogue import raw_schemas, smf_catalogue
from ingest.days import DayRanges, smf_days, text_days
from ingest.files import sync
from ingest.parsers import find_parser
from ingest.sources import Identity, Source, open_source
from ingest.text.parser import Parser
from ingest.warehouse import Warehouse

__all__ = ["Load", "load_file"]

Progress = Callable[[int], None]
_LARGE = 16 * 1024 * 1024  # bytes; from this size on it pays to read a file only once
_KEPT = 1 << 16  # bytes of a rejected record that are kept


@dataclass(slots=True)
class Load:
    """The result of loading one file.

    `status` is loaded, partly (some records are in quarantine), quarantined (nothing could be
    loaded) or duplicate (the same content was loaded before). `counts` maps (type, subtype) to the
    numbers of records and sections.
    """

    source_id: str
    path: Path
    status: str
    kind: str = ""
    framing: str = ""
    bytes: int = 0
    records: int = 0
    quarantined: int = 0
    rows: int = 0
    counts: dict[tuple[int, int | None], tuple[int, int]] = field(default_factory=dict)
    reasons: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Quarantined:
    record_no: int
    file_offset: int
    record_type: int | None
    record_subtype: int | None
    reason: str
    content: bytes


def load_file(
    warehouse: Warehouse,
    path: Path,
    origin: str = "measured",
    *,
    code_page: str = "037",
    ams_type: int = 180,
    progress: Progress | None = None,
) -> Load:
    """Load one file into raw.* and the ledger.

    Raises OSError if the file cannot be read; no content raises anything. `progress` is called with
    the number of bytes that were read from disk.

    A large file is read once and hashed while it is decoded, unless a file of its size was loaded
    before. Any other file is identified first.
    """
    with open_source(path, progress) as source:
        if source.stored_bytes < _LARGE or warehouse.holds_file_of(source.stored_bytes):
            identity = source.identity()
            if warehouse.holds(identity.source_id):
                return Load(identity.source_id, path, "duplicate", bytes=identity.size)
            source.rewind()
        with _staging(warehouse) as folder:
            writer = _Writer(source, origin, folder)
            known = find_parser(source.head)
            framing = None if known else _framing(source, ams_type)
            if known:
                load = _load_text(source, writer, *known)
            elif framing:
                load = _load_smf(source, writer, framing, code_page, ams_type)
            else:
                load = _load_nothing(source, writer)
            writer.finish(load, source.identity())
            with warehouse.raw_lock():
                committed = _commit(warehouse, folder, load.source_id)
    if not committed:
        return Load(load.source_id, path, "duplicate", bytes=load.bytes)
    return load


def _framing(source: Source, ams_type: int) -> Framing | None:
    return detect_framing(source.head, whole=source.whole, records=smf_catalogue(ams_type))


class _Writer:
    """Writes the tables of one load in parts, and its lines of the ledger."""

    def __init__(self, source: Source, origin: str, folder: Path) -> None:
        self.source, self.origin, self.folder = source, origin, folder
        self.started = datetime.now(UTC).replace(tzinfo=None)
        self.quarantine: list[_Quarantined] = []
        self.counts: Counter[tuple[int, int]] = Counter()
        self.sections: Counter[tuple[int, int]] = Counter()
        self.extra_bytes: Counter[tuple[int, int]] = Counter()
        self.days = DayRanges()
        self.last_record_no = 0
        self.rows = 0

    def write(self, part: int, tables: dict[str, pl.DataFrame]) -> None:
        """Write one part of each table that has rows."""
        for table, frame in tables.items():
            if frame.height:
                _write_parquet(frame, self.folder / f"{table}.{part}.parquet")
                self.rows += frame.height

    def finish(self, load: Load, identity: Identity) -> None:
        """Write the ledger's rows for this load."""
        if identity.fault:
            self.quarantine.append(_Quarantined(0, identity.size, None, None, identity.fault, b""))
        load.source_id, load.bytes, load.rows = identity.source_id, identity.size, self.rows
        load.quarantined = len(self.quarantine)
        load.reasons = [
            f"record {q.record_no} at offset {q.file_offset}: {q.reason}" for q in self.quarantine
        ]
        loaded = load.records - sum(q.record_type is not None for q in self.quarantine)
        load.status = "loaded" if not self.quarantine else "partly" if loaded > 0 else "quarantined"
        schemas = raw_schemas()
        key = {"source_id": load.source_id, "path": str(load.path.absolute())}
        ledger = key | {
            "origin": "published" if load.kind.startswith("published") else self.origin,
            "kind": load.kind,
            "bytes": load.bytes,
            "stored_bytes": self.source.stored_bytes,
            "framing": load.framing,
            "compression": self.source.compression,
            "decoder_version": version("perfhouse"),
            "loaded_at": self.started,
            "status": load.status,
            "records": loaded + load.quarantined,
            "records_loaded": loaded,
            "records_quarantined": load.quarantined,
        }
        quarantine = [
            key | {name: getattr(q, name) for name in q.__slots__} for q in self.quarantine
        ]
        counts = [
            {
                "source_id": load.source_id,
                "record_type": abs(kind),
                "record_subtype": subtype if subtype >= 0 else None,
                "records": records,
                "sections": self.sections[kind, subtype],
                "extra_bytes": self.extra_bytes[kind, subtype],
            }
            for (kind, subtype), records in sorted(self.counts.items())
        ]
        last_record_no = max([self.last_record_no, *(q.record_no for q in self.quarantine)])
        days = [
            {"source_id": load.source_id} | range_._asdict()
            for range_ in self.days.ranges(last_record_no)
        ]
        load.counts = {
            (abs(kind), subtype if subtype >= 0 else None): (records, self.sections[kind, subtype])
            for (kind, subtype), records in self.counts.items()
        }
        for name, rows in (
            ("ledger", [ledger]),
            ("ledger_count", counts),
            ("ledger_day", days),
            ("quarantine", quarantine),
        ):
            if rows:
                frame = pl.DataFrame(rows, schema=schemas[name])
                _write_parquet(frame, self.folder / f"{name}.0.parquet")


def _load_smf(
    source: Source,
    writer: _Writer,
    framing: Framing,
    code_page: str,
    ams_type: int,
) -> Load:
    load = Load("", source.path, "", "smf", framing.value)
    catalogue = smf_catalogue(ams_type)
    pending: Future[None] | None = None
    with ThreadPoolExecutor(1) as pool:
        for part, batch in enumerate(read_batches(source, framing, records=catalogue)):
            decoded = decode_batch(batch, catalogue, code_page)
            load.records += len(batch.start)
            record_no, days = smf_days(batch, decoded.tables[RECORD_TABLE]["smf_time"])
            writer.days.add(record_no, days, days)
            writer.last_record_no = max([writer.last_record_no, *batch.record_no[-1:].tolist()])
            _account(writer, batch, decoded)
            if pending:
                pending.result()
            pending = pool.submit(writer.write, part, decoded.tables)
        if pending:
            pending.result()
    return load


def _account(writer: _Writer, batch: RecordBatch, decoded: Decoded) -> None:
    """Add a batch to the load's counts and quarantine."""
    kinds, subtypes = record_types(batch)
    writer.counts.update(zip(kinds.tolist(), subtypes.tolist(), strict=True))
    writer.sections.update(decoded.sections)
    writer.extra_bytes.update(decoded.extra_bytes)
    aside = [
        _Quarantined(d.record_no, d.file_offset, None, None, d.reason, d.content)
        for d in batch.damages
    ]
    for rejection in decoded.rejected:
        i = rejection.index
        subtype = int(subtypes[i])
        aside.append(
            _Quarantined(
                int(batch.record_no[i]),
                int(batch.file_offset[i]),
                abs(int(kinds[i])),
                subtype if subtype >= 0 else None,
                rejection.reason,
                batch.content(i)[:_KEPT],
            )
        )
    writer.quarantine += sorted(aside, key=lambda q: q.record_no)


def _load_text(source: Source, writer: _Writer, parser: Parser, kind: str) -> Load:
    load = Load("", source.path, "", kind)
    content = source.read()
    parsed = parser.parse(content)
    lines = content.splitlines(keepends=True) if parsed.rejected else []
    starts = [0, *accumulate(map(len, lines))]
    for rejected in parsed.rejected:
        before = starts[min(rejected.line, len(starts)) - 1]
        line = lines[rejected.line - 1] if rejected.line <= len(lines) else b""
        number = rejected.line if rejected.record_no is None else rejected.record_no
        writer.quarantine.append(
            _Quarantined(number, before, None, None, rejected.reason, line[:_KEPT])
        )
    load.records = sum(frame.height for frame in parsed.tables.values())
    writer.days.add(*text_days(parsed.tables))
    writer.last_record_no = max(
        (frame["record_no"].to_numpy().max() for frame in parsed.tables.values() if frame.height),
        default=0,
    )
    writer.write(0, parsed.tables)
    return load


def _load_nothing(source: Source, writer: _Writer) -> Load:
    reason = "the file is empty" if not source.head else "not recognised as any known input"
    writer.quarantine.append(_Quarantined(1, 0, None, None, reason, source.head[:_KEPT]))
    return Load("", source.path, "", "unknown")


def _write_parquet(frame: pl.DataFrame, path: Path) -> None:
    frame.write_parquet(path, compression="zstd", compression_level=1)
    sync(path)


@contextmanager
def _staging(warehouse: Warehouse) -> Iterator[Path]:
    """Yield a folder for a load in progress; remove it at the end unless it was committed."""
    _sweep(warehouse.staging)
    folder = warehouse.staging / f"{secrets.token_hex(8)}.{os.getpid()}"
    folder.mkdir(parents=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _sweep(staging: Path) -> None:
    """Remove the folders of loads that were killed."""
    for folder in staging.iterdir():
        pid = folder.name.rpartition(".")[2]
        if pid.isdigit() and not Path(f"/proc/{pid}").exists():
            shutil.rmtree(folder, ignore_errors=True)


def _commit(warehouse: Warehouse, folder: Path, source_id: str) -> bool:
    """Move a load to its place; return False if the same content was loaded in the meantime."""
    if warehouse.holds(source_id):
        return False
    place = warehouse.raw / source_id
    try:
        folder.rename(place)
    except OSError:
        if place.exists():
            return False
        raise
    sync(place.parent)
    return True
