"""The writer of a load: its tables, counts and rejections, in files of a folder of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import polars as pl

from ingest.base.files import name_of
from ingest.base.workers import Workers
from ingest.days import DayRanges
from ingest.decoder import smf_version
from ingest.formats.limits import limit
from ingest.formats.sources import Identity, Source
from ingest.lake.catalogue import LEDGER_SCHEMAS
from ingest.lake.ledger import Entry, ledger_tables
from ingest.lake.parquet import write_parquet
from ingest.lake.seal import File, HowLoaded, seal
from ingest.parts import (
    Part,
    SetAside,
)

__all__ = ["KEPT_BYTES", "HowToLoad", "Load", "Writer"]

KEPT_BYTES = 1 << 16  # bytes of a rejected record that are kept
_REASONS = 1000  # reasons that a Load lists
_ROWS = 50_000  # rows of quarantine that are written at once


@dataclass(slots=True)
class Load:
    """The result of loading one file.

    `status` is loaded, partly (some records are in quarantine), quarantined (nothing could be
    loaded), duplicate (the same content was loaded before), removed (it was, and is in the hours of
    raw.usage_hour now), forgotten (its load was undone), form (a manifest that is not completed
    yet) or failed (the file could not be read). The last five are not in the ledger. `kind` is
    unknown for content of no known form. `runs`: of results. `counts` maps (type, subtype)
    to the numbers of records and sections.
    """

    source_id: str
    path: Path
    status: str
    kind: str = ""
    framing: str = ""
    bytes: int = 0
    records: int = 0
    runs: int = 0
    quarantined: int = 0
    rows: int = 0
    decoder: str = ""
    about: str = ""
    counts: dict[tuple[int, int | None], tuple[int, int]] = field(default_factory=dict)
    reasons: list[str] = field(default_factory=list)


class HowToLoad(NamedTuple):
    """How records are decoded: the page of their texts, MQ's AMS records, and by whom."""

    code_page: str
    ams_type: int
    about: str = ""
    workers: Workers | None = None


_QUARANTINED = {
    name: dtype
    for name, dtype in LEDGER_SCHEMAS["quarantine"].items()
    if name not in ("source_id", "path")
}


class Writer:
    """Writes the tables of one load in parts, and its lines of the ledger.

    Without a folder, it keeps them: names of tables, and their rows.
    """

    def __init__(self, source: Source, origin: str, folder: Path | None = None) -> None:
        self.source, self.origin, self.folder = source, origin, folder
        self.kept: list[tuple[str, pl.DataFrame]] = []
        self.how: list[HowLoaded] = []
        self.files: dict[str, File] = {}
        self.started = datetime.now(UTC).replace(tzinfo=None)
        self.quarantine: list[SetAside] = []
        self.counts: Counter[tuple[int, int]] = Counter()
        self.sections: Counter[tuple[int, int]] = Counter()
        self.extra_bytes: Counter[tuple[int, int]] = Counter()
        self.days = DayRanges()
        self.last_record_no = 0
        self.rows = 0
        self.set_aside_count = self.records_set_aside = self.quarantine_parts = 0
        self.reasons: list[str] = []
        self.to_keep = limit("kept_mb") << 20  # bytes of rejected content

    def set_aside(self, parts: Iterable[SetAside]) -> None:
        """Add parts to quarantine; beyond the limit without their content."""
        for part in parts:
            part.content = part.content[: min(KEPT_BYTES, self.to_keep)]
            self.to_keep -= len(part.content)
            self.quarantine.append(part)
            self.set_aside_count += 1
            self.records_set_aside += part.record_type is not None
            self.last_record_no = max(self.last_record_no, part.record_no)
            if len(self.reasons) < _REASONS:
                where = f"record {part.record_no} at offset {part.file_offset}"
                self.reasons.append(f"{where}: {part.reason}")
            if len(self.quarantine) == _ROWS:
                self.write_quarantine()

    def write_quarantine(self) -> None:
        """Write what was set aside since the last time, so that it does not fill the memory."""
        rows = [{name: getattr(q, name) for name in q.__slots__} for q in self.quarantine]
        if rows:
            frame = pl.DataFrame(rows, schema=_QUARANTINED).with_columns(
                path=pl.lit(name_of(self.source.path.absolute()))
            )
            self.write("quarantine", self.quarantine_parts, frame)
            self.quarantine_parts += 1
        self.quarantine.clear()

    def write(self, table: str, number: int, frame: pl.DataFrame) -> None:
        """Write or keep a part of a table, unless it has no rows. Raises OSError."""
        if self.folder and frame.height:
            self.files |= write_parquet(frame, self.folder / f"{table}.{number}.parquet")
        elif frame.height:
            self.kept.append((table, frame))

    def add(self, part: Part) -> None:
        """Note a batch of records, in the order of the file."""
        self.counts.update(part.counts)
        self.sections.update(part.sections)
        self.extra_bytes.update(part.extra_bytes)
        self.days.add(part.record_no, part.days, part.days)
        self.last_record_no = max(self.last_record_no, part.last_record_no)
        self.set_aside(part.aside)

    def finish(self, load: Load, identity: Identity, how: HowToLoad) -> None:
        """Write the ledger's rows for this load."""
        if identity.fault and not any(identity.fault in reason for reason in self.reasons):
            self.set_aside([SetAside(0, identity.size, None, None, identity.fault, b"")])
        self.write_quarantine()
        load.source_id, load.bytes, load.rows = identity.source_id, identity.size, self.rows
        load.quarantined, load.reasons = self.set_aside_count, self.reasons
        loaded = load.records - self.records_set_aside
        load.status = (
            "loaded" if not load.quarantined else "partly" if loaded > 0 else "quarantined"
        )
        types = [(abs(kind), subtype if subtype >= 0 else None) for kind, subtype in self.counts]
        entry = Entry(
            load.source_id,
            name_of(load.path.absolute()),
            "published" if load.kind.startswith("published") else self.origin,
            load.kind,
            load.status,
            records_loaded=loaded,
            records_quarantined=load.quarantined,
            bytes=load.bytes,
            stored_bytes=self.source.stored_bytes,
            framing=load.framing,
            compression=self.source.compression,
            decoder=load.decoder or smf_version(types, how.ams_type),
            code_page=how.code_page,
            ams_type=how.ams_type,
            about=load.about or None,
            loaded_at=self.started,
        )
        counts = [
            {
                "record_type": abs(kind),
                "record_subtype": subtype if subtype >= 0 else None,
                "records": records,
                "sections": self.sections[kind, subtype],
                "extra_bytes": self.extra_bytes[kind, subtype],
            }
            for (kind, subtype), records in sorted(self.counts.items())
        ]
        load.counts = {
            (abs(kind), subtype if subtype >= 0 else None): (records, self.sections[kind, subtype])
            for (kind, subtype), records in self.counts.items()
        }
        days = (range_._asdict() for range_ in self.days.ranges(self.last_record_no))
        for table, frame in ledger_tables(entry, days=days, counts=counts).items():
            self.write(table, 0, frame)
        self.how = [entry.how()]
        if self.folder:
            seal(self.folder, self.files, self.how)
